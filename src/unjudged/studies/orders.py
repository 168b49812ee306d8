"""How far two orders of systems agree: tau, tau_AP, correlation, errors, and rank-biased overlap (RBO)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import Choices, check_probability
from unjudged.base.segments import Floats, Integers

MANY = 1000
"""With more systems than this, scipy counts pairs in less time and memory than we would."""


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


def rank_overlap(estimate: Floats, actual: Floats, p: float = 0.9) -> float:
    """Return RBO = (1 - p) sum over depths d of p^(d - 1) A_d, with A_d the agreement of the first d systems.

    The order of tied systems is unknown, so that agreement is the mean over all orders. Below the last system
    it is extrapolated (RBO_ext of Corsi and Urbano, 2024).

    >>> round(rank_overlap(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0]), p=0.5), 4)
    0.9375
    """
    check_probability("p", p, 0.9)
    depth = np.arange(1, len(estimate) + 1)
    first, second = (_within(scores, depth) for scores in (estimate, actual))
    overlap = (first * second).sum(axis=1)
    seen = (1 - p) * p ** (depth - 1.0) @ (overlap / depth)
    return float(seen + p ** len(depth) * overlap[-1] / len(depth))


def _within(scores: Floats, depth: Integers) -> Floats:
    """Return the share of each system that is within each depth: depths x systems."""
    first = 1 + (scores[:, None] < scores).sum(axis=1)
    last = (scores[:, None] <= scores).sum(axis=1)
    return np.asarray(np.clip((depth[:, None] - first + 1) / (last - first + 1), 0, 1), float)


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
    rbo=Statistic("RBO", rank_overlap, (0.0, 1.0)),
)
