"""Where nothing was compiled, the first large file is announced: reading it takes long."""

from __future__ import annotations

import os

from unjudged.base.errors import UnjudgedWarning, announce
from unjudged.formats.scan.scanner import KIND_OF_SCANNER

COMPILED = "compiled"
LARGE = 10_000_000
"""Bytes of text above which reading with plain Python takes seconds."""

_ANNOUNCED: set[str] = set()


def announce_slow_reader(file: str | os.PathLike[str]) -> None:
    """Warn once per process that plain Python reads this file, if it is large."""
    if KIND_OF_SCANNER == COMPILED or _ANNOUNCED or os.path.getsize(file) < LARGE:
        return
    _ANNOUNCED.add(os.fspath(file))
    problem = "the compiled reader is missing, so files are read by plain Python, which is many times slower"
    remedy = (
        "install a wheel, or install a C compiler and then unjudged again (pip install --force-reinstall)"
    )
    announce([UnjudgedWarning(f"{problem}: {remedy}.")])
