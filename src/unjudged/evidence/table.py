"""Evidence from a table of scores that any tool computed, perhaps with the ends of each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unjudged.base.segments import Floats, Ints, Mask
from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import ALONE, Contrast, Ends
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure

UNKNOWN = "scores of a table do not say which documents were judged"
OF_GAPS = "missing values at their worst"
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
        alone = bool(len(second)) and int(second[0]) == ALONE
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

    def _tip(self, scores: Floats, ends: Ends, ahead: Ints, behind: Ints) -> StraightTip:
        judged, lacking = scores[ahead] - scores[behind], self._lacking
        worst = np.minimum(ends.low[ahead] - ends.high[behind], judged)
        if lacking is not None:
            highest = np.where(lacking[ahead], ends.high[ahead], ends.low[ahead])
            lowest = np.where(lacking[behind], ends.low[behind], ends.high[behind])
            worst = least_sure(worst, np.maximum(highest - lowest, worst))
        return StraightTip(judged, worst, np.ones(len(ahead)))


def least_sure(low: Floats, high: Floats) -> Floats:
    """Return differences between these ends, pairs x queries, on which a t test of a lead is hardly surer.

    Student's t grows with S / sqrt(SS), for the sum S and the sum of squares SS. Where S is above 0 it is
    least at ends. For each c those which make S - c SS least are tried: the high ones where low + high is
    above 1 / c. Where S may be 0 or less, the lowest are taken.
    """
    order = np.argsort(np.where(low < high, -low - high, np.inf), axis=1)
    least, most = (np.take_along_axis(end, order, axis=1) for end in (low, high))
    total = low.sum(axis=1, keepdims=True) + np.cumsum(most - least, axis=1)
    squares = (low**2).sum(axis=1, keepdims=True) + np.cumsum(most**2 - least**2, axis=1)
    first = low.sum(axis=1), (low**2).sum(axis=1)
    surety = np.divide(total**2, squares, out=np.full(low.shape, np.inf), where=squares > 0)
    place = surety.argmin(axis=1)
    less = (first[0] > 0) & (surety.min(axis=1) * first[1] < first[0] ** 2)
    raised = less[:, None] & (np.arange(low.shape[1]) <= place[:, None])
    chosen = np.empty_like(low)
    np.put_along_axis(chosen, order, np.where(raised, most, least), axis=1)
    return chosen


@dataclass(frozen=True, eq=False)
class StraightTip:
    """Differences along a straight line from as judged to the worst case, which is all that is known."""

    drawn: ClassVar[bool] = False

    judged: Floats
    worst: Floats
    seen: Floats

    def at(self, share: Floats) -> Floats:
        """Return the differences at a share per pair."""
        return self.judged + share[:, None] * (self.worst - self.judged)

    def at_worst(self) -> Floats:
        """Return the differences in the worst case."""
        return self.worst

    def only(self, pairs: Ints) -> StraightTip:
        """Return the same for some of the pairs."""
        return StraightTip(self.judged[pairs], self.worst[pairs], self.seen[pairs])

    def over(self, queries: Mask) -> StraightTip:
        """Return the same on some of the queries."""
        return replace(self, judged=self.judged[:, queries], worst=self.worst[:, queries])
