"""From an empty folder to a verdict in two commands at most, with files of the Deep Learning track 2019."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_process import unjudged
from tests.conftest import DATA
from unjudged.rankings.runs import Run

HOME = DATA / "dl2019"
TWO = ("ICT-BERT2", "bm25base_p")
pytestmark = pytest.mark.skipif(not HOME.is_dir(), reason="needs the Deep Learning track of 2019")


@pytest.fixture(scope="module")
def people() -> dict[str, dict[str, int]]:
    """Grades by people."""
    found: dict[str, dict[str, int]] = {}
    for line in lines(HOME / "qrels.dl2019-passage.gz"):
        query, _, document, grade = line.split()
        found.setdefault(query, {})[document] = int(grade)
    return found


def lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt") as file:
        yield from file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: dict[str, dict[str, int]]) -> None:
    """A folder with what a user has: judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    for name in TWO:
        Path(f"{name}.run").write_text("".join(lines(HOME / f"track/runs/{name}.gz")))
    Path("qrels.txt").write_text(
        "".join(f"{q} 0 {d} {grade}\n" for q, own in people.items() for d, grade in own.items())
    )


def verdict(*words: str) -> str:
    done = unjudged(*words)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split("\n\n", maxsplit=1)[0].replace("\n", " ")


def test_two_runs_and_judgments() -> None:
    expected = "ICT-BERT2 is better than bm25base_p, whatever is judged."
    assert verdict("compare", "qrels.txt", "bm25base_p.run", "ICT-BERT2.run") == expected


def test_a_failing_build() -> None:
    """The steps of action.yml are run by tests/test_action.py."""
    done = unjudged("gate", "qrels.txt", "ICT-BERT2.run", "bm25base_p.run", "--margin", "0.01")
    assert (done.returncode, done.stdout[:4]) == (1, b"FAIL")


def test_scores_of_another_tool(people: dict[str, dict[str, int]]) -> None:
    """RR by query, as a notebook writes it."""
    first = {}
    for name in TWO:
        run = Run.read(f"{name}.run")
        for query in people:
            ranks = [k for k, one in enumerate(run.ranking(query), 1) if people[query].get(one, 0) > 1]
            first[query, name] = 1 / ranks[0] if ranks else 0.0
    rows = "".join(f"{q},{','.join(str(first[q, name]) for name in TWO)}\n" for q in people)
    Path("scores.csv").write_text(f"query,{','.join(TWO)}\n{rows}")
    assert verdict("compare", "scores.csv") == "ICT-BERT2 is better than bm25base_p."


def test_a_folder_of_beir(people: dict[str, dict[str, int]]) -> None:
    Path("dl/qrels").mkdir(parents=True)
    rows = "".join(f"{q}\t{d}\t{grade}\n" for q, own in people.items() for d, grade in own.items())
    Path("dl/qrels/test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    said = verdict("compare", "dl", "bm25base_p.run", "ICT-BERT2.run")
    assert said == "ICT-BERT2 is better than bm25base_p, whatever is judged."


def test_labels_of_people_and_of_a_model(people: dict[str, dict[str, int]]) -> None:
    """`check` prints the command; people judged one in five of what the runs have, the model all of it."""
    pairs = {(q, d) for name in TWO for q in people for d in Run.read(f"{name}.run").ranking(q)[:10]}
    drawn = sorted(pairs)[::5]
    Path("people.qrels").write_text("".join(f"{q} 0 {d} {people[q].get(d, 0)}\n" for q, d in drawn))
    labels = (line.split() for line in lines(HOME / "llama70b-scores.tsv.gz"))
    Path("llama.qrels").write_text("".join(f"{q} 0 {d} {score}\n" for q, d, score in labels))
    files = ("people.qrels", "llama.qrels", "bm25base_p.run", "ICT-BERT2.run")
    said = unjudged("check", *files).stdout.decode().split("drawn at random?\n")[1]
    command = said.split("\n")[0].split()
    stated = ["--set", "judgments.how=sample", "--set", "judgments.depth=10"]
    assert command == ["unjudged", "compare", *files, *stated]
    assert "ICT-BERT2 is" in verdict(*command[1:])
    assert unjudged("check", *files, "-o", "collection.toml").returncode == 0
    assert verdict("compare", *stated) == verdict(*command[1:])
    assert unjudged("audit").stdout.startswith(b"Agreement with people on")
