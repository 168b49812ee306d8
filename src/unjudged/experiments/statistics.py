"""How well estimated values of systems agree with the actual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import Choices, as_list
from unjudged.base.errors import UsageError
from unjudged.base.kendall import tau, undefined
from unjudged.rankings.judged import Floats, Mask


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


def rms(estimate: Floats, actual: Floats) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((estimate - actual) ** 2)))


def bias(estimate: Floats, actual: Floats) -> float:
    """Return the mean error: above 0 where the estimates are too high."""
    return float(np.mean(estimate - actual))


class Statistic(NamedTuple):
    """A statistic of agreement, and its title in tables and figures."""

    title: str
    function: Callable[[Floats, Floats], float]


STATISTICS: Choices[Statistic] = Choices(
    "statistic",
    tau=Statistic("tau", tau),
    tau_ap=Statistic("tau_AP", tau_ap),
    rho=Statistic("rho", rho),
    rms=Statistic("RMS error", rms),
    bias=Statistic("bias", bias),
    tau_ap_a=Statistic("tau_AP,a", tau_ap_a),
    tau_ap_b=Statistic("tau_AP,b", tau_ap_b),
)
DEFAULT_STATISTICS = ("tau", "tau_ap", "rho", "rms", "bias")


def known_statistics(names: Iterable[str]) -> list[str]:
    """Return the names, each once; an unknown one is refused."""
    listed = as_list("statistics", names)
    for name in listed:
        STATISTICS.find(name)
    if not listed:
        raise UsageError(f"no statistic given, expected some of {', '.join(STATISTICS)}")
    return list(dict.fromkeys(map(str, listed)))
