"""The examples run as they stand: scripts print what they say, results of the notebook show themselves."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_spark import missing

EXAMPLES = Path(__file__).parent.parent / "examples"
NEEDS = {"pandas_frames": "pandas", "polars_frames": "polars", "pyterrier_experiment": "pyterrier"}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_an_example(name: str) -> None:
    reason = missing("classic") if name == "spark_cluster" else None
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        reason = f"{NEEDS[name]} is not installed"
    if reason:
        pytest.skip(reason)
    path = EXAMPLES / f"{name}.py"
    found = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-3000:]
    said = path.read_text().partition("\n# Prints:\n")[2].splitlines()
    assert said
    assert [line.rstrip() for line in found.stdout.splitlines()] == [line[2:] for line in said]


SHOWN = 9
"""How many cells end with a result."""


def displayed(value: Any) -> bool:
    """Whether a notebook shows the value as more than its class and address."""
    shown = (
        value._repr_mimebundle_(None, None) if hasattr(value, "_repr_mimebundle_") else value._repr_html_()
    )
    return bool(shown)


@pytest.mark.thorough
def test_every_cell_of_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (notebook,) = EXAMPLES.glob("*.ipynb")
    names: dict[str, Any] = {}
    shown = 0
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop()
        exec(compile(tree, str(notebook), "exec"), names)
        if isinstance(last, ast.Expr) and not ast.unparse(last).startswith("print("):
            assert displayed(eval(compile(ast.Expression(last.value), str(notebook), "eval"), names))
            shown += 1
        else:
            exec(compile(ast.Module([last], []), str(notebook), "exec"), names)
    assert shown == SHOWN
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


PAPER = EXAMPLES / "paper"
NEEDED = ("acmart.cls", "libertine.sty", "zi4.sty", "newtxmath.sty", "binhex.tex")


def installed() -> bool:
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich") and shutil.which("bibtex")):
        return False
    return all(subprocess.run(["kpsewhich", f], capture_output=True, check=False).stdout for f in NEEDED)


@pytest.mark.thorough
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
