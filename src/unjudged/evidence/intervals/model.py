"""Interval 'model': unjudged documents are relevant with a given prevalence."""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.evidence.bounds.value_bounds import bounds
from unjudged.evidence.completions import Completions, in_threads
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.intervals.methods import Columns, How, interval, rankings_of
from unjudged.evidence.intervals.quantiles import t_quantile
from unjudged.evidence.prevalence import GivenPrevalence
from unjudged.evidence.unjudged_sums import FEW_QUERIES, UnjudgedSum, is_sum
from unjudged.measures.kernel.estimand import ALL_JUDGED
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import BOUNDS, Measure
from unjudged.rankings.judged import JudgedRankings

DRAWS, DRAWS_OF_MANY_QUERIES = 1000, 128
"""A mean over many queries is close to Normal, so its deviation is enough and needs fewer completions.

The interval then is Student's for one more draw, which allows for their number.
"""
FIRST_RANKS, MOST_RANKS = 1 << 8, 1 << 16
UNSEEN_WEIGHT = 1e-13
"""What the ranks together weigh that no user reaches."""
NEEDED = "the probability that an unjudged document is relevant, as a number or one per rank band"

Found = tuple[float, float, float, str]
"""Value, low and high end, and how they were made."""


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
    if prevalence is None:
        raise UsageError(f"this interval needs a prevalence, {NEEDED}: give it, or use 'bounds'")
    asked: object = prevalence
    if isinstance(asked, str):
        raise UsageError(
            f"prevalence is {asked!r}, expected {NEEDED}: judged documents were chosen because they ranked "
            "high, so their share is too high; use 'bounds' or 'calibrated' if you know none"
        )
    given, measure, rankings = prevalence, contrast.measure, rankings_of(contrast)
    rel, length = int(measure.given.get("rel", 1)), last_rank(measure)

    def of_system(system: int) -> Found:
        run = rankings.run(system)
        completions = Completions.of_run(run.lengthened(length), given, rel=rel, seed=how.seed)
        if is_sum(measure):
            total = UnjudgedSum.of(completions, measure)
            value = float(mean_over_queries(total.expected))
            low, high, said = total.interval(how.confidence)
        else:
            value, low, high, said = _of_draws(completions, run, measure, how.confidence, draws)
        return value, min(low, value), max(high, value), f"{completions.prevalence.assumption}; {said}"

    found = []
    for one in in_threads(of_system, contrast.first.tolist()):
        found.append(one)
        how.report(len(found), len(contrast))
    value, low, high, said = zip(*found, strict=True)
    ends = {"estimate_low": np.array(low), "estimate_high": np.array(high)}
    return {"estimate": np.array(value), **ends, "method": list(said)}


def _of_draws(
    completions: Completions, run: JudgedRankings, measure: Measure, confidence: float, draws: int | None
) -> Found:
    """Return the interval from random completions, cut to the bounds where they are cheap."""
    queries, tail = len(run), (1 - confidence) / 2
    draws = draws or (DRAWS if queries < FEW_QUERIES else DRAWS_OF_MANY_QUERIES)
    graded = completions.rankings.judgments.highest > completions.rel
    said = f"{draws} completions{', grades as those of the judged' * graded}"
    drawn = completions.values(measure, draws)
    value, means = float(mean_over_queries(drawn.mean(axis=0))), drawn.mean(axis=1)
    if queries >= FEW_QUERIES:
        deviation = float(means.std(ddof=1)) * (1 + 1 / draws) ** 0.5
        half = t_quantile(confidence, draws - 1) * deviation
        low, high = value - half, value + half
    else:
        low, high = map(float, np.quantile(means, [tail, 1 - tail]))
    least, most = measure.range
    if measure.traits.pointwise or measure.name in BOUNDS:
        both = bounds(measure, run)
        least, most = float(both.low.mean()), float(both.high.mean())
    return value, max(low, least), min(high, most), said


def last_rank(measure: Measure) -> int:
    """Return the rank below which a measure whose user goes on after the end of a ranking sees nothing."""
    tail, ranks = measure.traits.tail, FIRST_RANKS
    if tail is None:
        return 0
    while ranks < MOST_RANKS and tail(np.array([ranks]), **measure.own)[0] > UNSEEN_WEIGHT:
        ranks *= 2
    return int((tail(np.arange(1, ranks), **measure.own) > UNSEEN_WEIGHT).sum()) + 1
