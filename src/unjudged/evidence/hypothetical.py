"""What if some unjudged documents were relevant: scores with chosen documents, or with one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered, places, sums
from unjudged.evidence.bounds.filled import anonymous
from unjudged.evidence.completions import Batched, Grades, cutoff_of, needs_relevant_alone
from unjudged.evidence.contrast import Turning
from unjudged.evidence.shared import SharedRankings, selected_runs
from unjudged.evidence.unjudged_sums import is_sum
from unjudged.measures.kernel.measure import ROUNDING
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings


@dataclass(frozen=True, eq=False)
class Hypothetical:
    """Rankings without the documents that cannot matter to a measure, ready for any choice of documents."""

    batched: Batched
    origin: Integers
    """The row of each row in the rankings that these were made from."""
    top: int
    """The grade that a chosen document gets, the highest of the scale."""

    @classmethod
    def of(cls, shared: SharedRankings, measure: Measure) -> Hypothetical:
        """Where only relevant documents count, nonrelevant ones and those below a cutoff are left out."""
        r, pool, top = shared.rankings, shared.judgments, measure.max_grade(shared.judgments)
        sparse, origin = needs_relevant_alone(measure, r), np.arange(len(pool.grade))
        if sparse:
            reached, matters = r.rank <= cutoff_of(measure), pool.grade > 0
            matters[r.row[(r.labels < 0) & reached]] = True
            origin = np.flatnonzero(matters)
            pool = anonymous(np.searchsorted(origin, pool.offsets), pool.grade[origin])
            r = r.where(reached).moved(pool, numbered(origin, len(matters)))
        return cls(Batched(measure, r, np.flatnonzero(pool.grade < 0), sparse), origin, top)

    @property
    def rankings(self) -> JudgedRankings:
        """Rankings as judged."""
        return self.batched.rankings

    def only(self, runs: Sequence[int]) -> Hypothetical:
        """Return the same for some of the runs, in this order."""
        return replace(self, batched=replace(self.batched, rankings=selected_runs(self.rankings, runs)))

    def values(self, row: NDArray[np.integer]) -> Floats:
        """Runs x queries: what is averaged when the documents of these rows have the highest grade."""
        found: Floats = self.completed(np.zeros(len(row), np.int64), np.sort(row), 1)[0]
        return found

    def completed(
        self, completion: Integers, row: NDArray[np.integer], size: int, *, partial: bool = False
    ) -> Floats:
        """Completions x runs x queries: the same, of several choices; with `partial` others stay unjudged."""
        batched = replace(self.batched, partial=True) if partial else self.batched
        grade = np.full(len(row), self.top, np.int32)
        given = Grades(completion, np.searchsorted(batched.row, row), grade, size)
        shape = size, -1, len(self.rankings.judgments.queries)
        return np.asarray(batched.measure.averaged(batched.values(given)).reshape(shape))


def turning_documents(two: SharedRankings, measure: Measure, open_rows: NDArray[np.integer]) -> list[Turning]:
    """Return which of these documents move the first run minus the second, the largest effect first."""
    effect = np.zeros(len(two.judgments.grade))
    effect[open_rows] = single_effects(two, measure)[open_rows]
    order = np.argsort(-np.abs(effect), kind="stable")[: np.count_nonzero(effect)]
    return [Turning(two.query(row), two.document(row), float(effect[row])) for row in order.tolist()]


def single_effects(two: SharedRankings, measure: Measure) -> Floats:
    """Return what the unjudged document of each row, alone, would add to the mean difference.

    For sums over relevant documents it is w_a - w_b. For other measures each document that a run retrieves
    above the cutoff is tried, one per query at a time, since queries do not depend on one another.
    """
    if is_sum(measure):
        run, row, weight = two.unknown_weights(measure)
        return sums(np.where(run == 0, weight, -weight), row, len(two.judgments.grade))
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
    return effect
