"""Every notebook runs from its first cell to its last, and every result in it shows itself."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

pytest.importorskip("pandas")

EXAMPLES = Path(__file__).parent.parent / "examples"
SHOWN = {"tutorial": 9}
"""How many cells of each notebook end with a result."""


def displayed(value: Any) -> bool:
    """Whether a notebook shows the value as more than its class and address."""
    if hasattr(value, "_repr_mimebundle_"):
        return bool(value._repr_mimebundle_(None, None))
    return bool(value._repr_html_())


def is_shown(statement: ast.stmt) -> bool:
    """Whether a notebook shows the value of a cell's last statement."""
    return isinstance(statement, ast.Expr) and not ast.unparse(statement).startswith("print(")


def run_notebook(path: Path) -> int:
    """Run every cell, and count those that show a result."""
    names: dict[str, Any] = {}
    shown = 0
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if is_shown(tree.body[-1]) else None
        exec(compile(tree, str(path), "exec"), names)
        if isinstance(last, ast.Expr):
            assert displayed(eval(compile(ast.Expression(last.value), str(path), "eval"), names))
            shown += 1
    return shown


def test_all_notebooks_are_known() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_every_cell_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_notebook(EXAMPLES / f"{name}.ipynb") == SHOWN[name]
    if name == "tutorial":
        assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
