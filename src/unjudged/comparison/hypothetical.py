"""Values of rankings when chosen unjudged documents turn out relevant and all the others nonrelevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered, places
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.uncertainty.bounding.filled import anonymous
from unjudged.uncertainty.shared import SharedRankings, selected_runs


@dataclass(frozen=True, eq=False)
class Hypothetical:
    """Rankings without the documents that cannot matter to a measure, ready for any choice of documents."""

    measure: Measure
    rankings: JudgedRankings
    origin: Integers
    """The row of each row in the rankings that these were made from."""
    top: int
    """The grade of the chosen documents: the highest of the scale."""
    sparse: bool
    """The measure needs only the documents that are relevant in the completion."""
    diluting: Integers
    """Rows of unjudged documents that no run retrieves above the cutoff: relevant, they lower every value."""

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
            return cls(measure, r, np.arange(len(pool.grade)), top, sparse, np.zeros(0, np.int64))
        cutoff = measure.given.get("cutoff", inf) if measure.traits.at == "cutoff" else inf
        matters = pool.grade > 0
        matters[r.row[(r.labels < 0) & (r.rank <= cutoff)]] = True
        diluting = np.flatnonzero(~matters & (pool.grade < 0))
        if traits.diluted:
            counts = np.bincount(pool.query[diluting], minlength=len(pool.queries))
            diluting = diluting[places(counts) <= cutoff]
            matters[diluting] = True
        origin = np.flatnonzero(matters)
        row = numbered(origin, len(matters))
        kept = anonymous(np.searchsorted(origin, pool.offsets), pool.grade[origin])
        diluting = row[diluting[matters[diluting]]]
        return cls(measure, r.where(r.rank <= cutoff).moved(kept, row), origin, top, sparse, diluting)

    def only(self, runs: Sequence[int]) -> Hypothetical:
        """Return the same for some of the runs, in this order."""
        return replace(self, rankings=selected_runs(self.rankings, runs))

    def values(self, row: NDArray[np.integer], runs: int | None = None) -> Floats:
        """Runs x queries: the values when the documents of these rows have the highest grade.

        With `runs`, only of so many runs from the first on.
        """
        r, pool = self.rankings, self.rankings.judgments
        queries = len(pool.queries)
        grade = np.maximum(pool.grade, 0)
        grade[row] = self.top
        stop = len(r) if runs is None else runs * queries
        end = int(r.offsets[stop])
        element = np.flatnonzero((grade > 0)[self._row[:end]]) if self.sparse else np.arange(end)
        completed = JudgedRankings(
            judgments=pool.with_grades(grade),
            rank=r.rank[element],
            row=r.row[element],
            offsets=np.searchsorted(element, r.offsets[: stop + 1]),
            retrieved=r.retrieved[:stop],
            query=r.query[:stop],
        )
        return self.measure.compute(completed).reshape(-1, queries)

    @cached_property
    def _row(self) -> Integers:
        """Rows as NumPy's own integers: converting them would take as long as what they are for."""
        return self.rankings.row.astype(np.int64)
