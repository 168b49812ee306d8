"""Interval method 'bounds': every completion of the judgments, no probability."""

from __future__ import annotations

from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.origin import ANY, below_pool
from unjudged.uncertainty.bounding.bounds import bounds, check_bounded
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method

EVERY = "every completion of the judgments"
"""Retrieved documents and unjudged documents of the pool; documents in neither are assumed nonrelevant."""


def _check(measure: Measure, _request: IntervalRequest) -> None:
    check_bounded(measure)


@interval_method(
    "bounds",
    "whatever the unjudged documents turn out to be",
    judgments=ALL_JUDGED,
    takes=ANY,
    check=_check,
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
