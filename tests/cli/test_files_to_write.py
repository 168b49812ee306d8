"""Files that commands write: refused before the work if that is not possible, and never over what is read."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import sample

QRELS, RUN = str(sample.qrels), str(sample.runs["fused"])
EXPANDED = str(sample.runs["expanded"])

REFUSED_EARLY = {
    "documents to judge": ["next", "--format", "parquet"],
    "what was learnt": ["calibrate", "--groups", "(.*)", "--format", "parquet"],
    "no folder": ["compare", "-o", "nowhere/x.csv"],
    "no folder for a page": ["report", "-o", "nowhere/x.html"],
    "no folder for a figure": ["evaluate", "--plot", "nowhere/x.svg"],
    "no folder for a design": ["next", "--settle", "--record", "nowhere/x"],
    "a folder": ["evaluate", "-o", "."],
    "a table of measures": ["evaluate", "-o", "x.xlsx"],
}


@pytest.mark.parametrize("case", REFUSED_EARLY)
def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files to read are not there, and the message is not about them."""
    monkeypatch.chdir(tmp_path)
    command, *options = REFUSED_EARLY[case]
    done = unjudged(*command.split(), "none.qrels", "a.run", "b.run", *options)
    assert done.returncode in (1, 2)
    assert re.search(r"needs --output|no format has|cannot be written", done.stderr.decode())
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything is allowed")
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    said = refused(1, "evaluate", "none.qrels", "none.run", "-o", str(tmp_path / "x.csv"))
    assert said == f"{tmp_path / 'x.csv'}: cannot be written: Permission denied"


READ_AND_WRITTEN = {
    "the judgments": ["evaluate", "QRELS", "RUN", "-o", "QRELS"],
    "a run": ["evaluate", "QRELS", "RUN", "--output", "RUN"],
    "with an equals sign": ["evaluate", "QRELS", "RUN", "--output=RUN"],
    "by another name": ["compare", "QRELS", "RUN", "OTHER", "-o", "LINK"],
    "further judgments": ["evaluate", "QRELS", "RUN", "--judged=OTHER", "-o", "OTHER"],
    "a figure": ["evaluate", "QRELS", "RUN", "--plot", "RUN"],
    "a pool": ["sample", "QRELS", "--share", "10%", "-o", "QRELS"],
    "a page": ["report", "QRELS", "RUN", "-o", "RUN"],
}


@pytest.mark.parametrize("command", READ_AND_WRITTEN)
def test_no_command_writes_over_a_file_that_it_reads(tmp_path: Path, command: str) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in ("QRELS", "RUN", "OTHER")}
    for name, source in zip(files, (QRELS, RUN, EXPANDED), strict=True):
        files[name].write_bytes(Path(source).read_bytes())
    files["LINK"] = tmp_path / "link.csv"
    files["LINK"].symlink_to(files["OTHER"])
    before = {name: file.read_bytes() for name, file in files.items()}
    words = [word for given in READ_AND_WRITTEN[command] for word in [given.rpartition("=")]]
    said = refused(2, *(f"{a}{b}{files.get(c, c)}" for a, b, c in words))
    assert said.endswith("is read by this command: write to another file")
    assert {name: file.read_bytes() for name, file in files.items()} == before


@pytest.mark.parametrize("pattern", ["*.txt", "**/o*", "other.*"])
def test_no_command_writes_over_a_file_that_matches_a_pattern(tmp_path: Path, pattern: str) -> None:
    """The shell did not see the pattern, so nothing named the file that was read."""
    run, other = tmp_path / "run.txt", tmp_path / "other.txt"
    for file, source in ((run, RUN), (other, EXPANDED)):
        file.write_bytes(Path(source).read_bytes())
    before, given = other.read_bytes(), str(tmp_path / pattern)
    said = refused(2, "evaluate", QRELS, given, "-o", str(other))
    assert said == f"{other} is read by this command as one of {given}: write to another file"
    assert other.read_bytes() == before


def test_no_command_writes_over_a_part_of_a_folder_that_it_reads(tmp_path: Path) -> None:
    part = tmp_path / "part-0.parquet"
    part.write_bytes(b"PAR1")
    said = refused(2, "evaluate", QRELS, str(tmp_path), "-o", str(part))
    assert said == f"{part} is read by this command as one of {tmp_path}: write to another file"
    assert part.read_bytes() == b"PAR1"


def test_a_new_file_beside_those_of_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a[1].run").write_bytes(Path(RUN).read_bytes())
    (tmp_path / "scores.csv").write_text("of yesterday")
    printed("evaluate", QRELS, str(tmp_path / "*.run"), "-m", "AP", "-o", str(tmp_path / "scores.csv"))
    assert (tmp_path / "scores.csv").read_text().startswith("run,query")


def test_two_results_in_one_file(tmp_path: Path) -> None:
    """The figure replaced the table."""
    target = tmp_path / "x.html"
    said = refused(2, "evaluate", QRELS, RUN, "-o", str(target), f"--plot={tmp_path}/./x.html")
    assert said == f"{target} would be written twice: choose another name for one of the two"
    assert not target.exists()
