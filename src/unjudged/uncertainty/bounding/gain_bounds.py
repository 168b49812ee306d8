"""Bounds of nDCG for any number of grades, exactly.

A gain is a sum of steps between neighbouring levels. With n_l unknown documents at level l or higher, c_l
known ones, U(n) the discounts of the first n unknown ranks and D(n) those of the first n ranks,

    DCG = known + sum over levels of step_l U(n_l),    ideal DCG = sum over levels of step_l D(c_l + n_l),

so for a given ratio x, DCG - x ideal falls apart into one choice of n_l per level, and Dinkelbach's
iteration finds the largest ratio. A higher level has fewer known documents, so its best n_l is never larger:
the choices fit together. The smallest ratio has unseen documents and the last n unknown ones at the highest
level.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from unjudged.base.segments import ends, owners, places
from unjudged.measures.gain import nDCG
from unjudged.measures.kernel.registry import Measure, bounds_of, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty.bounding.filled import Bounds, unknown_documents

MOST_LEVELS = 64
ITERATIONS = 60


@bounds_of(nDCG)
def bounds_of_ndcg(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of nDCG over every completion with grades up to `top`."""
    cutoff = measure.given.get("cutoff", inf)
    gains = measure.given.get("gains")
    known = measure.gain(r.judgments.grade)
    grades = np.unique([0, top, *(g for named in gains or {} for g in (named - 1, named) if 0 <= g <= top)])
    possible = measure.gain(grades)
    levels = np.unique(np.concatenate([known[known > 0], [possible.max()]]))
    levels = levels[levels > 0]
    start = _dcg(r, known, cutoff)
    if len(levels) > MOST_LEVELS:
        return Bounds(np.zeros(len(r)), np.ones(len(r)), exact=False)
    counts = np.stack([_known_at(r, known, level) for level in levels])
    unknown = unknown_documents(r)
    inside = unknown.where(unknown.rank <= cutoff)
    most = int(counts.max(initial=0) + unseen.max(initial=0) + unknown.counts.max(initial=0))
    given = _Levels(start, np.diff(levels, prepend=0.0), counts, Discounts(most, cutoff))
    low = _lowest(given, float(possible.max()), unseen + unknown.counts - inside.counts, inside)
    high = _highest(given, levels <= possible.max(), inside)
    return Bounds(low, high, exact=True)


class Discounts:
    """Sum of the discounts of the first n ranks, down to a cutoff."""

    def __init__(self, most: int, cutoff: float) -> None:
        rank = np.arange(1, most + 1)
        self.sums = np.concatenate([[0.0], np.cumsum((rank <= cutoff) / np.log2(rank + 1.0))])

    def __call__(self, n: Integers) -> Floats:
        sums: Floats = self.sums[n]
        return sums

    def between(self, n: Floats) -> Floats:
        """Return the same for numbers that are not whole, along a straight line."""
        below = np.minimum(n.astype(np.int64), len(self.sums) - 2)
        sums: Floats = self.sums[below] + (n - below) * np.diff(self.sums)[below]
        return sums


@dataclass(frozen=True, eq=False)
class _Levels:
    """Known DCG of each ranking, the steps between levels, and the known documents at each level."""

    start: Floats
    steps: Floats
    counts: Integers
    ideal: Discounts


def _dcg(r: JudgedRankings, known: Floats, cutoff: float) -> Floats:
    gain = known[r.row] * (r.rank <= cutoff)
    return r.total(gain / np.log2(r.rank + 1.0))


def _known_at(r: JudgedRankings, known: Floats, level: float) -> Integers:
    counts: Integers = np.diff(ends(known >= level)[r.judgments.offsets])[r.query]
    return counts


def _choices(inside: JudgedRankings) -> tuple[Integers, Integers, Integers]:
    """Every number of unknown documents that may be relevant, from 0: ranking, number, first place."""
    size = inside.counts + 1
    return owners(size), places(size) - 1, ends(size)[:-1]


def _lowest(levels: _Levels, gain: float, free: Integers, inside: JudgedRankings) -> Floats:
    start, steps, counts, ideal = levels.start, levels.steps, levels.counts, levels.ideal
    ranking, n, first = _choices(inside)
    discount = 1 / np.log2(inside.rank + 1.0)
    from_top = np.zeros(len(ranking))  # the discounts of the first n unknown documents
    from_top[np.flatnonzero(n > 0)] = inside.running(discount, np.add)
    total = inside.total(discount)
    places = first[ranking] + inside.counts[ranking] - n
    last = total[ranking] - from_top[places]
    best = sum(
        step * ideal(counts[level][ranking] + free[ranking] + n) for level, step in enumerate(steps.tolist())
    )
    value = ratio(start[ranking] + gain * last, best)
    return np.minimum.reduceat(value, first)


def _highest(levels: _Levels, reachable: Mask, inside: JudgedRankings) -> Floats:
    start, steps, counts, ideal = levels.start, levels.steps, levels.counts, levels.ideal
    ranking, n, first = _choices(inside)
    gained = np.zeros(len(ranking))
    gained[np.flatnonzero(n > 0)] = inside.running(1 / np.log2(inside.rank + 1.0), np.add)
    at = [ideal(count[ranking] + n) for count in counts]
    best = np.zeros(len(start))
    for _ in range(ITERATIONS):
        total, ideal_total = start.copy(), np.zeros(len(start))
        for level, step in enumerate(steps.tolist()):
            chosen = first
            if reachable[level]:
                chosen = _first_largest(gained - best[ranking] * at[level], first, inside.counts)
            total = total + step * gained[chosen]
            ideal_total = ideal_total + step * at[level][chosen]
        better = np.maximum(ratio(total, ideal_total), best)
        if (better <= best * (1 + 1e-15)).all():
            break
        best = better
    return best


def _first_largest(values: Floats, first: Integers, counts: Integers) -> Integers:
    """Return the place of the largest value of each stretch, the first of equals."""
    largest = np.maximum.reduceat(values, first)
    hit = np.flatnonzero(values == np.repeat(largest, counts + 1))
    chosen: Integers = hit[np.searchsorted(hit, first)]
    return chosen
