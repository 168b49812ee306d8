"""Rows in any order, kept by query and then matched, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import DuplicateError
from unjudged.data.columns import Layout
from unjudged.data.scan.checks import TooMuchMemory, check_rows, checked_columns
from unjudged.data.scan.plain.matcher import Index, match_table
from unjudged.data.scan.plain.text import Source, read_table
from unjudged.data.tables import Ids, Matched, Table

PARTS = 1
BYTES_OF_A_ROW = 200  # about what the objects of a row take


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


def scan_unordered(source: Source, rows: UnorderedRows, layout: Layout) -> None:
    """Add all lines of `source` to `rows`."""
    table, _ = read_table(source, layout)
    rows.add(table)


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
