"""Interval 'queries': what another sample of queries could change.

Where predictions of further queries are known, the mean is prediction-powered.
"""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evidence.clusters import independent
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.estimates import powered_means
from unjudged.evidence.intervals.methods import Columns, How, interval
from unjudged.evidence.intervals.quantiles import (
    FEW,
    FEW_IN_RANGE,
    HALL,
    has_range,
    interval_of_mean,
    shape_of,
    t_half,
    within,
)
from unjudged.measures.kernel.estimand import OTHER, SAMPLED, UNKNOWN_JUDGMENTS
from unjudged.measures.kernel.measure import mean_over_queries


@interval(
    "queries",
    "other queries, these judgments",
    queries=OTHER,
    geometric=True,
    cite=("student1908", "hall1992"),
)
def queries(contrast: Contrast, how: How) -> Columns:
    """Return intervals of means over other queries; unjudged documents count as the measure takes them."""
    measure, count = contrast.measure, independent(contrast.scores.shape[1], contrast.clusters)
    clusters = contrast.clusters
    if contrast.surrogate is not None:
        powered, (_, low, high) = powered_means(contrast, 1 - how.confidence)
        low, high = np.maximum(low, measure.range[0]), np.minimum(high, measure.range[1])
        told = [f"other queries (prediction-powered, lambda {one.weight:.3f})" for one in powered]
        return {"query_low": low, "query_high": high, "method": told}
    unit = "query" if clusters is None else "cluster"
    if count < 2 and not has_range(measure):
        raise UsageError(f"{measure.name} has no lowest or no highest value, so one {unit} gives no interval")
    if contrast.error is not None:
        return _of_estimates(contrast, how)
    ranged = has_range(measure)
    said = HALL if ranged else f"Student's t{' of logarithms' * measure.geometric}"
    if 1 < count < (few := FEW_IN_RANGE if ranged else FEW):
        of = "queries" if clusters is None else "clusters"
        said += f", which holds less often than it says with fewer than {few} {of}"
    said += "" if clusters is None else f" of {counted(len(clusters), 'cluster')}"
    taken = SAMPLED if measure.traits.estimates else "unjudged documents as the measure takes them"
    if contrast.rankings is None:
        taken = UNKNOWN_JUDGMENTS
    values = measure.mean_of(measure.sign * contrast.values)
    low, high = interval_of_mean(measure, values, how.confidence, clusters)
    return {
        "query_low": low,
        "query_high": high,
        "method": f"other queries of the same kind ({said}); {taken}",
    }


def _of_estimates(contrast: Contrast, how: How) -> Columns:
    """Return Student's intervals of unbiased estimates, which may lie outside the range."""
    measure = contrast.measure
    values = measure.sign * contrast.values
    _, deviation, _, n = shape_of(values, contrast.clusters)
    if n < 2:
        raise UsageError("an interval over queries needs two queries or more")
    half = t_half(deviation, n, how.confidence)
    each = zip(mean_over_queries(values).tolist(), half.tolist(), strict=True)
    low, high = np.array([within(mean, own, measure.range) for mean, own in each]).T
    return {"query_low": low, "query_high": high, "method": "other queries (Student's t)"}
