"""Reversal prevalence: what share of unjudged documents would have to be relevant to reverse an order?

Of two systems, U are the unjudged documents that favour the one behind: it ranks them higher, or it alone
retrieves them. The reversal prevalence is the lowest share of relevant documents in U, all other unjudged
documents being nonrelevant, at which the leader is no longer expected to be ahead: 0 is a tie, 1 the worst
case. Documents that neither system retrieves are nonrelevant too. They could lower AP, recall and nDCG of
both systems, which scales the difference of a query and does not turn it.

For sums over relevant documents (RBP, P, DCG) the share is exact. For AP, recall and nDCG the expected
difference is exact to the second moment of the number of relevant documents. For other measures it is the
mean of random completions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from unjudged.comparison.reversal.favouring import Terms, favouring, rank_by_row, terms_of
from unjudged.comparison.reversal.reversals import Hypothetical
from unjudged.comparison.testing.pairs import ROUNDING, Ints, Pairs
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.hashing import salt, uniforms
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty.batched_completions import BatchedCompletions, DrawnGrades
from unjudged.uncertainty.prevalence import prevalence_of
from unjudged.uncertainty.shared import SharedRankings, selected_runs

TRIED = (0.01, 0.03, 0.1, 0.3, 1.0)
STEPS = 100
CELLS_AT_ONCE = 1 << 17
"""Pairs x queries that are worked on at a time, so that they fit a cache."""

EXACTLY, DRAWN_TO = 1e-13, 1e-3
"""How far a share is narrowed down, and one from random completions."""
CELLS_IN_MEMORY = 1 << 20
"""Pairs x queries whose sums are held at a time."""
MOST_CELLS = 1 << 21
"""Pairs x queries of which shares are sought; of more, those among the best systems."""
MOST_PAIRS = 15
"""Completions take each pair alone: with more pairs the shares of other measures are not sought."""
COMPLETED_QUERIES = 1000
"""A difference is averaged over completions of this number of queries in all, or once over more."""

Lead = Callable[[Floats, Integers], Floats]
"""Expected lead of the system behind, for a share in each of some pairs."""


@dataclass(frozen=True, eq=False)
class Reversals:
    """Reversal prevalence of each pair: infinite if no share reverses the order, NaN if it was not sought.

    `judged` is the share of relevant documents among the judged ones at the ranks of U, each rank with the
    weight of what the documents of U would add there; NaN where nothing is known. If pairs are too many, they
    were sought among the `best` systems alone.
    """

    share: Floats
    judged: Floats
    surely: Mask
    """The order is reversed if all of U are relevant. Where it is not, another completion may reverse it."""
    best: int | None = None

    @classmethod
    def unsought(cls, pairs: int) -> Reversals:
        """Return what is known before anything is sought."""
        return cls(np.full(pairs, np.nan), np.full(pairs, np.nan), np.zeros(pairs, bool))


def reversals(shared: SharedRankings, measure: Measure, pairs: Pairs, wanted: Mask) -> Reversals:
    """Return the reversal prevalence of the wanted pairs."""
    found = Reversals.unsought(len(pairs))
    found.share[wanted & (pairs.difference == 0)] = 0.0
    chosen = np.flatnonzero(wanted & (pairs.difference != 0))
    if not len(chosen):
        return found
    up, first, second = pairs.difference[chosen] > 0, pairs.first[chosen], pairs.second[chosen]
    leader, behind = np.where(up, first, second), np.where(up, second, first)
    order = np.argsort(-pairs.scores.mean(axis=1), kind="stable")  # runs behind one another are neighbours
    place = np.argsort(order, kind="stable")
    last, most = np.maximum(place[leader], place[behind]), max(MOST_CELLS // pairs.queries, 1)
    if len(chosen) > most:  # whole systems are left out, the worst first
        best = int(np.partition(last, most)[most])
        few, found = last < best, replace(found, best=best)
        order, chosen, leader, behind = order[:best], chosen[few], leader[few], behind[few]
    terms = terms_of(measure, selected_runs(shared.rankings, order.tolist()))
    if terms is not None:
        judged = _judged_share(shared, terms.unjudged, measure)
        by_leader = np.lexsort((place[behind], place[leader]))
        for some in np.array_split(by_leader, ceil(len(chosen) * pairs.queries / CELLS_IN_MEMORY)):
            solved = _by_expectation(
                terms, judged, pairs.scores[order], place[leader[some]], place[behind[some]]
            )
            for part in ("share", "judged", "surely"):
                getattr(found, part)[chosen[some]] = getattr(solved, part)
    elif len(chosen) <= MOST_PAIRS:
        hypothetical = Hypothetical.of(shared, measure)
        for k, a, b in zip(chosen.tolist(), leader.tolist(), behind.tolist(), strict=True):
            found.share[k], found.judged[k] = _by_completions(shared, hypothetical, a, b)
    return found


def _judged_share(shared: SharedRankings, unjudged: JudgedRankings, measure: Measure) -> Floats:
    """For each unjudged document, the share of relevant ones among judged documents in its rank band.

    Documents below the depth of the pool, which only count as nonrelevant, are not among them.
    """
    rankings = shared.rankings
    judged = rankings.where((rankings.labels >= 0) & (shared.name < len(shared.original.grade))[rankings.row])
    if not len(judged.rank):
        return np.full(len(unjudged.rank), np.nan)
    return prevalence_of(
        "rank",
        unjudged.ranking,
        unjudged.rank.astype(np.int64),
        judged_query=judged.ranking,
        judged_rank=judged.rank.astype(np.int64),
        relevant=judged.labels >= measure.given.get("rel", 1),
        queries=len(rankings),
    ).chance


def _by_expectation(terms: Terms, judged: Floats, scores: Floats, leader: Ints, behind: Ints) -> Reversals:
    sums = favouring(terms.unjudged, leader, behind, [terms.alone, terms.alone * judged], terms.together)
    gained, none = sums.behind - sums.leader, np.zeros(len(leader))
    start = ratio(scores[behind] - scores[leader], terms.reciprocal(sums.count, none, 0))

    def lead(share: Floats, some: Integers) -> Floats:
        count = sums.count[some]
        value = start[some] * terms.reciprocal(count, share, 0)
        value += share[:, None] * gained[0, some] * terms.reciprocal(count, share, 1)
        if terms.together is not None:
            value += share[:, None] ** 2 * gained[2, some] * terms.reciprocal(count, share, 2)
        mean: Floats = value.mean(axis=1)
        return mean

    weight = terms.reciprocal(sums.count, none, 1)
    added, relevant = ((sums.behind[k] * weight).sum(axis=1) for k in (0, 1))
    seen = np.divide(relevant, added, out=np.full(len(leader), np.nan), where=added > 0)
    share, at_one = np.zeros((2, len(leader)))
    few = max(CELLS_AT_ONCE // scores.shape[1], 1)
    for first in range(0, len(leader), few):
        some = np.arange(first, min(first + few, len(leader)))
        share[some], at_one[some] = _turning(lead, some, EXACTLY), lead(np.ones(len(some)), some)
    return Reversals(share, seen, at_one > ROUNDING)


def _by_completions(
    shared: SharedRankings, every: Hypothetical, leader: int, behind: int
) -> tuple[float, float]:
    """Documents become relevant one after another as the share rises, in a random order per completion."""
    two = every.only([behind, leader])
    own = two.rankings.run(0)
    favours = (own.labels < 0) & (own.rank < rank_by_row(two.rankings.run(1))[own.row])
    own = own.where(favours)
    draws = ceil(COMPLETED_QUERIES / len(shared.queries))
    identity = shared.identity(two.origin[own.row])
    chances = uniforms(identity, salt("reversal"), np.arange(draws)[:, None])

    batched = BatchedCompletions(two.rankings, own.row.astype(np.int64), dense=not two.sparse)

    def lead(share: Floats, some: Integers) -> Floats:  # noqa: ARG001 (it is one pair)
        drawn = (chances[:1] if share[0] == 1 else chances) <= share[0]
        completion, document = drawn.nonzero()
        grade = np.full(len(document), two.top, np.int32)
        completed = batched.stacked(DrawnGrades(completion, document, grade, len(drawn)))
        values = two.measure.averaged(two.measure.compute(completed)).reshape(len(drawn), 2, -1)
        return np.array([(values[:, 0] - values[:, 1]).mean()])

    judged = _judged_share(shared, own, every.measure)
    (share,) = _turning(lead, np.zeros(1, np.int64), DRAWN_TO).tolist()
    return share, float(judged.mean()) if len(judged) else np.nan


def _turning(lead: Lead, pairs: Integers, precision: float) -> Floats:
    """Return the lowest share at which the lead is not negative, infinite if it always is.

    Shares of TRIED are tried in turn; the first that turns a pair is narrowed down by the rule of false
    position (Illinois), which finds the share of a straight line at once.
    """
    low, high = np.zeros(len(pairs)), np.full(len(pairs), np.inf)
    at_low, at_high = lead(low, pairs), np.full(len(pairs), np.nan)
    some = np.arange(len(pairs))
    for tried in TRIED:
        if not len(some):
            break
        now = lead(np.full(len(some), tried), pairs[some])
        turns = now >= -ROUNDING
        high[some[turns]], at_high[some[turns]] = tried, now[turns]
        some = some[~turns]
        low[some], at_low[some] = tried, now[~turns]
    some, before = np.flatnonzero(np.isfinite(high)), np.full(len(pairs), -1)
    for _ in range(STEPS):
        some = some[high[some] - low[some] > precision]
        if not len(some):
            break
        left, right, down, up = low[some], high[some], at_low[some], at_high[some]
        middle = left + (right - left) * ratio(-down, np.maximum(up, 0) - down)
        middle = np.clip(middle, left + precision / 4, right - precision / 4)  # so that both ends close in
        now = lead(middle, pairs[some])
        turns = now >= 0
        again = np.where(before[some] == turns, 0.5, 1.0)  # an end that stays twice counts half
        high[some], at_high[some] = np.where(turns, middle, right), np.where(turns, now, up * again)
        low[some], at_low[some] = np.where(turns, left, middle), np.where(turns, down * again, now)
        before[some] = turns
    return high
