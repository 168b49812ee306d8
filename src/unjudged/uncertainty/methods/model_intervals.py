"""The interval methods 'model' and 'both': unjudged documents are relevant with a given prevalence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.errors import UsageError
from unjudged.measures.averages import mean_over_queries
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.bounds import bounds, has_fast_bounds
from unjudged.uncertainty.completions import Completions, Evidence, by_rel
from unjudged.uncertainty.estimate import BOTH, JUDGMENTS, Estimate
from unjudged.uncertainty.intervals import Estimates, IntervalRequest, interval_method
from unjudged.uncertainty.methods.query_intervals import check_range, mean_interval
from unjudged.uncertainty.park import DRAWS as SUM_DRAWS
from unjudged.uncertainty.park import UnjudgedSum, is_sum
from unjudged.uncertainty.prevalence import ESTIMATED, PrevalenceLike

FEW_QUERIES = 30
DRAWS, DRAWS_OF_MANY_QUERIES = 1000, 200
"""A mean over many queries is close to Normal, so its deviation is enough and needs fewer completions."""

WARNING = (
    "judged documents were chosen because they ranked high, so they are relevant more often than unjudged ones: "
    "on TREC-8 such intervals cover far less than they claim"
)


@interval_method("model", "these queries, given a prevalence", uncertainty=JUDGMENTS)
def model_intervals(request: IntervalRequest) -> Estimates:
    """Intervals of the means over these queries when unjudged documents are relevant with a prevalence."""
    return [[_model_interval(request, part) for part in parts] for parts in _completed_runs(request)]


@interval_method("both", "other queries, given a prevalence", uncertainty=BOTH)
def both_intervals(request: IntervalRequest) -> Estimates:
    """Intervals of the means over other queries, judged completely, given a prevalence.

    The expected values of the queries are a sample, and their mean is that of the completed values: what is
    drawn in a completion averages out over queries and must not be counted a second time. The error of an
    estimated prevalence is added.
    """
    return [[_both_interval(request, part) for part in parts] for parts in _completed_runs(request)]


@dataclass(frozen=True, eq=False)
class Part:
    """One run and measure under completions: expected values per query, and what else its method needs."""

    measure: Measure
    limits: tuple[float, float]
    expected: Floats
    assumption: str
    means: Floats
    sum: UnjudgedSum | None = None
    prevalence_variance: float = 0.0


def _completed_runs(request: IntervalRequest) -> list[list[Part]]:
    if request.prevalence is None:
        raise UsageError(
            "this interval needs a prevalence, the probability that an unjudged document is relevant: give a number, "
            f"or ask for the 'bounds' or 'calibrated' interval ({', '.join(map(repr, ESTIMATED))} estimate it from "
            f"the judged documents; {WARNING})"
        )
    for measure in request.measures:
        measure.check_completable()
    evidence = {rel: Evidence.of(request.rankings, rel) for rel, _ in by_rel(request.measures)}
    found = []
    for i in range(len(request.runs)):
        found.append(_completed_run(request, i, request.prevalence, evidence))
        request.report(i + 1)
    return found


def _completed_run(
    request: IntervalRequest, i: int, prevalence: PrevalenceLike, evidence: dict[int, Evidence]
) -> list[Part]:
    own = request.rankings.run(i)
    parts: dict[int, Part] = {}
    draws = request.draws or (DRAWS if request.values.shape[1] < FEW_QUERIES else DRAWS_OF_MANY_QUERIES)
    for rel, group in by_rel(request.measures):
        completions = Completions.of_run(own, prevalence, evidence[rel], rel=rel, seed=request.seed)
        assumption = completions.prevalence.assumption
        drawn = [k for k in group if not is_sum(request.measures[k])]
        for k in set(group) - set(drawn):
            measure = request.measures[k]
            total = UnjudgedSum.of(completions, measure)
            parts[k] = Part(
                measure,
                total.limits,
                total.expected,
                assumption,
                means=np.zeros(0),
                sum=total,
                prevalence_variance=total.prevalence_variance,
            )
        values = completions.values([request.measures[k] for k in drawn], draws)
        for k, table in zip(drawn, values, strict=True):
            measure = request.measures[k]
            graded = ", grades as those of the judged" if own.judgments.grade.max(initial=0) > rel else ""
            variance = 0.0
            if not completions.prevalence.known:
                variance = _prevalence_variance(completions, measure, draws)
            parts[k] = Part(
                measure,
                _limits(measure, own),
                table.mean(axis=0),
                f"{assumption}; {draws} completions{graded}",
                means=table.mean(axis=1),
                prevalence_variance=variance,
            )
    return [parts[k] for k in range(len(request.measures))]


def _limits(measure: Measure, own: JudgedRankings) -> tuple[float, float]:
    """What no completion can leave: the bounds where they are cheap, else the range of the measure."""
    if has_fast_bounds(measure):
        found = bounds(measure, own)
        return float(found.low.mean()), float(found.high.mean())
    low, high = measure.traits.range
    return low, high


def _prevalence_variance(completions: Completions, measure: Measure, draws: int) -> float:
    """The variance of the mean that the error of an estimated prevalence causes, to first order.

    All cells are shifted together by a deviation; per query for 'query', whose cells are independent.
    """
    own = completions.prevalence
    deviation = np.sqrt(own.variance())
    shifted = []
    for sign in (-1, 1):
        probability = np.clip(own.probability + sign * deviation, 0, 1)
        known = replace(own, probability=probability, relevant=None, judged=None)
        moved = replace(completions, prevalence=known)
        shifted.append(moved.values([measure], max(draws // 2, 100))[0].mean(axis=0))
    change = (shifted[1] - shifted[0]) / 2
    queries = len(change)
    if "per query" in own.assumption:
        return float((change**2).sum()) / queries**2
    return float(change.mean()) ** 2


def _model_interval(request: IntervalRequest, part: Part) -> Estimate:
    value = float(mean_over_queries(part.expected))
    if part.sum is not None:
        low, high, how = part.sum.interval(request.confidence, request.seed, request.draws or SUM_DRAWS)
        method = f"{how}; {part.assumption}"
    else:
        low, high = _between(part.means, value, len(part.expected), request.confidence)
        method = part.assumption
    low, high = _clipped(low, high, part.limits)
    return Estimate(value, low, high, request.confidence, method, f"mean {part.measure}", JUDGMENTS)


def _between(means: Floats, value: float, queries: int, confidence: float) -> tuple[float, float]:
    if queries >= FEW_QUERIES:
        from scipy.special import stdtrit

        half = -float(stdtrit(len(means) - 1, (1 - confidence) / 2)) * float(means.std(ddof=1))
        return value - half, value + half
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _both_interval(request: IntervalRequest, part: Part) -> Estimate:
    from scipy.special import ndtri

    value = float(mean_over_queries(part.expected))
    limits = check_range(part.measure)
    low, high = (
        float(end[0])
        for end in mean_interval(part.expected[None, :], limits, request.confidence, request.seed)
    )
    error = float(-ndtri((1 - request.confidence) / 2)) * np.sqrt(part.prevalence_variance)
    low, high = _clipped(value - np.hypot(value - low, error), value + np.hypot(high - value, error), limits)
    method = f"other queries (Gaffke); {part.assumption}"
    return Estimate(value, low, high, request.confidence, method, f"mean {part.measure}", BOTH)


def _clipped(low: float, high: float, limits: tuple[float, float]) -> tuple[float, float]:
    return max(float(low), limits[0]), min(float(high), limits[1])
