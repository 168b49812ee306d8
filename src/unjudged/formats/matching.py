"""Tables matched against the judged documents. A repeated document of a query is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError, UnjudgedError
from unjudged.base.threads import Threads
from unjudged.formats.roles import no_rows, seen_before, seen_twice
from unjudged.formats.scan import scanner
from unjudged.formats.scan.checks import checked_starts
from unjudged.formats.tables import Ids, Matched, Scattered, Table

SMALLEST_PART = 1 << 18
DEFERRED_PART = 1 << 17  # what is converted fits a cache until it is matched


@dataclass(frozen=True, eq=False)
class Deferred:
    """Rows in one group per query that become tables span by span, on the core that matches the span.

    `rows` gives the documents and the numbers of the rows from one to another. If it finds anything wrong,
    `whole` gives all rows at once, or the error that they have.
    """

    queries: Ids
    starts: NDArray[np.int64]
    rows: Callable[[int, int], tuple[Ids, NDArray[np.float64]]]
    whole: Callable[[], Table | Scattered]

    def span(self, first: int, last: int) -> Table:
        """The groups from `first` to just before `last`."""
        starts = self.starts[first : last + 1]
        queries = Ids(self.queries.data, self.queries.offsets[first : last + 1])
        documents, numbers = self.rows(int(starts[0]), int(starts[-1]))
        return Table(queries, starts - starts[0], documents, numbers, np.zeros(0, np.int64))


def index(table: Table) -> scanner.Index:
    """The documents of each query, found by name."""
    try:
        return scanner.Index(table.queries, table.starts, table.documents)
    except DuplicateError as error:
        raise _named(table, error) from None


def index_of(queries: Ids, starts: NDArray[np.int64], documents: Ids) -> scanner.Index:
    """The same without a table: query q has the documents `starts[q]` to `starts[q + 1]`."""
    nothing = np.zeros((len(documents), 1)), np.zeros(0, np.int64)
    return index(Table(queries, starts, documents, *nothing))


def match(table: Table | Scattered | Deferred, judged: scanner.Index) -> Matched:
    """What a table of rankings holds of the judged documents. Cores share a large table."""
    if isinstance(table, Deferred):
        return _match_deferred(table, judged)
    parts = min(cores(), len(table.documents) // SMALLEST_PART)
    try:
        if isinstance(table, Scattered):
            return _match_scattered(table, judged, parts)
        if parts < 2:
            return scanner.match_table(table, judged)
        with Threads(parts) as pool:
            spans = [table.span(*cut) for cut in _cuts(table.starts, len(table.documents), parts)]
            return Matched.joined(list(pool.map(lambda span: scanner.match_table(span, judged), spans)))
    except DuplicateError as error:
        raise _named(table, error) from None


def _match_deferred(rows: Deferred, judged: scanner.Index) -> Matched:
    """If anything is wrong, all rows are converted before they are matched, to report what is wrong first."""
    count = int(rows.starts[-1])
    cuts = _cuts(rows.starts, count, max(1, count // DEFERRED_PART))
    try:
        with Threads(cores()) as pool:
            on_cores = map if len(cuts) == 1 else pool.map
            return Matched.joined(
                list(on_cores(lambda cut: scanner.match_table(rows.span(*cut), judged), cuts))
            )
    except UnjudgedError:
        return match(rows.whole(), judged)


def _match_scattered(table: Scattered, judged: scanner.Index, parts: int) -> Matched:
    rows = len(table.documents)
    parts = max(1, min(parts, rows // len(table.queries)))  # each part counts the rows of every query
    cuts = np.linspace(0, rows, parts + 1).astype(np.int64).tolist()
    with Threads(parts) as pool:
        return scanner.match_scattered(table, judged, list(pairwise(cuts)), map if parts == 1 else pool.map)


def _cuts(starts: NDArray[np.int64], rows: int, parts: int) -> list[tuple[int, int]]:
    """Groups in parts of about the same number of rows."""
    starts = checked_starts(starts, len(starts) - 1, rows)
    places = np.linspace(starts[0], starts[-1], parts + 1)[1:-1]
    return list(pairwise([0, *np.searchsorted(starts[:-1], places).tolist(), len(starts) - 1]))


def match_blocks(blocks: Iterable[Table], judged: scanner.Index) -> Matched | None:
    """The same from rows that come in blocks. The rows of a query are forgotten when it is complete.

    None if the rows of a query are not together. Then all rows are needed at once.
    """
    parts: list[Matched] = []
    waiting: list[Table] = []  # the rows of the last query, which may continue in the next block
    seen: set[bytes] = set()
    for block in blocks:
        names, first = block.queries.tolist(), 0
        if not names:
            continue
        if waiting and names[0] == waiting[0].queries.raw(0):
            waiting.append(block.span(0, 1))
            first = 1
        distinct = len(seen) + len(names) - first
        seen.update(names[first:])
        if len(seen) < distinct:
            return None
        if first == len(names):
            continue
        if waiting:
            parts.append(match(_one_group(waiting), judged))
        if first < len(names) - 1:
            parts.append(match(block.span(first, len(names) - 1), judged))
        waiting = [block.span(len(names) - 1, len(names))]
    if not waiting:
        raise no_rows()
    return Matched.joined([*parts, match(_one_group(waiting), judged)])


def _one_group(parts: list[Table]) -> Table:
    """The rows of one query, from several blocks."""
    if len(parts) == 1:
        return parts[0]
    rows = Table.joined(parts)
    return replace(rows, queries=parts[0].queries, starts=rows.starts[[0, -1]])


def cores() -> int:
    """How many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _named(table: Table | Scattered, error: DuplicateError) -> UnjudgedError:
    query, document = table.query_of(error.second), table.documents.raw(error.second)
    if isinstance(table, Table) and len(table.lines):
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        return seen_before(second, first, query, document)
    return seen_twice(query, document)
