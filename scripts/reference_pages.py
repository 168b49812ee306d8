"""References that can be read as files: commands with their options, and the public names of Python."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from unjudged.cli.commands import COMMANDS as DECLARED
from unjudged.cli.help_pages import full

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"
PACKAGES = ("unjudged", "unjudged.judging", "unjudged.predictions", "unjudged.studies")
"""Packages whose names are public. What the first has is not repeated for the others."""
COMMANDS = """# Command line

Every command with its options, as `unjudged COMMAND --help` prints it. Files come before options. An option
that takes several words (`-m AP nDCG@10`) takes all up to the next option, and two hyphens end options.
Options are never abbreviated. A hyphen is standard input among files, and standard output after `-o`.
"""
NAMES = """# Python names

Every public name with its arguments and what it does, made from the code by `make docs`.
`help(unjudged.evaluate)` prints the whole description of a name; so does [the Python reference](python.md)
on the site. Measures are on [a page of their own](../measures/index.md).
"""


def references() -> dict[Path, str]:
    """Return the text of each page by its file."""
    return {
        REFERENCE / "command-line.md": command_line_page(),
        REFERENCE / "python-names.md": python_names_page(),
    }


def command_line_page() -> str:
    """Return the reference of the command line in Markdown: a section per command."""
    sections = [f"\n## unjudged {name}\n\n```text\n{full(one, 100)}```\n" for name, one in DECLARED.items()]
    return COMMANDS + "".join(sections)


def python_names_page() -> str:
    """Return the public names in Markdown: a section per package, a line per name."""
    parts = [NAMES.rstrip("\n")]
    measures = set(import_module("unjudged.measures").__all__)
    for package in filter(_has_names, PACKAGES):
        names = {name: getattr(import_module(package), name) for name in import_module(package).__all__}
        own = [name for name in names if name not in measures and _is_first(package, name, names[name])]
        lines = [f"- {_described(name, names[name])}" for name in sorted(own, key=str.lower)]
        parts += ["", f"## {package}", "", *lines]
    return "\n".join(parts) + "\n"


def _is_first(package: str, name: str, value: object) -> bool:
    top = import_module("unjudged")
    return package == "unjudged" or name not in top.__all__ or getattr(top, name) is not value


def _has_names(package: str) -> bool:
    return find_spec(package) is not None and hasattr(import_module(package), "__all__")


def _described(name: str, value: object) -> str:
    if not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)):
        return f"`{name}`: a table by name"
    signature = f"({_arguments(value)})" if inspect.isroutine(value) else ""
    summary = re.split(r"\n\s*\n", inspect.getdoc(value) or "")[0]
    return f"`{name}{signature}`: {' '.join(summary.split())}"


def _arguments(function: object) -> str:
    """Return the arguments of a function with their defaults, without types."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))[1:-1]
