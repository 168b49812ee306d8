"""How far two orders of systems agree: tau, tau_AP, correlations, overlap of the best."""

from __future__ import annotations

import numpy as np

from unjudged.rankings.judged import Floats, Mask

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
