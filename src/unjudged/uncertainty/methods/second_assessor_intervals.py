"""Interval method 'assessors': the mean of these queries, had another assessor judged.

`second_assessors` has the formula. It needs topics that a second person judged too.
"""

from __future__ import annotations

from collections.abc import Iterator

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ANOTHER_ASSESSOR
from unjudged.measures.kernel.registry import Measure
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.quantiles import within
from unjudged.uncertainty.second_assessors import SecondAssessors, check_assessed


@interval_method(
    "assessors",
    "these queries, had another assessor judged",
    judgments=ANOTHER_ASSESSOR,
    check=lambda measure, _: check_assessed(measure),
    uses=("second",),
    cite=("satterthwaite1946",),
)
def assessor_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals of the means that these queries have by the grades of another assessor."""
    if request.second is None:
        problem = "'assessors' intervals need judgments of second assessors"
        raise UsageError(f"{problem}: give them as second=..., or --second FILE")
    second = SecondAssessors.of(request.second)

    def of_runs(k: int, measure: Measure) -> Iterator[Estimate]:
        shifts = second.shifts(measure, request.rankings, len(request.runs))
        for i, own in enumerate(mean_over_queries(request.values[:, :, k]).tolist()):
            shift, half = shifts.mean(i, request.confidence)
            ends = within(own + shift, half, measure.traits.range)
            yield request.estimate(measure, own + shift, *ends, shifts.method)

    return request.by_run(of_runs)
