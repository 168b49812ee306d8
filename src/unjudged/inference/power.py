"""How many queries? From pilot scores to the size of an experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from unjudged.base.choices import check_probability
from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.evidence.distributions import gamma_share, normal_quantile, normal_share, student_quantile
from unjudged.inference.corrections import find_correction
from unjudged.inference.pairs import Pairs

MOST_QUERIES = 10**9
LEAST_ALPHA = 1e-12
LIMIT = 0.8
"""The confidence level of the upper limit of a pilot's deviation, which itself is too small in half of the
pilots: a power of .8 was .76, .78 and .79 on average over pilots of 15, 30 and 50 queries. With this limit it
is at least .8, for Normal differences from 5 queries on, for exponential ones from 15."""
FIRST_STEP = ("holm", "bh", "bonferroni")
"""Corrections that a pair which alone differs must pass at alpha / comparisons."""


@dataclass(frozen=True)
class QueryPlan:
    """How many queries show a difference of `effect`, and what the pilot's own queries can show.

    `deviation` is the pilot's, and `limit` its upper limit, by which everything is planned. `queries` is by
    the paired t test, `queries_approximate` by the Normal formula. `smallest_difference` is
    what as many queries as in the pilot show with the same power.
    """

    effect: float
    power: float
    alpha: float
    correction: str
    comparisons: int
    deviation: float
    limit: float
    pilot_queries: int
    queries: int
    queries_approximate: int
    smallest_difference: float

    def __str__(self) -> str:
        level, limit = f"alpha {self.alpha:g}", f" (planned with {self.limit:.4g})"
        if self.comparisons > 1 and self.correction != "none":
            level += f" / {self.comparisons:,} comparisons ({self.correction})"
        return "\n".join(
            [
                f"{self.queries:,} queries show a difference of {self.effect:.4g} with power {self.power:g}",
                f"  paired t test at {level}; Normal formula: {self.queries_approximate:,}",
                f"  {self.pilot_queries:,} queries, as in the pilot, show {self.smallest_difference:.4g}",
                f"  standard deviation of a difference over queries: {self.deviation:.4g}{limit}",
            ]
        )


def plan_queries(
    scores: Any,
    effect: float | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    correction: str = "none",
    comparisons: int | None = None,
    baseline: int | None = None,
) -> QueryPlan:
    """Plan the number of queries from pilot scores.

    Parameters
    ----------
    scores
        A matrix (systems, queries), or the differences of one pair, one per query. With several pairs the
        deviation is the root of their mean variance.
    effect
        The difference to show; without it, the smallest that the pilot's own queries show.
    power, alpha
        How often the difference is to be shown, and the level of the test.
    correction, comparisons
        The correction, and for how many pairs: as many as the pilot has, unless given. Under Holm,
        Benjamini-Hochberg and Bonferroni a pair is planned at alpha / comparisons, which suffices even if no
        other pair differs.
    baseline
        The row of the system that all others are compared with.

    A pilot's deviation is often too small: the plan is for its upper limit (80 %, chi-squared). So planned
    experiments have at least this power on average over pilots, as simulations show for a power of .8 and
    Normal differences from 5 queries on, and for very skewed ones from 15.

    >>> print(plan_queries([0.1, -0.2, 0.3, 0.0, 0.2, -0.1, 0.1, 0.2], effect=0.05))
    163 queries show a difference of 0.05 with power 0.8
      paired t test at alpha 0.05; Normal formula: 161
      8 queries, as in the pilot, show 0.2611
      standard deviation of a difference over queries: 0.1669 (planned with 0.2259)
    """
    pairs = _pilot(scores, baseline)
    count = len(pairs) if comparisons is None else comparisons
    level = _level(alpha, correction, count)
    if not level < power < 1:
        raise UsageError(f"power is {power}, expected a number between alpha and 1")
    deviation = float(np.sqrt(np.mean(pairs.deviation**2)))
    if deviation == 0:
        raise UsageError(
            "the pilot's differences do not vary over queries, so nothing can be planned from them"
        )
    limit = upper_limit(deviation, pairs.queries)
    smallest = smallest_effect(pairs.queries, power=power, alpha=level) * limit
    wanted = smallest if effect is None else effect
    queries = pairs.queries
    if effect is not None:
        queries = queries_needed(limit, effect, power=power, alpha=level)
    return QueryPlan(
        effect=wanted,
        power=power,
        alpha=alpha,
        correction=correction,
        comparisons=count,
        deviation=deviation,
        limit=limit,
        pilot_queries=pairs.queries,
        queries=queries,
        queries_approximate=queries_by_formula(limit, wanted, power=power, alpha=level),
        smallest_difference=smallest,
    )


def upper_limit(deviation: float, queries: int) -> float:
    """Return the upper limit of a standard deviation that so many queries show."""
    from scipy.special import chdtri

    return deviation * math.sqrt((queries - 1) / float(chdtri(queries - 1, LIMIT)))


def queries_by_formula(deviation: float, effect: float, *, power: float, alpha: float) -> int:
    """Return the Normal formula n = (z_{1 - alpha/2} + z_{1 - beta})^2 sd^2 / d^2, rounded up."""
    if not (math.isfinite(effect) and effect > 0):
        raise UsageError(f"effect is {effect}, expected a difference above 0")
    n = ((normal_quantile(power) - normal_quantile(alpha / 2)) * deviation / effect) ** 2
    if n > MOST_QUERIES:
        raise UsageError(f"effect is {effect}, which takes more than {MOST_QUERIES:,} queries to show")
    return max(2, math.ceil(n - 1e-9))


def queries_needed(deviation: float, effect: float, *, power: float, alpha: float) -> int:
    """Return the smallest number of queries for which the paired t test has this power."""
    low, high = 1, queries_by_formula(deviation, effect, power=power, alpha=alpha)
    while power_of_t(high, effect / deviation, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_of_t(middle, effect / deviation, alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


@cache
def smallest_effect(queries: float, *, power: float, alpha: float) -> float:
    """Return the difference, in standard deviations, that the paired t test shows with this power."""
    from scipy.optimize import brentq

    high = 1.0
    while power_of_t(queries, high, alpha) < power:
        high *= 2
    return float(brentq(lambda d: power_of_t(queries, d, alpha) - power, 0.0, high, xtol=1e-12))


def first_level(alpha: float, correction: str, comparisons: int) -> float | None:
    """Return the level that a test must pass if no other one does; None for a correction without a formula.

    >>> first_level(0.05, "holm", 10)
    0.005
    """
    if correction == "none":
        return alpha
    return alpha / comparisons if correction in FIRST_STEP else None


def power_of_t(queries: float, effect: float, alpha: float) -> float:
    """P(|T| > t_{1 - alpha/2}) for T noncentral with n - 1 degrees of freedom around sqrt(n) d."""
    critical = _critical(queries - 1, alpha)
    centre = math.sqrt(queries) * effect
    return _above(critical, queries - 1, centre) + _above(critical, queries - 1, -centre)


def _above(critical: float, freedom: float, centre: float) -> float:
    """P(Z + centre > c S) for Z Normal and S^2 chi-squared over its degrees of freedom.

    scipy's `nct` gives NaN for much of what is asked here. One of the two variables is integrated exactly,
    and the other by quadrature: the one in which the integrand is smooth.
    """
    nodes, weights = _quadrature()
    spread = 1 / math.sqrt(2 * freedom)
    if critical * spread > 1:
        low, high = max(-9.0, -centre), max(9.0, -centre)
        z = low + (high - low) * (nodes + 1) / 2
        density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * weights * (high - low) / 2
        return float(density @ gamma_share(freedom / 2, freedom / 2 * ((z + centre) / critical) ** 2))
    low, high = max(-1 + 1e-12, -9 * spread), 9 * spread
    x = low + (high - low) * (nodes + 1) / 2
    log_density = (freedom - 1) * np.log1p(x) - freedom * (x + x**2 / 2)
    density = weights * np.exp(log_density - log_density.max())
    return float(density @ normal_share(centre - critical * (1 + x)) / density.sum())


@lru_cache(1000)
def _critical(freedom: float, alpha: float) -> float:
    """Return the critical value of Student's two-sided test."""
    return -float(student_quantile(alpha / 2, freedom))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return nodes and weights of 200 points between -1 and 1."""
    return np.polynomial.legendre.leggauss(200)


def _pilot(scores: Any, baseline: int | None) -> Pairs:
    """Return the pilot's differences, of a matrix of scores or of one pair."""
    values = np.asarray(scores, float)
    if values.ndim == 1:
        values = np.stack([values, np.zeros_like(values)])
    pairs = Pairs.of(values, baseline)
    if pairs.queries < 2:
        raise UsageError("the pilot has one query, expected at least two")
    return pairs


def _level(alpha: float, correction: str, comparisons: int) -> float:
    """Return the level that a pair which alone differs must pass."""
    check_probability("alpha", alpha, 0.05)
    if comparisons < 1:
        raise UsageError(f"comparisons is {comparisons}, expected a whole number of at least 1")
    level = first_level(alpha, find_correction(correction).name, comparisons)
    if level is None:
        known = ", ".join(FIRST_STEP)
        raise UsageError(f"{correction} has no formula for planning, expected none, {known}")
    if level < LEAST_ALPHA:
        raise UsageError(f"alpha for each comparison is {level:.3g}, expected at least {LEAST_ALPHA:g}")
    return level
