"""A command must not write its results over a file that it reads."""

from __future__ import annotations

import os
from collections.abc import Sequence

from unjudged.errors import UsageError

WRITTEN = ("-o", "--output", "--plot", "--means", "--record")
"""Options that name a file to write."""


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
    for output in written:
        if any(_same_file(output, file) for file in read):
            raise UsageError(f"{output} is read by this command: write to another file")


def _same_file(one: str, other: str) -> bool:
    return os.path.isfile(one) and os.path.isfile(other) and os.path.samefile(one, other)
