"""Intervals 'model' and 'both': unjudged documents are relevant with a given prevalence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.evidence.bounds.value_bounds import bounds, has_fast_bounds
from unjudged.evidence.completions import Completions, in_threads, last_rank
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.intervals.methods import Columns, How, interval, rankings_of
from unjudged.evidence.intervals.quantiles import HALL, has_range, mean_interval, t_quantile
from unjudged.evidence.intervals.sampled import sampled_both
from unjudged.evidence.prevalence import GivenPrevalence
from unjudged.evidence.unjudged_sums import FEW_QUERIES, UnjudgedSum, is_sum
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats

DRAWS, DRAWS_OF_MANY_QUERIES = 1000, 128
"""A mean over many queries is close to Normal, so its deviation is enough and needs fewer completions.

The interval then is Student's for one more draw, which allows for their number.
"""

NEEDED = "the probability that an unjudged document is relevant, as a number or one per rank band"


@dataclass(frozen=True, eq=False)
class CompletedRun:
    """One run under completions.

    `expected` is the expected value of each query, `means` the mean over queries in each completion. For a
    sum over relevant documents no completion is drawn, and `sum` has its distribution.
    """

    expected: Floats
    assumption: str
    means: Floats
    sum: UnjudgedSum | None = None


def check_completed(measure: Measure) -> None:
    """Refuse a measure that completed judgments say nothing about."""
    measure.check_completable()
    if not (measure.traits.quality or measure.traits.monotone):
        raise UsageError(f"{measure.name} describes the judgments, which completing them would change")


@interval(
    "model",
    "these queries, given a prevalence",
    needs="rankings",
    judgments=ALL_JUDGED,
    check=check_completed,
    cite=("carterette2006", "park2016"),
)
def model(
    contrast: Contrast, how: How, *, prevalence: GivenPrevalence | None = None, draws: int | None = None
) -> Columns:
    """Return intervals of the means over these queries when unjudged documents are relevant so often."""
    completed = completed_runs(contrast, how, prevalence, draws)
    limits = _limits(contrast).tolist()
    found = [_interval(run, how, ends) for run, ends in zip(completed, limits, strict=True)]
    value, low, high, said = zip(*found, strict=True)
    return {
        "estimate": np.array(value),
        "estimate_low": np.array(low),
        "estimate_high": np.array(high),
        "method": list(said),
    }


def _limits(contrast: Contrast) -> Floats:
    """Systems x 2: what no completion can leave.

    The bounds where they are cheap, otherwise the range of the measure. Sums know their own limits.
    """
    measure = contrast.measure
    if not has_fast_bounds(measure) or is_sum(measure):
        return np.tile(measure.range, (len(contrast), 1))

    def of_run(system: int) -> Floats:
        both = bounds(measure, rankings_of(contrast).run(system))
        return np.array([both.low.mean(), both.high.mean()])

    return np.stack(list(in_threads(of_run, contrast.first.tolist())))


def _interval(run: CompletedRun, how: How, limits: Any) -> tuple[float, float, float, str]:
    value, said, confidence = float(mean_over_queries(run.expected)), run.assumption, how.confidence
    if run.sum is not None:
        low, high, kind = run.sum.interval(confidence, how.seed)
        said, limits = f"{said}; {kind}", run.sum.limits
    elif len(run.expected) >= FEW_QUERIES:
        deviation = float(run.means.std(ddof=1)) * (1 + 1 / len(run.means)) ** 0.5
        half = t_quantile(confidence, len(run.means) - 1) * deviation
        low, high = value - half, value + half
    else:
        low, high = np.quantile(run.means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return value, *_within(value, low, high, limits), said


def _within(value: float, low: float, high: float, limits: Any) -> tuple[float, float]:
    """Return the interval cut to the limits; rounding does not move its value outside."""
    return min(max(float(low), limits[0]), value), max(min(float(high), limits[1]), value)


def completed_runs(
    contrast: Contrast, how: How, prevalence: GivenPrevalence | None, draws: int | None
) -> list[CompletedRun]:
    """Return each run under completions. Runs are shared out to threads, which do not change the numbers."""
    asked: object = prevalence
    if prevalence is None:
        raise UsageError(f"this interval needs a prevalence, {NEEDED}: give it, or use 'bounds'")
    if isinstance(asked, str):
        raise UsageError(
            f"prevalence is {asked!r}, expected {NEEDED}: judged documents were chosen because they ranked "
            "high, so their share is too high; use 'bounds' or 'calibrated' if you know none"
        )
    measure, given, rankings = contrast.measure, prevalence, rankings_of(contrast)
    rel, length = int(measure.given.get("rel", 1)), last_rank(measure)

    def completed(system: int) -> CompletedRun:
        run = rankings.run(system).lengthened(length)
        completions = Completions.of_run(run, given, rel=rel, seed=how.seed)
        if is_sum(measure):
            total, assumption = UnjudgedSum.of(completions, measure), completions.prevalence.assumption
            return CompletedRun(total.expected, assumption, np.zeros(0), total)
        return _drawn(completions, measure, draws)

    found = []
    for run in in_threads(completed, contrast.first.tolist()):
        found.append(run)
        how.report(len(found), len(contrast))
    return found


def _drawn(completions: Completions, measure: Measure, draws: int | None) -> CompletedRun:
    queries = len(completions.rankings)
    draws = draws or (DRAWS if queries < FEW_QUERIES else DRAWS_OF_MANY_QUERIES)
    graded = completions.rankings.judgments.highest > completions.rel
    said = f"{completions.prevalence.assumption}; {draws} completions"
    said += ", grades as those of the judged" if graded else ""
    (table,) = completions.values([measure], draws)
    return CompletedRun(table.mean(axis=0), said, table.mean(axis=1))


@interval(
    "both",
    "other queries, given a prevalence or a random sample",
    needs="rankings",
    queries=OTHER,
    judgments=ALL_JUDGED,
    cite=("carterette2006", "park2016"),
)
def both(
    contrast: Contrast, how: How, *, prevalence: GivenPrevalence | None = None, draws: int | None = None
) -> Columns:
    """Return intervals of the means over other queries, judged completely, given a prevalence.

    The expected values of the queries are a sample, and their mean is that of the completed values: what is
    drawn in a completion averages out over queries and must not be counted a second time. Without a
    prevalence, a random sample of the judgments takes its place.
    """
    measure = contrast.measure
    if prevalence is None and rankings_of(contrast).judgments.origin.sampled:
        try:
            return sampled_both(contrast, how)
        except UsageError as error:
            raise UsageError(f"{error}; or give a prevalence, {NEEDED}") from None
    check_completed(measure)
    if not has_range(measure):
        raise UsageError(f"{measure.name} has no highest value, so other queries have no interval by a model")
    completed = completed_runs(contrast, how, prevalence, draws)
    expected = np.stack([run.expected for run in completed])
    value = mean_over_queries(expected)
    ends = mean_interval(expected, measure.range, how.confidence)
    each = [_within(*one, measure.range) for one in zip(value.tolist(), *ends, strict=True)]
    low, high = np.array(each).T
    said = [f"{run.assumption}; other queries ({HALL})" for run in completed]
    return {"estimate": value, "query_low": low, "query_high": high, "method": said}
