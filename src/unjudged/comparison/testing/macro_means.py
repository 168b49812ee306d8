"""Means over collections: intervals and tests when the queries of each collection are a sample of its own.

A macro mean gives each collection the same weight, so a small collection adds most of the variance. Queries
are resampled within collections; the collections themselves are fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.rankings.judged import Floats
from unjudged.uncertainty.quantiles import t_quantile

RESAMPLES = 4_000
END = 0.25
"""Weight of the end of the range as an observation, as docs/trust.md measures it; Gaffke's interval has 1."""
MANY = 100
"""From this number of queries on, Student's t is as good."""


class MacroDifferences(NamedTuple):
    """Differences of macro means, a value per pair."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats


def macro_means(parts: Sequence[Floats]) -> Floats:
    """Return the mean over collections of each system's mean; `parts` are systems x queries."""
    return np.asarray(np.mean([part.mean(axis=1) for part in parts], axis=0), float)


def macro_interval(
    parts: Sequence[Floats], limits: tuple[float, float], confidence: float, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return the interval of each system's macro mean for other queries of these collections.

    The distances to the ends of each collection's interval are added as squares. A collection's interval is
    a Bayesian bootstrap of its queries in which the end of the range has a quarter of a query's weight. From
    100 queries on, and for measures without a range, it is Student's t.
    """
    mean, below, above = macro_means(parts), np.zeros(len(parts[0])), np.zeros(len(parts[0]))
    for c, part in enumerate(parts):
        low, high = _within(part, limits, confidence, np.random.default_rng([seed, c]))
        own = part.mean(axis=1)
        below += (own - low) ** 2
        above += (high - own) ** 2
    low, high = mean - np.sqrt(below) / len(parts), mean + np.sqrt(above) / len(parts)
    return np.maximum(low, limits[0]), np.minimum(high, limits[1])


def _within(
    values: Floats, limits: tuple[float, float], confidence: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    queries = values.shape[1]
    if queries >= MANY or not np.isfinite(limits).all():
        half = t_quantile(confidence, queries - 1) * values.std(axis=1, ddof=1) / np.sqrt(queries)
        mean = values.mean(axis=1)
        return mean - half, mean + half
    weights = np.concatenate(
        [rng.standard_gamma(END, (RESAMPLES, 1)), rng.standard_exponential((RESAMPLES, queries))], axis=1
    )
    weights /= weights.sum(axis=1, keepdims=True)
    inside, ends, tail = weights[:, 1:] @ values.T, weights[:, :1], (1 - confidence) / 2
    low = np.quantile(inside + ends * limits[0], tail, axis=0)
    return low, np.quantile(inside + ends * limits[1], 1 - tail, axis=0)


def macro_differences(parts: Sequence[Floats], confidence: float) -> MacroDifferences:
    """Return the difference of macro means of each pair, by a t test with stratified queries.

    `parts` are pairs x queries: differences by query, of at least two queries per collection. The variance
    is the sum of s_c^2 / n_c over C^2, with the degrees of freedom of Welch and Satterthwaite. If no query
    varies, p is 1 for equal systems, else 2^(1 - n).
    """
    from scipy.special import stdtr, stdtrit

    counts = np.array([part.shape[1] for part in parts])
    value = macro_means(parts)
    each = np.array([part.var(axis=1, ddof=1) for part in parts]) / counts[:, None] / len(parts) ** 2
    variance = each.sum(axis=0)
    flat = variance <= np.finfo(float).eps * np.maximum(value**2, np.finfo(float).tiny)
    spread = np.where(flat, 1.0, variance)
    freedom = spread**2 / np.where(flat, 1.0, (each**2 / (counts - 1)[:, None]).sum(axis=0))
    half = np.where(flat, 0.0, stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(spread))
    p = 2 * stdtr(freedom, -np.abs(value) / np.sqrt(spread))
    constant = np.where(value == 0, 1.0, 2.0 ** (1 - min(counts.sum(), 1000)))
    return MacroDifferences(value, value - half, value + half, np.where(flat, constant, p))
