"""Evidence from a random sample of strata: AP and nDCG with the whole pool judged.

A fixed number of documents was drawn from each stratum. `strata_means` has the formulas. A sample with few
relevant documents at the top of runs, or few pairs of them, gives a quotient a low value and a small variance
at once: where all documents were drawn alike its interval has Hall's correction for skewness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, log, nan

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.base.wording import counted, percent
from unjudged.evidence.contrast import Contrast, Further, Tip, is_alone, moved_inside
from unjudged.evidence.distributions import normal_quantile
from unjudged.evidence.drawn.estimated import EstimatedTip
from unjudged.evidence.drawn.strata_means import QUOTIENTS, SampledMeans
from unjudged.evidence.mean_intervals import reaches
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import adds_up
from unjudged.measures.stratified import Strata
from unjudged.rankings.coverage import not_random
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import CANNOT_JUDGE, Judgments

MOST_UNSEEN = 0.1
"""Larger shares of queries without a sampled relevant document are refused."""

ENOUGH = 5.0
"""Intervals down to a cutoff that rest on fewer sampled relevant documents are refused; those at any rank
have the rules below alone, which count them by query."""

LEAST_DRAWN = 1.0
"""Fewer relevant documents per query from strata that were judged in part are refused, beside strata that
were judged completely."""

SPARE = 1.2
"""A fifth more relevant documents than these rules ask for let few samples fall below by chance."""

LEAST_ALONE = 5.0
"""Fewer relevant documents per query are refused where no stratum was judged completely, each counted as
1 / (1 - f) with f the share of its stratum that was drawn: errors shrink as that share grows. The mean over
queries decides, not how many queries have none, so that few samples are let pass because they were lucky."""


def check_sampled(measure: Measure, rankings: JudgedRankings) -> None:
    """Refuse a measure that is not estimated from a sample, and a sample that lacks what it takes."""
    measure.check_complete()
    measure.check_completable()
    if not adds_up(measure) and measure.name not in QUOTIENTS:
        raise UsageError(f"{measure} is not estimated from a sample: AP, nDCG, P, RBP and DCG are")
    judgments = rankings.judgments
    strata = strata_of(judgments)
    if measure.name in QUOTIENTS:
        check_drawn(measure, judgments, strata)
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
    if plain.name == "nDCG" and "cutoff" in plain.given and strata.strata > 1:
        raise UsageError(f"{plain} is not estimated from several strata: use nDCG, or P or RBP")
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
            f"{unseen:,} of {counted(queries, 'query')} have no relevant document in the sample, "
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


def _lacking(judgments: Judgments, strata: Strata, behind: Floats) -> str:
    """Say what the sample lacks for the runs whose means rest on so many sampled relevant documents."""
    least, most = (f"{number:.1f}" for number in (behind.min(), behind.max()))
    on = least if least == most else f"{least} to {most}"
    in_part = (judgments.grade >= 0) & (strata.weight > 1)
    budget = _budget(judgments, in_part, SPARE * ENOUGH / max(float(behind.min()), 0.1), 0.0)
    return (
        f"it rests on about {on} sampled relevant documents that count, and needs {ENOUGH:.0f}: "
        f"draw more{budget}, or use bounds"
    )


def strata_of(judgments: Judgments) -> Strata:
    """Return the strata that judged documents were drawn from; refuse probabilities of their own."""
    try:
        return Strata.of(judgments)
    except UsageError:
        raise UsageError(
            "documents were drawn with probabilities of their own, and this interval needs a fixed number "
            "from each of some strata: use P or RBP with predictions, or draw strata"
        ) from None


def unseen_queries(plain: Measure, judgments: Judgments) -> int:
    """Return how many queries have no sampled document with a gain."""
    relevant = (judgments.grade >= 0) & (plain.gain(judgments.grade) > 0)
    return len(judgments.queries) - len(np.unique(judgments.query[relevant]))


@dataclass(eq=False, repr=False)
class StrataEvidence(Further):
    """Systems as runs, by AP or nDCG, from a sample of strata.

    `plain` is what the judgments say without the estimate. The mean of a system that rests on
    too few sampled relevant documents is as judged; tests of differences allow for few of them.
    """

    plain: RankingsEvidence
    means: SampledMeans
    rankings: JudgedRankings

    @classmethod
    def of(cls, plain: RankingsEvidence, rankings: JudgedRankings) -> StrataEvidence:
        """Estimate by the measure of some evidence; what cannot be estimated is refused."""
        check_sampled(plain.measure, rankings)
        return cls(plain, SampledMeans.of(plain.measure, rankings), rankings)

    @property
    def judgments(self) -> Judgments:
        """The sample."""
        return self.rankings.judgments

    @cached_property
    def _variances(self) -> Floats:
        return self.means.variances()

    @cached_property
    def given(self) -> Mask:
        """Which systems have an estimate of their own."""
        behind = self.means.documents_behind()
        few: Mask = (behind < ENOUGH) & (self._variances > 0) & ("cutoff" in self.measure.given)
        return ~few

    @cached_property
    def scores(self) -> Floats:
        """Estimates on queries with a sampled relevant document, moved so that their mean is that of all."""
        return self._moved(moved_inside(self.means.value, self.possible))

    @cached_property
    def _alone(self) -> Floats:
        return np.where(self.given[:, None], self.scores, self._moved(self.plain.scores))

    def _moved(self, values: Floats) -> Floats:
        seen = values[:, self.means.seen]
        return np.asarray(seen + (mean_over_queries(values) - mean_over_queries(seen))[:, None])

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return these contrasts; of differences tests over queries allow for the noise of the sample."""
        made, seen = self.plain.contrast(first, second, by_query=by_query), self.means.seen
        judged = mean_over_queries(made.values)
        alone = is_alone(second)
        known = made if seen.all() else replace(made.over(seen), seen=seen, ends=made.ends)
        tips = made.tips
        return replace(
            known,
            scores=self._alone if alone else self.scores,
            error=np.where(self.given, np.sqrt(self._variances), nan)[first] if alone else None,
            reach=self._reach(first) if alone else None,
            tips=None
            if tips is None
            else lambda ahead, behind: self._tip(tips(ahead, behind), ahead, behind),
            rankings=made.rankings,
            facts={**made.facts, "as_judged": self.measure.sign * judged},
        )

    def _reach(self, systems: Ints) -> Callable[[float], tuple[Floats, Floats]]:
        """Return how far the intervals of systems reach down and up, in standard errors."""
        skewed = strata_of(self.judgments).strata == 1
        bends = self.means.bends(self._variances)[systems] if skewed else np.zeros(len(systems))

        def reach(confidence: float) -> tuple[Floats, Floats]:
            each = [reaches(normal_quantile((1 + confidence) / 2), bend) for bend in bends.tolist()]
            down, up = np.array(each).T
            return down, up

        return reach

    @cached_property
    def _closed(self) -> RankingsEvidence | None:
        """The evidence in which documents that were not drawn are not relevant; None if none is unknown."""
        shared = self.plain.whole
        listed = np.append(self.judgments.grade != CANNOT_JUDGE, False)
        framed = listed[np.minimum(shared.name, len(listed) - 1)]
        return self.plain.closed(framed, shared.judgments.grade)

    def _tip(self, open_tip: Tip, ahead: Ints, behind: Ints) -> EstimatedTip:
        estimated = self.given[ahead] & self.given[behind]
        start, seen = self.scores[ahead] - self.scores[behind], self.means.seen
        closed, change = None, np.zeros(start.shape)
        if self._closed is not None:
            closed = self._closed.tip(ahead, behind).over(seen)
            change = start - (self._closed.scores[ahead] - self._closed.scores[behind])[:, seen]
        return EstimatedTip(open_tip.over(seen), closed, start, change, estimated)

    @property
    def _others(self) -> bool:
        """Whether runs have documents that could not be drawn and may count."""
        r, depth = self.rankings, self.plain.depth or inf
        return bool((np.minimum(r.retrieved, depth) > r.where(r.rank <= depth).counts).any())

    def notes(self) -> Iterator[Note]:
        """Say what the estimates rest on."""
        drawn, of = int((self.judgments.grade >= 0).sum()), len(self.judgments.grade)
        unseen, said = unseen_queries(self.measure, self.judgments), ""
        if unseen:
            has = "has" if unseen == 1 else "have"
            said = f"; {counted(unseen, 'query')} {has} no relevant one among them and count as the others do"
        yield note("sampled", [str(self.measure)], drawn=drawn, of=of, unseen=said)
        if self._others:
            yield note("undrawn", [str(self.measure)])
        if few := [name for name, given in zip(self.systems, self.given, strict=True) if not given]:
            behind = self.means.documents_behind()[~self.given]
            lacking = _lacking(self.judgments, strata_of(self.judgments), behind)
            yield note("few-sampled", few, measure=str(self.measure), why=lacking)
