"""Formats, widths, notes and next steps of what commands print."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from tests.cli.in_process import NOTE, everything, printed, unjudged
from tests.report.test_page import said
from unjudged import compare, evaluate, experiment, sample
from unjudged.base import choices
from unjudged.cli.output import progress, reading

QRELS = str(sample.qrels)
RUNS = {name: str(path) for name, path in sample.runs.items()}
RUN, EXPANDED, DENSE, RERANKED = (RUNS[name] for name in ("fused", "expanded", "dense", "reranked"))
PAIR = [RERANKED, RUN]

TABLES = {
    "evaluate": ["evaluate", QRELS, *RUNS.values()],
    "evaluate by query": ["evaluate", QRELS, RERANKED, "--view", "queries"],
    "evaluate with intervals": [
        "evaluate",
        QRELS,
        *RUNS.values(),
        "-m",
        "AP",
        "P@10",
        "--interval",
        "bounds",
    ],
    "compare": ["compare", QRELS, *PAIR],
    "compare systems": ["compare", QRELS, *RUNS.values()],
    "compare pairs": ["compare", QRELS, *RUNS.values(), "--view", "pairs"],
    "compare by query": ["compare", QRELS, *PAIR, "--view", "queries"],
    "gate": ["gate", QRELS, *PAIR, "-m", "AP", "P@10", "--undecided", "pass", "--margin", "0.3"],
}
STARTS: dict[str, str | tuple[str, ...]] = {
    "csv": tuple("abcdefghijklmnopqrstuvwxyz"),
    "tsv": tuple("abcdefghijklmnopqrstuvwxyz"),
    "json": "{",
    "jsonl": "{",
    "md": ("| ", "**", "reranked is better than fused"),
    "tex": ("\\begin{tab", "%"),
    "html": "<!doctype html>",
}


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("command", TABLES)
def test_tables_fit_the_terminal(command: str, columns: int) -> None:
    done = unjudged(*TABLES[command], "--format", "table", COLUMNS=str(columns))
    assert done.returncode == 0, done.stderr
    table, _, _ = done.stdout.decode().partition("\nNext: ")
    assert max(map(len, table.splitlines())) <= columns


@pytest.mark.thorough
@pytest.mark.parametrize("command", TABLES)
def test_the_suffix_decides_everywhere(command: str, tmp_path: Path) -> None:
    for suffix, start in STARTS.items():
        target = tmp_path / f"result.{suffix}"
        done = unjudged(*TABLES[command], "-o", str(target))
        assert (done.returncode, done.stdout) == (0, b"")
        assert f"wrote {target}" in done.stderr.decode().splitlines()
        text = target.read_text()
        assert text.startswith(start)
        for line in [text] if suffix == "json" else text.splitlines() if suffix == "jsonl" else []:
            assert json.loads(line)
        assert unjudged(*TABLES[command], "-f", "markdown", "-o", str(target)).returncode == 0
        assert target.read_text().startswith(STARTS["md"])


def test_parquet_and_no_suffix(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    asked = ["evaluate", QRELS, RUN, "-m", "AP", "-o"]
    printed(*asked, str(tmp_path / "scores.parquet"))
    (row,) = parquet.read_table(tmp_path / "scores.parquet").to_pylist()
    assert row["mean"] == evaluate(QRELS, RUN, "AP").value("AP")
    for name in ("scores", "scores.txt"):
        printed(*asked, str(tmp_path / name))
        assert (tmp_path / name).read_text() == printed("evaluate", QRELS, RUN, "-m", "AP")


def test_a_hyphen_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", QRELS, RUN, "-m", "AP"]
    assert printed(*words, "-o", "-") == printed(*words)
    assert printed(*words, "--output", "-", "--format", "csv") == printed(*words, "--format", "csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", ["table", "csv", "tsv", "jsonl", "json", "markdown", "latex", "html"])
def test_notes_are_said_once(format: str) -> None:
    """On standard error, or within the formats that have a place for them."""
    done = unjudged("evaluate", QRELS, EXPANDED, "-m", "AP", "-v", "--format", format)
    within = format in ("json", "markdown", "latex", "html")
    assert done.stdout.decode().count("returned nothing for q17") == int(within)
    assert done.stderr.decode().count(NOTE) == int(not within)


MOST_LINES = {"evaluate": 2, "compare systems": 4, "compare": 1}


@pytest.mark.parametrize("command", MOST_LINES)
def test_few_lines_of_notes(command: str) -> None:
    """The others are one line, and all of them with -v; none is also on standard output."""
    done, every = unjudged(*TABLES[command]), unjudged(*TABLES[command], "-v")
    lines, all_lines = (one.stderr.decode().splitlines() for one in (done, every))
    assert len(lines) <= MOST_LINES[command]
    assert done.stdout == every.stdout
    hidden = re.search(r"([0-9]+) notes?( \(.*\))?: -v", "\n".join(lines))
    assert hidden
    assert len(all_lines) == len(lines) - 1 + int(hidden[1])
    assert not {line.removeprefix("! ") for line in all_lines} & {*done.stdout.decode().splitlines()}


def test_only_reasons_for_doubt_are_marked() -> None:
    """Sentences have no ? either, which the note of a table explains."""
    done = unjudged("compare", QRELS, RUN, DENSE, "-v")
    assert done.stderr.decode() == "30 queries, paired t test, 5 %.\n"
    every = unjudged("evaluate", QRELS, EXPANDED, DENSE, "-v").stderr.decode().splitlines()
    assert [line[:24] for line in every if line.startswith("! ")] == ["! 68 % of dense's top ten"[:24]]
    assert NOTE in every


def test_two_systems_in_sentences() -> None:
    better = printed("compare", QRELS, RUN, RERANKED, "-m", "RBP(p=0.8)")
    assert better.splitlines()[0] == "reranked is better than fused."
    assert "RBP(p=0.8): 0.3883 -> 0.4889, difference +0.1006" in better
    assert "Next:" not in better
    unsure = printed("compare", QRELS, RERANKED, DENSE, "-m", "RBP(p=0.8)")
    assert "needs judging" in " ".join(unsure.split())
    assert unsure.splitlines()[-1].startswith(
        f"Next: unjudged next {QRELS} {RERANKED} {DENSE} -m 'RBP(p=0.8)'"
    )
    for width in (40, 80, 120):
        text = unjudged("compare", QRELS, RERANKED, DENSE, COLUMNS=str(width)).stdout.decode()
        assert max(map(len, text.partition("\nNext:")[0].splitlines())) <= width


def test_pairs_and_systems_as_data() -> None:
    found = compare(sample.qrels, [RERANKED, RUN, DENSE])
    names = ["difference", "p", "p_adjusted", "low", "high", "query_low", "query_high"]
    words = ["compare", QRELS, RERANKED, RUN, DENSE]
    rows = list(csv.DictReader(io.StringIO(printed(*words, "--view", "pairs", "--format", "csv"))))
    assert [[float(row[name]) for name in names] for row in rows] == [
        [row[name] for name in names] for row in found.pairs
    ]
    assert [(row["a"], row["b"]) for row in rows] == [(row["a"], row["b"]) for row in found.pairs]
    systems = json.loads(printed(*words, "--format", "json"))["rows"]
    assert [row["system"] for row in systems] == [row["system"] for row in found.systems]
    (only,) = json.loads(printed("compare", QRELS, *PAIR, "--format", "json"))["rows"]
    assert (only["a"], only["b"], only["headline"], only["better"]) == (
        "fused",
        "reranked",
        "better",
        "reranked",
    )


def test_differences_by_query() -> None:
    words = ["compare", QRELS, RERANKED, DENSE, "--view", "queries"]
    text = printed(*words)
    assert text.startswith("nDCG@10 by query\n")
    rows = list(csv.reader(io.StringIO(printed(*words, "-m", "AP", "-m", "P@10", "--format", "csv"))))
    assert rows[0][:7] == ["measure", "query", "a", "b", "value_a", "value_b", "difference"]
    assert [row[0] for row in rows[1:]] == ["AP"] * 30 + ["P@10"] * 30


def test_intervals() -> None:
    table = printed("evaluate", QRELS, RUN, "-m", "RBP(p=0.8)", "-m", "P@10", "--interval", "bounds")
    assert "0.3883  0.39 \N{EN DASH} 0.44  0.3967  0.40 \N{EN DASH} 0.40" in table
    asked = ["evaluate", QRELS, RUN, "-m", "AP", "--format", "json", "--interval"]
    (row,) = json.loads(printed(*asked, "model(prevalence=0.2, confidence=0.9)"))["rows"]
    assert row["estimate_low"] < row["estimate"] < row["estimate_high"]
    assert (row["confidence"], "given prevalence 0.2" in row["method"]) == (0.9, True)
    (extra,) = json.loads(printed(*asked, "bounds(extra_relevant=2)"))["rows"]
    assert extra["low"] < json.loads(printed(*asked, "bounds"))["rows"][0]["low"]


def test_parameters_of_tests_are_those_of_python() -> None:
    words = ["compare", QRELS, RERANKED, DENSE, "--view", "pairs", "--format", "json"]
    (row,) = json.loads(printed(*words, "--test", "bootstrap(draws=500)", "--seed", "3"))["rows"]
    assert row["p"] == compare(QRELS, [RERANKED, DENSE], test="bootstrap", draws=500, seed=3)["p"]
    same = compare(QRELS, [RERANKED, DENSE], test="bootstrap(draws=500)", seed=3)  # type: ignore[arg-type]
    assert same["p"] == row["p"]


def test_decimals_and_levels() -> None:
    asked = ["evaluate", QRELS, RUN, "-m", "AP", "NumRet"]
    assert printed(*asked, "--decimals", "2").splitlines()[2].split()[::4] == ["fused", "0.52"]
    three = ["compare", QRELS, RUN, RUNS["lexical"], DENSE, "--decimals", "3", "-m", "RBP(p=0.8)"]
    assert r"\textbf{0.388}" in printed(*three, "--format", "latex")
    assert re.search(r"fused +0\.388 +0\.\d\d . 0\.\d\d ", printed(*three))
    said = everything("compare", QRELS, RUN, DENSE, "--alpha", "0.005")
    assert " (99.5 %), p = " in said


def test_a_long_name_is_folded(tmp_path: Path) -> None:
    run = tmp_path / f"{'long_' * 30}name.run"
    shutil.copy(RUN, run)
    words = ["evaluate", QRELS, str(run), "-m", "AP", "nDCG(dcg='exp-log2', gains={1: 1, 2: 5})@10"]
    lines = unjudged(*words, COLUMNS="40").stdout.decode().splitlines()
    assert max(map(len, lines)) <= 40


def test_hostile_names_are_shown_harmless(tmp_path: Path) -> None:
    bad = tmp_path / "\x1b[31m<b>&_$|.run"
    bad.write_bytes(Path(RUN).read_bytes())
    assert "\x1b" not in printed("evaluate", QRELS, str(bad))
    assert r"\\x1b\[31m\<b\>\&\_\$\|" in printed("evaluate", QRELS, str(bad), "--format", "markdown")
    in_latex = r"\textbackslash{}x1b[31m\textless{}b\textgreater{}\&\_\$|"
    assert in_latex in printed("evaluate", QRELS, str(bad), "--format", "latex")


def test_the_page_has_the_command_that_makes_it(tmp_path: Path) -> None:
    page = said(printed("report", QRELS, RUN, DENSE, "-m", "AP", "--set", "relevant=2", "-o", "-"))
    assert f"unjudged report {QRELS} {RUN} {DENSE} -m AP --set relevant=2 -o -" in page


REGISTRIES = {
    "Format": "unjudged.results.rendering:FORMATS",
    "TiesName": "unjudged.evidence.tied_scores:TIES",
    "TestName": "unjudged.inference.significance:TESTS",
    "CorrectionName": "unjudged.inference.corrections:CORRECTIONS",
    "DesignName": "unjudged.judging.designs:DESIGNS",
    "Conflicts": "unjudged.judging.merging:RULES",
}


def test_names_for_static_typing_are_those_of_the_registries() -> None:
    """In the same order: of two unions with the same words, `typing` keeps the first and its order."""
    known = {name for name, value in vars(choices).items() if get_origin(value) is Literal}
    assert known == set(REGISTRIES)
    places = [place.replace("()", "").split(":") for place in REGISTRIES.values()]
    code = "; ".join(f"from {module} import {name}" for module, name in places)
    shown = ", ".join(f"*{place.partition(':')[2]}" for place in REGISTRIES.values())
    names = [name for alias in REGISTRIES for name in get_args(getattr(choices, alias))]
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print({shown})"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == names


def test_what_is_registered_can_be_chosen() -> None:
    registering = "from unjudged.inference.significance import TESTS, find_test as find"
    code = f"{registering}; TESTS.add('another', find('t')); from unjudged.cli.main import main; main()"

    def with_another(*words: str) -> str:
        command = [sys.executable, "-c", code, "compare", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "another" in with_another("--help")
    assert with_another(QRELS, *PAIR, "--test", "another") == with_another(QRELS, *PAIR)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal; set within the test, because pytest sets it anew for each phase."""
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def wait_for(terminal: Terminal, words: str) -> None:
    deadline = time.monotonic() + 10
    while words not in terminal.getvalue() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert words in terminal.getvalue()


def test_long_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("working", 10, after=0.01) as report:
        report(3)
        wait_for(terminal, "working")
        report(10)
    assert "30 %" in terminal.getvalue()


def test_what_follows_the_last_run_is_not_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("reading", 2, then="computing", after=0.01) as report:
        for done, shown in ((1, "50 %"), (2, "computing")):
            report(done)
            wait_for(terminal, shown)
    assert "100 %" not in terminal.getvalue()


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("working", 10) as report:
        report(10)
    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("working", 2, after=0.0) as report:
        report(1)
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_bar_stops_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    def fail() -> None:
        with progress("working", after=0.0):
            wait_for(terminal, "working")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_callbacks_of_python_calls() -> None:
    steps: list[int] = []
    experiment(sample.qrels, sample.runs, levels=[0.5], measures="AP", repeats=3, on_step=steps.append)
    assert steps[-1] == 3
    with reading(2) as on_read:
        on_read("a")
        on_read("b")
