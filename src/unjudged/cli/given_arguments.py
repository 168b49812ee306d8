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
    written = [(one.option, path) for one, path in arguments if one.option.writes and path is not None]
    for _, path in written:
        _check_name(path)
    places = [os.path.realpath(path) for _, path in written]
    folders = [path for option, path in written if option.made]
    for (option, path), place in zip(written, places, strict=True):
        if places.count(place) > 1:
            raise UsageError(f"{path} would be written twice: choose another name for one of the two")
        check_not_read(path)
        if not option.made and path.parent not in folders:
            _check_writable(path)
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
    if not os.path.isfile(output):
        return
    for file in _READ:
        if _is_standard_input(output) if file == "-" else _is_same_file(output, file):
            raise UsageError(f"{output} is read by this command: write to another file")
        why = "is in" if os.path.isdir(file) else "matches"
        if _is_part(output, file) or _matches(output, file):
            problem = f"{output} is read by this command, because it {why} {file}"
            raise UsageError(f"{problem}: write to another file")


def _is_same_file(one: Path, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # no such file, or a name that no file can have
        return False


def _is_standard_input(file: Path) -> bool:
    try:
        return sys.stdin is not None and os.path.samestat(os.stat(file), os.fstat(sys.stdin.fileno()))
    except (OSError, ValueError):  # closed, or not a file
        return False


def _is_part(file: Path, folder: str) -> bool:
    """Whether a command that reads this folder of Parquet or Arrow files reads the file."""
    if not os.path.isdir(folder):
        return False
    from unjudged.formats.readers.arrow_files import is_part

    path = file.resolve()
    return path.is_relative_to(Path(folder).resolve()) and is_part(path)


def _matches(file: Path, pattern: str) -> bool:
    """Whether the file is one of those that a pattern such as `runs/*.run` stands for."""
    if not set(pattern) & set("*?[") or "\0" in pattern:
        return False
    from glob import glob

    return any(_is_same_file(file, other) for other in glob(pattern, recursive=True))  # noqa: PTH207


def _check_name(path: Path) -> None:
    """Refuse a name that no file can have: one that is too long, or a link to itself."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {reason_of(error)}", source=str(path)) from None


def _check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, so that no work is lost."""
    from unjudged.formats.writing import is_stream

    if path.is_dir():
        raise InputError("cannot be written: it is a folder", source=str(path))
    if is_stream(path):
        return
    if not path.parent.is_dir():
        raise InputError(f"cannot be written: {path.parent} is not a folder", source=str(path))
    if not all(os.access(place, os.W_OK) for place in (path.resolve().parent, path) if place.exists()):
        raise InputError(f"cannot be written: {os.strerror(errno.EACCES)}", source=str(path))


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
            words += [part for each in _listed(value) for part in (one.names[-1], str(each))]
    return shlex.join(["unjudged", *words, *more])


def made_by() -> str:
    """Return the version and the command, if one was given, for the comment in a file's first line."""
    version = f"unjudged {unjudged.__version__}"
    return f"{version}: {command_given()}" if _COMMAND else version


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
