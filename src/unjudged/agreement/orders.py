"""How far two orders agree: tau, tau_AP, correlations, overlap of the best, and rank-biased overlap (RBO).

RBO is that of Corsi and Urbano (2024), of rankings that may have ties and different items.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import Literal, NamedTuple

import numpy as np

from unjudged.base.choices import check_probability, shown
from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, Integers, Mask

MANY = 1000
"""With more systems than this, scipy counts pairs in less time and memory than we would."""
Ties = Literal["w", "a", "b"]
TIES: tuple[Ties, ...] = ("w", "a", "b")
Ranking = Sequence[Hashable | Sequence[Hashable]]
"""Items, best first; tied ones together in a list or tuple."""


def tau(estimate: Floats, actual: Floats) -> float:
    """Kendall's tau-b: the share of pairs in the same order, from -1 to 1.

    tau-b = (concordant - discordant) / sqrt((n - ties of one) (n - ties of the other)), of n pairs. Not a
    number if all are tied in either order.

    >>> tau(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0]))
    0.6666666666666669
    """
    if undefined(estimate, actual):
        return float("nan")
    if len(estimate) > MANY:
        from scipy.stats import kendalltau

        return float(kendalltau(estimate, actual).statistic)
    first, second = estimate[:, None] < estimate, actual[:, None] < actual  # each untied pair once
    untied = np.count_nonzero(first), np.count_nonzero(second)
    if not all(untied):
        return float("nan")
    surplus = np.count_nonzero(first & second) - np.count_nonzero(first & second.T)
    return float(np.clip(surplus / np.sqrt(untied[0]) / np.sqrt(untied[1]), -1, 1))


def tau_ap(estimate: Floats, actual: Floats) -> float:
    """tau_AP (Yilmaz, Aslam and Robertson, 2008): like tau, with more weight on the best systems.

    2 / (n - 1) times the sum over ranks i > 1 of the estimated order of C(i) / (i - 1), minus 1, where C(i)
    counts the systems above rank i that the actual values place above it too. Our tie rule: a tie in either
    order counts as half concordant, and tied estimates are averaged over all orders of the tied systems.

    >>> tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0]))
    0.33333333333333326
    """
    n = len(estimate)
    if undefined(estimate, actual):
        return float("nan")
    above = estimate[:, None] < estimate  # row i: the systems above i
    halves = (actual[:, None] < actual).view(np.int8) + (actual[:, None] <= actual)
    right = (above * halves).sum(axis=1) / 2
    ascending = np.sort(estimate)
    up_to = ascending.searchsorted(estimate, "right")
    before, tied = n - up_to, up_to - ascending.searchsorted(estimate)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    # A system tied at ranks before + 1 .. before + tied is at each of them equally often.
    inverse = harmonic[before + tied - 1] - harmonic[np.maximum(before - 1, 0)]
    ranks_below_first = tied - (before == 0)
    among_tied = (ranks_below_first - before * inverse) / 2
    correct = (right * inverse + among_tied) / tied
    return float(2 / (n - 1) * correct.sum() - 1)


def tau_ap_a(estimate: Floats, actual: Floats) -> float:
    """tau_AP,a (Urbano and Marrero, 2017): the accuracy of an estimate that may have ties.

    The actual order must have no ties. The mean of tau_AP over all ways to break the ties of the estimate;
    not a number if actual values are tied.
    """
    if len(np.unique(actual)) < len(actual):
        return float("nan")
    return tau_ap(estimate, actual)


def tau_ap_b(estimate: Floats, actual: Floats) -> float:
    """tau_AP,b (Urbano and Marrero, 2017): the agreement of two orders that may both have ties.

    In one order let a(i) be the number of systems above the tie group of system i, and c(i) how many of
    them the other order also places strictly above i. Over the systems with a(i) > 0, t = 2 mean(c / a) - 1.
    tau_AP,b is the mean of t over the two roles of the orders. Not a number if all systems are tied in
    either order.

    >>> tau_ap_b(np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 3.0, 3.0, 1.0]))
    0.8333333333333334
    """
    if undefined(estimate, actual):
        return float("nan")
    first, second = estimate[:, None] < estimate, actual[:, None] < actual
    return (_one_way(first, second) + _one_way(second, first)) / 2


def _one_way(above: Mask, above_in_other: Mask) -> float:
    counts = above.sum(axis=1)
    ranked = counts > 0
    if not ranked.any():
        return float("nan")
    concordant = (above & above_in_other).sum(axis=1)
    return float(2 * np.mean(concordant[ranked] / counts[ranked]) - 1)


def rho(estimate: Floats, actual: Floats) -> float:
    """Return the linear correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.corrcoef(estimate, actual)[0, 1])


def undefined(estimate: Floats, actual: Floats) -> bool:
    """Whether there are too few values to order, or one is not a number."""
    return len(estimate) < 2 or bool(np.isnan(estimate).any() or np.isnan(actual).any())


def spearman(estimate: Floats, actual: Floats) -> float:
    """Spearman's correlation of ranks; tied systems share their mean rank."""
    from scipy.stats import rankdata

    return rho(rankdata(estimate), rankdata(actual))


def top_overlap(estimate: Floats, actual: Floats, k: int) -> float:
    """Return the share of the k best systems that both orders have; systems tied at rank k share the places.

    >>> top_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]), 2)
    0.5
    """
    k = min(k, len(estimate))
    return float(_within(estimate, k) @ _within(actual, k)) / k


def _within(scores: Floats, k: int) -> Floats:
    """Return the chance of each system to be among the k best if ties are broken at random."""
    above, tied = (scores[:, None] < scores).sum(axis=1), (scores[:, None] == scores).sum(axis=1)
    return np.asarray(np.clip((k - above) / tied, 0, 1), float)


def largest_drop(estimate: Floats, actual: Floats) -> float:
    """Return by how many ranks the system that differs most differs; tied systems have their best rank."""
    first, second = ((scores[:, None] < scores).sum(axis=1) for scores in (estimate, actual))
    return float(np.abs(first - second).max(initial=0))


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
