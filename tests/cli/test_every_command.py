"""What holds for every command: formats, files, widths of terminals."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from tests.cli.in_process import unjudged
from unjudged import sample
from unjudged.base import choices

QRELS = str(sample.qrels)
RUNS = [str(run) for run in sample.runs.values()]
PAIR = [str(sample.runs[name]) for name in ("reranked", "fused")]

TABLES = {
    "evaluate": ["evaluate", QRELS, *RUNS],
    "evaluate per query": ["evaluate", QRELS, PAIR[0], "--per-query"],
    "evaluate with intervals": ["evaluate", QRELS, *RUNS, "-m", "AP", "P@10", "--interval", "bounds"],
    "compare": ["compare", QRELS, *PAIR],
    "compare systems": ["compare", QRELS, *RUNS],
    "compare pairs": ["compare", QRELS, *RUNS, "--pairs"],
    "compare per query": ["compare", QRELS, *PAIR, "--per-query"],
    "calibrate": ["calibrate", QRELS, *RUNS[:3], "--groups", "(.*)", "-m", "AP"],
    "experiment": ["experiment", QRELS, *PAIR, "--design", "random(50%, repeats=2)"],
}


def run_apart(code: str) -> str:
    """What code prints in a process in which no test has registered anything."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


REGISTRIES = {
    "Format": "unjudged.results.rendering:FORMATS",
    "Form": "unjudged.formats.writing:FORMS",
    "IntervalName": "unjudged.uncertainty.intervals:interval_methods()",
    "TiesName": "unjudged.evaluation.tied_scores:TIES",
    "TestName": "unjudged.inference.significance:TESTS",
    "CorrectionName": "unjudged.inference.corrections:CORRECTIONS",
    "CorrectOver": "unjudged.inference.pairwise:FAMILIES",
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
    assert run_apart(f"{code}; print({shown})").split() == names


@pytest.mark.thorough
def test_what_is_registered_can_be_chosen() -> None:
    """The words of an option were listed a second time."""
    registering = "from unjudged.inference.significance import TESTS, find_test as find"
    code = f"{registering}; TESTS.add('another', find('t')); from unjudged.cli.main import main; main()"

    def with_another(*words: str) -> str:
        command = [sys.executable, "-c", code, "compare", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "another" in with_another("--help")
    assert with_another(QRELS, *PAIR, "--test", "another") == with_another(QRELS, *PAIR)


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("command", TABLES)
def test_tables_fit_the_terminal(command: str, columns: int) -> None:
    done = unjudged(*TABLES[command], "--format", "table", COLUMNS=str(columns))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert max(map(len, lines)) <= columns


def test_a_long_name_is_folded(tmp_path: Path) -> None:
    """The row of a run whose name is longer than the terminal is wide."""
    run = tmp_path / f"{'long_' * 30}name.run"
    shutil.copy(RUNS[0], run)
    done = unjudged(
        "evaluate", QRELS, str(run), "-m", "AP", "nDCG(dcg='exp-log2', gains={1: 1, 2: 5})@10", COLUMNS="40"
    )
    lines = done.stdout.decode().splitlines()
    assert max(map(len, lines)) <= 40
    assert "".join(line.split()[0] for line in lines[2:11]) == "long_" * 30 + "name"


STARTS: dict[str, str | tuple[str, ...]] = {
    "csv": tuple("abcdefghijklmnopqrstuvwxyz"),
    "json": "{",
    "jsonl": "{",
    "md": ("| ", "**", "Means over "),
    "tex": ("\\begin{tab", "%"),
    "html": "<!doctype html>",
}


@pytest.mark.thorough
@pytest.mark.parametrize("command", TABLES)
def test_the_suffix_decides_everywhere(command: str, tmp_path: Path) -> None:
    for suffix, start in STARTS.items():
        target = tmp_path / f"result.{suffix}"
        assert written(target, *TABLES[command]).startswith(start)
        if suffix == "json":
            json.loads(target.read_text())
        if suffix == "jsonl":
            assert all(json.loads(line) for line in target.read_text().splitlines())
        assert written(target, *TABLES[command], "--format", "markdown").startswith(STARTS["md"])


def written(target: Path, *words: str) -> str:
    done = unjudged(*words, "-o", str(target))
    assert (done.returncode, done.stdout) == (0, b"")
    return target.read_text()


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_parquet_by_suffix(command: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "result.parquet"
    unjudged(*TABLES[command], "-o", str(target))
    assert parquet.read_table(target).num_rows > 0


def test_calibrate_writes_what_evaluate_reads_unless_asked_otherwise(tmp_path: Path) -> None:
    for name in ("learnt", "learnt.json", "learnt.txt"):
        text = written(tmp_path / name, *TABLES["calibrate"])
        assert json.loads(text)["schema"] == "unjudged calibration 5"
    text = written(tmp_path / "learnt.csv", *TABLES["calibrate"])
    assert text.startswith("measure,runs,median,largest\nAP,")
