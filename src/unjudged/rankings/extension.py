"""Judgments with more documents: those that runs retrieved, those judged later, the union of all of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.base.segments import Integers, Mask, ends, places
from unjudged.data import matching
from unjudged.data.matching import grouped
from unjudged.data.scan import scanner
from unjudged.data.tables import Ids, Table, Ties, ties_among
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import Run


def rows_of(judgments: Judgments, table: Table) -> np.ndarray:
    """For each row of a table, the judgments' row of the same query and document, -1 if they lack it."""
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
    return Judgments(pooled, np.concatenate(grades), origin=judgments.origin, scale=judgments.scale)


def chosen_rows(judgments: Judgments, chosen: Mask) -> Judgments:
    """Return the judgments with only these rows; the other documents leave the pool."""
    rows = np.flatnonzero(chosen)
    offsets = np.searchsorted(rows, judgments.offsets)
    pooled = PooledDocuments(judgments.queries, offsets, judgments.documents.take(rows))
    stratum = None if judgments.stratum is None else judgments.stratum[rows]
    probability = None if judgments.probability is None else judgments.probability[rows]
    frame = None if judgments.frame is None else judgments.frame.take(rows)
    columns = judgments.grade[rows], stratum, probability
    return Judgments(pooled, *columns, judgments.origin, judgments.scale, frame=frame)


def documents_of(runs: Iterable[Run], depth: int) -> dict[str, dict[str, int]]:
    """Return the first documents of every run, by query, sorted by name, all unjudged."""
    found: dict[str, set[str]] = {}
    depth = min(depth, np.iinfo(np.int32).max)
    for run in runs:
        top = places(np.diff(run.offsets)) <= depth
        names = run.documents.take(np.flatnonzero(top))
        stops = ends(np.minimum(np.diff(run.offsets), depth)).tolist()
        documents = list(names)
        for q, query in enumerate(run.queries):
            found.setdefault(query, set()).update(documents[stops[q] : stops[q + 1]])
    return {query: dict.fromkeys(sorted(documents), UNSAMPLED) for query, documents in found.items()}


def with_grades_from(judgments: Judgments, complete: Judgments) -> Judgments:
    """Return the same pool with the grades of complete judgments, which must have every document of it."""
    rows = rows_of(complete, judgments.as_table())
    if (rows < 0).any():
        row = int(np.argmax(rows < 0))
        query = judgments.queries[int(judgments.query[row])]
        what = f"document {judgments.documents[row]!r} of query {query!r}"
        raise InputError(f"{what} is not in the complete judgments, expected every pooled document")
    return judgments.with_grades(complete.grade[rows])


def _ties(table: Table, order: Integers) -> Ties | None:
    """Return the ties of a run's rows in rank order; None if nothing is tied."""
    score = table.numbers[order, 0]
    new = np.append(True, score[1:] != score[:-1])
    new[table.starts[:-1][np.diff(table.starts) > 0] - table.starts[0]] = True
    if new.all():
        return None
    starts = np.flatnonzero(new)
    size = np.diff(np.append(starts, len(order)))
    first = places(np.diff(table.starts))[starts]
    ranks = np.repeat(first, size).astype(np.int32), np.repeat(first + size - 1, size).astype(np.int32)
    return Ties.of(*ranks)


class DocumentUnion:
    """Documents numbered as they are met, the judged ones first.

    What a run ranks below `depth` counts as not retrieved.
    """

    def __init__(self, judgments: Judgments, depth: float = np.inf) -> None:
        self._queries = judgments.queries
        self._depth = depth
        self._place = {name: q for q, name in enumerate(judgments.queries.tolist())}
        self._numbers = scanner.DocumentNumbers()
        self._numbers.add(judgments.documents, judgments.query, np.arange(len(judgments.documents)))
        self.names: list[Ids] = [judgments.documents]
        self.query: list[NDArray[np.int32]] = [judgments.query.astype(np.int32)]
        self.ignored: list[int] = []

    def add(self, table: Table) -> tuple[NDArray[np.int32], NDArray[np.int32], Integers, Ties | None]:
        """Ranks and numbers of a run's documents in the order of the judgments' queries, counts and ties."""
        table = grouped(table)
        order = scanner.best_first(table)
        counts = np.diff(table.starts)
        group = np.array([self._place.get(name, -1) for name in table.queries.tolist()])
        self.ignored.append(int((group < 0).sum()))
        query = np.repeat(group, counts)
        kept = np.flatnonzero(query >= 0)
        if not len(kept):
            example = f"which have queries such as {self._queries[0]!r}"
            raise InputError(f"no query in common with the judgments, {example}")
        kept = kept[np.argsort(query[kept], kind="stable")]
        ties = ties_among(_ties(table, order), kept)
        rank, row, query = places(counts)[kept].astype(np.int32), order[kept], query[kept]
        if self._depth < np.inf:
            matching.index(table)  # refuses a document that is there twice, wherever it stands
            top = np.flatnonzero(rank <= self._depth)
            rank, row, query, ties = rank[top], row[top], query[top], ties_among(ties, top)
        with matching.naming_rows(table):
            number, met = self._numbers.add(table.documents, query, row)
        self.names.append(scanner.take_names(table.documents, row[met]))
        self.query.append(query[met].astype(np.int32))
        return rank, number, np.bincount(query, minlength=len(self._queries)), ties
