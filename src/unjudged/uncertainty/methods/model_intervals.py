"""Interval methods 'model' and 'both': unjudged documents are relevant with a given prevalence."""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.bounding.bounds import bounds, has_fast_bounds
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.methods.query_intervals import has_range, mean_interval
from unjudged.uncertainty.methods.sampling_intervals import check_sampled, sampled_both
from unjudged.uncertainty.under_completions import (
    CompletedMeasure,
    check_completed,
    completed_runs,
    in_threads,
)
from unjudged.uncertainty.unjudged_sums import FEW_QUERIES, is_sum


@interval_method(
    "model",
    "these queries, given a prevalence",
    judgments=ALL_JUDGED,
    check=check_completed,
    uses=("prevalence",),
    cite=("carterette2006", "park2016"),
)
def model_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals of the means over these queries when unjudged documents are relevant with a prevalence."""
    completed = completed_runs(request)
    limits = _limits(request)
    return [
        [
            _model_interval(request, part, (float(limits[i, k, 0]), float(limits[i, k, 1])))
            for k, part in enumerate(parts)
        ]
        for i, parts in enumerate(completed)
    ]


def _limits(request: IntervalRequest) -> Floats:
    """Runs x measures x 2: what no completion can leave.

    The bounds where they are cheap, otherwise the range of the measure. Sums know their own limits.
    """

    def of_runs(batch: tuple[int, JudgedRankings]) -> Floats:
        _, rankings = batch
        runs = len(rankings) // request.values.shape[1]
        found = np.tile([measure.range for measure in request.measures], (runs, 1, 1))
        for k, measure in enumerate(request.measures):
            if has_fast_bounds(measure) and not is_sum(measure):
                both = bounds(measure, rankings, after_end=False)
                found[:, k] = np.stack([both.low, both.high]).reshape(2, runs, -1).mean(axis=-1).T
        return found

    return np.concatenate(list(in_threads(of_runs, request.batches(report=False))))


def _model_interval(
    request: IntervalRequest, part: CompletedMeasure, limits: tuple[float, float]
) -> Estimate:
    value = float(mean_over_queries(part.expected))
    if part.sum is not None:
        low, high, how = part.sum.interval(request.confidence, request.seed)
        method = f"{part.assumption}; {how}"
        limits = part.sum.limits
    else:
        low, high = _between(part.means, value, len(part.expected), request.confidence)
        method = part.assumption
    low, high = _within(value, low, high, limits)
    return Estimate(value, low, high, request.confidence, method, request.of(part.measure))


def _within(value: float, low: float, high: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the interval cut to the limits; rounding does not move its value outside."""
    return min(max(float(low), limits[0]), value), max(min(float(high), limits[1]), value)


def _between(means: Floats, value: float, queries: int, confidence: float) -> tuple[float, float]:
    if queries >= FEW_QUERIES:
        from scipy.special import stdtrit

        deviation = float(means.std(ddof=1)) * (1 + 1 / len(means)) ** 0.5
        half = -float(stdtrit(len(means) - 1, (1 - confidence) / 2)) * deviation
        return value - half, value + half
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _from_sample(request: IntervalRequest) -> bool:
    """Whether other samples are meant: judgments drawn at random, and no prevalence of the unjudged."""
    return request.prevalence is None and request.rankings.judgments.origin.sampled


def _check_both(measure: Measure, request: IntervalRequest) -> None:
    if _from_sample(request):
        try:
            check_sampled(measure, request)
        except UsageError as error:
            raise UsageError(
                f"{error}; or give --prevalence: a number, or all, query or rank, which estimate it"
            ) from None
        return
    check_completed(measure, request)
    if not has_range(measure):
        raise UsageError(f"{measure.name} has no highest value, so other queries have no interval by a model")


@interval_method(
    "both",
    "other queries, given a prevalence or a random sample",
    queries=OTHER,
    judgments=ALL_JUDGED,
    check=_check_both,
    uses=("prevalence",),
    cite=("carterette2006", "park2016"),
)
def both_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals of the means over other queries, judged completely, given a prevalence.

    The expected values of the queries are a sample, and their mean is that of the completed values: what is
    drawn in a completion averages out over queries and must not be counted a second time. The error of an
    estimated prevalence is added. Without a prevalence, a random sample of the judgments takes its place.
    """
    if _from_sample(request):
        return sampled_both(request)
    from scipy.special import ndtri

    completed = completed_runs(request, prevalence_error=True)
    found: EstimateRows = [[] for _ in request.runs]
    z = float(-ndtri((1 - request.confidence) / 2))
    for k, measure in enumerate(request.measures):
        limits = measure.range
        expected = np.stack([parts[k].expected for parts in completed])
        lows, highs = mean_interval(expected, limits, request.confidence, request.seed)
        for row, parts, low, high in zip(found, completed, lows, highs, strict=True):
            value = float(mean_over_queries(parts[k].expected))
            error = z * parts[k].prevalence_variance ** 0.5
            ends = _within(
                value, value - np.hypot(value - low, error), value + np.hypot(high - value, error), limits
            )
            method = f"{parts[k].assumption}; other queries (Gaffke)"
            row.append(Estimate(value, *ends, request.confidence, method, request.of(measure)))
    return found
