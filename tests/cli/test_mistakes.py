"""What newcomers type by mistake, and what they are told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from tests.report.test_page import read
from unjudged import sample

QRELS, RUN = str(sample.qrels), str(sample.runs["fused"])


WRONG_LINES = {
    "evaluate": "QRELS is missing: unjudged evaluate QRELS RUN...",
    "evaluate -m AP": "QRELS is missing: unjudged evaluate QRELS RUN...; files come before options",
    "evaluate --scores x --range -1,1": "--range needs a value; one that begins with a hyphen is written "
    "--range=VALUE",
    f"report {QRELS} {RUN}": "--output is missing: unjudged report QRELS RUN... -o PAGE",
    f"evaluate {QRELS} {RUN} -m": "--measure needs a value",
    f"evaluate {QRELS} {RUN} --scores=x": "--scores takes no value",
    f"evaluate {QRELS} {RUN} --depth ten": "--depth is 'ten', expected a whole number",
    f"evaluate {QRELS} {RUN} --rel x": "--rel is 'x', expected a number",
    f"evaluate {QRELS} {RUN} --depth 1 --depth 2": "--depth is given twice",
    f"evaluate {QRELS} {RUN} -z csv": "unknown option -z (`unjudged evaluate -h` lists them)",
    f"evaluate {QRELS} {RUN} RR": "RR: no such file; measures come after -m, as in -m RR",
}


@pytest.mark.parametrize("line", WRONG_LINES)
def test_a_wrong_command_line(line: str) -> None:
    """The parser said `Command "report" parameter -o requires an argument` where there was no -o."""
    assert refused(2, *line.split()) == WRONG_LINES[line]


def test_nothing_is_judged(tmp_path: Path) -> None:
    """Each run was said to name documents differently from the judgments, and rel=1 to be too high."""
    qrels = tmp_path / "none.qrels"
    qrels.write_text(re.sub(r" \d+$", " -1", Path(QRELS).read_text(), flags=re.MULTILINE))
    said = "unjudged: Nothing is judged: every grade is negative, so the scores say nothing.\n"
    runs = [RUN, str(sample.runs["dense"])]
    for command in ("evaluate", "compare"):
        done = unjudged(command, str(qrels), *runs)
        assert (done.returncode, done.stderr.decode()) == (0, said)


def test_names_that_are_empty() -> None:
    """A variable that is not set gave `no such file`, and no name."""
    empty = "the name of a file is empty: is a variable of the shell not set?"
    assert refused(2, "evaluate", "", RUN) == refused(2, "evaluate", QRELS, "") == empty
    said = refused(2, "evaluate", QRELS, RUN, "-o", "")
    assert said == "--output needs the name of a file: is a variable of the shell not set?"


def test_a_file_by_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was evaluated twice, and compared with itself."""
    monkeypatch.chdir(Path(RUN).parent)
    said = refused(2, "compare", QRELS, "fused.run", "./fused.run")
    assert said == "run 'fused.run' is given twice, the second time as './fused.run'"
    assert refused(2, "compare", QRELS, "fused.run", "fused.run") == "run 'fused.run' is given twice"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of its own")
def test_standard_input_that_is_closed() -> None:
    command = f"{sys.executable} -m unjudged evaluate {QRELS} - <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "unjudged: standard input: it is closed\n")


NEEDED = {
    "calibrated": "--calibration FILE, which `unjudged calibrate` writes",
    "model": "--prevalence: the probability that an unjudged document is relevant",
}


@pytest.mark.parametrize("interval", NEEDED)
def test_an_interval_that_needs_an_option(interval: str) -> None:
    """The message spoke of functions in Python."""
    said = refused(2, "evaluate", QRELS, RUN, "--interval", interval)
    assert said.startswith(f"--interval {interval} needs {NEEDED[interval]}")


def test_both_needs_a_sample_or_a_prevalence() -> None:
    said = refused(2, "evaluate", QRELS, RUN, "--interval", "both")
    assert said.startswith("300 of the 300 listed documents among the first 10 of the runs are judged")
    assert said.endswith("as a number or one per rank band")


def test_a_calibration_that_is_none() -> None:
    said = refused(1, "evaluate", QRELS, RUN, "--interval", "calibrated", "--calibration", QRELS)
    assert said == f"{QRELS}: not a calibration: use a file written by `unjudged calibrate`"


def test_depth_has_two_meanings_and_says_which() -> None:
    for commands, own, other in (
        (("evaluate", "compare"), "The depth of the rankings: ", "the depth of the pool.)"),
        (("pool", "calibrate"), "The depth of the pool: ", "depth of the rankings that are"),
    ):
        for command in commands:
            text = " ".join(printed(command, "--help").split())
            assert own in text, command
            assert other in text, command


def test_a_pool_that_waits_for_its_judgments(tmp_path: Path) -> None:
    """Its comment said that every listed document was judged, even with --no-header."""
    header = [line for line in printed("pool", RUN, "--depth", "2").splitlines() if line.startswith("#")]
    assert header[1:] == ["# unjudged-origin pool to rank 2: every listed document is to be judged"]
    judged = printed("pool", RUN, "--depth", "2", "--qrels", QRELS).splitlines()
    assert judged[1].endswith("pool to rank 2: the first 2 documents of every pooled run were judged")
    for further in ([], ["--qrels", QRELS]):
        assert "#" not in printed("pool", RUN, "--depth", "2", "--no-header", *further)


def test_no_empty_table_of_documents(tmp_path: Path) -> None:
    """Where every document is judged, `compare --per-query` ended with a table of no rows."""
    files = []
    for name, a, b in (("qrels", 1, 0), ("A", 2.5, 1.5), ("B", 1.5, 2.5)):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps({f"q{i}": {"a": a, "b": b} for i in range(5)}))
    text = printed("compare", *map(str, files), "--per-query")
    assert "Unjudged documents that matter most" not in text
    assert "No unjudged document that the runs retrieve changes the difference" in text


def test_a_recorded_command_has_only_the_options_that_were_given(tmp_path: Path) -> None:
    """Groups of options that inherit fields recorded their defaults too."""
    more, page = tmp_path / "more.qrels", tmp_path / "page.html"
    more.write_text(Path(QRELS).read_text())
    assert unjudged("report", QRELS, RUN, "--judged", str(more), "-o", str(page)).returncode == 0
    command = f"unjudged report {QRELS} {RUN} --judged {more} --output {page}"
    assert read(page.read_text())["command"].split() == command.split()


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "report"])
def test_a_table_of_scores_without_its_option(command: str, tmp_path: Path) -> None:
    """Two names of systems after a table looked like runs, and the error spoke of qrels alone."""
    table = tmp_path / "scores.csv"
    table.write_text("query,A,B\nq1,0.1,0.2\nq2,0.2,0.3\n")
    more = {"gate": ["--margin", "0.1"], "report": ["-o", str(tmp_path / "page.html")]}.get(command, [])
    said = unjudged(*command.split(), str(table), "A", "B", *more)
    assert said.returncode != 0
    assert b"if the file is a table of scores by query, add --scores" in said.stderr
    table.write_text("query;A\n")
    assert b"add --scores" not in unjudged(*command.split(), str(table), "A", "B", *more).stderr
