"""Evidence from judgments and runs, and what if some unjudged documents were relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered, places, sums
from unjudged.evidence.bounds.difference_bounds import DifferenceBounds, range_of_systems
from unjudged.evidence.bounds.filled import anonymous
from unjudged.evidence.completions import Batched, Grades, cutoff_of, needs_relevant_alone
from unjudged.evidence.contrast import ALONE, Contrast, Ends, Ints, Turning
from unjudged.evidence.runs_alone import why_unbounded
from unjudged.evidence.shared import SharedRankings, selected_runs, two_of
from unjudged.evidence.tipping import CompletedTip, ExpectedTip, is_open, tip_of
from unjudged.evidence.unjudged_sums import is_sum
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask


@dataclass(frozen=True, eq=False)
class RankingsEvidence:
    """Systems as runs, by one measure, under judgments; `depth` is that of the pool, if it is known.

    `scores` are runs x queries in the unit that is averaged, and `orders` their ends over orders of tied
    documents, None where nothing is tied.
    """

    shared: SharedRankings
    measure: Measure
    scores: Floats
    depth: int | None = None
    orders: Ends | None = None
    expected: bool = False
    """Whether scores are expected values over all orders of tied documents, which nothing bounds."""
    seen: Mask | None = None
    """Queries of which a sample of judgments says anything; None for all."""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> Sequence[str]:
        """Names of the runs."""
        return self.shared.runs

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        return list(self.shared.queries)

    @cached_property
    def missing(self) -> str:
        """Why nothing bounds this measure, empty if bounds exist."""
        return why_unbounded(self.measure, self.shared.original, expected=self.expected)

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return these contrasts; without bounds, what judging could turn is not known either."""
        alone = bool(len(second)) and int(second[0]) == ALONE
        each = None
        if not self.missing:
            between = DifferenceBounds(self.shared, self.measure, self.depth, self.scores)
            each = self._ranges if alone else between.of(first, second, self._tip)
        if each is not None and alone:
            each = Ends(each.low[first], each.high[first])
        made = Contrast(
            self.measure,
            self.systems,
            self.queries,
            first,
            second,
            self.scores,
            ends=None if each is None else Ends(*map(mean_over_queries, each)),
            ends_by_query=each if by_query else None,
            tips=None if self.missing or alone else self._tip,
            orders=self.orders,
            rankings=self.shared.judged_rankings if alone and not self.expected else None,
            turning=None if self.missing or alone else lambda: self._turning(int(first[0]), int(second[0])),
            facts=self.facts,
            missing=self.missing,
        )
        return made if self.seen is None else replace(made.over(self.seen), seen=self.seen)

    @cached_property
    def _ranges(self) -> Ends:
        low, high = range_of_systems(self.shared, self.measure, self.depth)
        low, high = map(self.measure.averaged, (low, high))
        return Ends(np.minimum(low, self.scores), np.maximum(high, self.scores))

    def _turning(self, first: int, second: int) -> list[Turning]:
        two = two_of(self.shared, first, second)
        open_rows = two.rankings.row[is_open(two, two.rankings, self.depth)]
        return turning_documents(two, self.measure, open_rows)

    def _tip(self, ahead: Ints, behind: Ints) -> Any:
        made: ExpectedTip | CompletedTip
        made = tip_of(self.shared, self.measure, self.scores, ahead, behind, depth=self.depth)
        return made


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
