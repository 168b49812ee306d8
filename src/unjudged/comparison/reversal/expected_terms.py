"""Measures as sums over relevant documents, divided by a denominator that counts them.

If each document of a set U is relevant with probability x, the expected sum is N0 + N1 x + N2 x^2: N1 is what
documents of U add alone, and N2 what two of them add together, as in AP. A term of N1 counts only where one
document of U is relevant, and a term of N2 where two are; so each has a denominator of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from unjudged.base.segments import ends
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.bounding.closed_bounds import hits_around
from unjudged.uncertainty.bounding.gain_bounds import Discounts
from unjudged.uncertainty.shared import NEGLIGIBLE

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
