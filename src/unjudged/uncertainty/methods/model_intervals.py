"""Interval methods 'model' and 'both': unjudged documents are relevant with a given prevalence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.bounding.bounds import bounds, has_fast_bounds
from unjudged.uncertainty.completions import Completions, in_threads, sharing
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.methods.query_intervals import HALL, has_range, mean_interval
from unjudged.uncertainty.methods.sampling_intervals import check_sampled, sampled_both
from unjudged.uncertainty.unjudged_sums import FEW_QUERIES, UnjudgedSum, is_sum

DRAWS, DRAWS_OF_MANY_QUERIES = 1000, 128
"""A mean over many queries is close to Normal, so its deviation is enough and needs fewer completions.

The interval then is Student's for one more draw, which allows for their number.
"""

NEEDED = "the probability that an unjudged document is relevant, as a number or one per rank band"


@dataclass(frozen=True, eq=False)
class CompletedMeasure:
    """One run and measure under completions.

    `expected` is the expected value of each query, `means` the mean over queries in each completion. For a
    sum over relevant documents no completion is drawn, and `sum` has its distribution.
    """

    measure: Measure
    expected: Floats
    assumption: str
    means: Floats
    sum: UnjudgedSum | None = None


def check_completed(measure: Measure, _request: IntervalRequest) -> None:
    """Refuse a measure that completed judgments say nothing about."""
    measure.check_completable()
    if not (measure.traits.quality or measure.traits.monotone):
        raise UsageError(f"{measure.name} describes the judgments, which completing them would change")


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
    limits = _limits(request).tolist()
    return [
        [_model_interval(request, part, *ends) for part, ends in zip(parts, of_run, strict=True)]
        for parts, of_run in zip(completed, limits, strict=True)
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
                both = bounds(measure, rankings)
                found[:, k] = np.stack([both.low, both.high]).reshape(2, runs, -1).mean(axis=-1).T
        return found

    return np.concatenate(list(in_threads(of_runs, request.batches(report=False))))


def _model_interval(request: IntervalRequest, part: CompletedMeasure, least: float, most: float) -> Estimate:
    from scipy.special import stdtrit

    value, method = float(mean_over_queries(part.expected)), part.assumption
    if part.sum is not None:
        low, high, how = part.sum.interval(request.confidence, request.seed)
        method, (least, most) = f"{method}; {how}", part.sum.limits
    elif len(part.expected) >= FEW_QUERIES:
        deviation = float(part.means.std(ddof=1)) * (1 + 1 / len(part.means)) ** 0.5
        half = -float(stdtrit(len(part.means) - 1, (1 - request.confidence) / 2)) * deviation
        low, high = value - half, value + half
    else:
        low, high = np.quantile(part.means, [(1 - request.confidence) / 2, (1 + request.confidence) / 2])
    return request.estimate(part.measure, value, *_within(value, low, high, (least, most)), method)


def _within(value: float, low: float, high: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the interval cut to the limits; rounding does not move its value outside."""
    return min(max(float(low), limits[0]), value), max(min(float(high), limits[1]), value)


def completed_runs(request: IntervalRequest) -> list[list[CompletedMeasure]]:
    """Each run by each measure. Runs are shared out to threads; the numbers do not depend on how many."""
    asked: object = request.prevalence
    if request.prevalence is None:
        raise UsageError(f"this interval needs a prevalence, {NEEDED}: give it, or use 'bounds'")
    if isinstance(asked, str):
        raise UsageError(
            f"prevalence is {asked!r}, expected {NEEDED}: judged documents were chosen because they ranked "
            "high, so their share is too high; use 'bounds' or 'calibrated' if you know none"
        )
    measures, given = request.measures, request.prevalence

    def completed(i: int) -> list[CompletedMeasure]:
        parts: dict[int, CompletedMeasure] = {}
        for rel, length, group in sharing(measures):
            run = request.rankings.run(i).lengthened(length)
            completions = Completions.of_run(run, given, rel=rel, seed=request.seed)
            sums = [k for k in group if is_sum(measures[k])]
            parts.update((k, _summed(completions, measures[k])) for k in sums)
            others = [k for k in group if k not in sums]
            drawn = _drawn(request, completions, [measures[k] for k in others])
            parts.update(zip(others, drawn, strict=True))
        return [parts[k] for k in range(len(measures))]

    found = []
    for parts in in_threads(completed, range(len(request.runs))):
        found.append(parts)
        request.report(len(found))
    return found


def _summed(completions: Completions, measure: Measure) -> CompletedMeasure:
    total, assumption = UnjudgedSum.of(completions, measure), completions.prevalence.assumption
    return CompletedMeasure(measure, total.expected, assumption, np.zeros(0), total)


def _drawn(
    request: IntervalRequest, completions: Completions, measures: list[Measure]
) -> Iterator[CompletedMeasure]:
    if not measures:
        return
    draws = request.draws or (DRAWS if request.values.shape[1] < FEW_QUERIES else DRAWS_OF_MANY_QUERIES)
    graded = completions.rankings.judgments.highest > completions.rel
    method = f"{completions.prevalence.assumption}; {draws} completions"
    method += ", grades as those of the judged" if graded else ""
    for measure, table in zip(measures, completions.values(measures, draws), strict=True):
        yield CompletedMeasure(measure, table.mean(axis=0), method, table.mean(axis=1))


def _from_sample(request: IntervalRequest) -> bool:
    """Whether other samples are meant: judgments drawn at random, and no prevalence of the unjudged."""
    return request.prevalence is None and request.rankings.judgments.origin.sampled


def _check_both(measure: Measure, request: IntervalRequest) -> None:
    if _from_sample(request):
        try:
            check_sampled(measure, request)
        except UsageError as error:
            raise UsageError(f"{error}; or give a prevalence, {NEEDED}") from None
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
    drawn in a completion averages out over queries and must not be counted a second time. Without a
    prevalence, a random sample of the judgments takes its place.
    """
    if _from_sample(request):
        return sampled_both(request)
    completed = completed_runs(request)
    found: EstimateRows = [[] for _ in request.runs]
    for k, measure in enumerate(request.measures):
        expected = np.stack([parts[k].expected for parts in completed])
        lows, highs = mean_interval(expected, measure.range, request.confidence)
        for row, parts, low, high in zip(found, completed, lows, highs, strict=True):
            value = float(mean_over_queries(parts[k].expected))
            ends = _within(value, low, high, measure.range)
            method = f"{parts[k].assumption}; other queries ({HALL})"
            row.append(request.estimate(measure, value, *ends, method))
    return found
