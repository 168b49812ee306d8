"""Kendall's tau: how far two orders of systems agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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


def undefined(estimate: Floats, actual: Floats) -> bool:
    """Whether there are too few values to order, or one is not a number."""
    return len(estimate) < 2 or bool(np.isnan(estimate).any() or np.isnan(actual).any())
