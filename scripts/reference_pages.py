"""References made from the code: a page per command, and a page per package of public names."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

from unjudged.cli.command_line import help_of
from unjudged.cli.commands import COMMANDS, TASKS
from unjudged.diagnosis.explaining import GLOSSARY

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"
PACKAGES = {
    "unjudged": "What `import unjudged` offers. Measures are on [pages of their own](../measures/index.md), and each is a "
    'name here too: `unjudged.nDCG @ 10` and `"nDCG@10"` are the same.',
    "unjudged.judging": "Pools, samples, what to judge next, and merged answers.",
    "unjudged.predictions": "Human judgments together with a model's labels.",
    "unjudged.studies": "Simulated systems, random rankings, and what RBP leaves open.",
}
OPTION = re.compile(r"^  -.*\n(?: {4,}.*\n)*", re.MULTILINE)
SEVERAL = 3
"""Options of so many commands are explained once."""
INDEX = """\
# Command line

Files come before options. An option that takes several words (`-m AP nDCG@10`) takes all up to the next option, and two
hyphens end options. Options are never abbreviated. A hyphen is standard input among files, and standard output after `-o`.

"""
GLOSSARY_HEAD = """\
# Glossary

`unjudged explain WORD` shows these on the command line, and the words of the papers too.

| term | meaning |
|---|---|"""


def references() -> dict[Path, str]:
    """Return the text of each page by its file."""
    pages = {REFERENCE / "command-line.md": index_page(), REFERENCE.parent / "glossary.md": glossary_page()}
    pages |= {REFERENCE / "commands" / f"{name}.md": command_page(name) for name in COMMANDS}
    return pages | {REFERENCE / f"{name.replace('unjudged.', '')}.md": python_page(name) for name in PACKAGES}


def index_page() -> str:
    """Return the list of the commands, with links to their pages, and the options that many share."""
    summaries = {name: said for commands in TASKS.values() for name, said in commands.items()}
    lines = [f"- [`unjudged {name}`](commands/{name}.md): {summaries[name]}" for name in COMMANDS]
    common = "\n".join(f"- `{names}`: {said}" for names, said in shared().items())
    return f"{INDEX}{chr(10).join(lines)}\n\n## Common options\n\n{common}\n"


def glossary_page() -> str:
    """Return the words of the output, each with its other names but plurals."""
    rows = []
    for names, means in GLOSSARY.items():
        shown = [name for name in names if name[:-1] not in names and name != "queries"]
        rows.append(f"| **{', '.join(shown)}** | {means} |")
    return "\n".join([GLOSSARY_HEAD, *rows, ""])


def command_page(name: str) -> str:
    """Return all that the help of a command has, but the options that many share by name alone."""
    head, _, rest = help_of(name, full=True, width=100).partition("\noptions:\n")
    entries = OPTION.findall(rest)
    own = "".join(entry for entry in entries if _read(entry)[0] not in shared())
    others = ", ".join(f"`{names}`" for names, _ in map(_read, entries) if names in shared())
    listed = f"\noptions:\n{own}" if own else ""
    also = f"\n[Common options](../command-line.md#common-options): {others}\n" if others else ""
    return f"# unjudged {name}\n\n```text\n{head}{listed}```\n{also}"


@cache
def shared() -> dict[str, str]:
    """Return the options that several commands have in the same words, and what is said of each."""
    found = Counter(
        _read(entry) for name in COMMANDS for entry in OPTION.findall(help_of(name, full=True, width=100))
    )
    return {names: said for (names, said), count in found.items() if count >= SEVERAL}


def _read(entry: str) -> tuple[str, str]:
    """Return the names of an option, and what its help says."""
    names, _, said = entry.strip().partition("  ")
    return names, " ".join(said.split())


def python_page(package: str) -> str:
    """Return a page on which mkdocstrings describes every public name of a package."""
    names = public_names(package)
    lines = [f"::: {package}.{name}" for name in names]
    return "\n".join([f"# {package}", "", PACKAGES[package], "", *lines, ""])


def public_names(package: str) -> list[str]:
    """Return the names of a package that are neither measures nor tables, and not those of another package."""
    module, measures = import_module(package), set(import_module("unjudged.measures").__all__)
    names = [name for name in module.__all__ if name not in measures and not name.isupper()]
    top = import_module("unjudged")
    kept = [
        name
        for name in names
        if package == "unjudged" or getattr(top, name, None) is not getattr(module, name)
    ]
    return sorted(kept, key=str.lower)
