"""The commands of the laboratory as a user meets them."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from tests.cli.test_command_line import QRELS, unjudged
from unjudged import Judgments, evaluate, sample
from unjudged.experiments.summary import KEPT, REDRAWN
from unjudged.judging.pooling import Pool

RUNS = [str(path) for path in sample.runs.values()]
SMALL = ["--levels", "10%,50%", "--repeats", "3", "-m", "AP", "-m", "infAP"]
ALONE = [*SMALL, "--workers", "1"]  # no process is started


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
        (["experiment", QRELS, *RUNS, "--workers", "0"], "workers is 0"),
        (["experiment", QRELS, *RUNS, "-d", "depth", "--levels", "9" * 400], "invalid depth '9999"),
        (["experiment", QRELS, RUNS[0]], "two or more runs are needed: unjudged experiment QRELS RUN RUN..."),
        (
            ["experiment", QRELS, *RUNS, "-d", "depth", "-m", "statAP"],
            "needs the probability that each",
        ),
        (
            ["experiment", QRELS, *RUNS, "-d", "best"],
            "-d is 'best', expected one of random",
        ),
        (["experiment", QRELS, *RUNS, "--top", "5"], "design 'random' has no option 'top'"),
        (
            ["sample", QRELS, *RUNS, "-d", "mixed", "--strata", "5:1"],
            "--strata goes with --design strat",
        ),
        (["sample", QRELS, *RUNS, "-d", "depth", "-k", "3", "--no-redraw"], "has no option 'redraw'"),
        (["sample", QRELS, *RUNS, "-d", "stratified"], "--design stratified needs --share"),
        (["experiment", QRELS, *RUNS, "--levels", "5"], "invalid share '5'"),
        (["experiment", QRELS, *RUNS, "-d", "depth", "--levels", "5%"], "invalid depth '5%'"),
        (["experiment", QRELS, *RUNS, "--format", "parquet"], "--format parquet needs --output"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], message: str) -> None:
    assert message in refused(2, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["experiment", QRELS, *RUNS, "-o", "/no/folder/x.csv"], "/no/folder/x.csv: cannot be written"),
        (["experiment", QRELS, *RUNS, "-o", str(Path(QRELS).parent)], "it is a folder"),
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


def test_experiment_tables(tmp_path: Path) -> None:
    table = printed("experiment", QRELS, *RUNS, *ALONE)
    heads = [block.splitlines()[0].split() for block in table.split("\n\n")]
    assert heads[:-1] == [
        ["measure", "level", "judged", "tau", "tau_ap", "rho"],
        ["measure", "level", "rms", "bias"],
    ]
    assert max(map(len, table.splitlines())) <= 80
    assert [len(block.splitlines()) for block in table.split("\n\n")] == [2 + 4, 2 + 4, 2]
    assert " ".join(table.split("\n\n")[-1].split()) == REDRAWN
    kept = printed("experiment", QRELS, *RUNS, *ALONE, "--no-redraw")
    assert kept.split("\n\n")[-1].strip() == KEPT
    assert kept.split("\n\n")[0] != table.split("\n\n")[0]
    depth = printed("experiment", QRELS, *RUNS, "-d", "depth", "--levels", "5", "-m", "AP", "--workers", "1")
    assert "relevant document were" not in depth
    text = printed("experiment", QRELS, *RUNS, *SMALL, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 2 * 2 * 5
    output = tmp_path / "found.json"
    printed("experiment", QRELS, *RUNS, *ALONE, "-o", str(output))
    found = json.loads(output.read_text())["rows"]
    assert [str(row["mean"]) for row in found] == [row["mean"] for row in rows]
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "found.parquet"
    printed("experiment", QRELS, *RUNS, *ALONE, "-o", str(output))
    assert parquet.read_table(output).num_rows == 40


@pytest.mark.parametrize("kind", ["svg", "html"])
@pytest.mark.parametrize(("levels", "shown"), [("30%", "actual AP"), ("30%,50%", "RMS error")])
def test_figures(tmp_path: Path, kind: str, levels: str, shown: str) -> None:
    """One level gives estimated against actual values, several the statistics over them."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    file = tmp_path / f"figure.{kind}"
    asked = ["--levels", levels, "--repeats", "2", "-m", "AP", "--workers", "1"]
    printed("experiment", QRELS, *RUNS, *asked, "--plot", str(file))
    assert shown in file.read_text()
    assert not re.search(r"<script[^>]* src=", file.read_text())  # nothing is fetched when it is opened
