"""The interval method 'calibrated': as far off as left-out groups of the pool were."""

from __future__ import annotations

import numpy as np

from unjudged.errors import UsageError
from unjudged.measures.averages import mean_over_queries
from unjudged.measures.registry import Measure
from unjudged.uncertainty.calibration import mean_bounds
from unjudged.uncertainty.estimate import JUDGMENTS, Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.left_out import unjudged_share


def check_calibrated(measure: Measure, request: IntervalRequest) -> None:
    """Refuse a measure that the calibration does not have."""
    if request.calibration is not None:
        request.calibration.check_has(measure)


@interval_method(
    "calibrated",
    "these queries, a run like the pooled groups",
    uncertainty=JUDGMENTS,
    check=check_calibrated,
)
def calibrated_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals that held for the share `confidence` of the left-out runs of the pool."""
    if request.calibration is None:
        raise UsageError(
            "the 'calibrated' interval needs a calibration: make one from the pooled runs and their groups "
            "with `calibrate`, or load one that `unjudged calibrate` wrote"
        )
    rankings = request.rankings.cut(request.calibration.depth)
    queries = len(rankings.judgments.queries)
    share = unjudged_share(rankings, queries)
    found: EstimateRows = [[] for _ in request.runs]
    for measure in request.measures:
        radius = request.calibration.radius(measure, request.confidence)
        values = measure.compute(rankings).reshape(-1, queries)
        lows, highs = mean_bounds(measure, rankings, queries)
        for i, (row, low, high) in enumerate(zip(values, lows, highs, strict=True)):
            value = float(mean_over_queries(row))
            reach = radius * float(np.sqrt(max(high - low, 0.0)))
            found[i].append(
                Estimate(
                    value,
                    max(value - reach, float(low)),
                    min(value + reach, float(high)),
                    request.confidence,
                    request.calibration.describe(float(share[i])),
                    f"mean {measure}",
                    JUDGMENTS,
                )
            )
    request.report(len(request.runs))
    return found
