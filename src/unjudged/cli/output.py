"""Where output goes: standard output, or a file that appears whole."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import unjudged
from unjudged.errors import InputError
from unjudged.report.text import plain, write_whole


def is_terminal() -> int | None:
    """The width of the terminal that standard output is, None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show(content: str | bytes, output: Path | None = None) -> None:
    if output is None and sys.stdout is None:
        raise InputError("standard output is closed")
    try:
        if output is None:
            sys.stdout.flush()
            data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        write_whole(output, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if output is None else output
        raise InputError(f"{name}: cannot be written: {error.strerror}") from None


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made: {error.strerror}") from None


def warn(problem: str) -> None:
    """Something that a reader of the output must know, beside it."""
    sys.stderr.write(f"unjudged: {plain(problem)}\n")


def command_line(command: str, files: Sequence[str], options: Mapping[str, object]) -> str:
    """The command that makes a file, to be written in its first line."""
    words = ["unjudged", command, *files]
    for name, value in options.items():
        words += [] if value is None else [f"--{name}", str(value)]
    return f"unjudged {unjudged.__version__}: {shlex.join(words)}"
