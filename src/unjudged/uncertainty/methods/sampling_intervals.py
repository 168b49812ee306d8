"""Interval method 'sampling': what another random sample of the same pool could have given.

The judgments are a sample that was drawn at random from strata, a fixed number from each. The interval is of
the plain measure with the whole pool judged: that of xinfAP, statAP and infAP is one of AP. `sampled_means`
has the formulas.
"""

from __future__ import annotations

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
from unjudged.rankings.judged import Mask
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import SAMPLES
from unjudged.rankings.randomness import not_random
from unjudged.uncertainty.intervals import EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.quantiles import lean, normal_interval, normal_quantile, t_interval
from unjudged.uncertainty.sampled_means import QUOTIENTS, SampledMeans

MOST_UNSEEN = 0.1
"""Larger shares of queries without a sampled relevant document are refused."""

FEW = 5.0
"""Intervals that rest on fewer sampled relevant documents say so: their level is rough."""

LEAST_DRAWN = 1.0
"""Fewer relevant documents per query from strata that were judged in part are refused."""


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
    if plain.name in QUOTIENTS:
        _check_drawn(plain, judgments, strata)


def _check_drawn(plain: Measure, judgments: Judgments, strata: Strata) -> None:
    """Refuse a sample with too few relevant documents for a quotient."""
    unseen = unseen_queries(plain, judgments)
    in_part = (judgments.grade >= 0) & (strata.weight > 1)
    drawn = int((plain.gain(judgments.grade[in_part]) > 0).sum())
    if in_part.any() and drawn < LEAST_DRAWN * len(judgments.queries):
        found = counted(drawn, "relevant document")
        raise UsageError(
            f"the sample has {found} from strata that were judged in part, fewer than one per query, too few "
            f"to tell how {plain} would vary: draw more of them{_budget(judgments, in_part, drawn)}, or use "
            "P or RBP"
        )
    if unseen > MOST_UNSEEN * len(judgments.queries):
        queries = counted(len(judgments.queries), "query")
        raise UsageError(
            f"{unseen} of {queries} have no relevant document in the sample, "
            f"more than {MOST_UNSEEN:.0%}, so {plain} cannot be estimated for them: draw more"
            f"{_budget(judgments, in_part, drawn)}, or judge the "
            "first documents of every run completely (unjudged sample --design stratified)"
        )


def _budget(judgments: Judgments, in_part: Mask, drawn: int) -> str:
    """Say how many judgments, drawn likewise, let nine of ten queries have a relevant one.

    If a query has x of them on average, and their number varies as Poisson's, exp(-x) of them have none.
    """
    judged, waiting = int(in_part.sum()), int((judgments.grade < 0).sum())
    if not judged or not drawn:
        return ""
    wanted = max(ceil(judged * -log(MOST_UNSEEN) * len(judgments.queries) / drawn), judged + 1)
    return f" (about {min(wanted, judged + waiting):,} or more in all, drawn likewise)"


def strata_of(judgments: Judgments) -> Strata:
    try:
        return Strata.of(judgments)
    except UsageError:
        raise UsageError(
            "documents were drawn with probabilities of their own, and this interval needs a fixed number "
            "from each of some strata: use P or RBP with --predictions, or draw strata (unjudged sample)"
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
    "were, say how (--sampled uniformly)",
    check=check_sampled,
    uses=(),
    cite=("horvitz1952", "yilmaz2008b"),
)
def sampling_intervals(request: IntervalRequest) -> EstimateRows:
    """Intervals of the means that these queries have with the whole pool judged."""
    return _intervals(request)


def sampled_both(request: IntervalRequest) -> EstimateRows:
    """Intervals for other queries and other samples: the spread over queries contains that of sampling."""
    return _intervals(request, over_queries=True)


def _intervals(request: IntervalRequest, *, over_queries: bool = False) -> EstimateRows:
    rows: EstimateRows = [[] for _ in request.runs]
    judgments = request.rankings.judgments
    for measure in request.measures:
        plain = plain_measure(measure)
        means = SampledMeans.of(plain, request.rankings)
        of = replace(request.of(plain), judgments=POOL_JUDGED)
        other = "other queries and another sample of the pool (Student's t)"
        method = _method(plain, judgments, other if over_queries else "another sample of the pool")
        low, high = (np.full(len(rows), end) for end in plain.range)
        if means.is_sum and means.documents is not None and not over_queries:
            low, high = means.documents.limits()
        deviations, behind = np.sqrt(means.variances()), means.documents_behind()
        for i, row in enumerate(rows):
            limits = float(low[i]), float(high[i])
            if over_queries:
                own = means.value[i, means.seen]
                row.append(t_interval(own, request.confidence, method=method, of=of, limits=limits))
                continue
            value, deviation = float(mean_over_queries(means.value[i])), float(deviations[i])
            possible = min(max(value, limits[0]), limits[1])
            how = method if possible == value else f"{method}; moved to the nearest value that is possible"
            if deviation and behind[i] < FEW:
                how += f"; it rests on fewer than {FEW:.0f} sampled relevant documents, so its level is rough"
            up = float(lean(possible, normal_quantile(request.confidence) * deviation))
            level, slack = request.confidence, (up, up)
            row.append(
                normal_interval(possible, deviation, level, method=how, of=of, limits=limits, slack=slack)
            )
    request.report(len(rows))
    return rows


def _method(plain: Measure, judgments: Judgments, covered: str) -> str:
    """Say how the value and its interval were made."""
    method = f"{covered}; {plain} estimated from the sample"
    if plain.name in QUOTIENTS:
        method += ", corrected for the bias of a quotient"
    unseen = unseen_queries(plain, judgments)
    if not unseen:
        return method
    have = "has" if unseen == 1 else "have"
    without = f"{counted(unseen, 'query')} {have} no sampled relevant document"
    return f"{method}; {without}: taken as the mean of the others"
