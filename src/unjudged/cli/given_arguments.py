"""Arguments of the command that was given: which files they name, and how a shell would write them.

No command writes over a file that it reads, or two results to one file.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_type_hints

import unjudged
from unjudged.base.errors import InputError, UsageError, reason_of
from unjudged.cli.commands import COMMANDS
from unjudged.cli.option import Option, OptionGroup, option_of, spelt

QUOTED = re.compile(r"""['"]([^'"]+)['"]""")
"""A file in the name of a measure, as in `infAP(actual='complete.qrels')`."""

_GIVEN: list[tuple[Callable[..., object], Mapping[str, Any]]] = []
"""Command that was given, and its arguments."""

_READ: list[str] = []
"""Files that this command reads."""


def take_arguments(function: Callable[..., object], arguments: Mapping[str, Any]) -> None:
    """Remember a command; refuse one that names a file both to read and to write, or that cannot be written.

    This happens before any work. `check_not_read` asks again before each file is written.
    """
    _READ.clear()
    written: list[tuple[Option, Path]] = []
    for _, option, value, _ in _declared(function, arguments):
        if option.reads:
            files = _texts(value)
            _check_files(files, among_words=bool(option.more))
            reads(files)
            reads(file for _, named, file in (text.partition("=") for text in files) if named)  # NAME=FILE
            reads(file for file, named, _ in (text.rpartition(":") for text in files) if named)  # FILE:COLUMN
        if option.measures:
            reads(file for text in _texts(value) for file in QUOTED.findall(text))
        if option.writes:
            written += [(option, path) for path in [value] if isinstance(path, Path)]
    if _READ.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
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
    _GIVEN[:] = [(function, arguments)]


def _check_files(files: Iterable[str], *, among_words: bool) -> None:
    """Refuse an empty name, and among words without an option an unknown option or a measure."""
    for file in files:
        if not file:
            raise UsageError("the name of a file is empty: is a variable of the shell not set?")
        if not among_words or os.path.exists(file) or file == "-" or "/" in file:
            continue
        if file.startswith("-"):
            raise UsageError(f"unknown option {file}: --help lists the options")
        from unjudged.measures.kernel.names import is_measure

        if is_measure(file):
            raise UsageError(f"{file}: no such file; measures come after -m, as in -m {file}")
        if "@" in file:
            raise UsageError(f"{file}: neither a file nor a measure (`unjudged measures` lists those)")


def reads(files: Iterable[str | os.PathLike[str]]) -> None:
    """Remember that the command reads these files."""
    _READ.extend(os.fspath(file) for file in files)


def _declared(owner: Any, given: Mapping[str, Any]) -> Iterator[tuple[str, Option, Any, Any]]:
    """Yield name, declaration, value and default of each argument, or field of a group of options."""
    hints = get_type_hints(owner, include_extras=True)
    defaults = {name: one.default for name, one in signature(owner).parameters.items()}
    for name, value in given.items():
        if isinstance(value, OptionGroup):
            yield from _declared(type(value), vars(value))
        else:
            yield name, option_of(hints.get(name)) or Option(), value, defaults.get(name)


def _texts(value: object) -> list[str]:
    """Return the names in the value of a parameter: a text, a path, several of them, or nothing."""
    if value is None:
        return []
    return [os.fspath(value)] if isinstance(value, str | os.PathLike) else [*map(os.fspath, value)]  # type: ignore[call-overload]


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
    [(function, arguments)] = _GIVEN
    where = f"{function.__module__}:{function.__name__}"
    parameters = signature(function).parameters
    named = {n: v for n, v in arguments.items() if parameters[n].kind is Parameter.KEYWORD_ONLY}
    files = [file for n in arguments if n not in named for file in _listed(arguments[n])]
    words = [
        next(name for name, command in COMMANDS.items() if command.where == where),
        *(os.fspath(file) for file in files if file is not None),
    ]
    for name, option, value, default in _declared(function, named):
        word = option.names[-1] if option.names else spelt(name)
        if option.writes or value is None or value == default:
            continue
        if isinstance(value, bool):
            words.append(word if value else f"--no-{word.removeprefix('--')}")
        else:
            words += [part for one in _listed(value) for part in (word, str(one))]
    return shlex.join(["unjudged", *words, *more])


def made_by() -> str:
    """Return the version and the command, if one was given, for the comment in a file's first line."""
    version = f"unjudged {unjudged.__version__}"
    return f"{version}: {command_given()}" if _GIVEN else version


def _listed(value: Any) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, list | tuple) else [value]
