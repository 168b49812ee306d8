"""Judgments with more documents: those that runs retrieved, and those that were judged later."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.formats import matching
from unjudged.formats.tables import Ids, Table
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.pooled import PooledDocuments


def rows_of(judgments: Judgments, table: Table) -> np.ndarray:
    """For each row of a table, the judgments' row of the same query and document, -1 where there is none."""
    in_order = np.arange(0, -len(table.documents), -1, dtype=float)[:, None]
    placed = Table(table.queries, table.starts, table.documents, in_order, table.lines)
    matched = matching.match(placed, judgments.index)
    rows = np.full(len(table.documents), -1, np.int32)
    start = np.repeat(table.starts[:-1], np.diff(matched.ends))
    rows[start + matched.rank - 1] = matched.row
    return rows


def extended(judgments: Judgments, tables: Iterable[Table], new_queries: bool = False) -> Judgments:
    """Return the judgments with an unjudged row for every document of the tables that has no row yet.

    Documents of queries that the judgments lack are left out, unless `new_queries`. Recorded strata and
    probabilities are dropped, because the new rows have none.
    """
    added: dict[bytes, dict[bytes, None]] = {query: {} for query in judgments.queries.tolist()}
    for table in tables:
        new = rows_of(judgments, table) < 0
        queries, names = table.queries.tolist(), table.documents.tolist()
        for g, query in enumerate(queries):
            if query in added or new_queries:
                rows = np.flatnonzero(new[table.starts[g] : table.starts[g + 1]]) + table.starts[g]
                added.setdefault(query, {}).update(dict.fromkeys(names[row] for row in rows))
    old_names, old_ends = judgments.documents.tolist(), judgments.offsets.tolist()
    names, grades, starts = [], [], [0]
    for q, more in enumerate(added.values()):
        first, last = (old_ends[q], old_ends[q + 1]) if q < len(judgments.queries) else (0, 0)
        names += [*old_names[first:last], *more]
        grades += [judgments.grade[first:last], np.full(len(more), UNSAMPLED, np.int32)]
        starts.append(len(names))
    pooled = PooledDocuments(Ids.of(added), np.array(starts, np.int64), Ids.of(names))
    return Judgments(pooled, np.concatenate(grades), origin=judgments.origin)


def chosen_rows(judgments: Judgments, chosen: NDArray[np.bool_]) -> Judgments:
    """Return the judgments with only these rows; the other documents leave the pool."""
    rows = np.flatnonzero(chosen)
    offsets = np.searchsorted(rows, judgments.offsets)
    pooled = PooledDocuments(judgments.queries, offsets, judgments.documents.take(rows))
    stratum = None if judgments.stratum is None else judgments.stratum[rows]
    probability = None if judgments.probability is None else judgments.probability[rows]
    columns = judgments.grade[rows], stratum, probability
    return Judgments(pooled, *columns, judgments.origin)


def with_grades_from(judgments: Judgments, complete: Judgments) -> Judgments:
    """Return the same pool with the grades of complete judgments, which must have every document of it."""
    rows = rows_of(complete, table_of(judgments))
    if (rows < 0).any():
        row = int(np.argmax(rows < 0))
        query = judgments.queries[int(judgments.query[row])]
        what = f"document {judgments.documents[row]!r} of query {query!r}"
        raise InputError(f"{what} is not in the complete judgments, expected every pooled document")
    return judgments.with_grades(complete.grade[rows])


def table_of_pool(pooled: PooledDocuments) -> Table:
    """Return the documents of a pool as a table, to look them up in another."""
    nothing = np.zeros((len(pooled.documents), 1))
    return Table(pooled.queries, pooled.offsets, pooled.documents, nothing, np.zeros(0, np.int64))


def table_of(judgments: Judgments) -> Table:
    """Return the documents of the judgments and their grades as a table."""
    grades = judgments.grade[:, None].astype(float)
    return Table(judgments.queries, judgments.offsets, judgments.documents, grades, np.zeros(0, np.int64))
