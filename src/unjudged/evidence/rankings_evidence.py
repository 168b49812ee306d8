"""Evidence from judgments and runs: of each system alone, and of differences.

Which documents two systems share does not matter for each alone. There the judged documents are enough, so
runs are streamed and no unjudged document is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.evidence.contrast import Contrast, Ends, is_alone
from unjudged.evidence.value_bounds import bounds, check_bounded
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.permitted import ALL_JUDGED, Use, permitted
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import WITH_NONRELEVANT, below_pool

if TYPE_CHECKING:
    from unjudged.evidence.shared import SharedRankings
    from unjudged.evidence.tipping import CompletedTip, ExpectedTip

AT_ONCE = 1000
"""Rankings that are bounded at a time."""
EVERY = "every completion of the judgments"
"""Retrieved documents and unjudged documents of the pool; documents in neither are assumed nonrelevant."""
NOT_RETRIEVED = "documents that neither the pool nor the run has count as not relevant"
WITHOUT_ORDER = "expected values over all orders of tied documents have no bounds"
BOUNDING = Use("a range", WITH_NONRELEVANT, judgments=ALL_JUDGED, check=check_bounded, geometric=True)


def why_unbounded(measure: Measure, judgments: Judgments, *, expected: bool) -> str:
    """Say why nothing bounds this measure; nothing if bounds exist."""
    if expected:
        return WITHOUT_ORDER
    answer = permitted(measure, judgments, BOUNDING)
    return answer.reason.partition(";")[0] if isinstance(answer, Refusal) else ""


@dataclass(eq=False, repr=False)
class StreamedRankings:
    """Rankings of runs, of which the judged documents alone were kept.

    `to_depth` makes the rankings with documents below the pool's depth as nonrelevant.
    """

    judged_rankings: JudgedRankings
    runs: Sequence[str]
    to_depth: Callable[[], JudgedRankings]

    @classmethod
    def of(cls, rankings: JudgedRankings) -> StreamedRankings:
        """Return rankings of numbered runs."""
        runs = len(rankings) // len(rankings.judgments.queries)
        return cls(rankings, [f"run {i}" for i in range(runs)], lambda: rankings)

    @property
    def original(self) -> Judgments:
        """The judgments."""
        return self.judged_rankings.judgments

    @cached_property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        return self.original.pooled.query_names()

    def per_run(self, values: Any) -> Any:
        """Values of rankings as runs x queries."""
        return values.reshape(len(self.runs), -1)


def ends_of(
    measure: Measure, rankings: JudgedRankings, scores: Floats, extra_relevant: int = 0
) -> tuple[Ends, str]:
    """Return the ends of runs x queries in the unit that is averaged, and what they hold for."""
    low, high = np.empty(scores.shape), np.empty(scores.shape)
    exact, starts = True, [*range(0, scores.size, AT_ONCE), scores.size]
    for start, stop in pairwise(starts):
        found = bounds(measure, rankings.between(start, stop), extra_relevant=extra_relevant)
        low.flat[start:stop], high.flat[start:stop] = found.low, found.high
        exact = exact and found.exact
    low, high = np.minimum(measure.averaged(low), scores), np.maximum(measure.averaged(high), scores)
    assumed = "" if extra_relevant or not measure.traits.diluted else f"; {NOT_RETRIEVED}"
    return Ends(low, high), f"{EVERY}, {'exact' if exact else 'enclosed'}{assumed}"


@dataclass(eq=False, repr=False)
class RankingsEvidence:
    """Systems as runs, by one measure, under judgments; `depth` is the pool's, if it is known.

    `scores` are runs x queries in the unit that is averaged, and `orders` their ends over orders of tied
    documents, None where nothing is tied. Which documents systems share is not known where they were
    streamed, so there are no differences. Their ends take long for some measures: only if `bounded`.
    """

    shared: SharedRankings | StreamedRankings
    measure: Measure
    scores: Floats
    depth: int | None = None
    orders: Ends | None = None
    expected: bool = False
    """Whether scores are expected values over all orders of tied documents, which nothing bounds."""
    bounded: bool = True
    calibration: Callable[[], Any] | None = None
    unestimated: str = ""
    """Why it is not estimated from drawn documents, in words."""

    @classmethod
    def of(
        cls,
        shared: SharedRankings | StreamedRankings,
        measure: Measure,
        depth: int | None = None,
        **more: Any,
    ) -> RankingsEvidence:
        """Compute the scores of runs."""
        values = shared.per_run(measure.compute(shared.judged_rankings))
        return cls(shared, measure, measure.averaged(values), depth, **more)

    @property
    def systems(self) -> Sequence[str]:
        """Names of the runs."""
        return self.shared.runs

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        return list(self.shared.queries)

    @property
    def whole(self) -> SharedRankings:
        """The rankings with all of their documents; an error if those were streamed."""
        if isinstance(self.shared, StreamedRankings):
            raise UsageError("differences need the documents that systems share: use `compare`")
        return self.shared

    @cached_property
    def missing(self) -> str:
        """Why nothing bounds this measure, empty if bounds exist."""
        return why_unbounded(self.measure, self.shared.original, expected=self.expected)

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return these contrasts; without bounds, what judging could turn is not known either."""
        made = Contrast(
            *(self.measure, self.systems, self.queries, first, second, self.scores),
            orders=self.orders,
            calibration=self.calibration,
            missing=self.missing,
            unestimated=self.unestimated,
        )
        each, known = None, self.bounded and not self.missing
        if not is_alone(second):
            from unjudged.evidence.difference_bounds import DifferenceBounds

            between = DifferenceBounds(self.whole, self.measure, self.depth, self.scores)
            each = between.of(first, second, self.tip) if known else None
            made = replace(made, tips=self.tip if known else None)
        else:
            ends, holds = self._ranges if known else (None, "")
            each = None if ends is None else Ends(ends.low[first], ends.high[first])
            own = None if self.expected else self.shared.judged_rankings
            made = replace(made, rankings=own, holds=holds, facts=self._facts(first))
        if each is None:
            return made
        means = Ends(*map(mean_over_queries, each))
        return replace(made, ends=means, ends_by_query=each if by_query else None)

    def _facts(self, systems: Ints) -> Mapping[str, Any]:
        """Return how much of streamed systems' first ten documents is judged."""
        if not isinstance(self.shared, StreamedRankings):
            return {}
        found = MEASURES["Judged"](cutoff=10).compute(self.shared.judged_rankings)
        return {"judged_share": mean_over_queries(found.reshape(self.scores.shape))[systems]}

    @cached_property
    def _ranges(self) -> tuple[Ends, str]:
        """Lowest and highest score of each system on each query, and what they hold for."""
        if not isinstance(self.shared, StreamedRankings):
            from unjudged.evidence.difference_bounds import range_of_systems

            low, high = map(self.measure.averaged, range_of_systems(self.shared, self.measure, self.depth))
            return Ends(np.minimum(low, self.scores), np.maximum(high, self.scores)), ""
        rankings, below = self.shared.judged_rankings, ""
        if self.depth is not None:
            below = f"; {below_pool(self.depth)}"
            rankings = rankings if self.measure.traits.skips_unjudged else self.shared.to_depth()
        ends, holds = ends_of(self.measure, rankings, self.scores)
        return ends, holds + below

    def tip(self, ahead: Ints, behind: Ints) -> Any:
        """Return what judging could turn of these pairs."""
        from unjudged.evidence.tipping import tip_of

        made: ExpectedTip | CompletedTip
        made = tip_of(self.whole, self.measure, self.scores, ahead, behind, depth=self.depth)
        return made

    def unknown(self, framed: Mask, cutoff: float = inf) -> Mask:
        """Return rows that a run has within the cutoff, and that nobody judged or could have drawn.

        `framed` rows of the pool could be drawn.
        """
        from unjudged.evidence.tipping import is_open

        r = self.whole.rankings
        open_here = is_open(self.whole, r, self.depth) & ~framed[r.row] & (r.rank <= cutoff)
        found = np.zeros(len(framed), bool)
        found[r.row[open_here]] = True
        return found

    def takes_others_for_nonrelevant(self, framed: Mask) -> bool:
        """Whether documents that nobody could have drawn count as not relevant in estimates."""
        deepest = inf if self.measure.traits.diluted else self.measure.given.get("cutoff", inf)
        return bool(self.unknown(framed, deepest).any())

    def closed(self, framed: Mask, grade: NDArray[np.int32]) -> RankingsEvidence | None:
        """Return the rankings' evidence with these grades; the rest, unless unknown, is not relevant.

        None if nothing is unknown within the cutoff.
        """
        cutoff, depth, shared = self.measure.given.get("cutoff", inf), self.depth, self.whole
        unknown = self.unknown(framed, cutoff)
        if not unknown.any():
            return None
        grade = np.where((grade < 0) & ~unknown, np.int32(0), grade)
        pool, listed = shared.judgments.with_grades(grade), shared.original.grade.copy()
        own = shared.name < len(listed)
        listed[shared.name[own]] = grade[own]
        closed = replace(
            shared,
            judgments=pool,
            rankings=shared.rankings.relabelled(pool),
            original=replace(shared.original.with_grades(listed), frame=None),
        )
        scores = self.measure.averaged(closed.per_run(self.measure.compute(closed.rankings)))
        depth = depth if cutoff == inf else min(int(cutoff), depth or int(cutoff))
        return replace(self, shared=closed, scores=scores, depth=depth)
