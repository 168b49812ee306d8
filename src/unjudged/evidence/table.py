"""Evidence from a table of scores that any tool computed, perhaps with the ends of each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from unjudged.base.segments import Floats, Ints, Mask
from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import Contrast, Ends, is_alone
from unjudged.evidence.mean_intervals import shape_of
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure

if TYPE_CHECKING:
    from unjudged.evidence.tipping import ExpectedTip

UNKNOWN = "scores of a table do not say which documents were judged"
OF_GAPS = "missing values at their worst"
FEW_GAPS = 8
"""Up to so many gaps of a pair all completions by ends are tried."""
HUGE = 1e50
"""As sure as a test can be."""
OF_OTHERS = "bounds of a table do not know what other systems found; give runs and judgments"


@dataclass(frozen=True, eq=False)
class TableEvidence:
    """Systems of a table by one of its measures.

    Documents that two systems share count for each of them, so ends of differences are wider than from runs
    and judgments. Relevant documents of one system lower AP, recall and nDCG of the other, which ends of each
    alone do not know: such measures have none.
    """

    table: Scores
    place: int

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.table.measures[self.place]

    @property
    def systems(self) -> Sequence[str]:
        """Names of the systems."""
        return self.table.runs

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        return self.table.queries

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return these contrasts; what judging could turn is known from the ends alone."""
        measure = self.measure
        alone = is_alone(second)
        made = Contrast(
            measure,
            self.systems,
            self.queries,
            first,
            second,
            self._signed(self.table.values[:, :, self.place]),
        )
        ends, missing = self._ends(made.scores, of_others=not alone and not measure.traits.pointwise)
        made = replace(made, missing=missing)
        if ends is None:
            return made
        low, high = ends
        each = Ends(low[first], high[first])
        if not alone:
            each = Ends(low[first] - high[second], high[first] - low[second])
            each = Ends(np.minimum(each.low, made.values), np.maximum(each.high, made.values))
        return replace(
            made,
            ends=Ends(*map(mean_over_queries, each)),
            ends_by_query=each if by_query else None,
            tips=None if alone else lambda ahead, behind: self._tip(made.scores, ends, ahead, behind),
            gaps=bool(missing),
            holds=OF_GAPS if missing else "",
        )

    def _signed(self, values: Floats) -> Floats:
        """Return values in the unit that is averaged, higher ones better."""
        return self.measure.sign * self.measure.averaged(np.ascontiguousarray(values))

    @property
    def _lacking(self) -> Mask | None:
        """Which values a table lacks, None if it has all."""
        gaps = None if self.table.gaps is None else self.table.gaps[:, :, self.place]
        return None if gaps is None or not gaps.any() else gaps

    def _ends(self, scores: Floats, *, of_others: bool) -> tuple[Ends | None, str]:
        """Return the ends of every value, and why values of the table have none.

        `of_others` if what other systems found may change them.
        """
        if self.table.ends is None:
            return None, UNKNOWN
        low, high = (self._signed(end[:, :, self.place]) for end in self.table.ends)
        low, high = np.minimum(low, high), np.maximum(low, high)
        known, lacking = bool(np.isfinite(low).all() and np.isfinite(high).all()), self._lacking
        if known and not of_others:
            return Ends(low, high), ""
        missing = OF_OTHERS if known else UNKNOWN
        if lacking is None:
            return None, missing
        return Ends(np.where(lacking, low, scores), np.where(lacking, high, scores)), missing

    def _tip(self, scores: Floats, ends: Ends, ahead: Ints, behind: Ints) -> ExpectedTip:
        """Return a straight line from as judged to the worst case, which is all that is known."""
        from unjudged.evidence.tipping import ExpectedTip

        judged, lacking = scores[ahead] - scores[behind], self._lacking
        worst = np.minimum(ends.low[ahead] - ends.high[behind], judged)
        if lacking is not None:
            highest = np.where(lacking[ahead], ends.high[ahead], ends.low[ahead])
            lowest = np.where(lacking[behind], ends.low[behind], ends.high[behind])
            worst = least_sure(worst, np.maximum(highest - lowest, worst))
        return ExpectedTip(
            judged, np.zeros(judged.shape), worst - judged, None, None, lambda: np.ones(len(ahead))
        )


def least_sure(low: Floats, high: Floats) -> Floats:
    """Return differences between these ends, pairs x queries, of which a careful test is least sure.

    The smaller of Student's t and Hall's is computed where each difference that is not known has one of its
    ends. Up to `FEW_GAPS` of them all such completions are tried. Of more, the highest or the lowest are
    raised first, and then one end is changed after another as long as t falls. Where the mean may be 0 or
    less, the lowest differences are taken.
    """
    chosen = low.copy()
    for pair in np.flatnonzero((low < high).any(axis=1) & (low.sum(axis=1) > 0)).tolist():
        ends, gaps = np.stack([low[pair], high[pair]]), np.flatnonzero(low[pair] < high[pair])
        count = len(gaps)
        if count <= FEW_GAPS:
            raised = (np.arange(1 << count)[:, None] >> np.arange(count)) % 2
            chosen[pair] = _least(ends, gaps, raised)[0]
            continue
        best = inf
        first = np.argsort(-ends[:, gaps].sum(axis=0), kind="stable")
        for order in (first, first[::-1]):
            some = np.tri(count + 1, count, -1, dtype=np.intp)[:, np.argsort(order)]
            values, least, now = _least(ends, gaps, some)
            while least < best:
                chosen[pair], best = values, least
                values, least, now = _least(ends, gaps, now ^ np.eye(count, dtype=np.intp))
    return chosen


def _least(ends: Floats, gaps: Ints, raised: Ints) -> tuple[Floats, float, Ints]:
    """Return the completion with the smallest t, of completions x gaps that say what is raised; and t."""
    values = np.tile(ends[0], (len(raised), 1))
    values[:, gaps] = ends[raised, gaps]
    mean, deviation, bend, n = shape_of(values)
    t = np.divide(np.sqrt(n) * mean, deviation, out=np.full(len(values), HUGE), where=deviation > 0)
    least = np.minimum(t, t + bend * t**2 + bend**2 * t**3 / 3 + bend / 2)
    k = int(least.argmin())
    return values[k], float(least[k]), raised[k]
