"""Do segments of the queries have one mean? Welch's F by permutation, and a test of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask
from unjudged.evidence.contrast import Clusters
from unjudged.evidence.distributions import upper_tail
from unjudged.inference.pairs import CELLS

PERMUTATIONS = 9_999
LEAST_VARIANCE = 1e-12
NEARLY = 1e-9


def interaction_p(parts: Sequence[Floats], *, draws: int = PERMUTATIONS, seed: int = 0) -> float:
    """Return the p value that segments have one mean: Welch's F with its queries assigned at random.

    The share of assignments of queries to segments with an F (Welch, 1951) as large is exact if segments are
    alike, and holds for many queries if their variances differ (Janssen, 1997). Two segments of few queries
    have all assignments, others so many random ones. With three or more segments of few queries each that
    share is too small where variances differ, and the p value is the larger of it and of Welch's own.
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
    p = _share_as_large(values, sizes, float(statistic[0]) * (1 - NEARLY), draws, seed)
    return p if len(parts) == 2 else max(p, float(fdtrc(len(parts) - 1, freedom[0], statistic[0])))


def clustered_interaction_p(difference: Floats, segments: Sequence[Mask], clusters: Clusters) -> float:
    """Return the p value that segments have one mean, where queries are in clusters, of one segment or more.

    Each segment is tested against all other queries: t, with CR2 in either part and Satterthwaite's degrees
    of freedom; the smallest p counts as often as there are segments, of two once (Bonferroni). Segments of
    one cluster are left out, and NaN is returned if fewer than two are left.
    """
    kept = [own for own in segments if len(set(clusters.number[own].tolist())) > 1]
    if len(kept) < 2:
        return float("nan")
    every = np.logical_or.reduce(kept)
    each = [
        _of_two_parts(difference, own, every & ~own, clusters)
        for own in kept[: 1 if len(kept) == 2 else None]
    ]
    return min(1.0, len(each) * min(each))


def _of_two_parts(difference: Floats, one: Mask, other: Mask, clusters: Clusters) -> float:
    """Return the p value that two parts of the queries have one mean; they may share clusters."""
    gap, parts, covariance = 0.0, np.zeros(len(clusters)), np.zeros((len(clusters), len(clusters)))
    for sign, own in ((1, one), (-1, other)):
        values, number = difference[own], clusters.number[own]
        share = np.bincount(number, minlength=len(clusters)) / len(values)
        scale = 1 / np.sqrt(1 - share)
        sums = np.bincount(number, values - values.mean(), minlength=len(clusters))
        gap += sign * float(values.mean())
        parts += sign * sums / len(values) * scale
        covariance += (np.diag(share) - np.outer(share, share)) * np.outer(scale, scale) / len(values)
    variance = float((parts**2).sum())
    if variance <= LEAST_VARIANCE * float(np.ptp(difference)) ** 2:
        return 1.0 if abs(gap) <= NEARLY else 2.0 ** (2 - len(clusters))
    freedom = np.trace(covariance) ** 2 / (covariance**2).sum()
    return float(2 * upper_tail(freedom, abs(gap) / np.sqrt(variance)))


def _share_as_large(values: Floats, sizes: Integers, least: float, draws: int, seed: int) -> float:
    """Return the share of assignments with at least this F; the one that was observed counts among them."""
    if len(sizes) == 2 and comb(len(values), int(sizes[0])) <= draws:
        firsts = np.array(list(combinations(range(len(values)), int(sizes[0]))))
        rests = np.nonzero(~(firsts[:, :, None] == np.arange(len(values))).any(axis=1))[1]
        every = values[np.concatenate([firsts, rests.reshape(len(firsts), -1)], axis=1)]
        return float((_welch(every, sizes)[0] >= least).mean())
    rng, reached = np.random.default_rng(seed), 1
    block = max(1, CELLS // len(values))
    for start in range(0, draws, block):
        drawn = rng.permuted(np.tile(values, (min(block, draws - start), 1)), axis=1)
        reached += int((_welch(drawn, sizes)[0] >= least).sum())
    return reached / (draws + 1)


def _welch(values: Floats, sizes: Integers) -> tuple[Floats, Floats]:
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
