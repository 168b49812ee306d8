"""Intervals of a mean: by the Normal distribution, by Student's t over queries, or corrected for skewness.

Scores of queries and their differences are skewed, and then Student's t is too sure on one side. Hall (1992)
corrects it: with T = sqrt(n) (mean - expected) / sd, the skewness l = k3 / sd^3 and a = l / (3 sqrt(n)) it
takes ((1 + a T)^3 - 1) / (3 a) + a / 2 for T. Of each end the further one is taken, Student's or Hall's.

Where all n values are equal, they say nothing of their spread. A share s of all queries that are like them is
seen alone with probability s^n; the others may be as far away as the range reaches.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters, independent
from unjudged.evidence.distributions import student_quantile, t_quantile
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries
from unjudged.measures.kernel.registry import Measure

Limits = tuple[float, float]
NO_LIMITS: Limits = (-inf, inf)
FEW = 25
"""Fewer queries are too few for Student's t if their scores are skewed."""
FEW_IN_RANGE = 10
"""Fewer are too few for Hall's correction."""
HALL = "Student's t with Hall's correction"


def t_half(deviation: Any, queries: float, confidence: float) -> Any:
    """Return half the width of Student's interval of a mean over queries: t_{n-1} sd / sqrt(n)."""
    return t_quantile(confidence, queries - 1) * deviation / sqrt(queries)


def within(value: float, half: float, limits: Limits) -> tuple[float, float]:
    """Return the ends of an interval, not outside the limits.

    An unbiased estimate may be outside the limits, and its mean would not be unbiased if it were moved. Its
    interval starts from the limit then, so that it keeps its width on the side that is possible.

    >>> within(0.5, 0.1, (0, 1)), within(1.5, 0.25, (0, 1))
    ((0.4, 0.6), (0.75, 1))
    """
    middle = min(max(value, limits[0]), limits[1])
    return max(middle - half, limits[0]), min(middle + half, limits[1])


class Shape(NamedTuple):
    """Mean and deviation of each row (0 where it is a rounding error), and a = skewness / (3 sqrt(n)).

    The standard error is deviation / sqrt(n), with n - 1 degrees of freedom. Queries in clusters are worth n
    independent ones, and have the skewness of the sums of clusters.
    """

    mean: Floats
    deviation: Floats
    bend: Floats
    n: float


def shape_of(values: Floats, clusters: Clusters | None = None) -> Shape:
    """Return the shape of each row's distribution: its mean, its deviation, and how skewed it is."""
    n, mean = values.shape[1], values.mean(axis=1)
    parts, worth = independent(n, clusters), n if clusters is None else clusters.worth
    if parts < 2:
        return Shape(mean, np.zeros(len(values)), np.zeros(len(values)), 1)
    gaps = values - mean[:, None]
    squares = gaps * gaps
    variance = squares.sum(axis=1) / (n - 1) if clusters is None else worth * clusters.variance(gaps)
    deviation = np.sqrt(variance)
    deviation[deviation <= ROUNDING * np.abs(values).max(axis=1)] = 0.0
    if clusters is None:
        cubes = np.einsum("kq,kq->k", squares, gaps) / n
    else:
        cubes = worth**2 * ((clusters.sums(gaps) / n) ** 3).sum(axis=1)
    cubed = deviation**3
    skewness = np.divide(cubes, cubed, out=np.zeros(len(values)), where=cubed > 0)
    unbiased = parts**2 / ((parts - 1) * (parts - 2)) if parts > 2 else 1.0
    return Shape(mean, deviation, unbiased * skewness / (3 * np.sqrt(worth)), worth)


def limits_of_mean(
    values: Floats, tail: float, limits: Limits, clusters: Clusters | None = None
) -> tuple[Floats, Floats]:
    """Return what the mean of each row is above, and below, each wrong with probability `tail`, in a range.

    They are the wider of Student's and Hall's. One value says of others only that they are in the range.

    >>> low, high = limits_of_mean(np.array([[0.02, 0.01, 0.03, 0.01, 0.0, 0.2]]), 0.025, (0, 1))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0], [0.2575])
    """
    mean, deviation, bend, n = shape_of(values, clusters)
    critical = float(student_quantile(1 - tail, n - 1)) if n > 1 else inf
    alike, error = deviation == 0, deviation / np.sqrt(n)
    share = tail ** (1 / independent(values.shape[1], clusters))
    with np.errstate(invalid="ignore"):
        below, above = reaches(critical, bend)
        low = np.maximum(mean - below * error, limits[0])
        high = np.minimum(mean + above * error, limits[1])
    low[alike], high[alike] = (share * mean[alike] + (1 - share) * end for end in limits)
    return low, high


def reaches(critical: float, bend: Any) -> tuple[Any, Any]:
    """Return how many deviations reach down and up: the critical value or, if that is further, Hall's."""
    down, up = (sign * straightened(sign * critical, bend) for sign in (1, -1))
    return np.maximum(critical, down), np.maximum(critical, up)


def straightened(value: float, bend: Any) -> Any:
    """Return the t whose corrected value this is: (root - 1) / bend, with no digits lost near 0 / 0."""
    beyond = value - bend / 2
    root = np.cbrt(1 + 3 * bend * beyond)
    return 3 * beyond / (root**2 + root + 1)


def interval_of_mean(
    measure: Measure, values: Floats, confidence: float, clusters: Clusters | None = None
) -> tuple[Floats, Floats]:
    """Intervals of means over other queries: Student's t, with Hall's correction in a range."""
    if has_range(measure):
        return mean_interval(values, measure.range, confidence, clusters)
    averaged = measure.averaged(values)
    _, deviation, _, n = shape_of(averaged, clusters)
    half = t_half(deviation, n, confidence)
    low, high = (measure.mean_of(mean_over_queries(averaged) + end) for end in (-half, half))
    return np.maximum(low, measure.range[0]), np.minimum(high, measure.range[1])


def has_range(measure: Measure) -> bool:
    """Whether what is averaged over queries has a lowest and a highest value."""
    return bool(np.isfinite(measure.range).all()) and not measure.geometric


def mean_interval(
    values: Floats, limits: Limits, confidence: float, clusters: Clusters | None = None
) -> tuple[Floats, Floats]:
    """Intervals for the means of samples from a range: `values` is samples x observations."""
    mean = mean_over_queries(values)
    low, high = limits_of_mean(values, (1 - confidence) / 2, limits, clusters)
    return np.minimum(low, mean), np.maximum(high, mean)
