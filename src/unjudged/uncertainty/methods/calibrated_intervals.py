"""Interval method 'calibrated': as far off as left-out groups of the pool were."""

from __future__ import annotations

from dataclasses import replace

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.estimand import ALL_JUDGED, LEAVING_OUT
from unjudged.measures.kernel.registry import Measure
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method


def check_calibrated(measure: Measure, request: IntervalRequest) -> None:
    """Refuse a measure that the calibration does not have, or has too few scores of."""
    if request.calibration is not None:
        request.calibration.check(measure, request.calibration.level(request.confidence))


@interval_method(
    "calibrated",
    "these queries, a run like the pooled groups",
    judgments=ALL_JUDGED,
    takes=LEAVING_OUT.takes,
    instead=LEAVING_OUT.instead,
    check=check_calibrated,
    uses=("calibration",),
    cite=("vovk2005", "lei2018"),
)
def calibrated_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals that held for the share `confidence` of the left-out runs of the pool.

    If there are too few groups for that, they have the highest level that the groups can give, and say so.
    """
    if request.calibration is None:
        raise UsageError(
            "the 'calibrated' interval needs a calibration: make one from the pooled runs and their groups "
            "with `calibrate`, or load one that `unjudged calibrate` wrote"
        )
    found: EstimateRows = [[] for _ in request.runs]
    level = request.calibration.level(request.confidence)
    problem = request.calibration.too_few(request.confidence)
    for measure in request.measures:
        means = request.calibration.means(measure, request.rankings, level)
        for i, row in enumerate(found):
            unlike = bool(means.unlike[i])
            method = request.calibration.describe(means, i, request.runs[i])
            row.append(
                Estimate(
                    float(means.value[i]),
                    float(means.low[i]),
                    float(means.high[i]),
                    1.0 if unlike else level,
                    f"{method}; {problem}" if problem and not unlike else method,
                    replace(request.of(measure), measure=measure.cut_at(request.calibration.depth)),
                )
            )
    request.report(len(request.runs))
    return found
