"""How much one input may take, so that a small file cannot unpack to more than the machine has.

Each limit is an environment variable: `UNJUDGED_MAX_MEMORY=8G unjudged evaluate ...`, or
`os.environ["UNJUDGED_MAX_MEMORY"] = "8G"` from Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from unjudged.base.errors import InputError, UsageError
from unjudged.data.scan import scanner
from unjudged.data.tables import Table

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


def memory_of(table: Table) -> int:
    """Return how many bytes the rows of a table take."""
    first, last = int(table.starts[0]), int(table.starts[-1])
    text = int(table.documents.offsets[last] - table.documents.offsets[first]) if last > first else 0
    return text + (last - first) * BYTES_OF_A_ROW


def within_memory(tables: Iterable[Table]) -> Iterator[Table]:
    """Tables that are kept, refused where they take too much together."""
    taken = 0
    for table in tables:
        taken += memory_of(table)
        check("MEMORY", taken)
        yield table
