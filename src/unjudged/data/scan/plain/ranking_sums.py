"""Sums over the documents of each ranking or query, all end to end, by NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, owners_by_ends, places_by_ends, sums

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


def sum_precisions(label: Int32, rank: Int32, offsets: Int64, least: float, cutoff: float) -> Floats:
    """For each ranking, the precisions at its documents with a label of `least` or more, added up."""
    element = ((label >= least) & (rank <= cutoff)).nonzero()[0]
    ends = element.searchsorted(offsets)
    owner = owners_by_ends(ends)
    return sums(places_by_ends(ends, owner) / rank.take(element), owner, len(offsets) - 1)


def ends_of_precision(  # noqa: PLR0917 (the scanner's functions take arrays by place)
    label: Int32,
    rank: Int32,
    offsets: Int64,
    retrieved: Int32,
    relevant: Int64,
    unseen: Int64,
    least: float,
    cutoff: float,
) -> tuple[Floats, Floats]:
    """For each ranking, the lowest and the highest average precision that its unjudged documents leave open.

    Let N be the sum of the precisions, and R the number of `relevant` documents of the query. From the top,
    the j-th document to turn relevant, at rank k, adds (known relevant above k + j) / k to N, and 1/rank for
    each known relevant document below k. From the bottom, one at rank k adds (known relevant above k + 1) /
    k, and 1/rank for each relevant document below k, including those that turned before it. The ends are the
    extremes of N / (R + j); documents that were not retrieved, the `unseen` ones, only lower it.
    """
    low, high = np.zeros(len(retrieved)), np.zeros(len(retrieved))
    for s, (first, last) in enumerate(pairwise(offsets.tolist())):
        judged = dict(zip(rank[first:last].tolist(), label[first:last].tolist(), strict=True))
        unknown = [k for k in range(1, int(retrieved[s]) + 1) if judged.get(k, -1) < 0]
        hits = [k for k, grade in judged.items() if grade >= least and k <= cutoff]
        start = sum(place / k for place, k in enumerate(hits, 1))
        known, most = int(relevant[s]), int(relevant[s] + unseen[s])
        above = np.searchsorted(hits, unknown)
        own = np.cumsum([0.0, *(1 / k for k in hits)])
        below, inside = own[-1] - own[above], np.array(unknown) <= cutoff
        turns, ranks = np.arange(1, len(unknown) + 1), np.array(unknown, float)
        from_top = np.where(inside, (above + turns) / ranks + below, 0.0)
        turned = np.where(inside, 1 / ranks, 0.0)[::-1]
        from_bottom = np.where(inside, (above + 1) / ranks + below, 0.0)[::-1]
        from_bottom += np.where(inside[::-1], np.cumsum(turned) - turned, 0.0)
        reached = [start / known if known else 0.0, *(start + np.cumsum(from_top)) / (known + turns)]
        left = [start / most if most else 0.0, *(start + np.cumsum(from_bottom)) / (most + turns)]
        high[s], low[s] = max(reached), min(left)
    return low, high


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
