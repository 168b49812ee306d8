"""How much one input may take, so that a small file cannot unpack to more than the machine has.

Each limit is an environment variable: `UNJUDGED_MAX_MEMORY=8G unjudged evaluate ...`, or
`os.environ["UNJUDGED_MAX_MEMORY"] = "8G"` from Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from unjudged.base.errors import InputError, UsageError
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Table

LIMITS = MappingProxyType(
    {
        "DECOMPRESSED": (64 << 30, "bytes once it is decompressed"),
        "COPIED": (16 << 30, "bytes, which have to be copied to a temporary file"),
        "MEMORY": (4 << 30, "bytes in memory"),
        "ROWS": (2**31 - 1, "rows to hold at once"),
    }
)
"""Each limit: its default, and what it counts of one input."""

MOST_ROWS = 2**31 - 1  # rows are numbered with 32 bits
BYTES_OF_A_ROW = 24  # besides its text: where the document starts, a number, and the line
BYTES_OF_TEXT = 4  # of memory that a byte of text takes, at most, as columns
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def limit(name: str) -> int:
    """Return the limit in force: the environment's, else the default.

    >>> limit("COPIED") == 16 * 2**30
    True
    """
    text = scanner.environment_variable(f"UNJUDGED_MAX_{name}")
    if not text:
        return LIMITS[name][0]
    parts = re.fullmatch(r"([0-9]{1,15})([KMGT]?)", text.upper())
    if parts is None:
        problem = f"UNJUDGED_MAX_{name} is {text!r}, expected a whole number such as 500M or 8G"
        raise UsageError(problem)
    most = int(parts[1]) * _UNITS[parts[2]]
    if name == "ROWS" and most > MOST_ROWS:
        raise UsageError(f"UNJUDGED_MAX_ROWS is {text!r}, expected at most {MOST_ROWS}")
    return most


def check(name: str, amount: int) -> None:
    """Refuse an input that takes more than the limit."""
    if amount > limit(name):
        raise exceeded(name)


def exceeded(name: str) -> InputError:
    """Return the error for an input that takes more than the limit."""
    problem = f"takes more than {limit(name):,} {LIMITS[name][1]}"
    remedy = "" if name == "ROWS" and limit(name) == MOST_ROWS else f"; set UNJUDGED_MAX_{name} to allow more"
    return InputError(problem + remedy)


def within_memory(tables: Iterable[Table]) -> Iterator[Table]:
    """Tables that are kept, refused where they take too much together."""
    taken = 0
    for table in tables:
        taken += len(table.documents.data) + len(table.documents) * BYTES_OF_A_ROW
        check("MEMORY", taken)
        yield table


def bounded(blocks: Iterable[Table]) -> Iterator[Table]:
    """Blocks of rows, refused where one query, whose rows must be held together, takes too much."""
    rows, taken, last = 0, 0, None
    for block in blocks:
        if len(block.queries):
            if len(block.queries) > 1 or block.queries.raw(0) != last:
                rows, taken, last = 0, 0, block.queries.raw(len(block.queries) - 1)
            first = int(block.starts[-2])
            rows += int(block.starts[-1]) - first
            taken += int(block.documents.offsets[-1] - block.documents.offsets[first])
            check("ROWS", rows)
            check("MEMORY", taken + rows * BYTES_OF_A_ROW)
        yield block
