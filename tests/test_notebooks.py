"""The notebook runs from its first cell to its last, and every result in it shows itself."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

pytest.importorskip("pandas")

EXAMPLES = Path(__file__).parent.parent / "examples"
SHOWN = 9
"""How many cells end with a result."""


def displayed(value: Any) -> bool:
    """Whether a notebook shows the value as more than its class and address."""
    shown = (
        value._repr_mimebundle_(None, None) if hasattr(value, "_repr_mimebundle_") else value._repr_html_()
    )
    return bool(shown)


def test_every_cell_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
