"""Files that a command reads and writes: no command writes over what it reads, or two results to one file."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from unjudged.base.errors import InputError, UsageError, reason_of

_READ: list[str] = []
"""Files that this command reads."""

_WRITTEN: list[Path] = []
"""Files that it is going to write."""


def forget() -> None:
    """Forget the files of an earlier command."""
    _READ.clear()
    _WRITTEN.clear()


def reads(files: Iterable[str | os.PathLike[str]]) -> None:
    """Remember that the command reads these files; refuse one that it also writes."""
    for file in files:
        name = os.fspath(file)
        if not name:
            raise UsageError("the name of a file is empty: is a variable of the shell not set?")
        _READ.append(name)
    if _READ.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    for path in _WRITTEN:
        check_not_read(path)


def writes(files: Sequence[Path], folders: Sequence[Path] = ()) -> None:
    """Remember that the command writes these files and makes these folders; refuse what cannot be written."""
    for path in (*folders, *files):
        problem = _problem(path, new=path in folders)
        if problem:
            raise InputError(f"cannot be written: {problem}", source=str(path))
        if os.path.realpath(path) in map(os.path.realpath, _WRITTEN):
            raise UsageError(f"{path} would be written twice: choose another name for one of the two")
        _WRITTEN.append(path)
        check_not_read(path)


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
        from unjudged.data.arrow_files import is_part

        return filter(is_part, Path(name).rglob("*"))
    from unjudged.data.sources import expanded

    return dict.fromkeys([name, *expanded(name)])


def _is_same_file(one: Path, other: str | Path) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(sys.stdin.fileno() if other == "-" else other))
    except (OSError, ValueError, AttributeError):  # no such file, no name of a file, no standard input
        return False


def _problem(path: Path, *, new: bool) -> str:
    """Say why no file can have this name, or why it cannot be written, so that no work is lost."""
    from unjudged.data.writing import is_stream

    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # a name that is too long, or a link to itself
        return reason_of(error)
    if new or is_stream(path):
        return "" if new or not path.is_dir() else "it is a folder"
    if not path.parent.is_dir():
        return f"{path.parent} is not a folder"
    places = (place for place in (path.resolve().parent, path) if place.exists())
    return "" if all(os.access(place, os.W_OK) for place in places) else os.strerror(errno.EACCES)
