"""Imports point only backwards along the data's journey; heavy modules are imported only when used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import unjudged
from unjudged import sample

ROOT = Path(unjudged.__file__).parent
JOURNEY = [
    "base",
    "grids",
    "formats",
    "rankings",
    "measures",
    "citation",
    "uncertainty",
    "baselines",
    "evaluation",
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


def loaded(code: str) -> set[str]:
    """The packages that a process has loaded after this code."""
    code += "\nimport sys; print(*{m.split('.')[0] for m in sys.modules}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not {*HEAVY, "numpy", "typing"} & loaded("import unjudged")
    assert not HEAVY & loaded("from unjudged import AP, Estimates, Judgments, Run, Scores, evaluate")


def command(*words: str) -> str:
    """Code that runs a command and goes on where it ends."""
    run = f"from unjudged.cli.main import main; main({list(words)})"
    return f"try:\n    {run}\nexcept SystemExit as end:\n    assert not end.code"


def test_a_command_loads_what_it_needs() -> None:
    assert not {*HEAVY, "numpy", "typing"} & loaded(command("--version"))
    for words in ((), ("-h",), ("--help",)):
        assert not (HEAVY - {"cyclopts", "rich"} | {"numpy", "markdown_it"}) & loaded(command(*words))
    evaluating = loaded(command("evaluate", str(sample.qrels), str(sample.runs["fused"])))
    assert not (HEAVY - {"lzma"}) & evaluating  # `shutil` imports lzma
    assert not {"concurrent", "html", "logging"} & evaluating
