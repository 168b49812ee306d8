"""What if some unjudged documents were relevant? Values of runs under any choice of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered, places, sums
from unjudged.evidence.bounds.filled import anonymous
from unjudged.evidence.contrast import Turning
from unjudged.evidence.shared import SharedRankings, selected_runs
from unjudged.evidence.unjudged_sums import is_sum
from unjudged.measures.kernel.averages import ROUNDING
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings


@dataclass(frozen=True, eq=False)
class Hypothetical:
    """Rankings without the documents that cannot matter to a measure, ready for any choice of documents."""

    measure: Measure
    rankings: JudgedRankings
    origin: Integers
    """The row of each row in the rankings that these were made from."""
    top: int
    """The grade that a chosen document gets, the highest of the scale."""
    sparse: bool
    """The measure needs only the documents that are relevant in the completion."""

    @classmethod
    def of(cls, shared: SharedRankings, measure: Measure) -> Hypothetical:
        """Most measures need no document of grade 0; whether this one does is tried out."""
        r, pool, top = shared.rankings, shared.judgments, measure.max_grade(shared.judgments)
        nonrelevant = r.relabelled(pool.with_grades(np.maximum(pool.grade, 0)))
        traits = measure.traits_up_to(top)
        sparse = (traits.pointwise or traits.diluted) and not traits.skips_unjudged
        if sparse:
            alone = measure.compute(nonrelevant.where(nonrelevant.labels > 0))
            sparse = np.array_equal(alone, measure.compute(nonrelevant))
        if not sparse:
            return cls(measure, r, np.arange(len(pool.grade)), top, sparse)
        cutoff = measure.given.get("cutoff", inf) if measure.traits.at == "cutoff" else inf
        matters = pool.grade > 0
        matters[r.row[(r.labels < 0) & (r.rank <= cutoff)]] = True
        origin = np.flatnonzero(matters)
        kept = anonymous(np.searchsorted(origin, pool.offsets), pool.grade[origin])
        moved = r.where(r.rank <= cutoff).moved(kept, numbered(origin, len(matters)))
        return cls(measure, moved, origin, top, sparse)

    def only(self, runs: Sequence[int]) -> Hypothetical:
        """Return the same for some of the runs, in this order."""
        return replace(self, rankings=selected_runs(self.rankings, runs))

    def values(self, row: NDArray[np.integer]) -> Floats:
        """Runs x queries: what is averaged when the documents of these rows have the highest grade."""
        r, pool = self.rankings, self.rankings.judgments
        grade = np.maximum(pool.grade, 0)
        grade[row] = self.top
        element = np.flatnonzero((grade > 0)[self._row]) if self.sparse else np.arange(len(r.row))
        completed = JudgedRankings(
            judgments=pool.with_grades(grade),
            rank=r.rank[element],
            row=r.row[element],
            offsets=np.searchsorted(element, r.offsets),
            retrieved=r.retrieved,
            query=r.query,
        )
        return self.measure.averaged(self.measure.compute(completed)).reshape(-1, len(pool.queries))

    @cached_property
    def _row(self) -> Integers:
        """Rows as NumPy's own integers: converting them would take as long as what they are for."""
        return self.rankings.row.astype(np.int64)


def turning_documents(two: SharedRankings, measure: Measure, open_rows: NDArray[np.integer]) -> list[Turning]:
    """Return which of these documents move the first run minus the second, the largest effect first."""
    row, effect = single_effects(two, measure)
    matters = np.isin(row, open_rows)
    row, effect = row[matters], effect[matters]
    return [
        Turning(two.query(int(row[k])), two.document(int(row[k])), float(effect[k]))
        for k in np.argsort(-np.abs(effect), kind="stable").tolist()
    ]


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
