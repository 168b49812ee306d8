"""Tables grouped by query, and matched with the judged documents; a repeated document is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError, UnjudgedError
from unjudged.base.segments import ends, stable_order
from unjudged.base.threads import Threads, cores
from unjudged.formats.columns import no_rows, seen_before, seen_twice
from unjudged.formats.limits import bounded
from unjudged.formats.scan import scanner
from unjudged.formats.scan.checks import checked_starts
from unjudged.formats.tables import Ids, Matched, Table
from unjudged.formats.ungrouped import match_pieces, match_tables

SMALLEST_PART = 1 << 18
DEFERRED_PART = 1 << 17  # what is converted fits a cache until it is matched
KEPT_PART = 1 << 16  # or until it is kept by query, which reads it once


@dataclass(frozen=True, eq=False)
class Deferred:
    """Rows that become tables span by span, on the core that matches the span.

    `span` gives the rows from one to another. If it meets anything wrong, `whole` gives all rows at once, or
    the error that they have. `starts` says where each query's rows start, if they are together.
    """

    rows: int
    span: Callable[[int, int], Table]
    whole: Callable[[], Table]
    starts: NDArray[np.int64] | None = None


def is_grouped(table: Table) -> bool:
    """Whether each query has one group of rows."""
    return len(scanner.number_names(table.queries)[1]) == len(table.queries)


def grouped(table: Table) -> Table:
    """Return the rows with those of each query together; queries and rows keep their order."""
    number, first = scanner.number_names(table.queries)
    if len(first) == len(table.queries):
        return table
    query = np.repeat(number, np.diff(table.starts))
    rows = stable_order(query)
    return Table(
        queries=scanner.take_names(table.queries, first),
        starts=ends(np.bincount(query, minlength=len(first))),
        documents=scanner.take_names(table.documents, rows),
        numbers=table.numbers[rows],
        lines=table.lines[rows] if len(table.lines) else table.lines,
    )


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


def match(table: Table, judged: scanner.Index) -> Matched:
    """Match a table that has the rows of each query together. Cores share a large one."""
    parts = min(cores(), len(table.documents) // SMALLEST_PART)
    try:
        if parts < 2:
            return scanner.match_table(table, judged)
        with Threads(parts) as pool:
            spans = [table.span(*cut) for cut in _cuts(table.starts, len(table.documents), parts)]
            return Matched.joined(list(pool.map(lambda span: scanner.match_table(span, judged), spans)))
    except DuplicateError as error:
        raise _named(table, error) from None


def match_rows(rows: Table | Deferred, judged: scanner.Index) -> Matched:
    """Match rows in any order.

    If anything is wrong with deferred rows, all are converted before any is matched, to report what is wrong
    first.
    """
    if isinstance(rows, Table):
        return match(rows, judged) if is_grouped(rows) else match_tables(lambda: [rows], judged)
    try:
        return (
            _match_apart(rows, judged) if rows.starts is None else _match_together(rows, rows.starts, judged)
        )
    except UnjudgedError:
        return match_rows(rows.whole(), judged)


def _match_together(rows: Deferred, starts: NDArray[np.int64], judged: scanner.Index) -> Matched:
    cuts = _cuts(starts, rows.rows, max(1, rows.rows // DEFERRED_PART))
    spans = [(int(starts[first]), int(starts[last])) for first, last in cuts]
    with Threads(cores()) as pool:
        on_cores = map if len(cuts) == 1 else pool.map
        return Matched.joined(
            list(on_cores(lambda span: scanner.match_table(rows.span(*span), judged), spans))
        )


def _match_apart(rows: Deferred, judged: scanner.Index) -> Matched:
    """Each core keeps a stretch of rows, a span at a time."""
    pieces = max(1, min(cores(), rows.rows // SMALLEST_PART))
    stretches = list(pairwise(np.linspace(0, rows.rows, pieces + 1).astype(int).tolist()))

    def spans(start: int, stop: int) -> Iterable[Table]:
        return (rows.span(at, min(at + KEPT_PART, stop)) for at in range(start, stop, KEPT_PART))

    def keep(stretch: tuple[int, int], kept: scanner.UnorderedRows) -> None:
        for table in spans(*stretch):
            kept.add(table)

    def read(first: int, most: int) -> list[scanner.UnorderedRows]:
        kept = [scanner.UnorderedRows(first, most // pieces) for _ in stretches]
        with Threads(pieces) as pool:
            list((map if pieces == 1 else pool.map)(keep, stretches, kept))
        return kept

    return match_pieces(read, lambda: spans(0, rows.rows), judged)


def match_blocks(blocks: Callable[[], Iterable[Table]], judged: scanner.Index) -> Matched:
    """Match rows that come in blocks. The rows of a query are forgotten when it is complete.

    If the rows of a query are apart, the blocks are asked for again, and all rows are kept by query.
    """
    unread = iter(blocks())
    first = next(unread, None)
    if first is None:
        raise no_rows()
    if not is_grouped(first):
        readings = iter([chain([first], unread)])
        return match_tables(lambda: next(readings, None) or blocks(), judged)
    matched = _match_together_in_blocks(bounded(chain([first], unread)), judged)
    return match_tables(blocks, judged) if matched is None else matched


def _cuts(starts: NDArray[np.int64], rows: int, parts: int) -> list[tuple[int, int]]:
    """Groups in parts of about the same number of rows."""
    starts = checked_starts(starts, len(starts) - 1, rows)
    places = np.linspace(starts[0], starts[-1], parts + 1)[1:-1]
    return list(pairwise([0, *np.searchsorted(starts[:-1], places).tolist(), len(starts) - 1]))


def _match_together_in_blocks(blocks: Iterable[Table], judged: scanner.Index) -> Matched | None:
    """Return None if the rows of a query are apart."""
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


def _named(table: Table, error: DuplicateError) -> UnjudgedError:
    query, document = table.query_of(error.second), table.documents.raw(error.second)
    if len(table.lines):
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        return seen_before(second, first, query, document)
    return seen_twice(query, document)
