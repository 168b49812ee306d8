"""Tables matched against the judged documents; a document twice for a query is refused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import DuplicateError, UnjudgedError
from unjudged.formats import scanner
from unjudged.formats.columns import Ids, Matched, Table
from unjudged.formats.layouts import seen_before, seen_twice


def index(table: Table) -> scanner.Index:
    """The documents of each query, found by name."""
    try:
        return scanner.Index(table.queries, table.starts, table.documents)
    except DuplicateError as error:
        raise _named(table, error) from None


def index_of(queries: Ids, starts: NDArray[np.int64], documents: Ids) -> scanner.Index:
    """The same for names that stand in no table: query q has documents `starts[q]` to `starts[q + 1]`."""
    nothing = np.zeros((len(documents), 1)), np.zeros(0, np.int64)
    return index(Table(queries, starts, documents, *nothing))


def match(table: Table, judged: scanner.Index) -> Matched:
    """What a table of rankings holds of the judged documents."""
    try:
        return scanner.match_table(table, judged)
    except DuplicateError as error:
        raise _named(table, error) from None


def _named(table: Table, error: DuplicateError) -> UnjudgedError:
    query, document = table.query_of(error.second), table.documents.raw(error.second)
    if len(table.lines):
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        return seen_before(second, first, query, document)
    return seen_twice(query, document)
