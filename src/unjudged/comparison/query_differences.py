"""Difference of two systems query by query, and the unjudged documents that could turn it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import NamedTuple

import numpy as np

from unjudged.base.segments import places, sums
from unjudged.comparison.judgment_bounds import is_bounded, ranking_bounds
from unjudged.comparison.reversal.reversals import Hypothetical
from unjudged.comparison.testing.deciding_queries import DecidingQueries, deciding_queries, influences
from unjudged.comparison.testing.pairs import ROUNDING
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank, grid_of
from unjudged.measures.gain import best_first
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.shared import SharedRankings
from unjudged.uncertainty.unjudged_sums import is_sum

SHOWN = 10


class QueryDifference(NamedTuple):
    """One query: both values, A minus B with its bounds, and the unjudged document that moves it most."""

    query: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    document: str | None
    effect: float | None
    influence: float
    """What the query adds to the mean difference."""
    p_without: float
    """P value of the paired t test without it."""


class TurningDocument(NamedTuple):
    """An unjudged document, and what the mean difference changes by if it alone turns out relevant."""

    query: str
    document: str
    effect: float
    favours: str


@dataclass(frozen=True, repr=False)
class QueryDifferences(Shown):
    """Queries, largest difference first, and the unjudged documents, largest effect first."""

    a: str
    b: str
    measure: str
    queries: Sequence[QueryDifference]
    documents: Sequence[TurningDocument]
    needed: int | None
    """For sums over relevant documents: how few documents suffice to reverse the order, None if none do."""
    deciding: DecidingQueries
    """The fewest queries that change what the test says."""

    @property
    def bounded(self) -> bool:
        """Whether differences have bounds; those of a table and of some measures have none."""
        return not isnan(self.queries[0].low)

    def grid(self) -> Grid:
        """Return the queries as a table."""
        columns = [Column("query", "label"), Column(self.a), Column(self.b), Column("difference")]
        if self.bounded:
            columns += [
                Column("low"),
                Column("high"),
                Column("document", "text"),
                Column("effect", decimals=6),
            ]
        columns += [Column("influence", decimals=6), Column("p without", "p value")]
        ends = "; low, high: whatever the unjudged documents are" if self.bounded else ""
        document = (
            "document: the unjudged one that matters most; effect: on the mean difference, if relevant."
        )
        notes = [
            *self.deciding.sentences(),
            f"difference: {self.a} minus {self.b}{ends}.",
            *([document] if self.bounded else []),
            "influence: what the query adds to the mean difference; p without: paired t test without it.",
        ]
        rows: list[list[Cell]] = [
            list(map(blank, row if self.bounded else (*row[:4], *row[8:]))) for row in self.queries
        ]
        return Grid(columns, rows, f"{self.measure} by query", notes, records=self.records)

    def records(self) -> Grid:
        """Return the queries for programs: names of columns do not depend on the runs."""
        fields = ("measure", "a", "b", *QueryDifference._fields)
        return grid_of(fields, ([self.measure, self.a, self.b, *map(blank, row)] for row in self.queries))

    def documents_grid(self) -> Grid:
        """Return the documents as a table."""
        columns = [Column("query", "label"), Column("document", "label"), Column("effect", decimals=6)]
        columns.append(Column("favours", "text"))
        notes = []
        if self.needed is not None:
            many = "document suffices" if self.needed == 1 else "documents suffice"
            notes = [f"{self.needed} relevant {many} to reverse the order."]
        rows: list[list[Cell]] = [list(row) for row in self.documents[:SHOWN]]
        return Grid(columns, rows, "unjudged documents that matter most", notes)


def query_differences(
    runs: Sequence[str],
    queries: Sequence[str],
    measure: Measure,
    values: Floats,
    *,
    level: float,
    two: SharedRankings | None = None,
) -> QueryDifferences:
    """Return everything by query about two systems; `values` has what each scores on every query.

    A measure with a geometric mean has logarithms. One without bounds, and systems of a table, which have no
    rankings (`two`), have neither bounds nor documents. Queries decide at `level`.
    """
    first, second = measure.averaged(values)
    difference = first - second
    lowest = highest = np.full(len(difference), nan)
    documents: list[TurningDocument] = []
    needed = None
    if two is not None and is_bounded(measure, two):
        row, effect = single_effects(two, measure)
        lowest, highest = _bounds_of_two(two, measure, difference, row, effect)
        documents = list(_turning_documents(two, row, effect))
        needed = _needed(float(difference.mean()), effect) if is_sum(measure) else None
    most = {one.query: one for one in reversed(documents)}
    order = np.argsort(-np.abs(difference), kind="stable")
    influence, p_without = influences(difference[order])
    rows = [
        QueryDifference(
            query=queries[q],
            value_a=float(first[q]),
            value_b=float(second[q]),
            difference=float(difference[q]),
            low=float(lowest[q]),
            high=float(highest[q]),
            document=most[queries[q]].document if queries[q] in most else None,
            effect=most[queries[q]].effect if queries[q] in most else None,
            influence=float(influence[k]),
            p_without=float(p_without[k]),
        )
        for k, q in enumerate(order.tolist())
    ]
    deciding = deciding_queries(difference[order], [one.query for one in rows], level)
    return QueryDifferences(runs[0], runs[1], str(measure), rows, documents, needed, deciding)


def _turning_documents(two: SharedRankings, row: Integers, effect: Floats) -> Iterator[TurningDocument]:
    """Yield the documents of these rows, the largest effect first."""
    for k in np.argsort(-np.abs(effect), kind="stable").tolist():
        query = two.queries[int(two.judgments.query[row[k]])]
        yield TurningDocument(
            query, two.document(int(row[k])), float(effect[k]), two.runs[int(effect[k] < 0)]
        )


def _bounds_of_two(
    two: SharedRankings, measure: Measure, difference: Floats, row: Integers, effect: Floats
) -> tuple[Floats, Floats]:
    """Return the ends of each query's difference: exact for sums, else enclosed."""
    if is_sum(measure):
        query, size = two.judgments.query[row], len(two.queries)
        low, high = (size * sums(end(effect, 0), query, size) for end in (np.minimum, np.maximum))
        return difference + low, difference + high
    low, high = map(measure.averaged, ranking_bounds(two, measure))
    return low[0] - high[1], high[0] - low[1]


def bounds_by_query(two: SharedRankings, measure: Measure, difference: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the difference of two runs on each query, whatever the unjudged documents are.

    Where both rank the same documents in the same order the difference is 0.
    """
    none = np.zeros(0, np.int64), np.zeros(0)
    low, high = _bounds_of_two(
        two, measure, difference, *(single_effects(two, measure) if is_sum(measure) else none)
    )
    if has_closer_bounds(measure):
        closer = ndcg_bounds(two, measure)
        low, high = np.maximum(low, closer[0]), np.minimum(high, closer[1])
    first, second = (two.rankings.run(run) for run in (0, 1))
    ends = zip(first.offsets, first.offsets[1:], second.offsets, second.offsets[1:], strict=False)
    same = np.array([np.array_equal(first.row[a:b], second.row[c:d]) for a, b, c, d in ends])
    different = ~(same & (first.retrieved == second.retrieved))
    return np.minimum(low, difference) * different, np.maximum(high, difference) * different


def single_effects(two: SharedRankings, measure: Measure) -> tuple[Integers, Floats]:
    """Rows of the unjudged documents that matter, and what each, alone, would add to the mean difference.

    For sums over relevant documents it is w_a - w_b. For other measures each document that a run retrieves
    above the cutoff is tried, one per query at a time, since queries do not depend on one another.
    """
    if is_sum(measure):
        weights = two.unknown_weights(measure)
        sign = np.where(weights.run == 0, 1.0, -1.0)
        effect = sums(sign * weights.weight, weights.row.astype(np.int64), weights.rows)
    else:
        effect = np.zeros(len(two.judgments.grade))
        hypothetical = Hypothetical.of(two, measure)
        r = hypothetical.rankings
        candidates = np.unique(r.row[r.labels < 0])
        query, queries = r.judgments.query[candidates], len(two.queries)
        place = places(np.bincount(query, minlength=queries))
        nothing = hypothetical.values(np.zeros(0, np.int64))
        for t in range(1, int(place.max(initial=0)) + 1):
            now = place == t
            change = hypothetical.values(candidates[now]) - nothing
            effect[hypothetical.origin[candidates[now]]] = (change[0] - change[1])[query[now]] / queries
        effect[np.abs(effect) <= ROUNDING] = 0
    row = np.flatnonzero(effect)
    return row, effect[row]


def _needed(difference: float, effect: Floats) -> int | None:
    """How many of the largest effects against the difference it takes to reverse it."""
    against = np.sort(effect[effect * difference < 0] * -np.sign(difference))[::-1]
    enough = np.flatnonzero(np.cumsum(against) > abs(difference) + ROUNDING)
    return int(enough[0]) + 1 if len(enough) else None


def has_closer_bounds(measure: Measure) -> bool:
    """Whether the measure is nDCG with the usual gains."""
    return measure.name == "nDCG" and not measure.given.keys() & {"gains", "unjudged", "chance"}


def ndcg_bounds(two: SharedRankings, measure: Measure) -> tuple[Floats, Floats]:
    """Return the ends of the first run minus the second on each query by nDCG.

    Both runs are divided by the same ideal I, so the difference is N / I, where N is the difference of their
    DCG. An unjudged document moves N by its gain times the difference of its two discounts, and I lies
    between the ideal of the judged documents and that with every unjudged one at the highest gain. The ends
    of N over the ends of I therefore enclose the difference, much closer than one run's lowest minus the
    other's highest.
    """
    pool, queries, cutoff = two.judgments, len(two.queries), measure.given.get("cutoff", inf)
    unknown = pool.grade < 0
    most = float(measure.gain([measure.max_grade(pool)])[0])
    known = np.where(unknown, 0.0, measure.gain(pool.grade))
    moved = np.zeros(len(pool.grade))
    for run, sign in ((two.rankings.run(0), 1.0), (two.rankings.run(1), -1.0)):
        moved[run.row] += sign * (run.rank <= cutoff) / np.log2(run.rank + 1.0)
    gap, least, largest = (
        sums(each, pool.query, queries)
        for each in (
            known * moved,
            np.where(unknown, most * np.minimum(moved, 0), 0.0),
            np.where(unknown, most * np.maximum(moved, 0), 0.0),
        )
    )
    shortest = _ideal(two, known, cutoff)
    longest = _ideal(two, np.where(unknown, most, known), cutoff)
    low, high = gap + least, gap + largest
    return (
        np.where(low > 0, ratio(low, longest), _over(low, shortest)),
        np.where(high > 0, _over(high, shortest), ratio(high, longest)),
    )


def _ideal(two: SharedRankings, gain: Floats, cutoff: float) -> Floats:
    row, query, rank = best_first(two.judgments, gain)
    return sums(gain[row] * (rank <= cutoff) / np.log2(rank + 1.0), query, len(two.queries))


def _over(value: Floats, ideal: Floats) -> Floats:
    """Divide; where nothing is known to be relevant, the end is as far away as it can be."""
    far = np.where(value == 0, 0.0, np.copysign(np.inf, value))
    return np.divide(value, ideal, out=far, where=ideal > 0)
