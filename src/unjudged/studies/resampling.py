"""Intervals of coefficients of agreement, for other sets of as many queries.

The order of systems jumps where two of them are close, so the queries of leaderboards are drawn again. Grades
of documents are summed over queries: coefficients of sums are smooth, and each query is left out in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import nan, sqrt
from typing import Any

import numpy as np

from unjudged.base.choices import check_confidence, checked_int
from unjudged.base.segments import Floats
from unjudged.base.wording import percent
from unjudged.evidence.intervals.quantiles import Estimate, t_quantile, within
from unjudged.measures.kernel.estimand import OTHER, Estimand
from unjudged.results.fields import Row, known

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
        n = self.queries
        return _intervals(
            whole,
            [drawn(weights) for weights in self.weights()] if n > 1 else [],
            limits,
            error_of=lambda known: sqrt(n / (n - 1)) * float(np.std(known, ddof=1)),
            freedom=n - 1,
            confidence=self.confidence,
            method=f"{self.draws:,} draws of {n} queries",
        )


def left_out_estimates(
    counts: Floats,
    values: Callable[[Floats], dict[str, Floats]],
    limits: dict[str, tuple[float, float]],
    confidence: float,
) -> dict[str, Estimate]:
    """Estimate coefficients of sums over queries, leaving out each query in turn.

    `counts` has one table per query, and `values` are coefficients of tables, the last two axes. With v(-i)
    the value without query i, the interval is value +- t_f sqrt((n - 1) / n sum of (v(-i) - their mean)^2).
    Queries of different size m vary differently, so that few of them tell the spread: as if query effects
    were alike, their deviations grow with m, and Satterthwaite's f + 1 = (sum m^2)^2 / sum m^4, which is n
    where sizes are alike.
    """
    check_confidence(confidence)
    counts = counts[counts.any((-2, -1))]
    total, n = counts.sum(0), len(counts)
    step = max(1, BLOCK // max(total.size, 1))
    size = counts.sum((-2, -1)) / total.sum() if n > 1 else np.ones(1)
    return _intervals(
        {name: float(value) for name, value in values(total).items()},
        [values(total - counts[start : start + step]) for start in range(0, n, step)] if n > 1 else [],
        limits,
        error_of=lambda known: sqrt((n - 1) * float(np.var(known))),
        freedom=max(1.0, float((size**2).sum() ** 2 / (size**4).sum()) - 1),
        confidence=confidence,
        method=f"each of {n} queries left out in turn",
    )


def _intervals(
    whole: dict[str, float],
    parts: Sequence[dict[str, Floats]],
    limits: dict[str, tuple[float, float]],
    *,
    error_of: Callable[[Floats], float],
    freedom: float,
    confidence: float,
    method: str,
) -> dict[str, Estimate]:
    """Return intervals by Student's t from the values of other sets of queries, or values with the reason.

    One query has no `parts`.
    """
    found = {}
    for name, value in whole.items():
        of = Estimand(name, OTHER, statistic="")
        others = np.concatenate([part[name] for part in parts]) if parts else np.zeros(0)
        known = others[~np.isnan(others)]
        enough = len(known) > 1 and len(known) >= LEAST_DEFINED * len(others)
        error = error_of(known) if enough else nan
        if not parts:
            found[name] = Estimate.without_interval(value, "one query says nothing about others", of)
        elif np.isnan(value) or np.isnan(error):
            found[name] = Estimate.without_interval(value, "not defined in many draws", of)
        elif error == 0:
            found[name] = Estimate.without_interval(value, "all draws of queries are alike", of)
        else:
            ends = within(value, t_quantile(confidence, freedom) * error, limits[name])
            found[name] = Estimate(value, *ends, confidence, method, of)
    return found


def note_on_intervals(confidence: float, how: str = "each query left out in turn") -> str:
    """Sentence that says what the intervals are of."""
    return f"{percent(confidence)} for the mean over other sets of as many queries ({how})."


def row_of(estimate: Estimate, coefficient: str, **more: Any) -> Row:
    """Return a coefficient as a row."""
    ends = {"query_low": known(estimate.low), "query_high": known(estimate.high), "method": estimate.method}
    return {"coefficient": coefficient, "value": known(estimate.value), **ends, **more}
