"""Options that no system or library can serve: a message, never a traceback."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.in_process import refused
from unjudged import sample

pytestmark = pytest.mark.thorough

QRELS, RUN, OTHER = (str(path) for path in (sample.qrels, sample.runs["fused"], sample.runs["dense"]))
LONG = "a" * 5000
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="limits of a shell")

NAMES = {
    "output": ["evaluate", QRELS, RUN, "-o", "NAME"],
    "plot": ["evaluate", QRELS, RUN, "--plot", "NAME.svg"],
    "page": ["report", QRELS, RUN, "-o", "NAME"],
    "design": ["next", QRELS, RUN, OTHER, "--settle", "--record", "NAME"],
    "to judge": ["sample", QRELS, "--share", "10%", "--to-judge", "NAME"],
    "demo": ["demo", "--files", "NAME"],
    "in a folder": ["evaluate", QRELS, RUN, "-o", "NAME/x.csv"],
}


@pytest.mark.parametrize("case", NAMES)
def test_a_name_that_is_too_long(case: str) -> None:
    said = refused(1, *(word.replace("NAME", LONG) for word in NAMES[case]))
    assert said.endswith("cannot be written: File name too long")


def test_a_name_that_no_file_can_have() -> None:
    said = refused(1, *(word.replace("NAME", "a\0b") for word in NAMES["output"]))
    assert "cannot be written" in said


@UNIX
@pytest.mark.parametrize("case", [name for name in NAMES if "." not in NAMES[name][-1]] + ["in a folder"])
def test_a_link_to_itself(case: str, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    said = refused(1, *(word.replace("NAME", str(loop)) for word in NAMES[case]))
    assert said.endswith("cannot be written: Too many levels of symbolic links")


READ = {
    "judgments": ["evaluate", LONG, RUN],
    "run": ["evaluate", QRELS, LONG],
    "further": ["evaluate", QRELS, RUN, "--judged", LONG],
    "calibration": ["evaluate", QRELS, RUN, "--interval", "calibrated", "--calibration", LONG],
    "predictions": ["evaluate", QRELS, RUN, "--predictions", LONG],
    "groups": ["calibrate", QRELS, RUN, "--groups", LONG],
    "design": ["merge", LONG, RUN],
    "earlier": ["pool", RUN, "--since", LONG],
    "texts": ["judge", QRELS, "--documents", LONG],
}


@pytest.mark.parametrize("case", READ)
def test_a_name_of_an_input_that_is_too_long(case: str) -> None:
    said = refused(1, *READ[case])
    assert said.startswith(LONG)


PATTERNS = {
    "(?:u|e)": "has no bracket that is a group: use one such as '(.*?)-', whose first bracket is the group",
    "(?=(?:u))": "has no bracket that is a group: use one such as '(.*?)-', whose first bracket is the group",
    "(a{4294967295})": "for groups: the repetition number is too large",
    "(" * 5000 + ")" * 5000: "for groups: maximum recursion depth exceeded",
    "(a": "for groups: missing ), unterminated subpattern at position 0",
}


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern[:15])
@pytest.mark.parametrize(
    "command",
    [["pool", RUN, OTHER, "--qrels", QRELS, "--leave-out", "a"], ["calibrate", QRELS, RUN]],
)
def test_a_pattern_for_groups(command: list[str], pattern: str) -> None:
    said = refused(2, *command, "--groups", pattern)
    assert PATTERNS[pattern] in said
    assert len(said) < 250


def limited(limit: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command under a limit of the shell. It keeps no bytecode, of which the limit would leave a part."""
    line = shlex.join([sys.executable, "-B", "-m", "unjudged", *words])
    return subprocess.run(
        f"ulimit {limit}; {line}", shell=True, cwd=cwd, capture_output=True, text=True, check=False
    )


@UNIX
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A limit on the size of files fails where a full disk does."""
    done = limited("-f 4", "demo", "--files", "copy", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("unjudged: copy/qrels.txt: cannot be written: ")
    assert not list((tmp_path / "copy").iterdir())


@UNIX
def test_few_files_may_be_open(tmp_path: Path) -> None:
    words = [
        "experiment",
        QRELS,
        RUN,
        OTHER,
        "--design",
        "random(50%, repeats=2)",
        "-m",
        "AP",
    ]
    done = limited("-n 12", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "unjudged: Too many open files: raise the limit, as with `ulimit -n 256`\n"


@UNIX
def test_a_figure_when_few_files_may_be_open(tmp_path: Path) -> None:
    done = limited("-n 12", "evaluate", QRELS, RUN, "--plot", "x.svg", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("unjudged: the figure cannot be drawn: ")
