"""Rows matched with the judged documents; a repeated document is refused.

The rows of each query are mostly together. Rows in any other order are matched without holding more in memory
than the limit allows: each is kept by its query, in one of many parts that the query's hash decides, and each
part is matched on its own. Where not all parts fit in memory, the rows are read again for those that were
dropped.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, pairwise
from threading import Event
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError, InputError, UnjudgedError
from unjudged.base.segments import ends, ranges, stable_order
from unjudged.base.threads import Threads, cores
from unjudged.data.columns import Layout, no_rows, seen_before, seen_twice
from unjudged.data.limits import check, exceeded, limit, memory_of
from unjudged.data.scan import scanner
from unjudged.data.scan.checks import changed_while_read, checked_starts
from unjudged.data.scan.plain.text import numbered_lines
from unjudged.data.streams import PathLike, Piece, opened, pieces
from unjudged.data.tables import Ids, Matched, Table, ties_among

Item = TypeVar("Item")
Result = TypeVar("Result")
SMALLEST_PART = 1 << 18
SMALLEST_SHARE = 1 << 18

Read = Callable[[int, int], Sequence[scanner.UnorderedRows]]
Share = tuple[NDArray[np.int64], Matched, list[tuple[int, bytes]]]


@dataclass(frozen=True, eq=False)
class InPieces:
    """Rows that become tables piece by piece, each on the core that matches it.

    `pieces` makes them in order, as often as it is called. `on_cores` says that several cores are faster.
    `whole` makes one table of rows that are in memory, or the error that they have.
    """

    pieces: Callable[[], Iterable[Callable[[], Table]]]
    on_cores: bool = True
    whole: Callable[[], Table] | None = None

    def tables(self) -> Iterator[Table]:
        """Yield the tables in order."""
        return ahead(lambda piece: piece(), self.pieces(), on_cores=self.on_cores)

    def table(self) -> Table:
        """Return all rows as one table."""
        return Table.joined(list(self.tables())) if self.whole is None else self.whole()


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

    If the rows of a query are apart, the pieces are made again, and all rows are kept by query. What is wrong
    with rows in memory is said as if they were one piece.
    """
    if isinstance(rows, Table):
        return match(rows, judged) if is_grouped(rows) else match_tables(lambda: [rows], judged)
    try:
        return _match_pieces(rows, judged)
    except InputError:
        if rows.whole is None:
            raise
    return match_rows(rows.whole(), judged)


def _match_pieces(rows: InPieces, judged: scanner.Index) -> Matched:
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
            raise _named_in_tables(tables(), twice) from None
    if not len(matched.query):
        raise no_rows()
    return matched


def _named_in_tables(tables: Iterable[Table], twice: DocumentTwice) -> InputError:
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
