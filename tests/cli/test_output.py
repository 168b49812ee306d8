"""Formats, files and messages of the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.cli.in_process import NOTE, printed, refused, unjudged
from unjudged import evaluate, sample

QRELS, RUN = str(sample.qrels), str(sample.runs["fused"])
EXPANDED = str(sample.runs["expanded"])


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
def test_notes_go_to_standard_error_where_the_data_has_no_place_for_them(format: str) -> None:
    done = unjudged("evaluate", QRELS, EXPANDED, "-m", "AP", "--format", format)
    assert done.returncode == 0
    assert done.stderr.decode() == f"unjudged: {NOTE}\n"
    assert b"no ranking" not in done.stdout


@pytest.mark.parametrize("format", ["table", "json", "markdown", "latex", "html"])
def test_notes_are_part_of_the_other_formats(format: str) -> None:
    assert "has no ranking for 1 query of 30: q17" in printed(
        "evaluate", QRELS, EXPANDED, "-m", "AP", "--format", format
    )


STARTS = {
    "csv": "run,query,measure,value\n",
    "tsv": "run\tquery\tmeasure\tvalue\n",
    "json": '{"rows": [\n{"run": "fused"',
    "jsonl": '{"run": "fused", "query": "all", "measure": "AP"',
    "md": "| run | AP |\n",
    "tex": "\\begin{table}\n",
    "html": "<!doctype html>",
    "txt": "run        AP\n",
}


@pytest.mark.parametrize("suffix", STARTS)
def test_the_suffix_decides_the_format(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"scores.{suffix}"
    assert printed("evaluate", QRELS, RUN, "-m", "AP", "-o", str(target)) == ""
    assert target.read_text().startswith(STARTS[suffix])
    printed("evaluate", QRELS, RUN, "-m", "AP", "-o", str(target), "--format", "csv")
    assert target.read_text().startswith(STARTS["csv"])


@pytest.mark.parametrize("command", [["evaluate", QRELS, RUN], ["compare", QRELS, RUN, EXPANDED]])
def test_a_suffix_that_names_no_format_is_refused(tmp_path: Path, command: list[str]) -> None:
    target = tmp_path / "scores.xlsx"
    said = refused(2, *command, "-o", str(target))
    assert said.startswith(f"{target}: no format has the suffix .xlsx: use .txt, .csv, .tsv,")
    assert not target.exists()
    printed("evaluate", QRELS, RUN, "-m", "AP", "-o", str(target), "--format", "table")
    assert target.read_text().startswith(STARTS["txt"])
    without = tmp_path / "scores"
    printed("evaluate", QRELS, RUN, "-m", "AP", "-o", str(without))
    assert without.read_text().startswith(STARTS["txt"])


def test_a_report_is_html(tmp_path: Path) -> None:
    said = refused(2, "report", QRELS, RUN, "-o", str(tmp_path / "page.pdf"))
    assert said == f"a report is a page of HTML: {tmp_path / 'page.pdf'} must end in .html"


def test_a_hyphen_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", QRELS, RUN, "-m", "AP"]
    assert printed(*words, "-o", "-") == printed(*words)
    assert printed(*words, "--output", "-", "--format", "csv") == printed(*words, "--format", "csv")
    assert refused(2, *words, "-o", "-q") == "--output needs a value"
    assert not list(tmp_path.iterdir())


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "scores.parquet"
    printed("evaluate", QRELS, RUN, "-m", "AP", "-o", str(target))
    assert parquet.read_table(target).to_pylist() == [
        {"run": "fused", "query": "all", "measure": "AP", "value": evaluate(QRELS, RUN, "AP").value("AP")}
    ]
    assert refused(2, "evaluate", QRELS, RUN, "--format", "parquet") == "--format parquet needs --output FILE"


COMMANDS = {
    "compare": ["compare", QRELS, RUN, EXPANDED],
    "next": ["next", QRELS, RUN, str(sample.runs["dense"]), "--budget", "3"],
    "compare by query": ["compare", QRELS, RUN, EXPANDED, "--per-query"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_json(command: str) -> None:
    document = json.loads(printed(*COMMANDS[command], "--format", "json"))
    tables = document.get("tables", [document])
    assert all(table["rows"] for table in tables)


def test_a_comparison_as_data() -> None:
    reranked = str(sample.runs["reranked"])
    (row,) = json.loads(printed("compare", QRELS, reranked, RUN, "--format", "json"))["rows"]
    assert (row["a"], row["b"], row["headline"], row["better"]) == ("fused", "reranked", "better", "reranked")
    assert row["low"] <= row["difference"] <= row["high"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/stdout")
def test_writing_to_standard_output_by_name_appends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    command = f"{sys.executable} -m unjudged evaluate {QRELS} {RUN} -m AP --format csv -o /dev/stdout"
    subprocess.run(f"{command} >> {log}", shell=True, check=True)
    assert log.read_text().startswith("before\nrun,query,measure,value\n")


def test_next_refuses_a_name_that_would_forge_a_judgment(tmp_path: Path) -> None:
    """A document whose name has a line break would be read back as two judgments."""
    run = tmp_path / "run.json"
    for document in ("d1 1\nq01 0 d2", "two words"):
        run.write_text(json.dumps({"q01": {document: 1.0}}))
        message = refused(1, "next", QRELS, str(run), "-m", "RBP(p=0.8)")
        assert message == (
            f"document {document!r} cannot be written as TREC text: "
            "a name may not be empty, nor hold spaces or control characters"
        )


def test_messages_hold_no_control_characters(tmp_path: Path) -> None:
    done = unjudged("evaluate", QRELS, str(tmp_path / "\x1b[31mred"))
    assert done.returncode == 1
    assert b"\x1b" not in done.stderr
    assert b"\\x1b[31mred" in done.stderr


HELP = [
    *("evaluate", "compare", "next", "pool", "sample", "experiment", "measures"),
]


@cache
def help_of(command: str) -> str:
    return unjudged(command, "--help", COLUMNS="80").stdout.decode()


def test_options_have_one_meaning() -> None:
    def commands_with(option: str) -> list[str]:
        return [command for command in HELP if re.search(rf"--{option}\b(?!-)", help_of(command))]

    assert commands_with("prevalence") == ["evaluate", "next"]
    assert commands_with("rel") == ["evaluate", "compare"]
    assert commands_with("level") == commands_with("q") == commands_with("form") == []


def test_the_width_of_a_terminal_is_used() -> None:
    wide = unjudged("evaluate", QRELS, RUN, COLUMNS="200").stdout.decode()
    narrow = unjudged("evaluate", QRELS, RUN, COLUMNS="40").stdout.decode()
    assert wide.count("fused") == 1
    assert narrow.count("fused") == 3
    assert max(map(len, narrow.splitlines())) <= 40


def test_decimals() -> None:
    """A paper may want three, and a table had four."""
    asked = ["evaluate", QRELS, RUN, "-m", "AP", "NumRet"]
    assert printed(*asked, "--decimals", "2").splitlines()[2].split() == ["fused", "0.33", "1200"]
    shown = printed("evaluate", QRELS, RUN, "-m", "AP", "--interval", "bounds", "--decimals", "3")
    assert re.search(r"fused  0\.332 \[0\.\d{3}, 0\.\d{3}\]", shown)
    three = ["compare", QRELS, RUN, str(sample.runs["lexical"]), str(sample.runs["dense"]), "--decimals", "3"]
    three += ["-m", "RBP(p=0.8)"]
    assert r"\textbf{0.388}" in printed(*three, "--format", "latex")
    assert re.search(r"fused +0\.388 +0\.\d\d . 0\.\d\d ", printed(*three))
    two = ["compare", QRELS, RUN, str(sample.runs["dense"]), "-m", "RBP(p=0.8)", "--decimals", "2"]
    assert re.search(r"fused +dense +0\.12 +-0\.56 . 0\.17 ", printed(*two, "--pairs"))
    assert re.search(r"q\d\d +0\.\d\d +0\.\d\d +-?0\.\d\d ", printed(*two, "--per-query"))


def test_a_level_is_not_rounded_to_another() -> None:
    """99.5% was shown as 100%, which no interval for other queries has."""
    said = printed("compare", QRELS, RUN, str(sample.runs["dense"]), "--alpha", "0.005")
    assert " (99.5%), p = " in " ".join(said.split())
    shown = printed("evaluate", QRELS, RUN, "-m", "AP", "--interval", "queries", "--confidence", "0.999")
    assert "99.9%" in shown


def test_decimals_where_there_is_no_table() -> None:
    asked = ["evaluate", QRELS, RUN, "--decimals"]
    for form in ("csv", "tsv", "json", "jsonl"):
        said = refused(2, *asked, "2", "--format", form)
        assert said == f"--decimals is for tables; {form} has full precision"
    assert refused(2, *asked, "-1") == "--decimals is -1, expected a number from 0 to 15"
    assert refused(2, *asked, "16") == "--decimals is 16, expected a number from 0 to 15"
    said = refused(2, "compare", QRELS, RUN, EXPANDED, "--decimals", "2")
    assert said == "--decimals is for tables; to see two runs in one, add --pairs"
