"""Columns and runs named on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from tests.report.test_page import said
from unjudged import sample

RUN, QRELS = sample.runs["lexical"], sample.qrels
ROWS = [line.split() for line in RUN.read_text().splitlines()]
JUDGED = [line.split() for line in QRELS.read_text().splitlines()]


@pytest.fixture
def own(tmp_path: Path) -> tuple[str, str]:
    """Judgments and a run in CSV with semicolons and names of their own."""
    run, qrels = tmp_path / "lexical.csv", tmp_path / "qrels.csv"
    run.write_text("topic_name;url;cosine\n" + "".join(f"{q};{d};{s}\n" for q, _, d, _, s, _ in ROWS))
    qrels.write_text("topic_name;url;stars\n" + "".join(f"{q};{d};{g}\n" for q, _, d, g in JUDGED))
    return str(qrels), str(run)


def test_columns(own: tuple[str, str]) -> None:
    wanted = printed("evaluate", str(QRELS), str(RUN), "--format", "json")
    words = ["query=topic_name", "document=url"]
    for run_words, qrels_words in (
        ([*words, "score=cosine"], [*words, "grade=stars"]),
        ([",".join([*words, "score=cosine"])], [",".join([*words, "grade=stars"])]),
    ):
        options = ["--columns", *run_words, "--qrels-columns", *qrels_words]
        assert printed("evaluate", *own, *options, "--format", "json") == wanted


def test_columns_of_files_that_match_a_pattern(own: tuple[str, str]) -> None:
    pattern = str(Path(own[1]).parent / "lex*.csv")
    columns = "query=topic_name,document=url,score=cosine"
    found = printed("evaluate", str(QRELS), pattern, "--columns", columns, "-m", "AP", "--format", "csv")
    assert found == printed("evaluate", str(QRELS), str(RUN), "-m", "AP", "--format", "csv")


def test_several_runs_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    names = ("reranked", "fused")
    lines = [
        f"{name},{q},{d},{s}\n"
        for name in names
        for q, _, d, _, s, _ in map(str.split, sample.runs[name].read_text().splitlines())
    ]
    path.write_text("engine,qid,docno,score\n" + "".join(lines))
    files = [str(sample.runs[name]) for name in names]
    for command in ("evaluate", "compare"):
        found = printed(command, str(QRELS), str(path), "--columns", "run=engine")
        assert found == printed(command, str(QRELS), *files)


def test_names_by_tag(tmp_path: Path) -> None:
    path = tmp_path / "input.run"
    path.write_bytes(RUN.read_bytes())
    asked = ["evaluate", str(QRELS), str(path), "-m", "AP", "--format", "csv"]
    assert "input," in printed(*asked)
    assert "lexical," in printed(*asked, "--names", "tag")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["scre=sim"], "--columns has 'scre=sim', expected query=NAME document=NAME score=NAME"),
        (["query"], "--columns has 'query', expected"),
        (["query=a", "query=b"], "--columns names the query twice"),
        (["score=sim"], "TREC text has no column names such as sim"),
    ],
)
def test_wrong_columns(words: list[str], problem: str) -> None:
    assert problem in refused(2, "evaluate", str(QRELS), str(RUN), "--columns", *words)


def test_fractional_grades(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q01 0 d071 0.75\nq01 0 d083 0.25\n")
    run = tmp_path / "lexical.run"
    run.write_text("".join(line for line in RUN.read_text().splitlines(True) if line.startswith("q01 ")))
    asked = ["evaluate", str(path), str(run), "--format", "csv"]
    assert ",1.0" in printed(*asked, "-m", "nDCG")
    assert "AP(rel=0.5)" in printed(*asked, "-m", "AP", "--rel", "0.5")
    assert "AP(rel=0.25)" in printed(*asked, "-m", "AP(rel=0.25)")
    assert "say which are relevant, such as AP(rel=0.375)" in refused(2, *asked, "-m", "AP")
    others = [str(sample.runs[name]) for name in ("fused", "dense")]
    assert b"nDCG" in unjudged("compare", str(path), *others, "-m", "nDCG").stdout
    assert "next take fractions" in refused(1, "sample", str(path), "--share", "50%")


THREE = ("boolean", "lexical", "fused")
"""Runs that rank every query of the judgments."""

READERS = {
    "evaluate": ["evaluate", "QRELS", "RUNS", "-m", "AP"],
    "compare": ["compare", "QRELS", "RUNS"],
    "calibrate": ["calibrate", "QRELS", "RUNS", "--groups", "(.*)", "--depth", "20", "-m", "RBP"],
    "audit": ["audit", "QRELS", str(QRELS), "RUNS"],
    "next": ["next", "QRELS", "RUNS", "--budget", "5"],
    "next for the order": ["next", "QRELS", "RUNS", "--budget", "5", "--settle"],
    "pool": ["pool", "RUNS", "--depth", "3", "--qrels", "QRELS", "--no-header"],
    "pool without a group": [
        "pool",
        "RUNS",
        "--depth",
        "3",
        "--qrels",
        "QRELS",
        "--leave-out",
        "b",
        "-g",
        "^(.)",
        "--no-header",
    ],
    "sample": ["sample", "QRELS", "RUNS", "-d", "depth", "--depth", "3", "--no-header"],
    "experiment": [
        "experiment",
        "QRELS",
        "RUNS",
        "--design",
        "random(50%, repeats=2)",
        "-m",
        "AP",
    ],
}


def filled(command: list[str], qrels: object, *runs: object) -> list[str]:
    places = {"QRELS": [str(qrels)], "RUNS": list(map(str, runs))}
    return [word for given in command for word in places.get(given, [given])]


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Judgments, and three runs in one file, with names of columns that are nobody's."""
    folder = tmp_path_factory.mktemp("foreign")
    rows = [(name, line.split()) for name in THREE for line in sample.runs[name].read_text().splitlines()]
    (folder / "all.csv").write_text(
        "engine,asked,url,cosine\n" + "".join(f"{name},{r[0]},{r[2]},{r[4]}\n" for name, r in rows)
    )
    (folder / "stars.csv").write_text(
        "asked,url,stars\n" + "".join(f"{q},{d},{g}\n" for q, _, d, g in JUDGED)
    )
    return str(folder / "stars.csv"), str(folder / "all.csv")


@pytest.mark.thorough
@pytest.mark.parametrize("name", READERS)
def test_every_command_that_reads_runs_takes_their_columns(name: str, foreign: tuple[str, str]) -> None:
    columns = ["--columns", "run=engine", "query=asked", "document=url", "score=cosine"]
    of_qrels = ["--qrels-columns", "query=asked", "document=url", "grade=stars"]
    asked = [*filled(READERS[name], *foreign), *columns, *of_qrels]
    usual = printed(*filled(READERS[name], QRELS, *(sample.runs[run] for run in THREE)))
    assert printed(*asked).replace(Path(foreign[0]).name, QRELS.name) == usual


@pytest.mark.thorough
@pytest.mark.parametrize("name", READERS)
def test_a_pattern_is_as_many_runs_as_match(name: str, tmp_path: Path) -> None:
    for run in THREE:
        (tmp_path / f"{run}.run").write_bytes(sample.runs[run].read_bytes())
    found = printed(*filled(READERS[name], QRELS, tmp_path / "*.run"))
    files = [sample.runs[run] for run in sorted(THREE)]
    assert found == printed(*filled(READERS[name], QRELS, *files))


def test_a_sample_for_predictions_takes_columns(own: tuple[str, str], tmp_path: Path) -> None:
    columns = "query=topic_name,document=url,score=cosine"
    asked = ["sample", "--for", "predictions", "--budget", "20", "--to-judge"]
    printed(*asked, str(tmp_path / "own"), own[1], "--columns", columns)
    printed(*asked, str(tmp_path / "trec"), str(RUN))
    tasks = [(tmp_path / folder / "to-judge.qrels").read_text() for folder in ("own", "trec")]
    assert tasks[0] == tasks[1]
    assert f"--columns {columns}" in (tmp_path / "own" / "design.txt").read_text()


def test_a_report_names_runs_by_their_tags(tmp_path: Path) -> None:
    run = tmp_path / "input.run"
    run.write_bytes(RUN.read_bytes())
    page = said(printed("report", str(QRELS), str(run), "-m", "AP", "--names", "tag", "-o", "-"))
    assert "--names tag" in page
    assert '"lexical"' in page


def test_what_a_pool_records_makes_it_again(foreign: tuple[str, str]) -> None:
    columns = ["--columns", "run=engine", "query=asked", "document=url", "score=cosine"]
    made = printed("pool", foreign[1], "--depth", "3", *columns)
    command = made.splitlines()[0].partition(": unjudged ")[2]
    assert printed(*command.split()) == made


@pytest.mark.thorough
def test_options_for_judgments_read_alike_in_every_command() -> None:
    """A command described --judged and --conflicts in words of its own."""

    def described(command: str, option: str) -> str:
        text = unjudged(command, "--help", COLUMNS="400").stdout.decode()
        (found,) = re.findall(rf"^  (?:-j, )?{option} .*\n(.+)", text, re.MULTILINE)
        return str(found)

    for option in ("--judged", "--conflicts"):
        found = {described(command, option) for command in ("evaluate", "compare", "audit")}
        assert len(found) == 1


@pytest.mark.parametrize("option", ["--columns", "--qrels-columns"])
def test_columns_without_a_name(option: str) -> None:
    """It was ignored."""
    said = refused(2, "evaluate", str(QRELS), str(RUN), option, "-m", "AP")
    assert said == f"{option} needs a value"


@pytest.mark.parametrize("text", ["q01,d002,1\n", "topic;url;stars\nq01;d002;1\n"])
def test_csv_whose_columns_are_not_known(text: str, tmp_path: Path) -> None:
    """The message asked for the four columns of TREC text."""
    (tmp_path / "x.csv").write_text(text)
    hint = "if it is CSV, its first line has to name the columns, as in"
    said = refused(1, "evaluate", str(tmp_path / "x.csv"), str(RUN))
    assert said.endswith(f"found 1; {hint} query_id,doc_id,relevance")
    said = refused(1, "evaluate", str(QRELS), str(tmp_path / "x.csv"))
    assert said.endswith(f"found 1; {hint} query_id,doc_id,score")
