"""Interval 'sampling': what another random sample of the same pool could have given.

The judgments are a sample that was drawn at random from strata, a fixed number from each. The interval is of
the plain measure with the whole pool judged: for xinfAP, statAP and infAP it is AP. `sampled_means`
has the formulas. A sample with few relevant documents at the top of runs, or few pairs of them, gives a
quotient a low value and a small variance at once: where all documents were drawn alike its interval has
Hall's correction for skewness.
"""

from __future__ import annotations

from math import ceil, log, nan

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Mask
from unjudged.base.wording import counted, percent
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.estimates import ends_of_estimates
from unjudged.evidence.intervals.methods import Columns, How, interval, rankings_of
from unjudged.evidence.intervals.quantiles import normal_quantile, reaches
from unjudged.evidence.intervals.sampled_means import QUOTIENTS, ROUNDING, SampledMeans
from unjudged.measures.kernel.estimand import POOL_JUDGED
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.stratified import Strata
from unjudged.rankings.coverage import not_random
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import SAMPLES

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


def check_sampled(measure: Measure, rankings: JudgedRankings) -> None:
    """Refuse a measure that has no interval from a sample, and a sample that lacks what it takes."""
    plain, judgments = plain_measure(measure), rankings.judgments
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
    if (reason := not_random(rankings, 1 / strata.weight)) is not None:
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
            f"more than {percent(MOST_UNSEEN, 0)}, so {plain} cannot be estimated for them: "
            f"draw more{budget}, or judge the first documents of every run completely "
            "(unjudged next --design stratified)"
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
        top = (
            "and deeper (the top of a stratified design)"
            if cutoff is None
            else f"(stratified(20%, top={cutoff}))"
        )
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


@interval(
    "sampling",
    "these queries, another sample of the pool",
    judgments=POOL_JUDGED,
    takes=SAMPLES,
    instead="use 'bounds'; 'sampling' is for judgments that were drawn at random (unjudged next): if these "
    "were, say so (--set judgments.how=sample)",
    cite=("horvitz1952", "yilmaz2008b", "hall1992"),
)
def sampling(contrast: Contrast, how: How) -> Columns:
    """Return intervals of the means that these queries have with the whole pool judged."""
    if contrast.error is not None:
        return _of_errors(contrast, how)
    r, runs = rankings_of(contrast), contrast.first
    (plain, means), strata = sampled_means(contrast.measure, r), strata_of(r.judgments)
    low, high = (np.full(len(means.value), float(end)) for end in plain.range)
    if means.is_sum and means.documents is not None:
        low, high = means.documents.limits()
    variances, behind = means.variances(), means.documents_behind()
    skewed = plain.name in QUOTIENTS and strata.strata == 1
    bends = means.bends(variances) if skewed else np.zeros(len(variances))
    few, value = too_few(means, behind, variances), mean_over_queries(means.value)
    possible = np.minimum(np.maximum(value, low), high)
    shape = normal_quantile(how.confidence), zip(np.sqrt(variances).tolist(), bends.tolist(), strict=True)
    ends = np.array([[own * reach for reach in reaches(shape[0], bend)] for own, bend in shape[1]])
    low, high = np.maximum(possible - ends[:, 0], low), np.minimum(possible + ends[:, 1], high)
    said = np.array([_method(plain, r.judgments, "another sample of the pool")] * len(value), object)
    said[np.abs(possible - value) > ROUNDING] += "; moved to the nearest value that is possible"
    if few.any():
        said[few] = f"no interval: {_lacking(plain, r.judgments, strata, behind[few])}"
    return {
        "estimate": possible[runs],
        "estimate_low": np.where(few, nan, low)[runs],
        "estimate_high": np.where(few, nan, high)[runs],
        "method": said[runs].tolist(),
        "estimated_measure": str(plain),
    }


def _of_errors(contrast: Contrast, how: How) -> Columns:
    """Return Normal intervals of estimates whose errors over samples of judgments are known."""
    values = contrast.measure.sign * mean_over_queries(contrast.values)
    low, high = ends_of_estimates(contrast, values, how.confidence, contrast.measure.range)
    return {"estimate_low": low, "estimate_high": high, "method": "another sample of the judgments"}


def sampled_means(measure: Measure, rankings: JudgedRankings) -> tuple[Measure, SampledMeans]:
    """Return the measure that is estimated and its means, if the judgments are a sample that allows them."""
    check_sampled(measure, rankings)
    plain = plain_measure(measure)
    return plain, SampledMeans.of(plain, rankings)


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
