"""Bounds of the difference of two runs by nDCG on each query.

Both runs are divided by the same ideal I, so the difference is N / I, where N is the difference of their DCG.
An unjudged document moves N by its gain times the difference of its two discounts, and I lies between the
ideal of the judged documents and that with every unjudged one at the highest gain. The ends of N over the
ends of I therefore enclose the difference, much closer than one run's lowest minus the other's highest.
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.base.segments import sums
from unjudged.measures.gain import best_first
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.shared import SharedRankings


def has_closer_bounds(measure: Measure) -> bool:
    """Whether the measure is nDCG with the usual gains."""
    return measure.name == "nDCG" and not measure.given.keys() & {"gains", "unjudged", "chance"}


def ndcg_bounds(two: SharedRankings, measure: Measure) -> tuple[Floats, Floats]:
    """Return the ends of the first run minus the second on each query."""
    pool, queries, cutoff = two.judgments, len(two.queries), measure.given.get("cutoff", inf)
    unknown = pool.grade < 0
    most = float(measure.gain([measure.max_grade(pool)])[0])
    known = np.where(unknown, 0.0, measure.gain(pool.grade))
    moved = np.zeros(len(pool.grade))
    for run, sign in ((two.rankings.run(0), 1.0), (two.rankings.run(1), -1.0)):
        moved[run.row] += sign * (run.rank <= cutoff) / np.log2(run.rank + 1.0)
    gap, least, largest = (
        sums(each, pool.query, queries)
        for each in (
            known * moved,
            np.where(unknown, most * np.minimum(moved, 0), 0.0),
            np.where(unknown, most * np.maximum(moved, 0), 0.0),
        )
    )
    shortest = _ideal(two, known, cutoff)
    longest = _ideal(two, np.where(unknown, most, known), cutoff)
    low, high = gap + least, gap + largest
    return (
        np.where(low > 0, ratio(low, longest), _over(low, shortest)),
        np.where(high > 0, _over(high, shortest), ratio(high, longest)),
    )


def _ideal(two: SharedRankings, gain: Floats, cutoff: float) -> Floats:
    row, query, rank = best_first(two.judgments, gain)
    return sums(gain[row] * (rank <= cutoff) / np.log2(rank + 1.0), query, len(two.queries))


def _over(value: Floats, ideal: Floats) -> Floats:
    """Divide; where nothing is known to be relevant, the end is as far away as it can be."""
    far = np.where(value == 0, 0.0, np.copysign(np.inf, value))
    return np.divide(value, ideal, out=far, where=ideal > 0)
