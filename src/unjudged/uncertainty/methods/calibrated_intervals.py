"""Interval method 'calibrated': as far off as left-out groups of the pool were."""

from __future__ import annotations

from dataclasses import replace

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.estimand import ALL_JUDGED, LEAVING_OUT
from unjudged.measures.kernel.registry import Measure
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method


def check_calibrated(measure: Measure, request: IntervalRequest) -> None:
    """Refuse a measure that the calibration does not have."""
    if request.calibration is not None:
        request.calibration.check_has(measure)


@interval_method(
    "calibrated",
    "these queries, a run like the pooled groups",
    judgments=ALL_JUDGED,
    takes=LEAVING_OUT.takes,
    instead=LEAVING_OUT.instead,
    check=check_calibrated,
    uses=("calibration",),
)
def calibrated_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals that held for the share `confidence` of the left-out runs of the pool."""
    if request.calibration is None:
        raise UsageError(
            "the 'calibrated' interval needs a calibration: make one from the pooled runs and their groups "
            "with `calibrate`, or load one that `unjudged calibrate` wrote"
        )
    found: EstimateRows = [[] for _ in request.runs]
    for measure in request.measures:
        means = request.calibration.means(measure, request.rankings, request.confidence)
        for i, row in enumerate(found):
            share, unlike = float(means.share[i]), bool(means.unlike[i])
            row.append(
                Estimate(
                    float(means.value[i]),
                    float(means.low[i]),
                    float(means.high[i]),
                    1.0 if unlike else request.confidence,
                    request.calibration.describe(share, unlike=unlike),
                    replace(request.of(measure), measure=measure.cut_at(request.calibration.depth)),
                )
            )
    request.report(len(request.runs))
    return found
