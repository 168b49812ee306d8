"""Tipping share: what share of unjudged documents would have to be relevant to turn the order of two systems?

Of a pair, F are the unjudged documents that favour the system behind: it ranks them higher, or it alone
retrieves them. D_q(s) is the expected difference on query q, the system ahead minus the other, if each of F
is relevant with probability s, with the highest grade, and no other unjudged document is. D(0) is as judged
and D(1) the worst case. For sums over relevant documents D_q is a straight line; for AP, nDCG and recall it
is a sum of at most three terms, each with a denominator of its own; for any other measure it is the mean
over random completions, whose numbers all systems share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers, Ints, Mask, ends, numbered
from unjudged.evidence.completions import Batched, Grades, cutoff_of, needs_relevant_alone
from unjudged.evidence.favouring import DirectedPairs, Favouring, favouring, share_seen
from unjudged.evidence.filled import anonymous
from unjudged.evidence.shared import NEGLIGIBLE, SharedRankings, selected_runs
from unjudged.evidence.value_bounds import hits_around
from unjudged.measures.gain import DiscountSums
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import salt, uniforms

MOST_EXACT = 32
"""Up to so many documents of F, the number that is relevant has its binomial distribution; beyond, two
numbers of the same mean and variance stand for all."""
COMPLETED_QUERIES = 1000
"""A difference is averaged over completions of this number of queries in all, or once over more."""

UNSEEN = 1e-30
"""A rank with a smaller weight changes no share."""
AT_ONCE = 1 << 18
"""Documents of rankings that are looked at at a time."""

Function = Callable[[Floats], Floats]
"""From pairs x queries, how many more documents are relevant, to the reciprocal of the denominator."""


@dataclass(frozen=True, eq=False)
class Terms:
    """What unjudged documents would add to a measure.

    If relevant, a document adds `alone` to the sum, and `together` once more for every relevant unjudged
    document above it. The sum is multiplied by the `reciprocal` of a denominator; None stands for 1.
    """

    unjudged: JudgedRankings
    alone: Floats
    together: Floats | None = None
    reciprocal: Function | None = None


@dataclass(frozen=True, eq=False)
class ExpectedTip:
    """D_q(s) from sums over F: pairs x queries.

    The expected difference is `start` E[1/d(K)] + s `alone` E[1/d(1 + K')] + s^2 `together` E[1/d(2 + K'')],
    where d is the denominator and K, K', K'' are how many of F (but 0, 1 or 2) are relevant.
    """

    drawn: ClassVar[bool] = False
    start: Floats
    count: Floats
    alone: Floats
    together: Floats | None
    reciprocal: Function | None
    find_seen: Callable[[], Floats]

    @cached_property
    def seen(self) -> Floats:
        """Share seen of each pair; bounds do without it."""
        return self.find_seen()

    def at(self, share: Floats) -> Floats:
        """Return the expected differences at a share per pair."""
        s = share[:, None]
        if self.reciprocal is None:
            return self.start + s * self.alone
        found = self.start * self._expected(share, 0) + s * self.alone * self._expected(share, 1)
        if self.together is not None:
            found += s**2 * self.together * self._expected(share, 2)
        return found

    def at_worst(self) -> Floats:
        """Return the differences if all of these documents are relevant."""
        return self.at(np.ones(len(self.start)))

    def only(self, pairs: Integers) -> ExpectedTip:
        """Return the same for some of the pairs."""
        return self._indexed((pairs, slice(None)), self.reciprocal, lambda: self.seen[pairs])

    def over(self, queries: Mask) -> ExpectedTip:
        """Return the same on some of the queries."""
        function, place = self.reciprocal, np.flatnonzero(queries)
        if function is None:
            return self._indexed((slice(None), place), None, lambda: self.seen)

        def on_these(more: Floats) -> Floats:
            every = np.zeros((len(more), len(queries)))
            every[:, place] = more
            return function(every)[:, place]

        return self._indexed((slice(None), place), on_these, lambda: self.seen)

    def _indexed(self, at: Any, function: Function | None, seen: Callable[[], Floats]) -> ExpectedTip:
        """Return the same of some pairs or queries."""
        together = None if self.together is None else self.together[at]
        return ExpectedTip(self.start[at], self.count[at], self.alone[at], together, function, seen)

    def _expected(self, share: Floats, sure: int) -> Floats:
        """Return the expected reciprocal if `sure` documents of F are relevant, the others with chance."""
        function = cast("Function", self.reciprocal)
        left = np.maximum(self.count - sure, 0)
        most = int(left.max(initial=0))
        if most <= MOST_EXACT:
            numbers = np.arange(sure, sure + most + 1, dtype=float)[:, None]
            by_number = function(np.tile(numbers, left.shape[1]))  # number x query
            by_size = _binomial(most, share) @ by_number  # pair x size x query
            return np.take_along_axis(by_size, left.astype(np.int64)[:, None], axis=1)[:, 0]
        s = share[:, None]
        mean = left * s
        deviation = np.sqrt(mean * (1 - s))
        few = mean < deviation
        low, high = np.where(few, 0, mean - deviation), np.where(few, mean + 1 - s, mean + deviation)
        weight = np.where(few, mean / np.where(few, high, 1), 0.5)
        return (1 - weight) * function(sure + low) + weight * function(sure + high)


def _binomial(most: int, share: Floats) -> Floats:
    """Return shares x sizes x numbers: the chance of each number of up to so many, each with that share."""
    chances = np.zeros((len(share), most + 1, most + 1))
    chances[:, 0, 0] = 1.0
    for size in range(1, most + 1):
        chances[:, size] = chances[:, size - 1] * (1 - share[:, None])
        chances[:, size, 1:] += chances[:, size - 1, :-1] * share[:, None]
    return chances


def tip_of(
    shared: SharedRankings,
    measure: Measure,
    scores: Floats,
    ahead: Ints,
    behind: Ints,
    *,
    depth: int | None,
) -> ExpectedTip | CompletedTip:
    """Return the tip of these pairs; `scores` are of all systems, and `depth` is the pool's."""
    pairs = DirectedPairs(ahead, behind, len(scores))
    weight = importance(measure, np.arange(int(shared.rankings.rank.max(initial=0)) + 1))
    counts = weight > UNSEEN
    rankings = shared.rankings if counts.all() else shared.rankings.where(counts[shared.rankings.rank])
    open_there = is_open(shared, rankings, depth)

    def seen() -> Floats:
        return share_seen(rankings, open_there, pairs, weight, _gains(measure, rankings.judgments))

    terms = terms_of(measure, rankings, weight)
    if terms is None:
        queries = np.ones(len(shared.queries), bool)
        return CompletedTip(shared, measure, depth, ahead, behind, seen(), queries)
    open_terms = open_there[cast("Integers", terms.unjudged.element)]
    sums = favouring(terms.unjudged, open_terms, pairs, terms.alone, terms.together)
    return _expected_tip(sums, terms, scores[ahead] - scores[behind], seen)


def _expected_tip(
    sums: Favouring, terms: Terms, difference: Floats, seen: Callable[[], Floats]
) -> ExpectedTip:
    """Return what judging could turn of pairs, from the expected difference at each share."""
    alone = sums.ahead[0] - sums.behind[0]
    together = None if terms.together is None else sums.ahead[1] - sums.behind[1]
    start = difference
    if terms.reciprocal is not None:
        start = ratio(difference, terms.reciprocal(np.zeros(difference.shape)))
    return ExpectedTip(start, sums.count, alone, together, terms.reciprocal, seen)


def is_open(shared: SharedRankings, rankings: JudgedRankings, depth: int | None) -> Mask:
    """Return which elements are of unjudged documents that may be relevant at their place.

    Below the depth of the pool only documents of the pool may.
    """
    unjudged = rankings.labels < 0
    if depth is None:
        return unjudged
    pooled = shared.name[rankings.row] < len(shared.original.grade)
    return unjudged & (pooled | (rankings.rank <= depth))


def importance(measure: Measure, rank: Integers) -> Floats:
    """Return what each rank counts down to the cutoff: the measure's weight or discount, or 1 / rank."""
    ranks = np.maximum(rank, 1.0)
    if measure.traits.weight is not None:
        found = measure.weights(ranks)
    elif measure.name in ("DCG", "nDCG"):
        found = 1 / np.log2(ranks + 1)
    elif measure.name in ("R", "SetR"):
        found = np.ones(len(ranks))
    else:
        found = 1.0 / ranks
    return np.where(rank <= measure.given.get("cutoff", inf), found, 0.0)


def _gains(measure: Measure, judgments: Judgments) -> Floats:
    """Return the gain of each row as a share of the highest; 0 for what is not judged."""
    top = float(measure.gain(measure.max_grade(judgments)))
    return np.clip(ratio(measure.gain(np.maximum(judgments.grade, 0)), top), 0.0, 1.0)


def terms_of(measure: Measure, r: JudgedRankings, weight: Floats) -> Terms | None:
    """Return the terms of a measure if relevant documents have the highest grade; None if it has none.

    `weight` is what each rank counts.
    """
    gain = float(measure.gain(measure.max_grade(r.judgments)))
    unjudged = r.where((r.labels < 0) & (weight[r.rank] > NEGLIGIBLE))
    alone = weight[unjudged.rank]
    if measure.traits.weight is not None or measure.name == "DCG":
        return Terms(unjudged, gain * alone)
    if measure.name == "nDCG":
        return Terms(unjudged, gain * alone, None, _of_ideal(measure, r.judgments, gain))
    rel = int(measure.given.get("rel", 1))
    relevant = r.judgments.count(rel, inf)

    def of_relevant(more: Floats) -> Floats:
        return ratio(1.0, relevant + more)

    if measure.name in ("R", "SetR"):
        return Terms(unjudged, alone, None, of_relevant)
    if measure.name == "AP":
        parts = [_beside_hits(part, rel) for part in r.blocks(AT_ONCE)]
        return Terms(unjudged, np.concatenate(parts), alone, of_relevant)
    return None


def _beside_hits(r: JudgedRankings, rel: int) -> Floats:
    """Return what each unjudged document would add to the sum of precisions, if it alone were relevant."""
    unjudged = r.where(r.labels < 0)
    above, below = hits_around(r.relevant(rel), unjudged)
    return np.asarray((above + 1) / unjudged.rank + below, float)


def _of_ideal(measure: Measure, judgments: Judgments, top: float) -> Function:
    """Divide by the best possible DCG.

    A gain is a sum of steps between neighbouring levels, so the best DCG is one of discounts per level.
    """
    gain = measure.gain(judgments.grade)
    levels = sorted({*gain[gain > 0].tolist(), top})
    steps = np.diff(levels, prepend=0.0)
    known = np.stack([np.diff(ends(gain >= level)[judgments.offsets]) for level in levels])
    most = int(np.diff(judgments.offsets).max(initial=0)) + 4
    discounts = DiscountSums(most, measure.given.get("cutoff", inf))

    def reciprocal(more: Floats) -> Floats:
        best = np.zeros(more.shape)
        for step, level, count in zip(steps, levels, known, strict=True):
            best += step * discounts.between(count + more * (level <= top))
        return ratio(1.0, best)

    return reciprocal


@dataclass(frozen=True, eq=False)
class Hypothetical:
    """Rankings without the documents that cannot matter to a measure, ready for any choice of documents."""

    batched: Batched
    origin: Integers
    """The row of each row in the rankings that these were made from."""
    top: int
    """The grade that a chosen document gets, the highest of the scale."""

    @classmethod
    def of(cls, shared: SharedRankings, measure: Measure) -> Hypothetical:
        """Where only relevant documents count, nonrelevant ones and those below a cutoff are left out."""
        r, pool, top = shared.rankings, shared.judgments, measure.max_grade(shared.judgments)
        sparse, origin = needs_relevant_alone(measure, r), np.arange(len(pool.grade))
        if sparse:
            reached, matters = r.rank <= cutoff_of(measure), pool.grade > 0
            matters[r.row[(r.labels < 0) & reached]] = True
            origin = np.flatnonzero(matters)
            pool = anonymous(np.searchsorted(origin, pool.offsets), pool.grade[origin])
            r = r.where(reached).moved(pool, numbered(origin, len(matters)))
        return cls(Batched(measure, r, np.flatnonzero(pool.grade < 0), sparse), origin, top)

    @property
    def rankings(self) -> JudgedRankings:
        """Rankings as judged."""
        return self.batched.rankings

    def only(self, runs: Sequence[int]) -> Hypothetical:
        """Return the same for some of the runs, in this order."""
        return replace(self, batched=replace(self.batched, rankings=selected_runs(self.rankings, runs)))

    def completed(
        self, completion: Integers, row: NDArray[np.integer], size: int, *, partial: bool = False
    ) -> Floats:
        """Completions x runs x queries: the same, of several choices; with `partial` others stay unjudged."""
        batched = replace(self.batched, partial=True) if partial else self.batched
        grade = np.full(len(row), self.top, np.int32)
        given = Grades(completion, np.searchsorted(batched.row, row), grade, size)
        shape = size, -1, len(self.rankings.judgments.queries)
        return np.asarray(batched.measure.averaged(batched.values(given)).reshape(shape))


@dataclass(frozen=True, eq=False)
class CompletedTip:
    """D_q(s) as the mean over random completions; each document has the same numbers for all pairs."""

    drawn: ClassVar[bool] = True
    shared: SharedRankings
    measure: Measure
    depth: int | None
    ahead: Ints
    behind: Ints
    seen: Floats
    queries: Mask

    def at(self, share: Floats) -> Floats:
        """Return the expected differences at a share per pair."""
        hypothetical = Hypothetical.of(self.shared, self.measure)
        pairs = zip(self.ahead.tolist(), self.behind.tolist(), share.tolist(), strict=True)
        return np.stack([self._of_pair(hypothetical, *one)[self.queries] for one in pairs])

    def at_worst(self) -> Floats:
        """Return the differences if all of these documents are relevant."""
        return self.at(np.ones(len(self.ahead)))

    def only(self, pairs: Integers) -> CompletedTip:
        """Return the same for some of the pairs."""
        return replace(self, ahead=self.ahead[pairs], behind=self.behind[pairs], seen=self.seen[pairs])

    def over(self, queries: Mask) -> CompletedTip:
        """Return the same on some of the queries."""
        whole = self.queries.copy()
        whole[np.flatnonzero(self.queries)[~queries]] = False
        return replace(self, queries=whole)

    def _of_pair(self, every: Hypothetical, ahead: int, behind: int, share: float) -> Floats:
        """Return the difference of one pair on each query, at one share, over random completions."""
        two = every.only([behind, ahead])
        rows = self._favouring(two)
        draws = 1 if share in (0.0, 1.0) else ceil(COMPLETED_QUERIES / len(self.shared.queries))
        identity = self.shared.identity[two.origin[rows]]
        drawn = uniforms(identity, salt("reversal"), np.arange(draws)[:, None]) <= share
        if share == 0.0:
            drawn[:] = False
        completion, document = drawn.nonzero()
        values = two.completed(completion, rows[document], draws, partial=True)
        return np.asarray((values[:, 1] - values[:, 0]).mean(axis=0), float)

    def _favouring(self, two: Hypothetical) -> Integers:
        """Return the rows of open documents that favour the run behind, the first of the two, in order."""
        behind, ahead = two.rankings.run(0), two.rankings.run(1)
        rank = np.full(len(behind.judgments.grade), np.iinfo(np.int32).max)
        rank[ahead.row] = ahead.rank
        chosen = (behind.labels < 0) & (behind.rank < rank[behind.row])
        if self.depth is not None:
            pooled = self.shared.name[two.origin[behind.row]] < len(self.shared.original.grade)
            chosen &= pooled | (behind.rank <= self.depth)
        return np.sort(behind.row[chosen].astype(np.int64))
