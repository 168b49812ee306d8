"""Runs whose rows are in any order, matched without holding more in memory than the limit allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import ends, ranges
from unjudged.base.threads import Threads
from unjudged.formats.limits import exceeded, limit
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Matched

SMALLEST_SHARE = 1 << 18

Read = Callable[[int, int], Sequence[scanner.UnorderedRows]]
Found = tuple[NDArray[np.int64], Matched, list[tuple[int, bytes]]]


class DocumentTwice(Exception):
    """A query holds a document twice; which rows these are, only the reader of the source can find out."""

    def __init__(self, query: bytes, document: bytes) -> None:
        super().__init__(query, document)
        self.query, self.document = query, document


def match_unordered(read: Read, judged: scanner.Index, pool: Threads, workers: int) -> Matched:
    """What a run holds of the judged documents, query by query in the order in which they first come.

    `read(first, most)` reads the whole run, in one or more pieces, into `UnorderedRows(first, share)`, whose
    shares add up to `most`. It is called again as long as there are queries whose rows did not fit.
    """
    found: list[Found] = []
    first, queries = 0, Ids.of([])
    while first < scanner.PARTS:
        rows = scanner.GroupedRows(read(first, limit("MEMORY")))
        if rows.stop == first:
            raise exceeded("MEMORY")
        found += _matches(rows, judged, pool, workers)
        first, queries = rows.stop, rows.queries
        del rows  # before the next ones are read
    repeated = [pair for _, _, pairs in found for pair in pairs]
    if repeated:
        number, document = min(repeated)
        raise DocumentTwice(queries.raw(number), document)
    return _in_order(found)


def _matches(rows: scanner.GroupedRows, judged: scanner.Index, pool: Threads, workers: int) -> list[Found]:
    """What the parts that are complete hold, in shares of about the same number of rows."""
    before = np.concatenate([[0], np.cumsum(rows.rows)])
    shares = int(max(1, min(workers, before[-1] // SMALLEST_SHARE)))
    cuts = np.searchsorted(before, np.linspace(0, before[-1], shares + 1)[1:-1])
    cuts = np.concatenate([[rows.first], np.clip(cuts, rows.first, rows.stop), [rows.stop]])
    spans = cuts[:-1].tolist(), cuts[1:].tolist()
    return list(pool.map(lambda first, stop: rows.match(first, stop, judged), *spans))


def _in_order(found: list[Found]) -> Matched:
    """What was matched, by the numbers of the queries."""
    matched = Matched.joined([part for _, part, _ in found])
    order = np.argsort(np.concatenate([numbers for numbers, _, _ in found]))
    hits = np.diff(matched.ends)[order]
    source = ranges(matched.ends[:-1][order], hits)
    return Matched(
        query=matched.query[order],
        retrieved=matched.retrieved[order],
        ends=ends(hits),
        rank=matched.rank[source],
        row=matched.row[source],
    )
