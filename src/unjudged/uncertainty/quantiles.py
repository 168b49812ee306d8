"""Intervals of a mean: by the Normal distribution, or by Student's t over queries."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import BOTH, JUDGMENTS, Estimate

Limits = tuple[float, float]
NO_LIMITS: Limits = (-inf, inf)


def normal_quantile(confidence: float) -> float:
    """Return how many standard deviations reach this far to either side."""
    from scipy.special import ndtri

    check_confidence(confidence)
    return float(ndtri((1 + confidence) / 2))


def t_quantile(confidence: float, freedom: int) -> float:
    """Return the same of Student's distribution."""
    from scipy.special import stdtrit

    check_confidence(confidence)
    return float(stdtrit(freedom, (1 + confidence) / 2))


def normal_interval(
    value: float,
    deviation: float,
    confidence: float,
    *,
    method: str,
    of: str,
    limits: Limits = NO_LIMITS,
    uncertainty: str = JUDGMENTS,
) -> Estimate:
    """Estimate from a value and its standard error, cut to the limits of the measure."""
    half = normal_quantile(confidence) * deviation
    return Estimate(*within(value, half, limits), confidence, method, of, uncertainty)


def t_interval(
    values: Floats,
    confidence: float,
    *,
    method: str,
    of: str,
    limits: Limits = NO_LIMITS,
    uncertainty: str = BOTH,
) -> Estimate:
    """Estimate the mean of independent values, one per query."""
    if len(values) < 2:
        raise UsageError(f"{of}: an interval over queries needs two queries or more, there is {len(values)}")
    half = t_quantile(confidence, len(values) - 1) * float(np.std(values, ddof=1)) / sqrt(len(values))
    return Estimate(
        *within(float(mean_over_queries(values)), half, limits), confidence, method, of, uncertainty
    )


def within(value: float, half: float, limits: Limits) -> tuple[float, float, float]:
    """Return the value and the ends of its interval, none of them outside the limits."""
    clipped = (min(max(v, limits[0]), limits[1]) for v in (value, value - half, value + half))
    value, low, high = clipped
    return value, low, high
