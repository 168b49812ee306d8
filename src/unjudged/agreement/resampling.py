"""Intervals of coefficients of agreement, by drawing the queries again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import nan, sqrt

import numpy as np

from unjudged.base.choices import check_confidence, checked_int
from unjudged.measures.kernel.estimand import OTHER, Estimand
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import t_quantile, within

DRAWS = 1000
BLOCK = 1 << 22
"""Weights that are in memory at once."""


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
        level, draws = f"{self.confidence:.0%}", f"{self.draws:,} draws of the queries"
        return f"low, high: {level} for the mean over other sets of as many queries ({draws})."

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
            reason = "one query says nothing about others"
            return {n: Estimate.without_interval(v, reason, _about(n)) for n, v in whole.items()}
        parts = [drawn(weights) for weights in self.weights()]
        values = {name: np.concatenate([part[name] for part in parts]) for name in whole}
        return {name: self._estimate(name, v, values[name], limits[name]) for name, v in whole.items()}

    def _estimate(self, name: str, value: float, drawn: Floats, limits: tuple[float, float]) -> Estimate:
        known = drawn[~np.isnan(drawn)]
        if np.isnan(value) or len(known) < 0.9 * len(drawn):
            return Estimate(value, nan, nan, nan, "no interval: not defined in many draws", _about(name))
        n = self.queries
        half = t_quantile(self.confidence, n - 1) * sqrt(n / (n - 1)) * float(np.std(known, ddof=1))
        if half == 0:
            reason = "all draws of queries are alike"
            return Estimate.without_interval(value, reason, _about(name))
        method = f"{self.draws:,} draws of {self.queries} queries"
        return Estimate(value, *within(value, half, limits), self.confidence, method, _about(name))


def _about(name: str) -> Estimand:
    """Agreement is estimated for other sets of as many queries, with these sources' labels."""
    return Estimand(name, OTHER, statistic="")
