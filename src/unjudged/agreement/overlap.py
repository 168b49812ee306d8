"""Rank-biased overlap of two rankings that may have ties and different items (Corsi and Urbano, 2024)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import Literal, NamedTuple

import numpy as np

from unjudged.base.choices import check_probability, shown
from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, Integers

Ties = Literal["w", "a", "b"]
TIES: tuple[Ties, ...] = ("w", "a", "b")
Ranking = Sequence[Hashable | Sequence[Hashable]]
"""Items, best first; tied ones together in a list or tuple."""


class RankOverlap(NamedTuple):
    """Rank-biased overlap, extrapolated from what both rankings show, and its least and greatest value."""

    value: float
    low: float
    high: float

    @property
    def residual(self) -> float:
        """What the items that neither ranking shows leave open."""
        return self.high - self.low


def rank_overlap(x: Ranking, y: Ranking, p: float = 0.9, ties: Ties = "a") -> RankOverlap:
    """Return RBO = (1 - p) sum over depths d of p^(d - 1) A_d, with A_d the agreement of the first d items.

    `ties` says what a tie means. 'w': tied items share a rank, and a group is included as a whole once a
    depth reaches it (Webber et al., 2010). 'a': the order of tied items is unknown; the mean over all orders.
    'b': like 'a', but rankings with the same ties agree fully. Below the end of a ranking agreement is
    extrapolated; `low` and `high` hold for every continuation.

    >>> rank_overlap(["a", ("b", "c")], ["a", "b", "c"], p=0.5)
    RankOverlap(value=0.9375, low=0.891941541679836, high=0.9375)
    """
    check_probability("p", p, 0.9)
    if ties not in TIES:
        raise UsageError(f"ties is {shown(ties)}, expected one of {', '.join(TIES)}")
    short, long = sorted((_ranks(x), _ranks(y)), key=len)
    if not short:
        raise UsageError("a ranking is empty, expected items")
    names = list(dict.fromkeys([*short, *long]))
    absent = (len(names) + 1, len(names) + 1)
    of_short, of_long = (np.array([own.get(name, absent) for name in names]) for own in (short, long))
    return _overlap(of_short, of_long, p, ties)


def order_overlap(a: Floats, b: Floats, p: float, ties: Ties) -> float:
    """Return the overlap of two orders of the same systems by their scores; equal scores are tied."""
    first, second = (
        np.stack([1 + (s[:, None] < s).sum(axis=1), (s[:, None] <= s).sum(axis=1)], axis=1) for s in (a, b)
    )
    return _overlap(first, second, p, ties).value


def _overlap(short: Integers, long: Integers, p: float, ties: Ties) -> RankOverlap:
    """Return the overlap from the first and last rank of each item's ties, in the shorter and the longer.

    Items that a ranking lacks have a rank above the number of items.
    """
    visible, depths = (int((ranks[:, 0] <= len(ranks)).sum()) for ranks in (short, long))
    of_short, of_long = (_contributions(ranks, depths, ties) for ranks in (short, long))
    depth = np.arange(1, depths + 1)
    beyond = np.maximum(depth - visible, 0)  # items of the shorter ranking that it does not show
    overlap = (of_short * of_long).sum(axis=1)
    unmatched = -np.sort(-of_long[:, short[:, 0] > len(short)], axis=1)
    most = overlap + np.array([own[:k].sum() for own, k in zip(unmatched, beyond, strict=True)])
    full = _full_agreement(_sizes(of_short, ties) + beyond, _sizes(of_long, ties), ties)
    within = unmatched.sum(axis=1) / np.maximum((unmatched > 0).sum(axis=1), 1)
    extrapolated = overlap + beyond * within * overlap[visible - 1] / full[visible - 1]
    discount = (1 - p) * p ** (depth - 1.0)
    value = discount @ (extrapolated / full) + p**depths * extrapolated[-1] / full[-1]
    low = discount @ (overlap / full) + overlap[-1] * _harmonic_tail(p, depths)
    high = discount @ (most / full) + _best_tail(p, depths, float(most[-1]))
    return RankOverlap(float(value), float(low), float(high))


def _full_agreement(short: Floats, long: Floats, ties: Ties) -> Floats:
    """Return the overlap of two rankings of these sizes that agree, at each depth."""
    if ties == "a":
        return np.arange(1.0, len(long) + 1)
    return np.asarray((short + long) / 2 if ties == "w" else np.sqrt(short * long), float)


def _sizes(contributions: Floats, ties: Ties) -> Floats:
    return np.asarray((contributions**2).sum(axis=1) if ties == "b" else contributions.sum(axis=1), float)


def _harmonic_tail(p: float, depth: int) -> float:
    """Return (1 - p) times the sum of p^(d - 1) / d over all depths below this one."""
    d = np.arange(1, depth + 1)
    return (1 - p) / p * (-log(1 - p) - float((p**d / d).sum()))


def _best_tail(p: float, depth: int, overlap: float) -> float:
    """Return the greatest value of all depths below: two more items agree at each until all do."""
    last = depth + int(np.ceil(depth - overlap))
    d = np.arange(depth + 1, last + 1)
    rising = np.minimum(d, overlap + 2 * (d - depth)) / d
    return float((1 - p) * (p ** (d - 1.0)) @ rising + p ** float(last))


def _ranks(ranking: Ranking) -> dict[Hashable, tuple[int, int]]:
    """Return the first and the last rank of each item's group of ties."""
    ranks: dict[Hashable, tuple[int, int]] = {}
    for entry in ranking:
        group = entry if isinstance(entry, list | tuple) else (entry,)
        both = len(ranks) + 1, len(ranks) + len(group)
        for item in group:
            if item in ranks:
                raise UsageError(f"item {shown(item)} is ranked twice")
            ranks[item] = both
    return ranks


def _contributions(ranks: Integers, depth: int, ties: Ties) -> Floats:
    """Return the share of each item that is within each depth: depths x items."""
    first, last = ranks.T
    d = np.arange(1, depth + 1)[:, None]
    within = first <= d if ties == "w" else np.clip((d - first + 1) / (last - first + 1), 0, 1)
    return np.asarray(within, float)
