"""Arguments of the command that was given: which files they name, and how a shell would write them.

No command writes over a file that it reads, or two results to one file.
"""

from __future__ import annotations

import errno
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import unjudged
from unjudged.base.errors import InputError, UsageError, reason_of
from unjudged.cli.commands import COMMANDS
from unjudged.cli.option import Parameter


class Given(NamedTuple):
    """A parameter of a command, and its value on the command line."""

    parameter: Parameter
    value: Any


_COMMAND: list[tuple[str, Sequence[Given]]] = []
"""Name and arguments of the command that was given."""

_READ: list[str] = []
"""Files that this command reads."""


def forget() -> None:
    """Forget an earlier command."""
    _COMMAND.clear()
    _READ.clear()


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
    if _READ.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    written = [(path, one.option.made) for one, path in arguments if one.option.writes and path is not None]
    places: list[str] = []
    folders = [path for path, made in written if made]
    for path, made in written:
        _check_writable(path, new_folder=made or path.parent in folders)
        places.append(os.path.realpath(path))
        if places[-1] in places[:-1]:
            raise UsageError(f"{path} would be written twice: choose another name for one of the two")
        check_not_read(path)
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


def reads(files: Iterable[str | os.PathLike[str]]) -> None:
    """Remember that the command reads these files."""
    _READ.extend(os.fspath(file) for file in files)


def check_not_read(output: Path) -> None:
    """Refuse to replace a file that this command reads."""
    for name in _READ if os.path.isfile(output) else ():
        files = list(_files(name))
        if any(_is_same_file(output, file) for file in files):
            among = "" if files == [name] else f" as one of {name}"
            raise UsageError(f"{output} is read by this command{among}: write to another file")


def _files(name: str) -> Iterable[str | Path]:
    """Return the files that a name stands for: the parts of a folder, what matches a pattern, or a file."""
    if os.path.isdir(name):
        from unjudged.formats.readers.arrow_files import is_part

        return filter(is_part, Path(name).rglob("*"))
    if set(name) & set("*?[") and "\0" not in name:
        from glob import glob

        return [name, *glob(name, recursive=True)]  # noqa: PTH207
    return [name]


def _is_same_file(one: Path, other: str | Path) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(sys.stdin.fileno() if other == "-" else other))
    except (OSError, ValueError, AttributeError):  # no such file, no name of a file, no standard input
        return False


def _check_writable(path: Path, *, new_folder: bool) -> None:
    """Refuse a name that no file can have, and a file that cannot be written, so that no work is lost."""
    from unjudged.formats.writing import is_stream

    problem = ""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # a name that is too long, or a link to itself
        problem = reason_of(error)
    if not problem and not new_folder:
        if path.is_dir():
            problem = "it is a folder"
        elif is_stream(path):
            return
        elif not path.parent.is_dir():
            problem = f"{path.parent} is not a folder"
        elif not all(os.access(place, os.W_OK) for place in (path.resolve().parent, path) if place.exists()):
            problem = os.strerror(errno.EACCES)
    if problem:
        raise InputError(f"cannot be written: {problem}", source=str(path))


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
