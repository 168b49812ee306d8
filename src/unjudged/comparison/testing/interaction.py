"""Test whether the mean difference of two systems is the same in every segment of the queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.comparison.testing.pairs import CELLS
from unjudged.rankings.judged import Floats

PERMUTATIONS = 9_999
LEAST_VARIANCE = 1e-12


def interaction_p(parts: Sequence[Floats], *, draws: int = PERMUTATIONS, seed: int = 0) -> float:
    """Return the p value that segments have one mean: the larger of Welch's and of its permutation.

    Welch's F (1951) allows for different variances, but is too sure where a small segment meets a large one.
    The share of random assignments of queries to segments with an F as large is right there, but too small
    where several small segments vary differently. The larger p value of the two held in both cases.
    Segments of one query are left out; NaN if fewer than two are left.

    >>> rng = np.random.default_rng(1)
    >>> head, tail = rng.normal(0.1, 0.1, 30), rng.normal(-0.1, 0.1, 30)
    >>> interaction_p([head, tail])
    0.0001
    """
    from scipy.special import fdtrc

    parts = [part for part in parts if len(part) > 1]
    if len(parts) < 2:
        return float("nan")
    values = np.concatenate(parts)
    if np.ptp(values) == 0:
        return 1.0
    sizes = np.array([len(part) for part in parts])
    statistic, freedom = _welch(values[None], sizes)
    by_welch = float(fdtrc(len(parts) - 1, freedom[0], statistic[0]))
    rng, reached = np.random.default_rng(seed), 1
    block = max(1, CELLS // len(values))
    for start in range(0, draws, block):
        drawn = rng.permuted(np.tile(values, (min(block, draws - start), 1)), axis=1)
        reached += int((_welch(drawn, sizes)[0] >= statistic[0] * (1 - 1e-9)).sum())
    return max(by_welch, reached / (draws + 1))


def _welch(values: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return F and its second degrees of freedom for each row of values, segment after segment."""
    k, ends = len(sizes), np.cumsum(sizes)
    parts = np.split(values, ends[:-1], axis=1)
    means = np.stack([part.mean(axis=1) for part in parts], axis=1)
    variances = np.stack([part.var(axis=1, ddof=1) for part in parts], axis=1)
    weights = sizes / np.maximum(variances, LEAST_VARIANCE * np.ptp(values, axis=1, keepdims=True) ** 2)
    total = weights.sum(axis=1, keepdims=True)
    centre = (weights * means).sum(axis=1, keepdims=True) / total
    spread = ((1 - weights / total) ** 2 / (sizes - 1)).sum(axis=1)
    between = (weights * (means - centre) ** 2).sum(axis=1) / (k - 1)
    return between / (1 + 2 * (k - 2) / (k**2 - 1) * spread), (k**2 - 1) / (3 * spread)
