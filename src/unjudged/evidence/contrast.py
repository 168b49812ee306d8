"""Contrasts: one system, or one minus another, on every query by one measure, with what is unknown about it.

A source of evidence makes contrasts. Everything after it sees only contrasts, and asks no source what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import JudgedRankings

if TYPE_CHECKING:
    from unjudged.evidence.clusters import Clusters

ALONE = -1
"""The second system of a contrast that has none."""


class Ends(NamedTuple):
    """Lowest and highest value that judging could make of each of some numbers."""

    low: Floats
    high: Floats


class Tip(Protocol):
    """What unjudged documents that favour `behind[k]` would make of `ahead[k]` minus `behind[k]`.

    `seen` is the share of relevant documents among the judged ones that favour the system behind: what may
    be expected of the unjudged ones, for each pair. `drawn` says that random completions stand for all.
    """

    drawn: ClassVar[bool]

    @property
    def seen(self) -> Floats:
        """Share seen of each pair."""
        ...

    def at(self, share: Floats) -> Floats:
        """Return pairs x queries: expected differences if such a share of these documents is relevant.

        There is a share per pair. None of the documents that favour the system ahead is relevant then.
        """
        ...

    def at_worst(self) -> Floats:
        """Return the differences if all of these documents are relevant."""
        ...

    def only(self, pairs: Ints) -> Tip:
        """Return the same for some of the pairs."""
        ...

    def over(self, queries: Mask) -> Tip:
        """Return the same on some of the queries; what was seen is of all of them."""
        ...


class Evidence(Protocol):
    """Systems by one measure: all that a source provides."""

    @property
    def measure(self) -> Measure:
        """The measure."""
        ...

    @property
    def systems(self) -> Sequence[str]:
        """Names of the systems."""
        ...

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        ...

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return system `first[k]` minus `second[k]`, or the system alone where the second is `ALONE`.

        `by_query` asks for the ends on each query too.
        """
        ...


Tips = Callable[[Ints, Ints], Tip]
"""Makes a `Tip` of directed pairs: systems ahead, and systems behind."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """K contrasts on q queries.

    `scores` has systems x queries in the unit that is averaged (logarithms for a geometric mean), signed so
    that higher is better. `ends` are of the k means, `ends_by_query` of each query; None where
    nothing bounds them. `tips` makes what judging could turn; None where that is not known. `orders` has the
    lowest and highest scores over orders of tied documents, None where nothing is tied. `error` is the
    standard error of each estimated mean over what people might have drawn, NaN where there is no estimate,
    `labels` is how many labels it rests on, `reach` how many standard errors an interval reaches down and up,
    `slack` (k x 2) what documents that could not be drawn may change of it, and `possible` the lowest and
    highest mean of each system. `surrogate` has the predicted scores of these queries and of further ones.
    `rankings` are the judged ones of the systems, and `calibration` finds how far off scores are for groups
    that were not pooled. `facts` are columns of registered fields that only this source knows.
    """

    measure: Measure
    systems: Sequence[str]
    queries: Sequence[str]
    first: Ints
    second: Ints
    scores: Floats
    ends: Ends | None = None
    ends_by_query: Ends | None = None
    tips: Tips | None = None
    orders: Ends | None = None
    error: Floats | None = None
    labels: Floats | None = None
    reach: Callable[[float], tuple[Floats, Floats]] | None = None
    slack: Floats | None = None
    possible: Ends | None = None
    surrogate: tuple[Floats, Floats] | None = None
    rankings: JudgedRankings | None = None
    calibration: Callable[[], Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    gaps: bool = False
    """Whether the ends are of values that a table lacks: nothing is known of what judging could change."""
    missing: str = ""
    """Why nothing bounds the means, in words."""
    unestimated: str = ""
    """Why the means are not estimated from drawn documents, in words."""
    holds: str = ""
    """What the ends hold for, in words."""
    seen: Mask | None = None
    """Which queries of the source these are; None for all of them."""
    clusters: Clusters | None = None
    """Queries that are not independent of each other; None if all are."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def paired(self) -> bool:
        """Whether these are differences."""
        return bool(len(self.second)) and int(self.second[0]) != ALONE

    @property
    def known(self) -> Mask:
        """Of which contrasts it is known what judging, or missing values, could change."""
        if self.ends is None or not self.gaps:
            return np.full(len(self), self.tips is not None or self.ends is not None)
        return np.asarray(self.ends.low < self.ends.high)

    @property
    def values(self) -> Floats:
        """Return k x q: what each contrast is on every query."""
        own = self.scores[self.first]
        return own - self.scores[self.second] if self.paired else own

    def places(self, queries: Mask) -> Mask:
        """Return which of the queries here are these ones of the source."""
        return queries if self.seen is None else queries[self.seen]

    def over(self, queries: Mask) -> Contrast:
        """Return the same on some queries of the source; facts of whole collections are not known of them."""
        queries, ends = self.places(queries), self.ends_by_query
        if queries.all():
            return self
        if not queries.any():
            raise UsageError(f"{self.measure} is not known of any query of a segment: join it with another")
        own = None if ends is None else Ends(ends.low[:, queries], ends.high[:, queries])
        means = None if own is None else Ends(mean_over_queries(own.low), mean_over_queries(own.high))
        tips, orders = self.tips, self.orders
        return replace(
            self,
            queries=[name for name, kept in zip(self.queries, queries, strict=True) if kept],
            scores=self.scores[:, queries],
            ends=means,
            ends_by_query=own,
            tips=None if tips is None else lambda ahead, behind: tips(ahead, behind).over(queries),
            orders=None if orders is None else Ends(orders.low[:, queries], orders.high[:, queries]),
            error=None,
            labels=None,
            reach=None,
            slack=None,
            possible=None if self.paired or self.error is None else means,
            surrogate=None,
            rankings=None if self.rankings is None else self.rankings.of_queries(queries),
            facts={},
            seen=None,
            clusters=None if self.clusters is None else self.clusters.over(queries),
        )


@dataclass(frozen=True, eq=False)
class ByCluster:
    """Evidence of any source, whose queries are in clusters."""

    source: Evidence
    clusters: Clusters

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.source.measure

    @property
    def systems(self) -> Sequence[str]:
        """Names of the systems."""
        return self.source.systems

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        return self.source.queries

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return the contrast of the source, with the clusters of its queries."""
        made = self.source.contrast(first, second, by_query=by_query)
        clusters = self.clusters if made.seen is None else self.clusters.over(made.seen)
        return replace(made, clusters=clusters)
