"""Arguments of the command that was given: which files they name, and how a shell would write them.

No command writes over a file that it reads, or two results to one file.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import unjudged
from unjudged.base.errors import UsageError
from unjudged.cli.commands import COMMANDS
from unjudged.cli.files import forget as forget_files
from unjudged.cli.files import reads, writes
from unjudged.cli.option import Parameter


class Given(NamedTuple):
    """A parameter of a command, and its value on the command line."""

    parameter: Parameter
    value: Any


_COMMAND: list[tuple[str, Sequence[Given]]] = []
"""Name and arguments of the command that was given."""


def forget() -> None:
    """Forget an earlier command."""
    _COMMAND.clear()
    forget_files()


def take_arguments(name: str, arguments: Sequence[Given]) -> None:
    """Remember a command; refuse one that names a file both to read and to write, or that cannot be written.

    This happens before any work. `check_not_read` asks again before each file is written.
    """
    for parameter, value in arguments:
        if parameter.option.reads:
            files = [os.fspath(file) for file in _listed(value)]
            _check_files(files, without_option=parameter.positional)
            reads(files)
            reads(file for _, named, file in (text.partition("=") for text in files) if named)  # NAME=FILE
            reads(file for file, named, _ in (text.rpartition(":") for text in files) if named)  # FILE:COLUMN
    written = [(path, one.option.made) for one, path in arguments if one.option.writes and path is not None]
    folders = [path for path, made in written if made]
    writes([path for path, made in written if not made], folders)
    _COMMAND.append((name, arguments))


def _check_files(files: Iterable[str], *, without_option: bool) -> None:
    """Refuse an empty name, and a measure among the files that come without an option."""
    for file in files:
        if not file:
            raise UsageError("the name of a file is empty: is a variable of the shell not set?")
        if not without_option or os.path.exists(file) or "/" in file:
            continue
        from unjudged.measures.kernel.names import is_measure

        if is_measure(file):
            raise UsageError(f"{file}: no such file; measures come after -m, as in -m {file}")


def command_given(*more: str) -> str:
    """Return the command as a shell takes it, without options for the files that it writes.

    So the same command writes the same bytes, wherever it writes them.
    """
    [(name, arguments)] = _COMMAND
    words = [name]
    for one, value in arguments:
        if one.flag:
            words += [name for name in one.names if name.startswith("--no-") != value][-1:]
        elif one.positional:
            words.append(value)
        elif not one.option.writes:
            for each in map(str, _listed(value)):
                words += [f"{one.names[-1]}={each}"] if each.startswith("-") else [one.names[-1], each]
    return shlex.join(["unjudged", *words, *more])


def usage() -> str:
    """Return how the command is called, for messages."""
    return COMMANDS[_COMMAND[0][0]].called


def made_by() -> str:
    """Return the version and the command, if one was given, for the comment in a file's first line."""
    version = f"unjudged {unjudged.__version__}"
    return f"{version}: {command_given()}" if _COMMAND else version


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
