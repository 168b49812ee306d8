"""Tables matched against the judged documents; a document twice for a query is refused."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from unjudged.errors import DuplicateError, UnjudgedError
from unjudged.formats import scanner
from unjudged.formats.columns import Matched, Table
from unjudged.formats.layouts import seen_before, seen_twice

SMALLEST_PART = 1 << 18


def index(table: Table) -> scanner.Index:
    """The documents of each query, found by name."""
    try:
        return scanner.Index(table.queries, table.starts, table.documents)
    except DuplicateError as error:
        raise _named(table, error) from None


def match(table: Table, judged: scanner.Index) -> Matched:
    """What a table of rankings holds of the judged documents; of a large one each core takes a part."""
    parts = min(cores(), len(table.documents) // SMALLEST_PART)
    try:
        if parts < 2:
            return scanner.match_table(table, judged)
        cuts = np.searchsorted(table.starts, np.linspace(0, len(table.documents), parts + 1).astype(np.int64))
        spans = [table.span(first, last) for first, last in pairwise(cuts.tolist())]
        with ThreadPoolExecutor(parts) as pool:
            return Matched.joined(list(pool.map(lambda span: scanner.match_table(span, judged), spans)))
    except DuplicateError as error:
        raise _named(table, error) from None


def cores() -> int:
    """How many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _named(table: Table, error: DuplicateError) -> UnjudgedError:
    query, document = table.query_of(error.second), table.documents.raw(error.second)
    if len(table.lines):
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        return seen_before(second, first, query, document)
    return seen_twice(query, document)
