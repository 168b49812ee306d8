"""Interval method 'queries': what another sample of queries could change.

Gaffke's interval for the mean of values that lie in a known range: the Bayesian bootstrap with the end of the
range added as one more observation. Scores of queries are skewed and few, and there the t interval and the
usual bootstraps cover too little; this one needs no shape of the distribution and holds from one query on.
A measure without a lowest or highest value has Student's t interval, and a geometric mean that of its mean
logarithm.
"""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import OTHER, SAMPLED, UNKNOWN_JUDGMENTS
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.quantiles import t_half

RESAMPLES = 10_000
FEW = 25
"""Fewer queries are too few for Student's t if their scores are skewed."""

CELLS_AT_ONCE = 1 << 17
"""Weights that samples are multiplied with at a time, so that they fit a cache."""
SAMPLES_AT_ONCE = 64


def interval_of_mean(
    measure: Measure, values: Floats, confidence: float, seed: int = 0
) -> tuple[Floats, Floats]:
    """Intervals of means over other queries: Gaffke's, or Student's t where the values have no range."""
    if has_range(measure):
        return mean_interval(values, measure.range, confidence, seed)
    averaged, queries = measure.averaged(values), values.shape[-1]
    half = t_half(averaged.std(axis=-1, ddof=1), queries, confidence)
    low, high = (measure.mean_of(mean_over_queries(averaged) + end) for end in (-half, half))
    return np.maximum(low, measure.range[0]), np.minimum(high, measure.range[1])


def has_range(measure: Measure) -> bool:
    """Whether what is averaged over queries has a lowest and a highest value."""
    return bool(np.isfinite(measure.range).all()) and not measure.geometric


def mean_interval(
    values: Floats, limits: tuple[float, float], confidence: float, seed: int = 0
) -> tuple[Floats, Floats]:
    """Intervals for the means of samples from a range: `values` is samples x observations.

    With Dirichlet(1, ..., 1) weights w over n + 1 places, the lower end is the (1 - confidence)/2 quantile of
    w_0 lowest + w_1 x_1 + ... + w_n x_n, the upper end that of w_0 highest + ... on the other side
    (Gaffke, 2005).
    """
    low, high = limits
    weights = np.random.default_rng(seed).standard_exponential((RESAMPLES, values.shape[-1] + 1))
    weights /= weights.sum(axis=1, keepdims=True)
    tail, ends = (1 - confidence) / 2, weights[:, 0]
    lower, upper = np.empty(len(values)), np.empty(len(values))
    rows = max(CELLS_AT_ONCE // weights.shape[1], 1)
    for first in range(0, len(values), SAMPLES_AT_ONCE):
        some = values[first : first + SAMPLES_AT_ONCE]
        inside = np.empty((len(some), RESAMPLES))
        for row in range(0, RESAMPLES, rows):
            part = weights[row : row + rows, 1:]
            for i, sample in enumerate(some):  # one by one: the bits of a product depend on its shape
                inside[i, row : row + rows] = part @ sample
        for i, own in enumerate(inside, first):
            lower[i] = np.quantile(own + ends * low, tail)
            upper[i] = np.quantile(own + ends * high, 1 - tail)
    return lower, upper


def _check_queries(measure: Measure, request: IntervalRequest) -> None:
    """Refuse Student's t for one query."""
    if not has_range(measure) and request.values.shape[1] < 2:
        raise UsageError(f"{measure.name} has no lowest or no highest value, so one query gives no interval")


@interval_method(
    "queries",
    "other queries, these judgments",
    queries=OTHER,
    check=_check_queries,
    uses=(),
    geometric=True,
    cite=("gaffke2005", "student1908"),
)
def query_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals of means over other queries; unjudged documents count as the measure takes them."""

    def of_runs(k: int, measure: Measure) -> list[Estimate]:
        values, confidence = request.values[:, :, k], request.confidence
        how = "Gaffke" if has_range(measure) else f"Student's t{' of logarithms' * measure.geometric}"
        if not has_range(measure) and values.shape[1] < FEW:
            how += f", which holds less often than it says with fewer than {FEW} queries"
        taken = SAMPLED if measure.traits.estimates else "unjudged documents as the measure takes them"
        if request.of_a_table:
            taken = UNKNOWN_JUDGMENTS
        method = f"other queries of the same kind ({how}); {taken}"
        means = measure.mean_of(mean_over_queries(measure.averaged(values)))
        each = zip(means, *interval_of_mean(measure, values, confidence, request.seed), strict=True)
        return [request.estimate(measure, *ends, method) for ends in each]

    return request.by_run(of_runs)
