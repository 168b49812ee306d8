"""Scanner of TREC text in plain Python, the specification of the compiled one."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Container, Iterator
from typing import Any, Protocol

import numpy as np

from unjudged.data.columns import (
    DECIMAL,
    DOCUMENT,
    LARGEST_WHOLE,
    LONGEST_LINE,
    PROBABILITY,
    SINGLE,
    SMALLEST_WHOLE,
    WHOLE,
    Layout,
    endless_line,
    seen_before,
    wrong_number,
    wrong_width,
)
from unjudged.data.scan.plain.matcher import Index, UnorderedRows, match_table, to_single
from unjudged.data.tables import Ids, Matched, Table

BYTES_AT_ONCE = 1 << 19  # as the compiled twin reads, so that the same fault is met first

_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(rb"[+-]?\d+")


class Source(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...


def read_table(source: Source, layout: Layout) -> tuple[Table, int]:
    """All lines of `source` as a Table, and how many lines there are."""
    rows = _Rows(layout)
    for number, line in numbered_lines(source):
        rows.add(number, line)
    return rows.table(), rows.line


def scan_run(source: Source, index: Index, layout: Layout) -> Matched | None:
    """Return the judged documents of every ranking in `source`.

    None as soon as a judged query comes back after another query.
    """
    rows = _Rows(layout, index.queries)
    try:
        for number, line in numbered_lines(source):
            rows.add(number, line)
    except _QueryReturnsError:
        return None
    matched = match_table(rows.table(), index)
    unjudged = [query for query in rows.queries if query not in index.queries]
    return matched._replace(unjudged=Ids.of(unjudged)).with_unjudged_once()


class _QueryReturnsError(Exception):
    """Rows of a judged query are not together."""


class _Rows:
    """Rows of a table as they are read.

    With judged queries, each of them may have one group, and no group may repeat a document.
    """

    def __init__(self, layout: Layout, judged: Container[bytes] | None = None) -> None:
        self.layout, self.judged = layout, judged
        self.met: set[bytes] = set()
        self.document_column = layout.kinds.index(DOCUMENT)
        self.queries: list[bytes] = []
        self.starts: list[int] = []
        self.documents: list[bytes] = []
        self.numbers: list[list[float]] = []
        self.lines: list[int] = []
        self.line = 0
        self.lines_of_group: dict[bytes, int] = {}

    def add(self, line: int, text: bytes) -> None:
        self.line = line
        if len(text) > LONGEST_LINE:
            raise endless_line(line)
        fields = (text.removeprefix(BOM_UTF8) if line == 1 else text).split()
        if not fields or fields[0].startswith(b"#"):
            return
        query = fields[0]
        new = not self.queries or query != self.queries[-1]
        if new and query in self.met and self.judged is not None and query in self.judged:
            raise _QueryReturnsError
        width = len(self.layout.columns)
        if len(fields) < width or (len(fields) > width and not self.layout.open_ended):
            raise wrong_width(self.layout, line, len(fields))
        numbers = list(_numbers(self.layout, line, fields))
        document = fields[self.document_column]
        if new:
            self.met.add(query)
            self.queries.append(query)
            self.starts.append(len(self.lines))
            self.lines_of_group = {}
        first = self.lines_of_group.setdefault(document, line)
        if self.judged is not None and first != line:
            raise seen_before(line, first, query, document)
        self.documents.append(document)
        self.numbers.append(numbers)
        self.lines.append(line)

    def table(self) -> Table:
        return Table(
            queries=Ids.of(self.queries),
            starts=np.array([*self.starts, len(self.lines)], np.int64),
            documents=Ids.of(self.documents),
            numbers=np.array(self.numbers, float).reshape(len(self.lines), len(self.layout.numbers)),
            lines=np.array(self.lines, np.int64),
        )


def _numbers(layout: Layout, line: int, fields: list[bytes]) -> Iterator[float]:
    for column, (kind, field) in enumerate(zip(layout.kinds, fields, strict=False)):
        if kind in _NUMBER:
            value = _NUMBER[kind](field)
            if value is None:
                raise wrong_number(layout, line, column, field)
            yield value


def _decimal(field: bytes) -> float | None:
    value = float(field) if _DECIMAL.fullmatch(field) else math.nan
    return value if math.isfinite(value) else None


def _single(field: bytes) -> float | None:
    value = _decimal(field)
    return None if value is None else to_single(value)


def _probability(field: bytes) -> float | None:
    value = math.nan if field == b"NA" else _decimal(field)
    return None if value is None or value <= 0 or value > 1 else value


def _whole(field: bytes) -> float | None:
    # int() refuses thousands of digits. Without leading zeros, a number of more than ten is too large anyway.
    digits = field.lstrip(b"+-").lstrip(b"0")
    if not _WHOLE.fullmatch(field) or len(digits) > 10:
        return None
    value = int(field[:1].strip(b"+0123456789") + (digits or b"0"))
    return float(value) if SMALLEST_WHOLE <= value <= LARGEST_WHOLE else None


_NUMBER: dict[int, Callable[[bytes], float | None]] = {
    DECIMAL: _decimal,
    SINGLE: _single,
    WHOLE: _whole,
    PROBABILITY: _probability,
}


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Lines without their newline, numbered from 1. A line that is too long is cut short."""
    block, rest, number = bytearray(BYTES_AT_ONCE), b"", 0
    while got := source.readinto(block):
        *whole, rest = (rest + block[:got]).split(b"\n")
        for number, line in enumerate(whole, number + 1):  # noqa: B020
            yield number, bytes(line)
        if len(rest) > LONGEST_LINE:
            break
    if rest:
        yield number + 1, bytes(rest)


def scan_unordered(source: Source, rows: UnorderedRows, layout: Layout) -> None:
    """Add all lines of `source` to `rows`."""
    table, _ = read_table(source, layout)
    rows.add(table)
