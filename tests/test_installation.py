"""What users are told where something is not installed or compiled; archives do not depend on who packs."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
from pack_again import packed

from unjudged.base.errors import EXTRAS, missing_package

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.skipif(not PROJECT.exists(), reason="not in a checkout")
@pytest.mark.parametrize("package", EXTRAS)
def test_the_extra_installs_the_package(package: str) -> None:
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    listed, named = [EXTRAS[package]], set[str]()
    while listed:
        for requirement in extras[listed.pop()]:
            own = re.fullmatch(r"unjudged\[(.+)\]", requirement)
            listed += own[1].split(",") if own else []
            named.add(re.split(r"[^A-Za-z0-9_-]", requirement)[0].lower())
    assert package in named


def test_the_message_has_the_command_for_a_release_and_for_a_checkout() -> None:
    assert str(missing_package("vl-convert-python", "a figure")) == (
        'a figure needs vl-convert-python: pip install "unjudged[report]", or in a checkout '
        'pip install -e ".[report]"'
    )


WITHOUT_COMPILER = """
import sys, warnings
sys.modules["unjudged.data.scan.compiled.native"] = None
from unjudged import UnjudgedWarning, evaluate
from unjudged.data.scan import scanner
scanner.LARGE = int(sys.argv[1])
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    for _ in range(2):
        evaluate(*sys.argv[2:], "AP")
print(*[f"{w.category.__name__} {w.filename}: {w.message}" for w in found], sep="\\n")
"""


def test_the_slow_reader_is_announced_once(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 d 1\n")
    run.write_text("q 0 d 1 1.0 t\n")

    def announced(large: int) -> str:
        command = [sys.executable, "-c", WITHOUT_COMPILER, str(large), str(qrels), str(run)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert announced(1000) == ""
    said = announced(10)
    assert said.startswith(
        "UnjudgedWarning <string>: the compiled reader is missing, so files are read by plain"
    )
    assert said.count("UnjudgedWarning") == 1
    assert "install a wheel, or install a C compiler" in said


def test_the_command_line_announces_it_too(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("q 0 d 1 1.0 t\n")
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    code = WITHOUT_COMPILER.split("from unjudged import", maxsplit=1)[0] + (
        "from unjudged.data.scan import scanner; scanner.LARGE = 1\n"
        "from unjudged.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "evaluate", str(tmp_path / "qrels"), str(run), "-m", "AP"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("! the compiled reader is missing")
    assert done.stderr.count("\n") == 1


FILES = {"a/b.txt": b"text", "a/run": b"#!/bin/sh\n", "a/\u00e9" + "x" * 120: b""}


def archive(names: list[str], time: int, owner: str, mode: int) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as made:
        folder = tarfile.TarInfo("a")
        folder.type, folder.mtime, folder.uname = tarfile.DIRTYPE, time, owner
        made.addfile(folder)
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uname, member.uid = len(FILES[name]), time, owner, time
            member.mode = mode | 0o111 if name == "a/run" else mode
            made.addfile(member, io.BytesIO(FILES[name]))
    return target.getvalue()


def test_the_same_files_give_the_same_bytes() -> None:
    names = list(FILES)
    one, two = archive(names, 5, "me", 0o644), archive(names[::-1], 7, "you", 0o664)
    assert one != two
    assert packed(one, 100) == packed(two, 100)
    with tarfile.open(fileobj=io.BytesIO(packed(one, 100))) as found:
        members = {member.name: member for member in found.getmembers() if member.isfile()}
        contents = {name: found.extractfile(member).read() for name, member in members.items()}  # type: ignore[union-attr]
    assert contents == FILES
    assert {member.mtime for member in members.values()} == {100}
    assert members["a/run"].mode == 0o755
