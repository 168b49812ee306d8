"""Imports point only backwards along the data's journey; heavy modules are imported only when used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import unjudged

ROOT = Path(unjudged.__file__).parent
JOURNEY = [
    "errors",
    "segments",
    "grids",
    "formats",
    "rankings",
    "measures",
    "citation",
    "uncertainty",
    "baselines",
    "scores_grid",
    "scores",
    "evaluation",
    "groups",
    "comparison",
    "compat",
    "engines",
    "sample",
    "judging",
    "predictions",
    "experiments",
    "simulation",
    "report",
    "compat",
    "cli",
    "__main__",
]
HEAVY = {
    "pyspark",
    "duckdb",
    "ir_datasets",
    "ir_measures",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "scipy",
    "rich",
    "cyclopts",
    "altair",
    "jinja2",
    "gzip",
    "lzma",
    "asyncio",
}


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    return {m.split(".")[1] for m in modules if m.startswith("unjudged.")}


def test_imports_point_backwards() -> None:
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own != "__init__":
            ahead = {other for other in imported(path) if JOURNEY.index(other) > JOURNEY.index(own)}
            assert not ahead, f"{path.relative_to(ROOT)} imports {ahead}"


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, unjudged; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not HEAVY & set(loaded.split())
