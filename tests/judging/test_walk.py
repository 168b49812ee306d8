"""From a comparison that needs judging to one that does not, by the commands that the output names."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.in_process import everything, printed, refused, unjudged
from tests.report.test_page import read
from unjudged import Collection, Judgments, compare, evaluate, gate, sample
from unjudged.collection.description_keys import with_table
from unjudged.inference.gate_checks import UNDECIDED
from unjudged.judging import merge
from unjudged.judging.judging_page import to_judge_in

KNOWN = {
    (query, document): grade
    for query, _, document, grade in map(str.split, sample.answers.read_text().splitlines())
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the sample collection, in the folder where commands run."""
    for path in (sample.qrels, *sample.runs.values()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(text: str) -> list[list[str]]:
    """The commands that an output says come next."""
    return [shlex.split(one) for one in re.findall(r"^(?:Next:|     ) unjudged (.*)$", text, re.MULTILINE)]


def answered(file: Path) -> None:
    """Fill in grades, as an editor would."""
    text = file.read_text()
    for line in re.findall(r"^[^#].* -1$", text, re.MULTILINE):
        query, *fields = line.split()
        document = fields[1] if len(fields) == 3 else fields[0]
        text = text.replace(f"{line}\n", f"{line[:-2]}{KNOWN[query, document]}\n")
    file.write_text(text)


def place(judgments: str, run: str) -> int:
    means = evaluate(judgments, sample.runs, "nDCG@10").means[:, 0]
    return int(1 + (means > means[list(sample.runs).index(run)]).sum())


def test_a_hundred_answers_place_the_run_that_was_not_pooled(folder: Path) -> None:
    """`dense` is fifth of six, and second once a hundred documents are judged."""
    runs = [path.name for path in sample.runs.values()]
    assert (
        place("qrels.txt", "dense"),
        compare(sample.qrels, sample.runs).pair("dense", "fused")["headline"],
    ) == (
        5,
        "needs judging",
    )
    judge, merged = told(printed("next", "qrels.txt", *runs, "-n", "100", "-o", "to-judge.qrels"))
    assert merged == ["merge", "qrels.txt", "to-judge.qrels", "-o", "judged.qrels"]
    printed(*judge)
    assert "100" in (folder / "to-judge.html").read_text()
    answered(folder / "to-judge.qrels")
    printed(*merged)
    assert place("judged.qrels", "dense") == 2
    assert evaluate("judged.qrels", sample.runs, "nDCG@10").value("nDCG@10", run="dense") > 0.36
    assert "it has grades, which would be lost" in refused(
        1, "next", "qrels.txt", *runs, "-n", "100", "-o", "to-judge.qrels"
    )
    _, merged = told(printed("next", "judged.qrels", *runs, "-n", "100", "-o", "more.qrels"))
    answered(folder / "more.qrels")
    printed(*merged[:-1], "all.qrels")
    stop = "Stop: more judging cannot, or is unlikely to, change what nDCG@10 says of any of the 15 pairs"
    assert " ".join(printed("next", "all.qrels", *runs).split()).startswith(stop)


@pytest.mark.thorough
def test_judging_until_the_order_is_decided(folder: Path) -> None:
    """The same three commands again and again; a batch that is merged twice changes nothing."""
    asked = ["next", "qrels.txt", "lexical.run", "dense.run", "--until", "better", "-o", "to-judge.sample"]
    said, rounds = printed(*asked), 0
    assert "Undecided by nDCG@10: dense and lexical." in said
    while commands := told(said):
        judge, merged, again = commands
        assert again == ["next", "judged.sample", *asked[2:]]
        printed(*judge)
        unjudged_yet = (folder / "to-judge.sample").read_bytes()
        answered(folder / "to-judge.sample")
        printed(*merged)
        once = Judgments.read("judged.sample")
        printed("merge", "judged.sample", "to-judge.sample", "-o", "twice.sample")
        assert np.array_equal(Judgments.read("twice.sample").grade, once.grade)
        said, rounds = printed(*again), rounds + 1
        two = {name: sample.runs[name] for name in ("lexical", "dense")}
        could_flip = compare("judged.sample", two).pair()["more_judging"] == "could flip it"
        assert could_flip == ("Not yet" in said)
        asked_of_gate = gate("judged.sample", two["lexical"], two["dense"]).outcome
        assert asked_of_gate == UNDECIDED or not could_flip
        assert (folder / "to-judge.sample").read_bytes() != unjudged_yet
    assert said.startswith(
        f"Decided after {20 * rounds} labels: dense is better than lexical; nDCG@10 of dense"
    )
    assert rounds <= 5
    assert "--until better" in refused(2, "next", "judged.sample", *asked[2:4]).replace("until", "--until")
    for words, problem in (
        (["-m", "P@5"], "measure is P@5, and the first batch was drawn for nDCG@10"),
        (["--until", "better(batches=3)"], "batches is 3, and the first batch was drawn for any number"),
        (["--design", "uniform(10%)"], "until draws batches of holes"),
    ):
        assert problem in refused(2, "next", "judged.sample", *asked[2:6], *words)


def test_a_document_that_cannot_be_judged_concerns_the_runs_that_have_it(folder: Path) -> None:
    """One of fifty answers is "cannot judge": intervals of runs without that document stay as narrow."""
    runs = [path.name for path in sample.runs.values()]
    printed("next", "qrels.txt", *runs, "-d", "holes(50)", "-o", "a.sample")
    answered(folder / "a.sample")
    whole = (folder / "a.sample").read_text()
    first = next(line for line in whole.splitlines() if line[0] != "#")
    (folder / "b.sample").write_text(whole.replace(first, f"{first[:-1]}-2"))
    width = {}
    for file in ("a.sample", "b.sample"):
        for row in evaluate(file, sample.runs, "nDCG@10").rows["systems"]:
            width[file, row["system"]] = row["estimate_high"] - row["estimate_low"]
    for name in sample.runs:
        assert width["b.sample", name] < 1.2 * width["a.sample", name]


def test_a_sample_of_a_new_pool(folder: Path) -> None:
    """Without judgments: a sample of the pool of all runs, judged by two people, then estimates."""
    runs = [path.name for path in sample.runs.values()]
    design = "stratified(5:100%, rest:20%)"
    judge, merged = told(printed("next", *runs, "--design", design, "-o", "to-judge.sample"))
    assert merged == ["merge", "to-judge.sample", "-o", "judged.sample"]
    printed(*judge)
    assert "drawn documents are not judged yet" in refused(
        2, "evaluate", "to-judge.sample", *runs, "-m", "xinfAP"
    )
    answered(folder / "to-judge.sample")
    printed(*merged)
    complete = evaluate(sample.answers, sample.runs, "AP").means[:, 0]
    found = evaluate("judged.sample", sample.runs, ["xinfAP", "statAP"]).means
    assert abs(found[:, 0] - complete).max() < 0.05
    assert abs(found[:, 1] - complete).max() < 0.05
    assert "xinfAP" in printed("evaluate", "judged.sample", *runs, "-m", "xinfAP")


def test_two_people_export_from_the_page(folder: Path) -> None:
    """Exports of the page are merged one after another, and what is missing waits."""
    runs = [path.name for path in sample.runs.values()]
    printed("next", "qrels.txt", *runs, "--design", "uniform(10%)", "-o", "to-judge.sample")
    task = to_judge_in(Judgments.read("to-judge.sample"))
    for name, part in (("ann", task[:30]), ("bob", task[30:])):
        lines = [f"{query} 0 {document} {KNOWN[query, document]}\n" for query, document in part]
        head = f"# unjudged-answers: {len(part)} of {len(part)} documents judged\n"
        (folder / f"{name}.qrels").write_text(head + "".join(lines))
    printed("merge", "to-judge.sample", "ann.qrels", "-o", "half.sample")
    assert to_judge_in(Judgments.read("half.sample")) == task[30:]
    printed("merge", "half.sample", "bob.qrels", "-o", "judged.sample")
    at_once = merge("to-judge.sample", {"ann": "ann.qrels", "bob": "bob.qrels"}).judgments
    assert Judgments.read("judged.sample").grade.tolist() == at_once.grade.tolist()
    again = unjudged("merge", "judged.sample", "ann.qrels").stdout.decode().splitlines()
    assert again[2:] == (folder / "judged.sample").read_text().splitlines()[2:]


TEXT = """# ours
[[judgments]]
file = "qrels.txt"  # by the team
how = "pool"
depth = 10

[[judgments]]
file = "labels.qrels"
by = "model"
name = "umbrela"

[runs]
dense = "dense.run"   # new
fused = "fused.run"
"""


def grades(judgments: Judgments) -> dict[tuple[str, str], int]:
    names = judgments.pooled.names(np.arange(len(judgments.grade)))
    return dict(zip(names, judgments.grade.tolist(), strict=True))


@pytest.fixture
def described_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection with a pool, the labels of a model, and the answers of people."""
    monkeypatch.chdir(tmp_path)
    assert unjudged("demo", "--files", "all").returncode == 0
    (tmp_path / "ours").mkdir()
    for name in ("qrels.txt", "answers.qrels", "dense.run", "fused.run"):
        (tmp_path / "all" / name).rename(tmp_path / "ours" / name)
    monkeypatch.chdir(tmp_path / "ours")
    answers = Judgments.read("answers.qrels")
    wrong = [f"{q} 0 {d} {0 if d.endswith('3') else g}\n" for (q, d), g in grades(answers).items()]
    Path("labels.qrels").write_text("".join(wrong))
    Path("collection.toml").write_text(TEXT)
    return tmp_path / "ours"


@pytest.mark.usefixtures("described_folder")
def test_the_loop_needs_no_further_word() -> None:
    drawn = everything("next", "--design", "holes(50)", "-o", "to-judge.sample")
    assert "Next: unjudged judge to-judge.sample -o to-judge.html unjudged merge to-judge.sample" in drawn
    assert "-o judged.sample unjudged compare " in drawn
    everything("judge", "to-judge.sample", "-o", "page.html")
    before = everything("compare")
    merged = everything("merge", "to-judge.sample", "answers.qrels", "-o", "judged.sample")
    assert "collection.toml has judged.sample among its judgments. Next: unjudged compare " in merged
    assert (
        Path("collection.toml").read_text()
        == TEXT + '\n[[judgments]]\nfile = "judged.sample"\nby = "people"\n'
    )
    after = everything("compare")
    assert "unjudged documents checked" not in before
    assert "50 of " in after
    assert "unjudged documents checked: nDCG@10 of dense" in after
    collection = Collection("collection.toml")
    assert [*collection.predictions] == ["umbrela"]
    assert (collection.judgments.frame, collection.judgments.origin.depth) != (None, None)
    for command in ("evaluate", "gate"):
        assert b"50 of 204 unjudged documents checked" in unjudged(command).stderr
    everything("report", "-o", "page.html")
    notes = read(Path("page.html").read_text())["notes"]
    assert any("50 of 204 unjudged documents checked" in note for note in notes)
    named = everything("compare", "judged.sample", "labels.qrels", "dense.run", "fused.run")
    pairs = [text.partition("difference ")[2].split()[0] for text in (named, after)]
    assert pairs[0] == pairs[1]


@pytest.mark.usefixtures("described_folder")
def test_a_file_is_entered_once_and_goes_on() -> None:
    everything("next", "--design", "holes(20)", "-o", "to-judge.sample")
    for _ in range(2):
        everything("merge", "to-judge.sample", "answers.qrels", "-o", "judged.sample")
    once = Path("collection.toml").read_text()
    assert once.count("[[judgments]]") == 3
    everything("next", "--design", "holes(20)", "-o", "more.sample")
    merged = everything("merge", "more.sample", "answers.qrels", "-o", "other.sample")
    assert "collection.toml has other.sample among its judgments" in merged
    assert Path("collection.toml").read_text() == once.replace("judged.sample", "other.sample")
    frame = Collection("collection.toml").judgments.frame
    assert frame is not None
    assert frame.drawn.sum() == 40


@pytest.mark.usefixtures("described_folder")
def test_further_judgments_of_the_pool_are_entered_file_by_file() -> None:
    for k, name in enumerate(("judged.qrels", "judged-2.qrels"), 1):
        said = everything("next", "-n", "5", "-o", "to-judge.qrels")
        assert f"to-judge.qrels -o {name}" in said
        to_judge, answers = Judgments.read("to-judge.qrels"), Judgments.read("answers.qrels")
        known = grades(answers)
        Path("done.qrels").write_text(
            "".join(f"{q} 0 {d} {known.get((q, d), 0)}\n" for q, d in grades(to_judge))
        )
        first = "qrels.txt" if k == 1 else "judged.qrels"
        everything("merge", first, "done.qrels", "-o", name)
        assert Path("collection.toml").read_text().count("[[judgments]]") == 2 + k
    assert (Collection("collection.toml").judgments.grade >= 0).sum() == (
        Judgments.read("judged-2.qrels").grade >= 0
    ).sum()


def test_other_judgments_are_not_entered(described_folder: Path) -> None:
    everything("merge", "qrels.txt", "qrels.txt", "-o", "same.qrels")
    (described_folder / "one.qrels").write_text("q01 0 d001 1\n")
    (described_folder / "two.qrels").write_text("q01 0 d002 1\n")
    everything("merge", "one.qrels", "two.qrels", "-o", "both.qrels")
    (described_folder / "changed.qrels").write_text(
        "".join(f"{line.rsplit(' ', 1)[0]} 2\n" for line in Path("qrels.txt").read_text().splitlines())
    )
    everything("merge", "qrels.txt", "changed.qrels", "--conflicts", "last", "-o", "corrected.qrels")
    everything(
        "merge",
        "qrels.txt",
        "one.qrels",
        "--conflicts",
        "last",
        "-o",
        str(described_folder.parent / "away.qrels"),
    )
    assert Path("collection.toml").read_text() == TEXT


@pytest.mark.usefixtures("described_folder")
@pytest.mark.parametrize(
    "form", ["[judgments]\nfile = 'qrels.txt'\n", "judgments = [{ file = 'qrels.txt' }]\n"]
)
def test_other_forms_of_judgments(form: str) -> None:
    Path("collection.toml").write_bytes(f"{form}[runs]\r\ndense = 'dense.run'".encode())
    everything("next", "--design", "holes(5)", "-o", "to-judge.sample")
    asked = ("merge", "to-judge.sample", "answers.qrels", "-o", "judged.sample")
    if form.startswith("["):
        everything(*asked)
        assert b"\r\n\r\n[[judgments]]\r\n" in Path("collection.toml").read_bytes()
        assert len(Collection("collection.toml").described.judgments) == 2
    else:
        done = unjudged(*asked)
        assert (done.returncode, b"write them so" in done.stderr) == (1, True)
        assert len(Collection("collection.toml").described.judgments) == 1


LINES = st.sampled_from(["# [b]", "a = 1  # one", "[[b]]", 'c = "d"', "[x]", "", "y = '''", "[b]", "'''"])


@given(st.lists(LINES).map("\n".join), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("[b] # ours", 'a\x7f"\\\n')
@example("[b]\ny = '''\n[b]\n'''", "d")
@example("[[b]]\ny = '''\n[b]\n'''", "d")
def test_a_table_more_changes_nothing_else(text: str, value: str) -> None:
    try:
        before = tomllib.loads(text)
        after = tomllib.loads(with_table(text, "b", {"c": value}))
    except tomllib.TOMLDecodeError:
        return
    tables = before.pop("b", [])
    assert after.pop("b") == [*(tables if isinstance(tables, list) else [tables]), {"c": value}]
    assert before == after
