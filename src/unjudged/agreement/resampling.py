"""Intervals of coefficients of agreement, for other sets of as many queries.

The order of systems jumps where two of them are close, so the queries of leaderboards are drawn again. Grades
of documents are summed over queries: coefficients of sums are smooth, and each query is left out in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import check_confidence, checked_int
from unjudged.measures.kernel.estimand import OTHER, Estimand
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import t_quantile, within

DRAWS = 1000
BLOCK = 1 << 22
"""Weights, or counts without a query, that are in memory at once."""
LEAST_DEFINED = 0.9
"""Where fewer sets of queries than this share have a value, there is no interval."""


class QueryDraws:
    """Draws of as many queries as there are, with replacement, and the intervals that follow from them.

    The interval is value +- t_{n-1} sqrt(n / (n - 1)) times the standard deviation over the draws. It is of
    the mean value over other sets of as many queries. A limit for infinitely many queries is another
    quantity: systems that differ by less than the noise of n queries lower the agreement of any n.
    """

    def __init__(self, queries: int, *, confidence: float, draws: int = DRAWS, seed: int = 0) -> None:
        check_confidence(confidence)
        self.queries, self.confidence = queries, confidence
        self.draws, self.seed = checked_int("draws", draws, 2), checked_int("seed", seed)

    @property
    def note(self) -> str:
        """Sentence that says what the intervals are of."""
        return _note(self.confidence, f"{self.draws:,} draws of the queries")

    def weights(self) -> Iterator[Floats]:
        """Yield how often each query is drawn, in blocks of draws x queries; always the same."""
        rng = np.random.default_rng(self.seed)
        step = max(1, BLOCK // max(self.queries, 1))
        share = np.full(self.queries, 1 / self.queries)
        for start in range(0, self.draws, step):
            size = min(step, self.draws - start)
            yield rng.multinomial(self.queries, share, size=size).astype(float)

    def estimates(
        self,
        whole: dict[str, float],
        drawn: Callable[[Floats], dict[str, Floats]],
        limits: dict[str, tuple[float, float]],
    ) -> dict[str, Estimate]:
        """Estimate each coefficient from its value and its values under weights of the queries."""
        if self.queries < 2:
            return {name: _of_one_query(name, value) for name, value in whole.items()}
        parts = [drawn(weights) for weights in self.weights()]
        values = {name: np.concatenate([part[name] for part in parts]) for name in whole}
        return {name: self._estimate(name, v, values[name], limits[name]) for name, v in whole.items()}

    def _estimate(self, name: str, value: float, drawn: Floats, limits: tuple[float, float]) -> Estimate:
        n, known = self.queries, drawn[~np.isnan(drawn)]
        error = sqrt(n / (n - 1)) * float(np.std(known, ddof=1)) if len(known) > 1 else nan
        enough = len(known) >= LEAST_DEFINED * len(drawn)
        method = f"{self.draws:,} draws of {self.queries} queries"
        spread = Spread(error, n - 1, enough, method)
        return spread.estimate(name, value, self.confidence, limits)


class QueriesLeftOut:
    """Sums over queries, `counts` being one table per query, and intervals from leaving out each in turn.

    With v(-i) the value without query i, the interval is value +- t_f sqrt((n - 1) / n sum of (v(-i) - their
    mean)^2). Queries of different size m vary differently, so that few of them tell the spread: as if query
    effects were alike, their deviations grow with m, and Satterthwaite's f + 1 = (sum m^2)^2 / sum m^4, which
    is n where sizes are alike.
    """

    def __init__(self, counts: Floats, confidence: float) -> None:
        check_confidence(confidence)
        self.counts, self.confidence = counts[counts.any((-2, -1))], confidence

    def estimates(
        self, values: Callable[[Floats], dict[str, Floats]], limits: dict[str, tuple[float, float]]
    ) -> dict[str, Estimate]:
        """Estimate coefficients from what they are of tables (the last two axes)."""
        total, n = self.counts.sum(0), len(self.counts)
        whole = {name: float(value) for name, value in values(total).items()}
        if n < 2:
            return {name: _of_one_query(name, value) for name, value in whole.items()}
        step = max(1, BLOCK // total.size)
        without = [values(total - self.counts[start : start + step]) for start in range(0, n, step)]
        size = self.counts.sum((-2, -1)) / total.sum()
        freedom = max(1.0, float((size**2).sum() ** 2 / (size**4).sum()) - 1)
        found = {}
        for name, value in whole.items():
            left = np.concatenate([block[name] for block in without])
            known = left[~np.isnan(left)]
            error = sqrt((n - 1) * float(np.var(known))) if len(known) > 1 else nan
            enough = len(known) >= LEAST_DEFINED * n
            spread = Spread(error, freedom, enough, f"each of {n} queries left out in turn")
            found[name] = spread.estimate(name, value, self.confidence, limits[name])
        return found


class Spread(NamedTuple):
    """A standard error over sets of queries, its degrees of freedom, and where it comes from."""

    error: float
    freedom: float
    enough: bool
    """Whether nearly all sets of queries had a value."""
    method: str

    def estimate(self, name: str, value: float, confidence: float, limits: tuple[float, float]) -> Estimate:
        """Return the interval by Student's t, or the value alone with the reason."""
        if np.isnan(value) or np.isnan(self.error) or not self.enough:
            return Estimate(value, nan, nan, nan, "no interval: not defined in many draws", _about(name))
        if self.error == 0:
            return Estimate.without_interval(value, "all draws of queries are alike", _about(name))
        half = t_quantile(confidence, self.freedom) * self.error
        return Estimate(value, *within(value, half, limits), confidence, self.method, _about(name))


def left_out_note(confidence: float) -> str:
    """Sentence that says what intervals by leaving out queries are of."""
    return _note(confidence, "each query left out in turn")


def _note(confidence: float, how: str) -> str:
    return f"low, high: {confidence:.0%} for the mean over other sets of as many queries ({how})."


def _of_one_query(name: str, value: float) -> Estimate:
    return Estimate.without_interval(value, "one query says nothing about others", _about(name))


def _about(name: str) -> Estimand:
    """Agreement is estimated for other sets of as many queries, with these sources' labels."""
    return Estimand(name, OTHER, statistic="")
