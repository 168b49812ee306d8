"""Pages that a stranger can follow: their files are written, their commands run in order, in one folder.

A block of Python with a title is a file of that name. In a block of console, each line that starts with `$ `
is a command, continued after a backslash, and the lines up to the next command are its output.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

FENCE = re.compile(r'^```(?:(console)|python title="([^"/]+)")\n(.*?)^```\n', re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n(?:(?!\$ ).*\n)*", re.MULTILINE)
WIDTH = "88"
PAGES = (
    "tutorial.md",
    "known-drawn-unknown.md",
    "how-to/search-engineer.md",
    "how-to/rag-team.md",
    "how-to/until-decided.md",
    "how-to/twenty-systems.md",
    "how-to/track-organiser.md",
    "how-to/score-tables.md",
    "how-to/missing-values.md",
    "how-to/does-it-hold.md",
    "how-to/sessions-of-queries.md",
    "how-to/continuous-integration.md",
    "how-to/judges.md",
    "how-to/own-measure.md",
)
"""The pages in docs/ that are such sessions."""


def replayed(page: str, folder: Path, programs: Path, *, install: bool) -> str:
    """The page with the output of every command as it is now; `pip` runs only if `install`."""

    def block(found: re.Match[str]) -> str:
        console, name, text = found.groups()
        if not console:
            (folder / name).write_text(text)
            return found.group()
        if not text.startswith("$ "):
            raise ValueError(f"a console block starts with {text[:40]!r}, not with a command")
        return "```console\n" + "".join(_with_outputs(text, folder, programs, install)) + "```\n"

    return FENCE.sub(block, page)


def _with_outputs(text: str, folder: Path, programs: Path, install: bool) -> Iterator[str]:
    for found in COMMAND.finditer(text):
        command = found.group(1)
        installs = command.startswith("pip ")
        output = _output(command, folder, programs) if install or not installs else ""
        yield f"$ {command}\n" + ("" if installs else output)


def _output(command: str, folder: Path, programs: Path) -> str:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S603 (commands of our own pages)
        ["bash", "-euo", "pipefail", "-c", command],  # noqa: S607
        capture_output=True,  # notes come after the output: a pipe would let either come first
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": WIDTH, "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        raise RuntimeError(f"`{command}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    lines = [*done.stdout.strip("\n").splitlines(), *done.stderr.strip("\n").splitlines()]
    return "".join(f"{line.rstrip()}\n" for line in lines)
