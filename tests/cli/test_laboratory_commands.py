"""The commands of the laboratory as a user meets them."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from tests.cli.test_command_line import QRELS, unjudged
from unjudged import Judgments, evaluate, sample
from unjudged.judging.pooling import Pool

RUNS = [str(path) for path in sample.runs.values()]


def judged(text: str) -> set[tuple[str, str]]:
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {(query, document) for query, _, document, *_, grade in lines if int(grade) >= 0}


def test_pool_of_runs() -> None:
    lines = printed("pool", *RUNS, "--depth", "10").splitlines()
    assert lines[0].startswith("# unjudged ")
    assert lines[1].startswith("# unjudged-origin pool to rank 10: ")
    assert len(lines) == 2 + len(Pool.of_runs(sample.runs, depth=10).judgments.grade)
    assert all(line.endswith(" -1") for line in lines[2:])
    documents = [line.split()[2] for line in lines[2:] if line.startswith("q01 ")]
    assert documents == sorted(documents)


def test_pool_cut_from_judgments() -> None:
    text = printed("pool", *RUNS, "--depth", "10", "--qrels", QRELS)
    chosen = Pool.of(sample.qrels, sample.runs).depth(10)
    assert len(judged(text)) == int((chosen.grade >= 0).sum())


@pytest.mark.thorough
def test_a_file_says_how_to_make_it_again(tmp_path: Path) -> None:
    designs = [
        ["sample", QRELS, "--share", "20%", "--seed", "4"],
        ["sample", QRELS, *RUNS, "--design", "mixed", "--depth", "2", "--seed", "1"],
        ["sample", QRELS, *RUNS, "-d", "stratified", "--strata", "5:100%,rest:20%", "--format", "prels"],
        ["sample", QRELS, *RUNS, "-d", "stratified", "--share", "20%", "--top", "5"],
        ["sample", QRELS, "--share", "1%", "--no-redraw"],
        ["pool", *RUNS, "--qrels", QRELS, "--leave-out", "dense", "--depth", "20"],
    ]
    for arguments in designs:
        text = printed(*arguments)
        head = text.splitlines()[0]
        again = shlex.split(head.partition(": ")[2])
        assert again[0] == "unjudged"
        assert printed(*again[1:]) == text
        path = tmp_path / "made"
        path.write_text(text)
        assert Judgments.read(path).count(0).sum() > 0


def test_stratified_files_feed_the_estimators(tmp_path: Path) -> None:
    strata = ["sample", QRELS, *RUNS, "-d", "stratified", "--strata", "5:100%,rest:50%"]
    drawn = Pool.of(sample.qrels, sample.runs).stratified({5: 1.0, float("inf"): 0.5})
    for form, measure in (("strata", "xinfAP"), ("prels", "statAP"), ("strata", "statAP")):
        path = tmp_path / form
        path.write_text(printed(*strata, "--format", form))
        found = evaluate(path, sample.runs, measure).values
        assert found.tolist() == evaluate(drawn, sample.runs, measure).values.tolist()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample", QRELS], "--design random needs --share"),
        (["sample", QRELS, "--share", "10"], "invalid share '10': use 10% or 0.1"),
        (["sample", QRELS, "--share", "10%", "--depth", "3"], "--design random does not take --depth"),
        (["sample", QRELS, "--design", "depth", "--depth", "3"], "no run given"),
        (["sample", QRELS, *RUNS, "-d", "stratified", "--strata", "x:1"], "invalid stratum 'x:1'"),
        (["pool"], "no run given"),
        (["sample", QRELS, *RUNS, "--share", "10%"], "--design random does not use runs"),
        (["sample", QRELS, "--share", "10%", "--format", "prels"], "these judgments have none"),
        (["sample", QRELS, *RUNS, "-d", "stratified", "--strata", "1:1,1:0"], "stratum 1 is given twice"),
        (["pool", *RUNS, "--leave-out", "dense"], "--leave-out goes with --qrels"),
        (["pool", *RUNS, "--groups", "(.*)"], "--groups goes with --leave-out"),
        (["pool", *RUNS, "--since", QRELS, "--qrels", QRELS], "--since lists what is new to judge"),
        (
            ["sample", QRELS, *RUNS, "-d", "mixed", "--strata", "5:1"],
            "--strata goes with --design strat",
        ),
        (["sample", QRELS, *RUNS, "-d", "depth", "-k", "3", "--no-redraw"], "has no option 'redraw'"),
        (["sample", QRELS, *RUNS, "-d", "stratified"], "--design stratified needs --share"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], message: str) -> None:
    assert message in refused(2, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--files", f"{QRELS}/x"], "cannot be created"),
    ],
)
def test_what_cannot_be_written(arguments: list[str], message: str) -> None:
    assert message in refused(1, *arguments)


def test_a_query_without_lines_is_reported(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 d1 1\nq2 0 d2 1\n")
    run.write_text("q1 Q0 d1 1 1.0 a\n")
    strata = ["--design", "stratified", "--strata", "1:100%"]
    done = unjudged("sample", str(qrels), str(run), *strata, "--format", "prels")
    assert done.returncode == 0
    assert done.stderr.decode() == "unjudged: 1 of 2 queries has no line in the file: q2.\n"


def test_other_tools_read_files_without_a_header(tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    text = printed("sample", QRELS, "--share", "20%", "--no-header")
    assert not text.startswith("#")
    grades = pytrec_eval.parse_qrel(io.StringIO(text))
    assert sum(grade >= 0 for query in grades.values() for grade in query.values()) == len(judged(text))


def test_a_pool_of_standard_input() -> None:
    run = Path(RUNS[0]).read_bytes()
    done = unjudged("pool", "-", "--depth", "3", given=run)
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == printed("pool", RUNS[0], "--depth", "3").encode().splitlines()[1:]


def test_groups_that_name_no_run(tmp_path: Path) -> None:
    path = tmp_path / "groups"
    words = ["pool", *RUNS, "--qrels", QRELS, "--leave-out", "dense", "--groups"]
    path.write_text("a b\n")
    assert "lists none of the runs" in refused(1, *words, str(path))
    for text, message in {
        "a\nb\n": ": found the columns 'a', expected run and group",
        "fused x\nfused y\n": ":2: run 'fused' is in two groups, x and y",
    }.items():
        path.write_text(text)
        assert message in refused(1, *words, str(path))
    path.write_text("fused dense\n")
    assert "a group has the same name" in refused(2, *words, str(path))
    assert "is it a binary file?" in refused(1, *words, "/dev/zero")
