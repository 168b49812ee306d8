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
from functools import cached_property
from math import inf

import numpy as np

from unjudged.base.segments import distinct, ends, owners, places
from unjudged.evidence.bounds.filled import Bounds, unknown_documents
from unjudged.measures.gain import nDCG
from unjudged.measures.kernel.registry import Measure, bounds_of, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask

MOST_LEVELS = 64
ITERATIONS = 60


@bounds_of(nDCG)
def bounds_of_ndcg(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of nDCG over every completion with grades up to `top`."""
    cutoff = measure.given.get("cutoff", inf)
    gains = measure.given.get("gains")
    known = measure.gain(r.judgments.grade)
    grades = distinct([0, top, *(g for named in gains or {} for g in (named - 1, named) if 0 <= g <= top)])
    possible = measure.gain(grades)
    levels = distinct(np.concatenate([known[known > 0], [possible.max()]]))
    levels = levels[levels > 0]
    if len(levels) > MOST_LEVELS:
        return Bounds(np.zeros(len(r)), np.ones(len(r)), exact=False)
    start = r.total(known[r.row] * (r.rank <= cutoff) / np.log2(r.rank + 1.0))
    counts = np.stack([np.diff(ends(known >= level)[r.judgments.offsets])[r.query] for level in levels])
    unknown = unknown_documents(r)
    inside = unknown.where(unknown.rank <= cutoff)
    most = int(counts.max(initial=0) + unseen.max(initial=0) + unknown.counts.max(initial=0))
    ideal = Discounts(most, cutoff)
    given = _Levels(start, np.diff(levels, prepend=0.0), counts, ideal, inside)
    low = given.lowest(float(possible.max()), unseen + unknown.counts - inside.counts)
    high = given.highest(levels <= possible.max())
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
    """Known DCG of each ranking, the steps between levels, and the known documents at each level.

    `inside` are the unknown documents down to the cutoff, of which 0, 1, ... may be relevant.
    """

    start: Floats
    steps: Floats
    counts: Integers
    ideal: Discounts
    inside: JudgedRankings

    @cached_property
    def choices(self) -> tuple[Integers, Integers, Integers, Floats]:
        """Every number of relevant unknown documents: ranking, number, first place, sum of discounts."""
        size = self.inside.counts + 1
        ranking, n = owners(size), places(size) - 1
        from_top = np.zeros(len(ranking))
        from_top[np.flatnonzero(n > 0)] = self.inside.running(1 / np.log2(self.inside.rank + 1.0), np.add)
        return ranking, n, ends(size)[:-1], from_top

    def lowest(self, gain: float, free: Integers) -> Floats:
        """Return the lowest ratio, with documents of the highest gain at the last ranks and the free ones."""
        ranking, n, first, from_top = self.choices
        total = self.inside.total(1 / np.log2(self.inside.rank + 1.0))
        last = total[ranking] - from_top[first[ranking] + self.inside.counts[ranking] - n]
        steps = zip(self.counts, self.steps.tolist(), strict=True)
        best = sum(step * self.ideal(count[ranking] + free[ranking] + n) for count, step in steps)
        return np.minimum.reduceat(ratio(self.start[ranking] + gain * last, best), first)

    def highest(self, reachable: Mask) -> Floats:
        """Return the highest ratio, by Dinkelbach's iteration."""
        ranking, n, first, gained = self.choices
        at = [self.ideal(count[ranking] + n) for count in self.counts]
        best = np.zeros(len(self.start))
        for _ in range(ITERATIONS):
            total, ideal_total = self.start.copy(), np.zeros(len(self.start))
            for level, step in enumerate(self.steps.tolist()):
                chosen = first
                if reachable[level]:
                    chosen = _first_largest(gained - best[ranking] * at[level], first, self.inside.counts)
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
