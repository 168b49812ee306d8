"""Columns and runs named on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
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
    assert "only evaluate takes fractions" in refused(1, "compare", str(path), *others)
