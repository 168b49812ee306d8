"""Unjudged documents that favour the run behind, of every pair at once, and what they add to a measure.

A document favours a run that ranks it higher than the other run of the pair, or that alone retrieves it.

Measures are sums over relevant documents, divided by a denominator that counts them. If each document of a
set U is relevant with probability x, the expected sum is N0 + N1 x + N2 x^2: N1 is what documents of U add
alone, and N2 what two of them add together, as in AP. A term of N1 counts only where one document of U is
relevant, and a term of N2 where two are; so each has a denominator of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from unjudged.base.segments import ends
from unjudged.comparison.testing.pairs import Ints
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.bounding.closed_bounds import hits_around
from unjudged.uncertainty.bounding.gain_bounds import Discounts
from unjudged.uncertainty.shared import NEGLIGIBLE, block_starts

CELLS_AT_ONCE = 1 << 20
"""Ranks of documents x runs that are compared at a time, unless a query has more."""


@dataclass(frozen=True, eq=False)
class Favouring:
    """Sums over the documents that favour the run behind, for each pair of a leader and a run behind.

    `count` is how many there are: pairs x queries. `behind` and `leader` have the sums of what these
    documents bring to either run: sums x pairs x queries.
    """

    count: Floats
    behind: Floats
    leader: Floats


def favouring(
    unjudged: JudgedRankings,
    leader: Ints,
    behind: Ints,
    summed: Sequence[Floats],
    crossed: Floats | None = None,
) -> Favouring:
    """Sum numbers of unjudged documents over those that favour the run behind.

    Each of `summed` has a number for every document of every ranking. A `crossed` number counts once for
    every favouring document that stands above its own in the same ranking; its sum comes last.
    """
    queries = len(unjudged.judgments.queries)
    runs, pairs = len(unjudged) // queries, len(leader)
    sums = np.zeros((2, len(summed) + 2, pairs, queries))
    pair = np.full((runs, runs), -1)
    pair[leader, behind] = np.arange(pairs)
    numbers = np.stack([np.ones(len(unjudged.rank)), *summed])
    rank = unjudged.rank.astype(np.int32 if unjudged.rank.max(initial=0) >= FAR else np.int16)
    query = unjudged.query[unjudged.ranking].astype(np.int64)
    for run, own, theirs in _by_run(unjudged, rank, runs):
        first, mine = np.flatnonzero(np.diff(query[own], prepend=-1)), rank[own, None]
        for role, known in enumerate((pair[:, run], pair[run])):
            others = np.flatnonzero(known >= 0)
            if not len(others):
                continue
            there = theirs[:, _columns(others)]
            chosen = (there < mine if role else there > mine).astype(float)
            at: Any = (slice(None), known[others, None], query[own[first]])
            sums[role, :-1][at] = _by_query(numbers[:, own], chosen, first)
            if crossed is not None:
                chosen *= _above(chosen, first)
                sums[role, -1:][at] = _by_query(crossed[None, own], chosen, first)
    kept = slice(1, None if crossed is not None else -1)
    return Favouring(sums[0, 0], sums[0, kept], sums[1, kept])


FAR = np.iinfo(np.int16).max


def _columns(runs: Integers) -> slice | Integers:
    """Neighbouring runs as a slice, which copies nothing."""
    first, last = int(runs[0]), int(runs[-1]) + 1
    return slice(first, last) if last - first == len(runs) else runs


def _by_query(numbers: Floats, chosen: Floats, first: Integers) -> Floats:
    """Numbers x runs x queries: each number times what is chosen, summed over the documents of a query."""
    if len(first) == 1:
        return (numbers @ chosen)[:, :, None]
    return np.stack([np.add.reduceat(own[:, None] * chosen, first, axis=0).T for own in numbers])


def _above(chosen: Floats, first: Integers) -> Floats:
    """How many chosen documents of the same query stand above each document."""
    above = np.cumsum(chosen, axis=0) - chosen
    if len(first) == 1:
        return above
    return above - np.repeat(above[first], np.diff(first, append=len(chosen)), axis=0)


def rank_by_row(ranking: JudgedRankings) -> Integers:
    """Return the rank that a run gives each row of the pool, a very large one where it has none."""
    rank = np.full(len(ranking.judgments.grade), np.iinfo(np.int32).max)
    rank[ranking.row] = ranking.rank
    return rank


def _by_run(unjudged: JudgedRankings, rank: Any, runs: int) -> Iterator[tuple[int, Integers, Any]]:
    """Yield a run, its elements in some queries, and the ranks that all runs give their documents.

    It is cut between queries, so that these ranks fit a cache.
    """
    run = unjudged.ranking // len(unjudged.judgments.queries)
    starts = block_starts(unjudged.judgments.offsets, max(CELLS_AT_ONCE // runs, 1))
    block = np.searchsorted(starts, unjudged.row, "right") - 1
    order = np.argsort(block, kind="stable")
    inside = np.searchsorted(block[order], np.arange(len(starts)))
    for k, (first, last) in enumerate(pairwise(starts)):
        some = order[inside[k] : inside[k + 1]]
        ranks = np.full((last - first, runs), np.iinfo(rank.dtype).max, rank.dtype)
        ranks[unjudged.row[some] - first, run[some]] = rank[some]
        until = np.searchsorted(run[some], np.arange(runs + 1))
        for this, (start, end) in enumerate(pairwise(until)):
            if start < end:
                own = some[start:end]
                yield this, own, ranks.take(unjudged.row[own] - first, axis=0)


Reciprocal = Callable[[Floats, Floats, int], Floats]
"""Pairs x queries: the expected reciprocal of the denominator, from the size of U, the share x of each pair,
and how many documents of U are relevant for sure."""


@dataclass(frozen=True, eq=False)
class Terms:
    """What unjudged documents would add to a measure.

    If relevant, a document adds `alone` to the sum, and `together` once more for every relevant unjudged
    document above it. `reciprocal` is by what the sum is multiplied.
    """

    unjudged: JudgedRankings
    alone: Floats
    together: Floats | None
    reciprocal: Reciprocal


def terms_of(measure: Measure, r: JudgedRankings) -> Terms | None:
    """Return the terms of a measure if relevant documents have the highest grade; None if it has none."""
    top = measure.max_grade(r.judgments)
    gain = float(measure.gain(top))
    unjudged = r.where((r.labels < 0) & (r.rank <= measure.given.get("cutoff", inf)))
    if measure.traits.weight is not None:
        alone = gain * measure.weights(unjudged.rank)
        counts = alone > NEGLIGIBLE
        return Terms(unjudged.where(counts), alone[counts], None, _undivided)
    if measure.name in ("DCG", "nDCG"):
        alone = gain / np.log2(unjudged.rank + 1.0)
        reciprocal = _undivided if measure.name == "DCG" else _ideal(measure, r.judgments, gain)
        return Terms(unjudged, alone, None, reciprocal)
    rel = int(measure.given.get("rel", 1))
    reciprocal = _by_relevant(r.judgments.count(rel, inf))
    if measure.name in ("R", "SetR"):
        return Terms(unjudged, np.ones(len(unjudged.rank)), None, reciprocal)
    if measure.name == "AP":
        hits = r.relevant(rel, measure.given.get("cutoff", inf))
        above, below = hits_around(hits, unjudged)
        return Terms(unjudged, (above + 1) / unjudged.rank + below, 1 / unjudged.rank, reciprocal)
    return None


def _undivided(count: Floats, share: Floats, sure: int) -> Floats:  # noqa: ARG001 (a sum without a denominator)
    return np.ones((1, 1))


def _by_relevant(relevant: Integers) -> Reciprocal:
    """Divide by the number of relevant documents."""
    return _expected(lambda more: ratio(1.0, relevant + more))


def _ideal(measure: Measure, judgments: Judgments, top: float) -> Reciprocal:
    """Divide by the best possible DCG.

    A gain is a sum of steps between neighbouring levels, so the best DCG is one of discounts per level.
    """
    gain = measure.gain(judgments.grade)
    levels = np.unique(np.append(gain[gain > 0], top))
    steps = np.diff(levels, prepend=0.0)
    known = np.stack([np.diff(ends(gain >= level)[judgments.offsets]) for level in levels])
    most = int(np.diff(judgments.offsets).max(initial=0)) + 2
    discounts = Discounts(most, measure.given.get("cutoff", inf))

    def reciprocal(more: Floats) -> Floats:
        best = np.zeros(more.shape)
        for step, level, count in zip(steps, levels, known, strict=True):
            best += step * discounts.between(count + more * (level <= top))
        return ratio(1.0, best)

    return _expected(reciprocal)


def _expected(function: Callable[[Floats], Floats]) -> Reciprocal:
    """Return the expectation of a function of the number of relevant documents in U, which is binomial.

    Two numbers stand for all: they have the same mean and variance.
    """

    def expectation(count: Floats, share: Floats, sure: int) -> Floats:
        share = share[:, None]
        mean = np.maximum(count - sure, 0) * share
        deviation = np.sqrt(mean * (1 - share))
        few = mean < deviation
        low, high = np.where(few, 0, mean - deviation), np.where(few, mean + 1 - share, mean + deviation)
        weight = np.where(few, mean / np.where(few, high, 1), 0.5)
        return (1 - weight) * function(sure + low) + weight * function(sure + high)

    return expectation
