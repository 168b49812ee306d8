"""Evidence from a table of scores that any tool computed, perhaps with the ends of each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import ALONE, Contrast, Ends, Ints
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Mask

UNKNOWN = "scores of a table do not say which documents were judged"
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
            missing=UNKNOWN,
        )
        ends = self._ends()
        if ends is None:
            return made
        if not alone and not measure.traits.pointwise:
            return replace(made, missing=OF_OTHERS)
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
            missing="",
        )

    def _signed(self, values: Floats) -> Floats:
        return self.measure.sign * self.measure.averaged(np.ascontiguousarray(values))

    def _ends(self) -> Ends | None:
        if self.table.ends is None:
            return None
        low, high = (self._signed(end[:, :, self.place]) for end in self.table.ends)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            return None
        return Ends(np.minimum(low, high), np.maximum(low, high))

    @staticmethod
    def _tip(scores: Floats, ends: Ends, ahead: Ints, behind: Ints) -> StraightTip:
        worst = ends.low[ahead] - ends.high[behind]
        return StraightTip(scores[ahead] - scores[behind], worst, np.ones(len(ahead)))


@dataclass(frozen=True, eq=False)
class StraightTip:
    """Differences along a straight line from as judged to the worst case, which is all that is known."""

    drawn: ClassVar[bool] = False

    judged: Floats
    worst: Floats
    seen: Floats

    def at(self, share: Floats) -> Floats:
        """Return the differences at a share per pair."""
        return self.judged + share[:, None] * (np.minimum(self.worst, self.judged) - self.judged)

    def at_worst(self) -> Floats:
        """Return the differences in the worst case."""
        return np.minimum(self.worst, self.judged)

    def only(self, pairs: Ints) -> StraightTip:
        """Return the same for some of the pairs."""
        return StraightTip(self.judged[pairs], self.worst[pairs], self.seen[pairs])

    def over(self, queries: Mask) -> StraightTip:
        """Return the same on some of the queries."""
        return replace(self, judged=self.judged[:, queries], worst=self.worst[:, queries])
