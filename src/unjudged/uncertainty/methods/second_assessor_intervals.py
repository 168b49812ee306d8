"""Interval method 'assessors': the mean of these queries, had another assessor judged.

`second_assessors` has the formula. It needs topics that a second person judged too.
"""

from __future__ import annotations

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ANOTHER_ASSESSOR
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
    rows: EstimateRows = [[] for _ in request.runs]
    for k, measure in enumerate(request.measures):
        shifts = second.shifts(measure, request.rankings, len(rows))
        for i, row in enumerate(rows):
            shift, half = shifts.mean(i, request.confidence)
            value = float(mean_over_queries(request.values[i, :, k])) + shift
            ends = within(value, half, measure.traits.range)
            row.append(Estimate(value, *ends, request.confidence, shifts.method, request.of(measure)))
    request.report(len(rows))
    return rows
