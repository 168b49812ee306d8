"""The tutorial runs from its first cell to its last, and every result in it shows itself."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair")
pytest.importorskip("jinja2")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tutorial.ipynb"


def displayed(value: Any) -> bool:
    """Whether a notebook shows the value as more than its class and address."""
    if hasattr(value, "_repr_mimebundle_"):
        return bool(value._repr_mimebundle_(None, None))
    return bool(value._repr_html_())


def is_shown(statement: ast.stmt) -> bool:
    """Whether a notebook shows the value of a cell's last statement."""
    return isinstance(statement, ast.Expr) and not ast.unparse(statement).startswith("print(")


def test_every_cell_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = 0
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if is_shown(tree.body[-1]) else None
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        if isinstance(last, ast.Expr):
            assert displayed(eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names))
            shown += 1
    assert shown == 8
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
