"""The rows of each query brought together, for tables that are held as a whole."""

from __future__ import annotations

import numpy as np

from unjudged.base.segments import ends, stable_order
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Table


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
