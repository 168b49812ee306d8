"""Interval methods 'bounds' and 'calibrated': these queries, with the unjudged documents judged too.

Bounds hold for every completion of the judgments, without any probability. Calibrated intervals are as wide
as left-out groups of the pool were off.
"""

from __future__ import annotations

from dataclasses import replace

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, LEAVING_OUT
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.origin import below_pool
from unjudged.uncertainty.bounding.bounds import bounds, check_bounded
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method

EVERY = "every completion of the judgments"
"""Retrieved documents and unjudged documents of the pool; documents in neither are assumed nonrelevant."""


@interval_method(
    "bounds",
    "whatever the unjudged documents turn out to be",
    judgments=ALL_JUDGED,
    check=lambda measure, _: check_bounded(measure),
    uses=("extra_relevant", "pool_depth"),
    geometric=True,
    cite=("moffat2008",),
)
def bound_intervals(request: IntervalRequest) -> EstimateRows:
    """Return the lowest and highest mean that any completion of the judgments gives."""
    found: EstimateRows = [[] for _ in request.runs]
    queries = request.values.shape[1]
    for first, rankings in request.batches():
        for k, measure in enumerate(request.measures):
            limits = bounds(measure, rankings, extra_relevant=request.extra_relevant)
            ends = (measure.averaged(end.reshape(-1, queries)) for end in (limits.low, limits.high))
            lows, highs = (measure.mean_of(mean_over_queries(end)) for end in ends)
            method = f"{EVERY}, {'exact' if limits.exact else 'enclosed'}"
            method += "" if request.pool_depth is None else f"; {below_pool(request.pool_depth)}"
            for i, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True), first):
                value = float(measure.mean_of(mean_over_queries(measure.averaged(request.values[i, :, k]))))
                ends_of = min(low, value), max(high, value)
                found[i].append(Estimate(value, *ends_of, 1.0, method, request.of(measure)))
    return found


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
    calibration = request.calibration
    if calibration is None:
        raise UsageError(
            "the 'calibrated' interval needs a calibration: make one from the pooled runs and their groups "
            "with `calibrate`, or load one that `unjudged calibrate` wrote"
        )
    level, problem = calibration.level(request.confidence), calibration.too_few_groups(request.confidence)

    def of_runs(_: int, measure: Measure) -> list[Estimate]:
        means = calibration.means(measure, request.rankings, level)
        of = replace(request.of(measure), measure=measure.cut_at(calibration.depth))
        estimates = []
        for i, run in enumerate(request.runs):
            method, confidence = calibration.describe(means, i, run), 1.0
            if not means.unlike[i]:
                method, confidence = f"{method}; {problem}" if problem else method, level
            ends = float(means.value[i]), float(means.low[i]), float(means.high[i])
            estimates.append(Estimate(*ends, confidence, method, of))
        return estimates

    return request.by_run(of_runs)
