"""A command must not write its results over a file that it reads, or over each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from unjudged.base.errors import UsageError

WRITTEN = ("-o", "--output", "--plot", "--means", "--record", "--figures", "--to-judge", "--files")
"""Options that name a file or a folder to write."""


def check_not_overwritten(words: Sequence[str]) -> None:
    """Refuse a command line that names one file both to read and to write, before anything is read."""
    read, written, after = [], [], ""
    for word in words:
        name, equals, value = word.partition("=")
        is_option = word.startswith("--") and bool(equals)
        if after in WRITTEN:
            written.append(word)
        elif is_option and name in WRITTEN:
            written.append(value)
        else:
            read.append(value if is_option else word)
        after = word
    places = [os.path.realpath(output) for output in written]
    for place, output in zip(places, written, strict=True):
        if places.count(place) > 1 and output != "-":
            raise UsageError(f"{output} would be written twice: choose another name for one of the two")
    for output in filter(os.path.isfile, written):
        if any(_same_file(output, file) for file in read):
            raise UsageError(f"{output} is read by this command: write to another file")
        for word in read:
            if (os.path.isdir(word) and _is_part(output, word)) or _matches(output, word):
                why = "is in" if os.path.isdir(word) else "matches"
                problem = f"{output} is read by this command, because it {why} {word}"
                raise UsageError(f"{problem}: write to another file")


def _same_file(one: str, other: str) -> bool:
    return os.path.isfile(other) and os.path.samefile(one, other)


def _is_part(file: str, folder: str) -> bool:
    """Whether a command that reads this folder of Parquet or Arrow files reads the file."""
    from unjudged.formats.readers.arrow.arrow_files import is_part

    path = Path(file).resolve()
    return path.is_relative_to(Path(folder).resolve()) and is_part(path)


def _matches(file: str, pattern: str) -> bool:
    """Whether the file is one of those that a pattern such as `runs/*.run` stands for."""
    if not set(pattern) & set("*?[") or "\0" in pattern:
        return False
    from glob import glob

    return any(_same_file(file, other) for other in glob(pattern, recursive=True))  # noqa: PTH207
