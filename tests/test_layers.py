"""Imports point only backwards along the data's journey; heavy modules are imported only when used."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import unjudged
from unjudged import sample
from unjudged.cli.commands import MODULE_OF

ROOT = Path(unjudged.__file__).parent
JOURNEY = [
    "base",
    "results",
    "data",
    "rankings",
    "measures",
    "citation",
    "evidence",
    "collection",
    "evidence.table",
    "inference",
    "results.words",
    "results.gate_result",
    "results.comparison",
    "results.evaluation",
    "results.methods_paragraph",
    "questions",
    "compat",
    "engines",
    "sample",
    "judging",
    "predictions",
    "studies",
    "report",
    "diagnosis",
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
    "altair",
    "jinja2",
    "gzip",
    "lzma",
    "asyncio",
}


PLOTS = {("results", "report")}
"""Results import by name, when asked for plots, the module that draws them."""

SOURCES = {("questions", "predictions"), ("collection", "judging"), ("judging", "predictions")}
"""Places that know the kinds of sources import what comes later when it is given: predictions, and several
files of judgments to merge. Documents are drawn by the doubt of predictions."""

CITED = {("citation", "evidence"), ("citation", "inference"), ("citation", "judging")}
"""Citations ask the registries of methods by name, when one is cited. No other part looks ahead."""

SOURCES_OF_EVIDENCE = {"evidence", "predictions", "collection", "rankings", "data"}
"""Parts that know where numbers come from."""
SEEN_BY_INFERENCE = {
    *("evidence.contrast", "evidence.distributions", "evidence.intervals", "evidence.mean_intervals"),
    *("evidence.powered", "collection.query_segments", "rankings.judged"),
}
"""What inference uses of them: the protocol, types of arrays, quantiles and intervals over queries."""
SEEN_BY_RESULTS = {"collection.query_segments", "collection.scores", "rankings.judged"}


def module_of(path: Path) -> str:
    """The name of a module within the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> dict[str, ast.Module]:
    """Every module but that of the package itself, whose names are found when they are asked for."""
    return {
        module_of(path): ast.parse(path.read_text())
        for path in ROOT.rglob("*.py")
        if path != ROOT / "__init__.py"
    }


def imported(tree: ast.Module, *, by_name: bool) -> set[str]:
    """The modules of the package that a module imports by statements, or by `import_module("...")`."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and by_name:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0], ast.Constant):
                names.append(str(node.args[0].value))
        elif isinstance(node, ast.ImportFrom) and not by_name:
            names += [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import) and not by_name:
            names += [a.name for a in node.names]
    own = [name.removeprefix("unjudged.") for name in names if name.startswith("unjudged.")]
    return {name if name in modules() else name.rpartition(".")[0] for name in own} & modules().keys()


def part_of(module: str) -> str:
    """The part of the journey that a module belongs to: some modules come later than their folder."""
    return module if module in JOURNEY else module.split(".")[0]


def folders(module: str, imports: set[str]) -> set[tuple[str, str]]:
    """The parts of the journey that a module's imports lead ahead to, each after the module's own."""
    own = part_of(module)
    others = {part_of(other) for other in imports}
    return {(own, other) for other in others if JOURNEY.index(other) > JOURNEY.index(own)}


@pytest.mark.thorough
def test_imports_point_backwards() -> None:
    for module, tree in modules().items():
        assert not folders(module, imported(tree, by_name=False)), module
        assert folders(module, imported(tree, by_name=True)) <= PLOTS | CITED | SOURCES, module


@pytest.mark.thorough
def test_no_new_cycle() -> None:
    """Modules that reach each other by statements, wherever in the module the statements are."""
    reached = {module: imported(tree, by_name=False) for module, tree in modules().items()}
    for middle in modules():
        for module, others in reached.items():
            if middle in others:
                reached[module] = others | reached[middle]
    cycles = {frozenset(o for o in others if m in reached[o]) for m, others in reached.items() if m in others}
    assert [sorted(cycle) for cycle in cycles] == []


@pytest.mark.thorough
def test_inference_and_results_ask_no_source_what_it_is() -> None:
    """Nor does anything else but the one place that gathers evidence import the sources."""
    for module, tree in modules().items():
        part = module.partition(".")[0]
        seen = {"inference": SEEN_BY_INFERENCE, "results": SEEN_BY_RESULTS}.get(part)
        if seen is not None:
            others = imported(tree, by_name=False) | imported(tree, by_name=True)
            assert {name for name in others if name.partition(".")[0] in SOURCES_OF_EVIDENCE} <= seen, module
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert not names & {"RankingsEvidence", "TableEvidence", "DocumentEvidence", "QueryEvidence"}, (
                module
            )


def loaded(code: str) -> set[str]:
    """The packages that a process has loaded after this code."""
    return {module.split(".")[0] for module in loaded_modules(code)}


def loaded_modules(code: str) -> list[str]:
    code += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr.split()


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not {*HEAVY, "numpy", "typing"} & loaded("import unjudged")
    assert not HEAVY & loaded("from unjudged import AP, Judgments, Run, Scores, evaluate")


def command(*words: str, code: int = 0) -> str:
    """Code that runs a command and goes on where it ends."""
    run = f"from unjudged.cli.main import main; main({list(words)})"
    return f"try:\n    {run}\nexcept SystemExit as end:\n    assert end.code in (0, None, {code})"


def test_a_command_loads_what_it_needs() -> None:
    assert not {*HEAVY, "numpy", "typing"} & loaded(command("--version"))
    for words in ((), ("-h",), ("--help",)):
        assert not ({*HEAVY, "numpy"}) & loaded(command(*words))
    modules = loaded_modules(command("evaluate", str(sample.qrels), str(sample.runs["fused"])))
    assert not {f"unjudged.evidence.{name}" for name in ("tipping", "difference_bounds")} & {*modules}
    evaluating = {module.split(".")[0] for module in modules}
    assert not HEAVY & evaluating
    assert (
        not {"concurrent", "csv", "html", "json", "logging", "statistics", "hashlib", "random"} & evaluating
    )


def test_a_command_loads_no_other() -> None:
    for name in ("evaluate", "next"):
        commands = [m for m in loaded_modules(command(name, "-h")) if m.startswith("unjudged.cli.commands.")]
        assert commands == [f"unjudged.cli.commands.{MODULE_OF[name]}"]
