"""Contrasts: one system, or one minus another, on every query by one measure, with what is unknown about it.

A source of evidence makes contrasts. Everything after it sees only contrasts, and asks no source what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import JudgedRankings


@dataclass(eq=False, repr=False)
class Clusters:
    """Which cluster each query is in; `number` is from 0.

    Queries of one session, or made from one document, are not independent. Means stay means over queries;
    only what is said of other queries goes by cluster. Of n queries let cluster g have the share w_g, and let
    S_g be the sum of its deviations from the mean. The variance of the mean is CR2's, the sum of
    S_g^2 / (1 - w_g) / n^2 (Bell and McCaffrey, 2002). Its degrees of freedom are Satterthwaite's,

        1 / (sum of w_g^2 + (sum of a_g)^2 - sum of a_g^2) with a_g = w_g^2 / (1 - w_g),

    as if queries were alike (Pustejovsky and Tipton, 2018). With one query per cluster they are n - 1.

    >>> clusters = Clusters.of(["a", "a", "b", "c", "c", "c"])
    >>> len(clusters), round(clusters.worth, 4)
    (3, 2.6667)
    """

    number: NDArray[np.intp]

    @classmethod
    def of(cls, names: Sequence[object]) -> Clusters | None:
        """Return the clusters with these names; None if each has one query, which then is independent."""
        numbers = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return None if len(numbers) == len(names) else cls(np.array([numbers[name] for name in names]))

    def __len__(self) -> int:
        return len(self.share)

    @cached_property
    def share(self) -> Floats:
        """Share of the queries that each cluster has."""
        return np.asarray(np.bincount(self.number) / len(self.number), float)

    @cached_property
    def worth(self) -> float:
        """How many independent queries are worth as much: one more than the degrees of freedom."""
        if len(self) < 2:
            return 1.0
        over = self.share**2 / (1 - self.share)
        return float(1 + 1 / ((self.share**2).sum() + over.sum() ** 2 - (over**2).sum()))

    def sums(self, values: Floats) -> Floats:
        """Return the sum of each row over the queries of each cluster."""
        order = np.argsort(self.number, kind="stable")
        first = np.searchsorted(self.number[order], np.arange(len(self)))
        return np.asarray(np.add.reduceat(values[..., order], first, axis=-1), float)

    def variance(self, gaps: Floats) -> Floats:
        """Return the variance of the mean of each row, from its deviations from that mean."""
        if len(self) < 2:
            return np.zeros(len(gaps))
        parts = self.sums(gaps) / len(self.number)
        return np.asarray((parts**2 / (1 - self.share)).sum(axis=-1), float)

    def over(self, queries: Mask) -> Clusters | None:
        """Return the same on some of the queries."""
        return Clusters.of(self.number[queries].tolist())


def independent(queries: int, clusters: Clusters | None) -> int:
    """Return how many independent parts there are: clusters, or else queries."""
    return queries if clusters is None else len(clusters)


ALONE = -1
"""The second system of a contrast that has none."""


def is_alone(second: Ints) -> bool:
    """Whether contrasts with these second systems are of single systems."""
    return not len(second) or int(second[0]) == ALONE


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


@dataclass(eq=False, repr=False)
class Contrast:
    """K contrasts on q queries.

    `scores` has systems x queries in the unit that is averaged (logarithms for a geometric mean), signed so
    that higher is better. `ends` are of the k means, `ends_by_query` of each query; None where
    nothing bounds them. `tips` makes what judging could turn; None where that is not known. `orders` has the
    lowest and highest scores over orders of tied documents, None where nothing is tied. `error` is the
    standard error of each estimated mean over what people might have drawn, NaN where there is no estimate,
    `labels` is how many labels it rests on, and `reach` how many standard errors an interval reaches down and
    up. `surrogate` has the predicted scores of these queries and of further ones. `rankings` are the judged
    ones of the systems, and `calibration` finds how far off scores are for groups that were not pooled.
    `facts` are columns of registered fields that only this source knows.
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
        return not is_alone(self.second)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of queries, and of their clusters if they are in some."""
        queries, clusters = self.scores.shape[1], self.clusters
        return {"queries": queries} if clusters is None else {"queries": queries, "clusters": len(clusters)}

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
        tips, orders, scores = self.tips, self.orders, self.scores[:, queries]
        if means is not None and self.error is not None and not self.paired:
            scores = scores.copy()
            scores[self.first] = moved_inside(scores[self.first], means)
        return replace(
            self,
            queries=[name for name, kept in zip(self.queries, queries, strict=True) if kept],
            scores=scores,
            ends=means,
            ends_by_query=own,
            tips=None if tips is None else lambda ahead, behind: tips(ahead, behind).over(queries),
            orders=None if orders is None else Ends(orders.low[:, queries], orders.high[:, queries]),
            error=None,
            labels=None,
            reach=None,
            surrogate=None,
            rankings=None if self.rankings is None else self.rankings.of_queries(queries),
            facts={},
            seen=None,
            clusters=None if self.clusters is None else self.clusters.over(queries),
        )


def alone(evidence: Evidence, *, by_query: bool = False) -> Contrast:
    """Return the contrasts that are each system alone."""
    systems = np.arange(len(evidence.systems))
    return evidence.contrast(systems, np.full(len(systems), ALONE), by_query=by_query)


def in_own_direction(sign: int, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the ends in the direction of the measure."""
    return (low, high) if sign > 0 else (-high, -low)


@dataclass(eq=False, repr=False)
class Further:
    """What is added to `plain` evidence of the same systems, by the same measure."""

    plain: Any

    @property
    def measure(self) -> Measure:
        """The measure."""
        measure: Measure = self.plain.measure
        return measure

    @property
    def systems(self) -> Sequence[str]:
        """Names of the systems."""
        systems: Sequence[str] = self.plain.systems
        return systems

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        queries: Sequence[str] = self.plain.queries
        return queries

    @cached_property
    def possible(self) -> Ends:
        """Lowest and highest mean of each system."""
        every = np.arange(len(self.systems))
        ends: Ends | None = self.plain.contrast(every, np.full(len(every), ALONE)).ends
        low, high = self.measure.range
        return Ends(np.full(len(every), low), np.full(len(every), high)) if ends is None else ends


@dataclass(eq=False, repr=False)
class ByCluster(Further):
    """Evidence of any source, whose queries are in clusters."""

    plain: Evidence
    clusters: Clusters

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return the plain contrast, with the clusters of its queries."""
        made = self.plain.contrast(first, second, by_query=by_query)
        clusters = self.clusters if made.seen is None else self.clusters.over(made.seen)
        return replace(made, clusters=clusters)


def moved_inside(scores: Floats, ends: Ends) -> Floats:
    """Return estimates by query, moved alike on all queries of a system until their mean is possible.

    A mean that is estimated without bias may lie outside its ends. The nearest end is closer to the truth,
    whatever that is. Differences are of moved scores too, so that they are differences of the means.

    >>> moved_inside(np.array([[0.5, 0.9], [0.2, 0.4]]), Ends(np.zeros(2), np.full(2, 0.6))).tolist()
    [[0.4, 0.8], [0.2, 0.4]]
    """
    means = mean_over_queries(scores)
    moved = np.clip(means, *ends) - means
    return np.asarray(np.where(moved[:, None] == 0, scores, scores + moved[:, None]))


def ends_of_estimates(
    contrast: Contrast, values: Floats, confidence: float, limits: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return the ends of estimates from a sample, inside the limits and what is known to be possible."""
    least, most = limits if contrast.ends is None else contrast.ends
    assert contrast.reach is not None  # noqa: S101 (estimates have one)
    down, up = contrast.reach(confidence)
    error, middle = np.asarray(contrast.error), np.clip(values, least, most)
    low = np.maximum(middle - down * error, least)
    high = np.minimum(middle + up * error, most)
    return np.minimum(low, values), np.maximum(high, values)
