"""Rows matched with the judged documents; a repeated document is refused.

The rows of each query are mostly together. Rows in any other order are kept in memory, as far as the limit
allows: each by its query, in one of many parts that the query's hash decides, and each part is matched on its
own.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice, pairwise
from threading import Event
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError, InputError, UnjudgedError
from unjudged.base.segments import ends, stable_order
from unjudged.base.threads import Threads, cores
from unjudged.data.columns import Layout, no_rows, seen_before, seen_twice
from unjudged.data.limits import check, exceeded, limit, memory_of, within_memory
from unjudged.data.scan import scanner
from unjudged.data.scan.checks import TooMuchMemory, changed_while_read, checked_starts
from unjudged.data.streams import PathLike, Piece, opened, pieces
from unjudged.data.tables import Matched, Table

Item = TypeVar("Item")
Result = TypeVar("Result")
SMALLEST_PART = 1 << 18
SMALLEST_SHARE = 1 << 18

NEVER = Event()
"""What tells readers to stop, where nobody does."""

Keep = Callable[[scanner.UnorderedRows], object]
Share = tuple[NDArray[np.int64], Matched, list[tuple[int, bytes]]]


class InPieces(NamedTuple):
    """Rows that become tables piece by piece, each on the core that matches it.

    Each call of `pieces` gives them in order; if the rows are in memory it gives a list.
    `on_cores` says that several cores are faster.
    """

    pieces: Callable[[], Iterable[Callable[[], Table]]]
    on_cores: bool = True

    def tables(self) -> Iterator[Table]:
        """Yield the tables in order."""
        return ahead(lambda piece: piece(), self.pieces(), on_cores=self.on_cores)

    def table(self) -> Table:
        """Return all rows as one table, as far as memory allows."""
        parts = [table for table in within_memory(self.tables()) if len(table.queries)]
        if not parts:
            raise no_rows()
        return parts[0] if len(parts) == 1 else Table.joined(parts)


class Opened(Protocol):
    """What a file holds. `given` are names of columns by role, none where columns have no names."""

    def table(self, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
        """Return all rows, query by query, and the columns.

        `number` is "score" for a run and "grade" for judgments.
        """
        ...

    def match(self, judged: scanner.Index, given: Mapping[str, str], stop: Event = NEVER) -> Matched:  # noqa: ARG002
        """Match a run; reading may end when `stop` is set."""
        table, _ = self.table("score", given)
        if not len(table.documents):
            raise no_rows()
        return match(table, judged)

    def runs(self, given: Mapping[str, str]) -> dict[str, Any] | None:  # noqa: ARG002
        """Return the runs by name, if a column names them."""
        return None


def ahead(
    work: Callable[[Item], Result], items: Iterable[Item], *, on_cores: bool = True, stop: Event | None = None
) -> Iterator[Result]:
    """Yield the result for each item in order, while other cores work on the next items.

    What goes wrong is raised in order too, be it with the work or with the next item. At the end `stop` is
    set, so that work whose result nobody asked for may end.
    """
    tasks = _tasks(work, items)
    first = list(islice(tasks, 2))
    if len(first) < 2 or not on_cores:
        yield from (task() for task in chain(first, tasks))
        return
    pool = Threads(cores())
    try:
        waiting = deque(map(pool.submit, first))
        for task in tasks:
            waiting.append(pool.submit(task))
            if len(waiting) > cores():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        if stop is not None:
            stop.set()
        pool.shutdown(cancel_futures=True)


def _tasks(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Callable[[], Result]]:
    """Yield the work on each item; where the next item cannot be had, the last task raises the error."""

    def fail(error: Exception) -> Result:
        raise error

    try:
        for item in items:
            yield partial(work, item)
    except (UnjudgedError, _QueryReturns) as error:
        yield partial(fail, error)


def grouped(table: Table) -> Table:
    """Return the rows query by query; queries and rows keep their order."""
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
    """Return an index in which the documents of each query are found by name."""
    with naming_rows(table):
        return scanner.Index(table.queries, table.starts, table.documents)


def match(table: Table, judged: scanner.Index) -> Matched:
    """Match a table that has the rows of each query together. Cores share a large one."""
    parts = max(1, min(cores(), len(table.documents) // SMALLEST_PART))
    starts = checked_starts(table.starts, len(table.queries), len(table.documents))
    places = np.linspace(starts[0], starts[-1], parts + 1)[1:-1]
    cuts = pairwise([0, *np.searchsorted(starts[:-1], places).tolist(), len(starts) - 1])
    spans = [table] if parts == 1 else [table.span(*cut) for cut in cuts]
    with naming_rows(table):
        return Matched.joined(list(ahead(lambda span: scanner.match_table(span, judged), spans)))


def match_rows(rows: InPieces, judged: scanner.Index) -> Matched:
    """Match rows in any order; the rows of a query are forgotten when it is complete.

    If the rows of a query are apart, the pieces are made again, and all rows are kept by query.
    """
    work = partial(_match_inside, judged=judged)
    try:
        parts = list(_whole_queries(ahead(work, rows.pieces(), on_cores=rows.on_cores), judged))
    except _QueryReturns:
        return _match_apart(rows, judged)
    if not parts:
        raise no_rows()
    return Matched.joined(parts)


class _QueryReturns(Exception):
    """Rows of a query are not together."""


class _Piece(NamedTuple):
    """The queries of a piece, the rows of its first and its last one, and what the others hold."""

    queries: list[bytes]
    edges: list[Table]
    inside: Matched | UnjudgedError | None


def _match_inside(make: Callable[[], Table], judged: scanner.Index) -> _Piece:
    """Match all but the ends of a piece on the core that makes it, while it is in the cache."""
    table = make()
    names = table.queries.tolist()
    if 2 * len(names) > len(table.documents) > 1:  # most rows are a group of their own
        raise _QueryReturns
    if len(names) < 3:
        return _Piece(names, [table.span(k, k + 1) for k in range(len(names))], None)
    last = len(names) - 1
    edges = [Table.joined([table.span(0, 1)]), Table.joined([table.span(last, last + 1)])]
    try:
        return _Piece(names, edges, match(table.span(1, last), judged))
    except UnjudgedError as error:  # one before it may come first
        return _Piece(names, edges, error)


def _whole_queries(pieces: Iterable[_Piece], judged: scanner.Index) -> Iterator[Matched]:
    """Yield what the queries of all pieces hold: the last query of one may go on in the next one."""
    seen: set[bytes] = set()
    last: list[Table] = []
    for names, edges, inside in pieces:
        goes_on = bool(last and names) and names[0] == last[0].queries.raw(0)
        distinct = len(seen) + len(names) - goes_on
        seen.update(names)
        if len(seen) < distinct:
            raise _QueryReturns
        for k, edge in enumerate(edges):
            if last and not (k == 0 and goes_on):
                yield match(Table.joined(last), judged)
                last = []
            last.append(edge)
        if isinstance(inside, UnjudgedError):
            raise inside
        if inside is not None:
            yield inside
        check("MEMORY", sum(map(memory_of, last)))
    if last:
        yield match(Table.joined(last), judged)


@contextmanager
def naming_rows(table: Table) -> Iterator[None]:
    """Name the two rows of a table that have the same document of a query, if there are such rows."""
    try:
        yield
    except DuplicateError as error:
        query, document = table.query_of(error.second), table.documents.raw(error.second)
        if not len(table.lines):
            raise seen_twice(query, document) from None
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        raise seen_before(second, first, query, document) from None


class DocumentTwice(Exception):
    """A query holds a document twice; which rows these are, only the reader of the source can find out."""

    def __init__(self, query: bytes, document: bytes) -> None:
        super().__init__(query, document)
        self.query, self.document = query, document


def match_ungrouped(keep: Sequence[Keep], judged: scanner.Index) -> Matched:
    """Match a run, query by query in the order in which they first come.

    Each of `keep` adds a piece of the run to rows of its own.
    """
    kept = [scanner.UnorderedRows(limit("MEMORY") // len(keep)) for _ in keep]
    try:
        list(ahead(lambda pair: pair[0](pair[1]), zip(keep, kept, strict=True)))
    except TooMuchMemory:
        raise exceeded("MEMORY") from None
    rows = scanner.GroupedRows(kept)
    shares = _matches(rows, judged)
    repeated = [pair for _, _, pairs in shares for pair in pairs]
    if repeated:
        number, document = min(repeated)
        raise DocumentTwice(rows.queries.raw(number), document)
    return _in_order(shares)


def _match_apart(rows: InPieces, judged: scanner.Index) -> Matched:
    """Match rows that are not in order of queries. Cores share the rows that are in memory."""

    def keep_all(kept: scanner.UnorderedRows) -> None:
        for table in rows.tables():
            kept.add(table)

    def keep(stretch: Sequence[Callable[[], Table]], kept: scanner.UnorderedRows) -> None:
        for piece in stretch:
            kept.add(piece())

    pieces = rows.pieces()
    stretches: list[Keep] = [keep_all]
    if isinstance(pieces, list):
        step = -(-len(pieces) // cores())
        stretches = [partial(keep, pieces[at : at + step]) for at in range(0, len(pieces), step)]
    try:
        return match_ungrouped(stretches, judged)
    except DocumentTwice as twice:
        raise _named_in_tables(rows.tables(), twice) from None


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


def _matches(rows: scanner.GroupedRows, judged: scanner.Index) -> list[Share]:
    """Match the parts, in shares of about the same number of rows."""
    before = np.concatenate([[0], np.cumsum(rows.rows)])
    shares = int(max(1, min(cores(), before[-1] // SMALLEST_SHARE)))
    cuts = np.searchsorted(before, np.linspace(0, before[-1], shares + 1)[1:-1]).tolist()
    spans = pairwise([0, *cuts, scanner.PARTS])
    return list(ahead(lambda span: rows.match(*span, judged), spans))


def _in_order(shares: list[Share]) -> Matched:
    """Return what was matched, by the numbers of the queries."""
    order = np.argsort(np.concatenate([numbers for numbers, _, _ in shares]))
    return Matched.joined([part for _, part, _ in shares]).of_groups(order)


def match_lines(file: PathLike, judged: scanner.Index, layout: Layout, stop: Event) -> Matched:
    """What a run holds of the judged documents, with its lines in any order.

    An error that it raises is not always the first of the file, and a piece numbers lines from its own start.
    """
    workers = cores()

    def keep(part: tuple[int, int | None], rows: scanner.UnorderedRows) -> None:
        with opened(file, ahead=stop if workers > 1 else None) as stream:
            scanner.scan_unordered(Piece(stream, *part, stop), rows, layout)

    return match_ungrouped([partial(keep, part) for part in pieces(file, workers)], judged)


def named_lines(file: PathLike, twice: DocumentTwice, layout: Layout) -> InputError:
    """Return the error that names the first two lines with the same document of a query."""
    from unjudged.data.scan.plain.text import numbered_lines

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
