"""Rows in any order, matched without holding more in memory than the limit allows.

Each row is kept by its query, in one of many parts that the query's hash decides, and each part is matched on
its own. Where not all parts fit in memory, the rows are read again for those that were dropped.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Sequence
from threading import Event

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.base.segments import ends, ranges
from unjudged.base.threads import Threads, cores
from unjudged.formats.columns import Layout, no_rows, seen_before, seen_twice
from unjudged.formats.limits import exceeded, limit
from unjudged.formats.scan import scanner
from unjudged.formats.scan.checks import changed_while_read
from unjudged.formats.scan.plain.text import numbered_lines
from unjudged.formats.streams import PathLike, Piece, opened, pieces
from unjudged.formats.tables import Ids, Matched, Table
from unjudged.formats.ties import ties_among

SMALLEST_SHARE = 1 << 18

Read = Callable[[int, int], Sequence[scanner.UnorderedRows]]
Share = tuple[NDArray[np.int64], Matched, list[tuple[int, bytes]]]


class DocumentTwice(Exception):
    """A query holds a document twice; which rows these are, only the reader of the source can find out."""

    def __init__(self, query: bytes, document: bytes) -> None:
        super().__init__(query, document)
        self.query, self.document = query, document


def match_ungrouped(read: Read, judged: scanner.Index, pool: Threads, workers: int) -> Matched:
    """Match a run, query by query in the order in which they first come.

    `read(first, most)` reads the whole run, in one or more pieces, into `UnorderedRows(first, share)`, whose
    shares add up to `most`. It is called again as long as there are queries whose rows did not fit.
    """
    shares: list[Share] = []
    first, queries = 0, Ids.of([])
    while first < scanner.PARTS:
        rows = scanner.GroupedRows(read(first, limit("MEMORY")))
        if rows.stop == first:
            raise exceeded("MEMORY")
        shares += _matches(rows, judged, pool, workers)
        first, queries = rows.stop, rows.queries
        del rows  # before the next ones are read
    repeated = [pair for _, _, pairs in shares for pair in pairs]
    if repeated:
        number, document = min(repeated)
        raise DocumentTwice(queries.raw(number), document)
    return _in_order(shares)


def match_tables(tables: Callable[[], Iterable[Table]], judged: scanner.Index) -> Matched:
    """Match the rows of tables, which are asked for again if not all rows fit in memory."""

    def read(first: int, most: int) -> list[scanner.UnorderedRows]:
        kept = scanner.UnorderedRows(first, most)
        for table in tables():
            kept.add(table)
        return [kept]

    with Threads(cores()) as pool:
        try:
            matched = match_ungrouped(read, judged, pool, cores())
        except DocumentTwice as twice:
            raise _named(tables(), twice) from None
    if not len(matched.query):
        raise no_rows()
    return matched


def _named(tables: Iterable[Table], twice: DocumentTwice) -> InputError:
    """Return the error that names the first two rows with the same document of a query."""
    lines: list[int] = []
    for table in tables:
        if not len(table.lines):
            return seen_twice(twice.query, twice.document)
        for group in np.flatnonzero([name == twice.query for name in table.queries.tolist()]).tolist():
            rows = range(int(table.starts[group]), int(table.starts[group + 1]))
            lines += [int(table.lines[row]) for row in rows if table.documents.raw(row) == twice.document]
        if len(lines) > 1:
            return seen_before(lines[1], lines[0], twice.query, twice.document)
    return changed_while_read("the data")


def _matches(rows: scanner.GroupedRows, judged: scanner.Index, pool: Threads, workers: int) -> list[Share]:
    """Match the parts that are complete, in shares of about the same number of rows."""
    before = np.concatenate([[0], np.cumsum(rows.rows)])
    shares = int(max(1, min(workers, before[-1] // SMALLEST_SHARE)))
    cuts = np.searchsorted(before, np.linspace(0, before[-1], shares + 1)[1:-1])
    cuts = np.concatenate([[rows.first], np.clip(cuts, rows.first, rows.stop), [rows.stop]])
    spans = cuts[:-1].tolist(), cuts[1:].tolist()
    return list(pool.map(lambda first, stop: rows.match(first, stop, judged), *spans))


def _in_order(shares: list[Share]) -> Matched:
    """Return what was matched, by the numbers of the queries."""
    matched = Matched.joined([part for _, part, _ in shares])
    order = np.argsort(np.concatenate([numbers for numbers, _, _ in shares]))
    hits = np.diff(matched.ends)[order]
    source = ranges(matched.ends[:-1][order], hits)
    return Matched(
        query=matched.query[order],
        retrieved=matched.retrieved[order],
        ends=ends(hits),
        rank=matched.rank[source],
        row=matched.row[source],
        ties=ties_among(matched.ties, source),
    )


def match_lines(file: PathLike, judged: scanner.Index, layout: Layout, pool: Threads, stop: Event) -> Matched:
    """What a run holds of the judged documents, whatever the order of its lines.

    An error that it raises is not always the first of the file, and a piece numbers lines from its own start.
    """
    workers = cores()
    parts = pieces(file, workers)

    def read(first: int, most: int) -> list[scanner.UnorderedRows]:
        kept = [scanner.UnorderedRows(first, most // len(parts)) for _ in parts]
        list(pool.map(read_piece, parts, kept))
        return kept

    def read_piece(part: tuple[int, int | None], rows: scanner.UnorderedRows) -> None:
        with opened(file, ahead=stop if workers > 1 else None) as stream:
            scanner.scan_unordered(Piece(stream, *part, stop), rows, layout)

    return match_ungrouped(read, judged, pool, workers)


def named_lines(file: PathLike, twice: DocumentTwice, layout: Layout) -> InputError:
    """Return the error that names the first two lines with the same document of a query."""
    column, lines = layout.columns.index("document"), list[int]()
    with opened(file) as stream:
        for number, line in numbered_lines(stream):
            if twice.document not in line:
                continue
            fields = line.removeprefix(BOM_UTF8 if number == 1 else b"").split()
            if fields[:1] == [twice.query] and fields[column] == twice.document:
                lines.append(number)
                if len(lines) == 2:
                    return seen_before(lines[1], lines[0], twice.query, twice.document)
    return changed_while_read("the file")
