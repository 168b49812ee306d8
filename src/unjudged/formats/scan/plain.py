"""The scanner in plain Python.

It is the specification of the compiled scanner and its test oracle, and it runs where nothing could be
compiled.
"""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import DuplicateError
from unjudged.formats.roles import (
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
from unjudged.formats.scan.checks import check_rows, checked_columns, checked_groups, checked_ids
from unjudged.formats.tables import Ids, Matched, Table

KIND_OF_SCANNER = "plain Python"
BYTES_AT_ONCE = 1 << 19  # as the compiled twin reads, so that the same fault is met first

_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(rb"[+-]?\d+")


class Source(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...


class Index:
    """The judged documents of every query, found by their bytes."""

    def __init__(self, queries: Ids, offsets: NDArray[np.int64], documents: Ids) -> None:
        """`offsets` cuts the rows of `documents` into one group per query."""
        starts = checked_groups(queries, offsets, documents).starts.tolist()
        self.queries: dict[bytes, int] = {}
        for q, query in enumerate(queries.tolist()):
            self.queries.setdefault(query, q)
        names = documents.tolist()
        self.documents = [_row_of_each(names, start, stop) for start, stop in pairwise(starts)]


def read_table(source: Source, layout: Layout) -> tuple[Table, int]:
    """All lines of `source` as a Table, and how many lines there are."""
    rows = _Rows(layout)
    for number, line in _lines(source):
        rows.add(number, line)
    return rows.table(), rows.line


def scan_run(source: Source, index: Index, layout: Layout) -> tuple[Matched, int]:
    """The judged documents of every ranking in `source`, and how many lines there are."""
    rows = _Rows(layout, unique=True)
    for number, line in _lines(source):
        rows.add(number, line)
    return match_table(rows.table(), index), rows.line


def match_table(table: Table, index: Index) -> Matched:
    """The judged documents of every group of `table`, whose first numbers are its scores."""
    columns = checked_columns(table)
    check_rows(columns)
    scores, starts = columns.numbers[:, 0].tolist(), columns.starts.tolist()
    query, ends, rank, row = [], [0], [], []
    names = table.documents.tolist()
    for name, (start, stop) in zip(table.queries.tolist(), pairwise(starts), strict=True):
        _row_of_each(names, start, stop)
        query.append(index.queries.get(name, -1))
        judged = index.documents[query[-1]] if query[-1] >= 0 else {}
        for k, i in enumerate(in_rank_order(scores[start:stop], names[start:stop]), 1):
            if names[start + i] in judged:
                rank.append(k)
                row.append(judged[names[start + i]])
        ends.append(len(row))
    return Matched(
        query=np.array(query, np.int32),
        retrieved=np.diff(starts).astype(np.int32),
        ends=np.array(ends, np.int64),
        rank=np.array(rank, np.int32),
        row=np.array(row, np.int32),
    )


def best_first(table: Table) -> NDArray[np.int64]:
    """The rows of `table`, group by group, best first."""
    columns = checked_columns(table)
    check_rows(columns)
    scores, starts = columns.numbers[:, 0].tolist(), columns.starts.tolist()
    names = table.documents.tolist()
    order: list[int] = []
    for start, stop in pairwise(starts):
        order += [start + i for i in in_rank_order(scores[start:stop], names[start:stop])]
    return np.array(order, np.int64)


def number_names(ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of each name, counted in the order in which they first come; and those first rows."""
    checked_ids(ids)
    seen: dict[bytes, int] = {}
    first: list[int] = []
    number = []
    for row, name in enumerate(ids.tolist()):
        if name not in seen:
            seen[name] = len(first)
            first.append(row)
        number.append(seen[name])
    return np.array(number, np.int32), np.array(first, np.int64)


def in_rank_order(scores: Sequence[float], names: Sequence[bytes]) -> list[int]:
    """The tie rule: score descending, then document descending by bytes."""
    return sorted(range(len(scores)), key=lambda i: (scores[i], names[i]), reverse=True)


def _row_of_each(names: Sequence[bytes], start: int, stop: int) -> dict[bytes, int]:
    """The row of each document of a group; a repeated one is refused."""
    rows: dict[bytes, int] = {}
    for row in range(start, stop):
        first = rows.setdefault(names[row], row)
        if first != row:
            raise DuplicateError(first, row)
    return rows


class _Rows:
    """The rows of a table as they are read; `unique` refuses a repeated document in a group."""

    def __init__(self, layout: Layout, unique: bool = False) -> None:
        self.layout, self.unique = layout, unique
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
        width = len(self.layout.columns)
        if len(fields) < width or (len(fields) > width and not self.layout.open_ended):
            raise wrong_width(self.layout, line, len(fields))
        numbers = list(_numbers(self.layout, line, fields))
        query, document = fields[0], fields[self.document_column]
        if not self.queries or query != self.queries[-1]:
            self.queries.append(query)
            self.starts.append(len(self.lines))
            self.lines_of_group = {}
        first = self.lines_of_group.setdefault(document, line)
        if self.unique and first != line:
            raise seen_before(line, first, query, document)
        self.documents.append(document)
        self.numbers.append(numbers)
        self.lines.append(line)

    def table(self) -> Table:
        return Table(
            queries=Ids.of(self.queries),
            starts=np.array([*self.starts, len(self.lines)], np.int64),
            documents=Ids.of(self.documents),
            numbers=np.array(self.numbers, float).reshape(-1, len(self.layout.numbers)),
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


def to_single(value: float) -> float:
    """The nearest number of single precision, which is infinite for a number that is too large."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


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


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
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
