"""Sums over the documents of each ranking or query, all end to end, by NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import owners_by_ends, places_by_ends, sums

Floats = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


def sum_precisions(label: Int32, rank: Int32, offsets: Int64, least: float, cutoff: float) -> Floats:
    """For each ranking, the precisions at its documents with a label of `least` or more, added up."""
    element = ((label >= least) & (rank <= cutoff)).nonzero()[0]
    ends = element.searchsorted(offsets)
    owner = owners_by_ends(ends)
    return sums(places_by_ends(ends, owner) / rank.take(element), owner, len(offsets) - 1)


def sum_gains(gain: Floats, row: Int32, rank: Int32, offsets: Int64, discount: Floats) -> Floats:
    """For each ranking, the gain of each document divided by the discount of its rank, added up.

    The gains are by row of the judgments. Documents at ranks that have no discount add nothing.
    """
    element = (rank < len(discount)).nonzero()[0]
    quotients = gain.take(row.take(element)) / discount.take(rank.take(element))
    return sums(quotients, owners_by_ends(element.searchsorted(offsets)), len(offsets) - 1)


def sum_best_gains(gain: Floats, offsets: Int64, discount: Floats) -> Floats:
    """For each query, the same for its documents in the best order: the highest gain first."""
    query = owners_by_ends(offsets)
    rank = places_by_ends(offsets, query).astype(np.int32)
    return sum_gains(gain, np.lexsort((-gain, query)).astype(np.int32), rank, offsets, discount)


def count_grades(grade: Int32, offsets: Int64, low: float, high: float) -> Int64:
    """For each query, how many documents have a grade from `low` to just below `high`."""
    before: Int64 = ((grade >= low) & (grade < high)).nonzero()[0].searchsorted(offsets)
    return before[1:] - before[:-1]
