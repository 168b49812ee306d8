"""Intervals of a mean: by the Normal distribution, or by Student's t over queries."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import Estimand
from unjudged.measures.kernel.registry import ratio
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimate

Limits = tuple[float, float]
NO_LIMITS: Limits = (-inf, inf)
NO_SLACK: Limits = (0.0, 0.0)


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
    of: Estimand,
    limits: Limits = NO_LIMITS,
    slack: Limits = NO_SLACK,
) -> Estimate:
    """Estimate from a value and its standard error; the ends are cut to the limits of the measure."""
    half = normal_quantile(confidence) * deviation
    return Estimate(value, *within(value, half, limits, slack), confidence, method, of)


def t_interval(
    values: Floats,
    confidence: float,
    *,
    method: str,
    of: Estimand,
    limits: Limits = NO_LIMITS,
    slack: Limits = NO_SLACK,
) -> Estimate:
    """Estimate the mean of independent values, one per query."""
    if len(values) < 2:
        raise UsageError(f"{of}: an interval over queries needs two queries or more, there is {len(values)}")
    half = t_quantile(confidence, len(values) - 1) * float(np.std(values, ddof=1)) / sqrt(len(values))
    value = float(mean_over_queries(values))
    return Estimate(value, *within(value, half, limits, slack), confidence, method, of)


def within(value: float, half: float, limits: Limits, slack: Limits = NO_SLACK) -> tuple[float, float]:
    """Return the ends of an interval, not outside the limits; `slack` is added to them.

    An unbiased estimate may be outside the limits, and its mean would not be unbiased if it were moved. Its
    interval starts from the limit then, so that it keeps its width on the side that is possible.

    >>> within(0.5, 0.1, (0, 1)), within(1.5, 0.25, (0, 1))
    ((0.4, 0.6), (0.75, 1))
    """
    middle = min(max(value, limits[0]), limits[1])
    return max(middle - half + slack[0], limits[0]), min(middle + half + slack[1], limits[1])


def lean(value: Any, half: Any) -> Floats:
    """Return by how much the middle of an interval of a mean, this far to either side, is above its value.

    >>> lean(0.5, np.array([0.1, 0.7])).round(2).tolist()
    [0.01, 0.35]
    """
    shift: Floats = half / 2 * np.where(value > half, ratio(half, value), 1.0)
    return shift
