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
    for path in folders:
        _check_writable(path, new_folder=True)
        check_not_read(path)
    for path in files:
        _check_writable(path, new_folder=path.parent in folders)
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
    from unjudged.data.writing import is_stream

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
