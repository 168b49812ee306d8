"""How far two orders of systems agree: tau, tau_AP, correlation, errors, and rank-biased overlap (RBO).

RBO is that of Corsi and Urbano (2024), of rankings that may have ties and different items.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import Choices, check_probability, shown
from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, Integers

MANY = 1000
"""With more systems than this, scipy counts pairs in less time and memory than we would."""
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


def rho(estimate: Floats, actual: Floats) -> float:
    """Return the linear correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.corrcoef(estimate, actual)[0, 1])


def undefined(estimate: Floats, actual: Floats) -> bool:
    """Whether there are too few values to order, or one is not a number."""
    return len(estimate) < 2 or bool(np.isnan(estimate).any() or np.isnan(actual).any())


def rms(estimate: Floats, actual: Floats) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((estimate - actual) ** 2)))


def bias(estimate: Floats, actual: Floats) -> float:
    """Return the mean error: above 0 where the estimates are too high."""
    return float(np.mean(estimate - actual))


def rank_overlap(x: Ranking, y: Ranking, p: float = 0.9) -> float:
    """Return RBO = (1 - p) sum over depths d of p^(d - 1) A_d, with A_d the agreement of the first d items.

    The order of tied items is unknown, so that agreement is the mean over all orders. Below the end of a
    ranking it is extrapolated (RBO_ext).

    >>> rank_overlap(["a", ("b", "c")], ["a", "b", "c"], p=0.5)
    0.9375
    """
    check_probability("p", p, 0.9)
    short, long = sorted((_ranks(x), _ranks(y)), key=len)
    if not short:
        raise UsageError("a ranking is empty, expected items")
    names = list(dict.fromkeys([*short, *long]))
    absent = (len(names) + 1, len(names) + 1)
    of_short, of_long = (np.array([own.get(name, absent) for name in names]) for own in (short, long))
    return _overlap(of_short, of_long, p)


def order_overlap(a: Floats, b: Floats, p: float = 0.9) -> float:
    """Return the overlap of two orders of the same systems by their scores; equal scores are tied."""
    first, second = (
        np.stack([1 + (s[:, None] < s).sum(axis=1), (s[:, None] <= s).sum(axis=1)], axis=1) for s in (a, b)
    )
    return _overlap(first, second, p)


def _overlap(short: Integers, long: Integers, p: float) -> float:
    """Return the overlap from the first and last rank of each item's ties, in the shorter and the longer.

    Items that a ranking lacks have a rank above the number of items.
    """
    visible, depths = (int((ranks[:, 0] <= len(ranks)).sum()) for ranks in (short, long))
    depth = np.arange(1, depths + 1)
    of_short, of_long = (_within(ranks, depth) for ranks in (short, long))
    overlap = (of_short * of_long).sum(axis=1)
    unmatched = of_long[:, short[:, 0] > len(short)]
    share = unmatched.sum(axis=1) / np.maximum((unmatched > 0).sum(axis=1), 1)
    beyond = np.maximum(depth - visible, 0)  # items of the shorter ranking that it does not show
    overlap = overlap + beyond * share * overlap[visible - 1] / depth[visible - 1]
    return float((1 - p) * p ** (depth - 1.0) @ (overlap / depth) + p**depths * overlap[-1] / depths)


def _within(ranks: Integers, depth: Integers) -> Floats:
    """Return the share of each item that is within each depth: depths x items."""
    first, last = ranks.T
    return np.asarray(np.clip((depth[:, None] - first + 1) / (last - first + 1), 0, 1), float)


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


class Statistic(NamedTuple):
    """A statistic of estimated and actual means of systems, its title, and the values it can have."""

    title: str
    function: Callable[[Floats, Floats], float]
    limits: tuple[float, float] = (-1.0, 1.0)


STATISTICS: Choices[Statistic] = Choices(
    "statistic",
    tau=Statistic("tau", tau),
    tau_ap=Statistic("tau_AP", tau_ap),
    rho=Statistic("rho", rho),
    rms=Statistic("RMS error", rms, (0.0, np.inf)),
    bias=Statistic("bias", bias, (-np.inf, np.inf)),
    rbo=Statistic("RBO", order_overlap, (0.0, 1.0)),
)
