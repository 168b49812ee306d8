"""Evidence from judgments and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from unjudged.base.segments import Floats, Ints
from unjudged.evidence.bounds.difference_bounds import DifferenceBounds, range_of_systems
from unjudged.evidence.contrast import ALONE, Contrast, Ends
from unjudged.evidence.runs_alone import why_unbounded
from unjudged.evidence.shared import SharedRankings
from unjudged.evidence.tipping import CompletedTip, ExpectedTip, tip_of
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure


@dataclass(frozen=True, eq=False)
class RankingsEvidence:
    """Systems as runs, by one measure, under judgments; `depth` is the pool's, if it is known.

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
    unestimated: str = ""
    """Why it is not estimated from drawn documents, in words."""
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
        return Contrast(
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
            facts=self.facts,
            missing=self.missing,
            unestimated=self.unestimated,
        )

    @cached_property
    def _ranges(self) -> Ends:
        low, high = range_of_systems(self.shared, self.measure, self.depth)
        low, high = map(self.measure.averaged, (low, high))
        return Ends(np.minimum(low, self.scores), np.maximum(high, self.scores))

    def _tip(self, ahead: Ints, behind: Ints) -> Any:
        made: ExpectedTip | CompletedTip
        made = tip_of(self.shared, self.measure, self.scores, ahead, behind, depth=self.depth)
        return made
