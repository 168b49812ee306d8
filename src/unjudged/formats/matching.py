"""Tables grouped by query, and matched with the judged documents; a repeated document is refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError, UnjudgedError
from unjudged.base.segments import ends, stable_order
from unjudged.base.threads import Threads, cores
from unjudged.formats.columns import no_rows, seen_before, seen_twice
from unjudged.formats.limits import check, memory_of
from unjudged.formats.scan import scanner
from unjudged.formats.scan.checks import checked_starts
from unjudged.formats.tables import Ids, Matched, Table
from unjudged.formats.ungrouped import match_tables

Item = TypeVar("Item")
Result = TypeVar("Result")
SMALLEST_PART = 1 << 18


@dataclass(frozen=True, eq=False)
class InPieces:
    """Rows that become tables piece by piece, each on the core that matches it.

    `pieces` makes them in order, as often as it is called. `on_cores` says that several cores are faster.
    """

    pieces: Callable[[], Iterable[Callable[[], Table]]]
    on_cores: bool = True

    def tables(self) -> Iterator[Table]:
        """Yield the tables in order."""
        return ahead(lambda piece: piece(), self.pieces(), on_cores=self.on_cores)

    def whole(self) -> Table:
        """Return all rows."""
        return Table.joined(list(self.tables()))


def ahead(
    work: Callable[[Item], Result], items: Iterable[Item], *, on_cores: bool = True
) -> Iterator[Result]:
    """Yield the result for each item in order, while other cores work on the next items."""
    items = iter(items)
    first = list(islice(items, 2))
    if len(first) < 2 or not on_cores:
        yield from map(work, chain(first, items))
        return
    pool = Threads(cores())
    try:
        waiting = deque(pool.submit(work, item) for item in first)
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > cores():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


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
    parts = max(1, min(cores(), len(table.documents) // SMALLEST_PART))
    starts = checked_starts(table.starts, len(table.queries), len(table.documents))
    places = np.linspace(starts[0], starts[-1], parts + 1)[1:-1]
    cuts = pairwise([0, *np.searchsorted(starts[:-1], places).tolist(), len(starts) - 1])
    spans = [table] if parts == 1 else [table.span(*cut) for cut in cuts]
    try:
        return Matched.joined(list(ahead(lambda span: scanner.match_table(span, judged), spans)))
    except DuplicateError as error:
        raise _named(table, error) from None


def match_rows(rows: Table | InPieces, judged: scanner.Index) -> Matched:
    """Match rows in any order; those of a query are forgotten when it is complete.

    If the rows of a query are apart, the pieces are made again, and all rows are kept by query.
    """
    if isinstance(rows, Table):
        return match(rows, judged) if is_grouped(rows) else match_tables(lambda: [rows], judged)
    pieces = iter(rows.pieces())
    first = next(pieces, _no_piece)()
    matched = None
    if not _are_apart(first):
        work = partial(_with_inner_match, judged)
        matched = _match_together(ahead(work, chain([lambda: first], pieces), on_cores=rows.on_cores), judged)
    return match_tables(rows.tables, judged) if matched is None else matched


def _no_piece() -> Table:
    raise no_rows()


def _are_apart(table: Table) -> bool:
    """Whether the rows of a query are apart, as they are taken to be if most rows are groups of their own."""
    return 2 * len(table.queries) > len(table.documents) > 1 or not is_grouped(table)


def _with_inner_match(judged: scanner.Index, piece: Callable[[], Table]) -> tuple[Table, Matched | None]:
    """Return a piece, and what its queries hold but the first and the last, which may go on in others.

    Nothing is matched if the rows of a query are apart.
    """
    table = piece()
    if _are_apart(table):
        return table, None
    inner = table.span(1, max(1, len(table.queries) - 1))
    try:
        return table, scanner.match_table(inner, judged)
    except DuplicateError as error:
        raise _named(inner, error) from None


def _match_together(pieces: Iterable[tuple[Table, Matched | None]], judged: scanner.Index) -> Matched | None:
    """Return what all pieces hold; None if the rows of a query are apart."""
    parts: list[Matched] = []
    waiting: list[Table] = []  # the rows of the last query, which may continue in the next piece
    rows, taken = 0, 0
    seen: set[bytes] = set()
    for table, inner in pieces:
        names = table.queries.tolist()
        if not names:
            continue
        continued = bool(waiting) and names[0] == waiting[0].queries.raw(0)
        distinct = len(seen) + len(names) - continued
        seen.update(names)
        if inner is None or len(seen) < distinct:
            return None
        for first in dict.fromkeys((0, len(names) - 1)):
            if waiting and (first or not continued):
                parts.append(match(Table.joined(waiting), judged))
                waiting, rows, taken = [], 0, 0
            if first:
                parts.append(inner)
            waiting.append(table.span(first, first + 1))
            rows += int(np.diff(waiting[-1].starts)[0])
            taken += memory_of(waiting[-1])
            check("ROWS", rows)
            check("MEMORY", taken)
    if not waiting:
        raise no_rows()
    return Matched.joined([*parts, match(Table.joined(waiting), judged)])


def _named(table: Table, error: DuplicateError) -> UnjudgedError:
    query, document = table.query_of(error.second), table.documents.raw(error.second)
    if len(table.lines):
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        return seen_before(second, first, query, document)
    return seen_twice(query, document)
