"""Stubs for editors and type checkers, written by `make docs`: the measures, and names imported when used."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module
from pathlib import Path

from unjudged.base.lazy import LazyNames
from unjudged.measures.kernel.registry import MEASURES

HEAD = "# Written by `make docs`.\n"
ROOT = Path(__file__).parent.parent / "src" / "unjudged"


NAMESPACES = ("judging", "studies")


def stubs() -> dict[Path, str]:
    """Return the text of each stub by its file."""
    return {
        ROOT / "measures" / "__init__.pyi": measures_stub(),
        ROOT / "__init__.pyi": names_stub("unjudged"),
        **{ROOT / name / "__init__.pyi": names_stub(f"unjudged.{name}") for name in NAMESPACES},
    }


def measures_stub() -> str:
    """List the measures of the package by name."""
    own = sorted(n for n, m in MEASURES.items() if m.function.__module__.startswith("unjudged.measures."))
    names = ["__all__ = [", *(f'    "{name}",' for name in own), "]"]
    typed = [f"{name}: Measure" for name in own]
    return "\n".join(
        [HEAD + "from unjudged.measures.kernel.registry import Measure", "", *names, "", *typed, ""]
    )


def names_stub(package: str) -> str:
    """List the names that a package imports when they are used."""
    names: LazyNames = import_module(package)._NAMES  # noqa: SLF001
    of_modules, others = defaultdict(list), []
    for name, (module, attribute) in names.places.items():
        if "." in attribute:
            others.append(f"{name} = {attribute}")
        else:
            of_modules[module].append(f"{attribute} as {name}")
    lines = [
        f"from {package}.{module} import {', '.join(sorted(of_modules[module]))}"
        for module in sorted(of_modules)
    ]
    listed = [f'    "{name}",' for name in names.all]
    if package == "unjudged":
        lines += [
            f"from unjudged import {name} as {name}"
            for name in (*NAMESPACES, "measures", "predictions", "sample")
        ]
        lines += ["from unjudged.measures import *"]
        others.append("__version__: str")
    added = ["__all__ += measures.__all__"] if package == "unjudged" else []
    return "\n".join([HEAD + lines[0], *lines[1:], "", *others, "__all__ = [", *listed, "]", *added, ""])
