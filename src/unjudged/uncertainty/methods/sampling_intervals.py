"""Interval method 'sampling': what another random sample of the same pool could have given.

The judgments are a sample that was drawn at random from strata, a fixed number from each. The interval is of
the plain measure with the whole pool judged: that of xinfAP, statAP and infAP is one of AP. `sampled_means`
has the formulas. A sample with few relevant documents at the top of runs, or few pairs of them, gives a
quotient a low value and a small variance at once: where all documents were drawn alike its interval has
Hall's correction for skewness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, log

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.measures.fixed_size import Strata
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import POOL_JUDGED
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.coverage import not_random
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import SAMPLES
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.quantiles import hall_interval, t_interval
from unjudged.uncertainty.sampled_means import QUOTIENTS, ROUNDING, SampledMeans

MOST_UNSEEN = 0.1
"""Larger shares of queries without a sampled relevant document are refused."""

ENOUGH = 5.0
"""Intervals that rest on fewer sampled relevant documents are refused; quotients at any rank have the rules
below instead, which count them by query."""

LEAST_DRAWN = 1.0
"""Fewer relevant documents per query from strata that were judged in part are refused, beside strata that
were judged completely."""

SPARE = 1.2
"""A fifth more relevant documents than these rules ask for let few samples fall below by chance."""

LEAST_ALONE = 5.0
"""Fewer relevant documents per query are refused where no stratum was judged completely, each counted as
1 / (1 - f) with f the share of its stratum that was drawn: errors shrink as that share grows. The mean over
queries decides, not how many queries have none, so that few samples are let pass because they were lucky."""


def plain_measure(measure: Measure) -> Measure:
    """Return the measure that an interval from a sample is of; one that has none is refused."""
    plain = parse_measure(measure.estimated)
    plain.check_complete()
    plain.check_completable()
    weighted = plain.traits.weight is not None and "scale" not in plain.given
    if not weighted and plain.name not in (*QUOTIENTS, "DCG"):
        raise UsageError(
            f"{measure} has no interval from a sample: AP, nDCG, P, RBP, DCG and estimates of them do"
        )
    return plain


def check_sampled(measure: Measure, request: IntervalRequest) -> None:
    """Refuse a measure that has no interval from a sample, and a sample that lacks what it takes."""
    plain, judgments = plain_measure(measure), request.rankings.judgments
    strata = strata_of(judgments)
    if plain.name in QUOTIENTS:
        check_drawn(plain, judgments, strata)
    empty = np.flatnonzero((strata.size > 0) & (strata.sampled == 0))
    if len(empty):
        query = judgments.queries[int(empty[0]) // strata.strata]
        problem = f"nothing was drawn from one of the strata of query {query!r}"
        remedy = "judge a document of each stratum at least"
        if strata.strata == 1:
            queries = len(judgments.queries)
            labels = min(ceil(queries * log(20 * queries)), len(judgments.grade))
            remedy += f"; {labels:,} documents drawn at random from all queries have one of each, very likely"
        raise UsageError(f"{problem}, so nothing is known of it: {remedy}")
    if (reason := not_random(request.rankings, 1 / strata.weight)) is not None:
        raise UsageError(f"{reason}. Use bounds, or record the strata of the sample")


def check_drawn(plain: Measure, judgments: Judgments, strata: Strata) -> None:
    """Refuse a sample with too few relevant documents for a quotient."""
    queries, judged = len(judgments.queries), judgments.grade >= 0
    in_part = judged & (strata.weight > 1)
    if not in_part.any():
        return
    relevant = in_part & (plain.gain(np.maximum(judgments.grade, 0)) > 0)
    drawn, unseen = int(relevant.sum()), unseen_queries(plain, judgments)
    alone = not (judged & ~in_part).any()
    least, counts = LEAST_DRAWN, float(drawn)
    few = "from strata that were judged in part, fewer than one per query"
    if alone:
        least, counts = LEAST_ALONE, float((1 / (1 - 1 / strata.weight[relevant])).sum())
        few = f"{drawn / queries:.1f} per query"
    budget = _budget(judgments, in_part, SPARE * least * queries / max(counts, 1.0), unseen / queries)
    if counts < least * queries:
        raise UsageError(
            f"the sample has {counted(drawn, 'relevant document')}{', ' if alone else ' '}{few}, too few to "
            f"tell how {plain} would vary: draw more of them{budget}, or use P or RBP"
        )
    if unseen > MOST_UNSEEN * queries:
        raise UsageError(
            f"{unseen} of {counted(queries, 'query')} have no relevant document in the sample, "
            f"more than {MOST_UNSEEN:.0%}, so {plain} cannot be estimated for them: draw more{budget}, or "
            "judge the first documents of every run completely (unjudged sample --design stratified)"
        )


def _budget(judgments: Judgments, in_part: Mask, more: float, unseen: float) -> str:
    """Say how many judgments, drawn likewise, are enough in nearly all samples.

    `more` is how many times as many relevant ones are needed. If their numbers vary as Poisson's, s times as
    many judgments leave unseen^s of the queries without any, and half of what is refused is aimed at.
    """
    judged, waiting = int(in_part.sum()), int((judgments.grade < 0).sum())
    if unseen >= 1:
        return ""
    if unseen > MOST_UNSEEN / 2:
        more = max(more, log(MOST_UNSEEN / 2) / log(unseen))
    wanted = max(ceil(judged * more), judged + 1)
    return f" (about {min(wanted, judged + waiting):,} or more in all, drawn likewise)"


def too_few(means: SampledMeans, behind: Floats, variance: Floats) -> Mask:
    """Return which means, or combinations of them, rest on too few sampled relevant documents."""
    few: Mask = (behind < ENOUGH) & (variance > 0) & means.has_reach
    return few


def _lacking(plain: Measure, judgments: Judgments, strata: Strata, behind: Floats) -> str:
    """Say what the sample lacks for the runs whose means rest on so many sampled relevant documents."""
    least, most = (f"{number:.1f}" for number in (behind.min(), behind.max()))
    on = least if least == most else f"{least} to {most}"
    in_part = (judgments.grade >= 0) & (strata.weight > 1)
    budget = _budget(judgments, in_part, SPARE * ENOUGH / max(float(behind.min()), 0.1), 0.0)
    deeper, cutoff = "", plain.given.get("cutoff")
    if plain.name not in QUOTIENTS:
        top = "and deeper (unjudged sample --top)" if cutoff is None else f"(unjudged sample --top {cutoff})"
        deeper = f", judge the first documents of every run completely {top}"
    return (
        f"it rests on about {on} sampled relevant documents that count, and needs {ENOUGH:.0f}: "
        f"draw more{budget}{deeper}, or use bounds"
    )


def strata_of(judgments: Judgments) -> Strata:
    try:
        return Strata.of(judgments)
    except UsageError:
        raise UsageError(
            "documents were drawn with probabilities of their own, and this interval needs a fixed number "
            "from each of some strata: use P or RBP with predictions, or draw strata"
        ) from None


def unseen_queries(plain: Measure, judgments: Judgments) -> int:
    """Return how many queries have no sampled document with a gain; 0 for sums, which need none."""
    if plain.name not in QUOTIENTS:
        return 0
    relevant = (judgments.grade >= 0) & (plain.gain(judgments.grade) > 0)
    return len(judgments.queries) - len(np.unique(judgments.query[relevant]))


@interval_method(
    "sampling",
    "these queries, another sample of the pool",
    judgments=POOL_JUDGED,
    takes=SAMPLES,
    instead="use 'bounds'; 'sampling' is for judgments that were drawn at random (unjudged sample): if these "
    "were, say so (--set judgments.how=sample)",
    check=check_sampled,
    uses=(),
    cite=("horvitz1952", "yilmaz2008b", "hall1992"),
)
def sampling_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals of the means that these queries have with the whole pool judged."""
    return _intervals(request)


def sampled_both(request: IntervalRequest) -> EstimateRows:
    """Intervals for other queries and other samples: the spread over queries contains that of sampling."""
    return _intervals(request, over_queries=True)


def _intervals(request: IntervalRequest, *, over_queries: bool = False) -> EstimateRows:
    judgments = request.rankings.judgments
    covered = "other queries and another sample of the pool (Student's t)"

    def of_runs(_: int, measure: Measure) -> Iterator[Estimate]:
        plain = plain_measure(measure)
        means, strata = SampledMeans.of(plain, request.rankings), strata_of(judgments)
        of = replace(request.of(plain), judgments=POOL_JUDGED)
        method = _method(plain, judgments, covered if over_queries else "another sample of the pool")
        least, most = map(float, plain.range)
        if over_queries:
            for values in means.value:
                own, limits = values[means.seen], (least, most)
                yield t_interval(own, request.confidence, method=method, of=of, limits=limits)
            return
        low, high = np.full(len(request.runs), least), np.full(len(request.runs), most)
        if means.is_sum and means.documents is not None:
            low, high = means.documents.limits()
        variances, behind = means.variances(), means.documents_behind()
        skewed = plain.name in QUOTIENTS and strata.strata == 1
        bends = means.bends(variances) if skewed else np.zeros(len(variances))
        few = too_few(means, behind, variances)
        lacking = _lacking(plain, judgments, strata, behind[few]) if few.any() else ""
        for i, value in enumerate(mean_over_queries(means.value).tolist()):
            limits, how = (float(low[i]), float(high[i])), method
            possible = min(max(value, limits[0]), limits[1])
            if few[i]:
                yield Estimate.without_interval(possible, lacking, of)
                continue
            if abs(possible - value) > ROUNDING:
                how += "; moved to the nearest value that is possible"
            shape = float(np.sqrt(variances[i])), float(bends[i])
            yield hall_interval(possible, *shape, request.confidence, method=how, of=of, limits=limits)

    return request.by_run(of_runs)


def _method(plain: Measure, judgments: Judgments, covered: str) -> str:
    """Say how the value and its interval were made."""
    method = f"{covered}; {plain} estimated from the sample"
    if plain.name in QUOTIENTS:
        method += ", corrected for the bias of a quotient"
    unseen = unseen_queries(plain, judgments)
    if not unseen:
        return method
    without = f"{counted(unseen, 'query')} {'has' if unseen == 1 else 'have'} no sampled relevant document"
    return f"{method}; {without}: taken as the mean of the others"
