"""Rank-biased overlap of two rankings that may have ties and different items (Corsi and Urbano, 2024)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import Literal, NamedTuple

import numpy as np

from unjudged.base.choices import check_probability, shown
from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats

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
    short, long = sorted((_Groups.of(x), _Groups.of(y)), key=lambda ranking: len(ranking.top))
    shown_items, depths = len(short.top), len(long.top)
    if not shown_items:
        raise UsageError("a ranking is empty, expected items")
    names = list(dict.fromkeys([*short.top, *long.top]))
    of_short, of_long = (ranking.contributions(names, depths, ties) for ranking in (short, long))
    depth = np.arange(1, depths + 1)
    beyond = np.maximum(depth - shown_items, 0)  # items of the shorter ranking that it does not show
    overlap = (of_short * of_long).sum(axis=1)
    unmatched = -np.sort(-of_long[:, [name not in short.top for name in names]], axis=1)
    most = overlap + np.array([unmatched[d, : beyond[d]].sum() for d in range(depths)])
    full = _full_agreement(_sizes(of_short, ties) + beyond, _sizes(of_long, ties), ties)
    within = unmatched.sum(axis=1) / np.maximum((unmatched > 0).sum(axis=1), 1)
    extrapolated = overlap + beyond * within * overlap[shown_items - 1] / full[shown_items - 1]
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


class _Groups(NamedTuple):
    """First and last rank of each item's group of ties."""

    top: dict[Hashable, int]
    bottom: dict[Hashable, int]

    @classmethod
    def of(cls, ranking: Ranking) -> _Groups:
        top: dict[Hashable, int] = {}
        bottom: dict[Hashable, int] = {}
        for entry in ranking:
            group = entry if isinstance(entry, list | tuple) else (entry,)
            first, last = len(top) + 1, len(top) + len(group)
            for item in group:
                if item in top:
                    raise UsageError(f"item {shown(item)} is ranked twice")
                top[item], bottom[item] = first, last
        return cls(top, bottom)

    def contributions(self, names: Sequence[Hashable], depth: int, ties: Ties) -> Floats:
        """Return the share of each item that is within each depth: depths x items."""
        first = np.array([self.top.get(name, depth + 1) for name in names])
        last = np.array([self.bottom.get(name, depth + 1) for name in names])
        d = np.arange(1, depth + 1)[:, None]
        if ties == "w":
            return (first <= d).astype(float)
        return np.asarray(np.clip((d - first + 1) / (last - first + 1), 0, 1), float)


def groups_of(scores: Floats) -> list[list[int]]:
    """Return the places of scores, highest first; equal ones together."""
    order = np.argsort(-scores, kind="stable")
    cuts = np.flatnonzero(np.diff(scores[order]) != 0) + 1
    return [group.tolist() for group in np.split(order, cuts)]
