"""The interval method 'bounds': every completion of the judgments, no probability."""

from __future__ import annotations

from unjudged.measures.registry import summarised
from unjudged.uncertainty.bounds import bounds
from unjudged.uncertainty.estimate import JUDGMENTS, Estimate
from unjudged.uncertainty.intervals import Estimates, IntervalRequest, interval_method

EVERY = "every completion of the judgments"
"""Retrieved documents and unjudged documents of the pool; documents in neither are assumed nonrelevant."""


@interval_method("bounds", "whatever the unjudged documents turn out to be", uncertainty=JUDGMENTS)
def bound_intervals(request: IntervalRequest) -> Estimates:
    """The lowest and highest mean that any completion of the judgments gives."""
    found = []
    for i in range(len(request.runs)):
        own, row = request.rankings.run(i), []
        for k, measure in enumerate(request.measures):
            limits = bounds(measure, own, more=request.more)
            value, low, high = (
                float(summarised("mean", part)) for part in (request.values[i, :, k], limits.low, limits.high)
            )
            method = f"{EVERY}, {'exact' if limits.exact else 'enclosed'}"
            row.append(Estimate(value, low, high, 1.0, method, f"mean {measure}"))
        found.append(row)
        request.report(i + 1)
    return found
