"""How far estimated values of systems agree with the actual ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unjudged.rankings.judged import Floats


def tau(estimate: Floats, actual: Floats) -> float:
    """Kendall's tau-b: which share of pairs is in the same order, from -1 to 1."""
    from scipy.stats import kendalltau

    return float(kendalltau(estimate, actual).statistic)


def tau_ap(estimate: Floats, actual: Floats) -> float:
    """tau_AP (Yilmaz, Aslam and Robertson, 2008): as tau, with more weight for the best systems.

    2 / (n - 1) times the sum over ranks i > 1 of the estimated order of C(i) / (i - 1), minus 1, where C(i)
    counts the systems above rank i that the actual values have above it too. A tie in either order is half
    right. Where estimates are tied, the mean over all orders of the tied.

    >>> tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0]))
    0.33333333333333326
    """
    n = len(estimate)
    if np.isnan(estimate).any() or np.isnan(actual).any():
        return float("nan")
    above = estimate[:, None] < estimate  # row i: who stands above i
    right = np.where(actual[:, None] < actual, 1.0, np.where(actual[:, None] == actual, 0.5, 0.0))
    before = above.sum(axis=1)
    tied = (estimate[:, None] == estimate).sum(axis=1)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    # A system tied with others at ranks before + 1 .. before + tied is at each of them as often.
    inverse = harmonic[before + tied - 1] - harmonic[np.maximum(before - 1, 0)]
    ranks_below_first = tied - (before == 0)
    among_tied = (ranks_below_first - before * inverse) / 2
    correct = ((above * right).sum(axis=1) * inverse + among_tied) / tied
    return float(2 / (n - 1) * correct.sum() - 1)


def rho(estimate: Floats, actual: Floats) -> float:
    """The linear correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.corrcoef(estimate, actual)[0, 1])


def rms(estimate: Floats, actual: Floats) -> float:
    """The root of the mean squared error."""
    return float(np.sqrt(np.mean((estimate - actual) ** 2)))


def bias(estimate: Floats, actual: Floats) -> float:
    """The mean error: above 0 where the estimates are too high."""
    return float(np.mean(estimate - actual))


STATISTICS: dict[str, Callable[[Floats, Floats], float]] = {
    "tau": tau,
    "tau_ap": tau_ap,
    "rho": rho,
    "rms": rms,
    "bias": bias,
}
