"""Tables matched against the judged documents; a document twice for a query is refused."""

from __future__ import annotations

from unjudged.errors import DuplicateError, UnjudgedError
from unjudged.formats import scanner
from unjudged.formats.columns import Matched, Table
from unjudged.formats.layouts import seen_before, seen_twice


def index(table: Table) -> scanner.Index:
    """The documents of each query, found by name."""
    try:
        return scanner.Index(table.queries, table.starts, table.documents)
    except DuplicateError as error:
        raise _named(table, error) from None


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
