"""Intervals of means over other queries.

Scores of queries are skewed and few, and there Student's t covers too little. For a measure with a lowest and
a highest value each end is the further one of Student's t and of Hall's, which corrects it for the skewness,
and no end is outside the range. Other measures have Student's t interval, and a geometric mean that of its
mean logarithm.
"""

from __future__ import annotations

import numpy as np

from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.quantiles import Limits, limits_of_mean, t_half

FEW = 25
"""Fewer queries are too few for Student's t if their scores are skewed."""
FEW_IN_RANGE = 10
"""Fewer are too few for Hall's correction."""
HALL = "Student's t with Hall's correction"


def interval_of_mean(measure: Measure, values: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Intervals of means over other queries: Student's t, with Hall's correction in a range."""
    if has_range(measure):
        return mean_interval(values, measure.range, confidence)
    averaged, queries = measure.averaged(values), values.shape[-1]
    half = t_half(averaged.std(axis=-1, ddof=1), queries, confidence)
    low, high = (measure.mean_of(mean_over_queries(averaged) + end) for end in (-half, half))
    return np.maximum(low, measure.range[0]), np.minimum(high, measure.range[1])


def has_range(measure: Measure) -> bool:
    """Whether what is averaged over queries has a lowest and a highest value."""
    return bool(np.isfinite(measure.range).all()) and not measure.geometric


def mean_interval(values: Floats, limits: Limits, confidence: float) -> tuple[Floats, Floats]:
    """Intervals for the means of samples from a range: `values` is samples x observations."""
    mean = mean_over_queries(values)
    ends = [limits_of_mean(sample, (1 - confidence) / 2, limits) for sample in values]
    low, high = np.array(ends).reshape(-1, 2).T
    return np.minimum(low, mean), np.maximum(high, mean)
