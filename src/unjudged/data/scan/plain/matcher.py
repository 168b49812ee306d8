"""Matcher of tables, rows in any order and dicts in plain Python.

It is the specification of the compiled one and its test oracle, and it runs where nothing could be compiled;
so are the other modules of this folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError
from unjudged.base.segments import Integers
from unjudged.data.scan.checks import (
    CheckedIds,
    TooMuchMemory,
    changed_while_read,
    check_rows,
    checked_columns,
    checked_groups,
    checked_ids,
    checked_table,
)
from unjudged.data.tables import Ids, Matched, Table, Ties

KIND_OF_SCANNER = "plain Python"
PARTS = 1
BYTES_OF_A_ROW = 200  # about what the objects of a row take


class Index:
    """Judged documents of every query, found by their bytes."""

    def __init__(self, queries: Ids, offsets: NDArray[np.int64], documents: Ids) -> None:
        """`offsets` cuts the rows of `documents` into one group per query."""
        starts = checked_groups(queries, offsets, documents).starts.tolist()
        self.queries: dict[bytes, int] = {}
        for q, query in enumerate(queries.tolist()):
            self.queries.setdefault(query, q)
        names = documents.tolist()
        self.documents = [_row_of_each(names, start, stop) for start, stop in pairwise(starts)]


def match_table(table: Table, index: Index) -> Matched:
    """Return the judged documents of every group of `table`, whose first numbers are its scores."""
    columns = checked_columns(table)
    check_rows(columns)
    scores, starts = columns.numbers[:, 0].tolist(), columns.starts.tolist()
    query, ends, rank, row = [], [0], [], []
    ties: list[tuple[int, int]] = []
    names = table.documents.tolist()
    for name, (start, stop) in zip(table.queries.tolist(), pairwise(starts), strict=True):
        _row_of_each(names, start, stop)
        query.append(index.queries.get(name, -1))
        judged = index.documents[query[-1]] if query[-1] >= 0 else {}
        order = in_rank_order(scores[start:stop], names[start:stop])
        tied = ranks_of_score([scores[start + i] for i in order])
        for k, i in enumerate(order, 1):
            if names[start + i] in judged:
                rank.append(k)
                row.append(judged[names[start + i]])
                ties.append(tied[k - 1])
        ends.append(len(row))
    return Matched(
        query=np.array(query, np.int32),
        retrieved=np.diff(starts).astype(np.int32),
        ends=np.array(ends, np.int64),
        rank=np.array(rank, np.int32),
        row=np.array(row, np.int32),
        ties=ties_of(ties),
    )


def ranks_of_score(scores: Sequence[float]) -> list[tuple[int, int]]:
    """For each score, from the highest to the lowest, the first and the last rank that have it."""
    ranks: list[tuple[int, int]] = []
    for _, same in groupby(scores):
        size = len(list(same))
        ranks += [(len(ranks) + 1, len(ranks) + size)] * size
    return ranks


def ties_of(ranks: Sequence[tuple[int, int]]) -> Ties | None:
    """Return the ties of documents, given the first and the last rank with the score of each."""
    first, last = np.array(ranks, np.int32).reshape(-1, 2).T
    return Ties.of(first, last)


def best_first(table: Table) -> NDArray[np.int64]:
    """Return the rows of `table`, group by group, best first."""
    columns = checked_columns(table)
    check_rows(columns)
    scores, starts = columns.numbers[:, 0].tolist(), columns.starts.tolist()
    names = table.documents.tolist()
    order: list[int] = []
    for start, stop in pairwise(starts):
        order += [start + i for i in in_rank_order(scores[start:stop], names[start:stop])]
    return np.array(order, np.int64)


def number_names(ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the number of each name, counted in the order in which they first come; and those first rows."""
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


def take_names(ids: Ids | CheckedIds, rows: NDArray[np.int64]) -> Ids:
    """Return the names of these rows."""
    return Ids(*checked_ids(ids)).take(rows)


def ids_of_numbers(numbers: NDArray[np.int64]) -> Ids:
    """Return whole numbers from 0 upwards as identifiers: their decimal digits."""
    return Ids.of(map(str, numbers.tolist()))


class DocumentNumbers:
    """Documents of queries, numbered in the order in which they are first met."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, bytes], int] = {}

    def add(
        self, documents: Ids, queries: Integers, rows: Integers
    ) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """Return the numbers of the documents in these rows, each of a query, and the places of new ones.

        A document that is there twice is refused.
        """
        checked_ids(documents)
        if len(queries) != len(rows) or ((rows < 0) | (rows >= len(documents))).any():
            raise changed_while_read("the data")
        names, before, own = documents.tolist(), len(self.known), dict[tuple[int, bytes], int]()
        for query, row in zip(queries.tolist(), rows.tolist(), strict=True):
            if (query, names[row]) in own:
                raise DuplicateError(own[query, names[row]], row)
            own[query, names[row]] = row
        number = np.array([self.known.setdefault(pair, len(self.known)) for pair in own], np.int32)
        return number, np.flatnonzero(number >= before)


def in_rank_order(scores: Sequence[float], names: Sequence[bytes]) -> list[int]:
    """Return the tie rule: score descending, then document descending by bytes."""
    return sorted(range(len(scores)), key=lambda i: (scores[i], names[i]), reverse=True)


def _row_of_each(names: Sequence[bytes], start: int, stop: int) -> dict[bytes, int]:
    """Return the row of each document of a group; a repeated one is refused."""
    rows: dict[bytes, int] = {}
    for row in range(start, stop):
        first = rows.setdefault(names[row], row)
        if first != row:
            raise DuplicateError(first, row)
    return rows


def to_single(value: float) -> float:
    """Return the nearest number of single precision, which is infinite for a number that is too large."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


class UnorderedRows:
    """Rows of a run in any order, kept in memory by query until all of them are read.

    Queries are in one of `PARTS` parts. Rows are refused if matching them takes more than `most` bytes.
    """

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self.rows: dict[bytes, list[tuple[bytes, float]]] = {}

    def add(self, table: Table) -> None:
        """Keep the rows of a table, whose first numbers are their scores."""
        columns = checked_columns(table)
        check_rows(columns)
        every = list(zip(table.documents.tolist(), columns.numbers[:, 0].tolist(), strict=True))
        spans = pairwise(columns.starts.tolist())
        for query, (start, stop) in zip(table.queries.tolist(), spans, strict=True):
            rows = every[start:stop]
            self.rows.setdefault(query, []).extend(rows)
            self.size += sum(len(name) + BYTES_OF_A_ROW for name, _ in rows)
        if self.size > self.most:
            raise TooMuchMemory


class GroupedRows:
    """Rows of several `UnorderedRows`, one after another, by query.

    `queries` has each query once, in the order in which they first come; `rows` is how many each part has.
    """

    def __init__(self, pieces: Sequence[UnorderedRows]) -> None:
        self.groups: dict[bytes, list[tuple[bytes, float]]] = {}
        for piece in pieces:
            for query, rows in piece.rows.items():
                self.groups.setdefault(query, []).extend(rows)
        self.queries = Ids.of(self.groups)
        self.rows = np.array([sum(map(len, self.groups.values()))])

    def match(
        self, first: int, stop: int, index: Index
    ) -> tuple[NDArray[np.int64], Matched, list[tuple[int, bytes]]]:
        """What the queries of some parts hold of the judged documents.

        It gives the numbers of these queries, what was matched, and for each part with a query that holds a
        document twice, the number of its first such query and that document.
        """
        if not 0 <= first <= stop <= PARTS:
            raise ValueError((first, stop))
        groups = self.groups if first < stop else {}
        rows = [row for group in groups.values() for row in group]
        table = Table(
            queries=Ids.of(groups),
            starts=np.cumsum([0, *map(len, groups.values())]),
            documents=Ids.of(document for document, _ in rows),
            numbers=np.array([score for _, score in rows], float)[:, None],
            lines=np.zeros(0, np.int64),
        )
        numbers = np.arange(len(groups))
        try:
            return numbers, match_table(table, index), []
        except DuplicateError as error:
            number = int(np.searchsorted(table.starts, error.second, "right")) - 1
            nothing = match_table(table.span(0, 0), index)
            return numbers, nothing, [(number, table.documents.raw(error.second))]


def match_dicts(*_: Any) -> Matched | None:
    """Return the judged documents of each ranking in plain dicts, None for any others.

    Only compiled code is faster than making a table of them first.
    """
    return None


def environment_variable(name: str) -> str:
    """Return its value, "" if it is not set. `os.environ` takes longer than to read a few documents."""
    return os.environ.get(name, "")


def table_of_dicts(_: Any) -> Table | None:
    """`{query: {document: number}}` as a table, if all dicts, names and numbers are plain; else None.

    Only compiled code is faster than reading the dicts in the general way.
    """
    return None


def nested_rows(table: Table, whole: bool) -> dict[str, dict[str, Any]]:
    """Return the first numbers of a table as `{query: {document: number}}`.

    If a document is repeated, its last number counts.
    """
    columns = checked_table(table)
    documents, numbers = list(table.documents), columns.numbers[:, 0].tolist()
    numbers, ends = list(map(int, numbers)) if whole else numbers, columns.starts.tolist()
    return {
        query: dict(zip(documents[start:stop], numbers[start:stop], strict=True))
        for query, start, stop in zip(table.queries, ends, ends[1:], strict=False)
    }


def ids_of_strings(column: Any) -> Ids | None:
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    objects = np.asarray(column, object).tolist()
    if not set(map(type, objects)) <= {str}:
        return None
    try:
        return Ids.of([text.encode() for text in objects])
    except UnicodeEncodeError:
        return None


def stretches_of_strings(column: Any) -> NDArray[np.int64] | None:
    """Return the rows of a column whose string is not that of the row before, and then the number of rows.

    None if the objects of the column are not all strings that have UTF-8.
    """
    if ids_of_strings(column) is None:
        return None
    names = np.asarray(column, object).tolist()
    starts = [row for row in range(len(names)) if row == 0 or names[row] != names[row - 1]]
    return np.array([*starts, len(names)], np.int64)
