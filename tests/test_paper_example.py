"""The skeleton of a paper is made by its commands, and LaTeX finds no overfull box in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

PAPER = Path(__file__).parent.parent / "examples" / "paper"
NEEDED = ("acmart.cls", "libertine.sty", "zi4.sty", "newtxmath.sty", "binhex.tex")


def installed() -> bool:
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich") and shutil.which("bibtex")):
        return False
    return all(subprocess.run(["kpsewhich", f], capture_output=True, check=False).stdout for f in NEEDED)


@pytest.mark.skipif(not installed(), reason="LaTeX with acmart is not installed")
def test_the_paper_is_made_and_no_box_is_overfull(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = ["sh", str(PAPER / "make.sh"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "paper.log").read_text("utf-8", "replace")
    assert "Overfull" not in log
    assert "undefined" not in log
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000
