"""Matcher in plain Python.

It is the specification of the compiled one and its test oracle, and it runs where nothing could be compiled;
so are the other modules of this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError
from unjudged.base.segments import Integers
from unjudged.data.scan.checks import (
    CheckedIds,
    changed_while_read,
    check_rows,
    checked_columns,
    checked_groups,
    checked_ids,
)
from unjudged.data.tables import Ids, Matched, Table, Ties

KIND_OF_SCANNER = "plain Python"


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
