"""Means over collections: intervals and tests when the queries of each collection are a sample of its own.

A macro mean gives each collection the same weight, so a small collection adds most of the variance. Queries
are resampled within collections; the collections themselves are fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.rankings.judged import Floats
from unjudged.uncertainty.quantiles import t_half

RESAMPLES = 4_000
FAR, NEAR = 0.2, 0.4
"""Weight, in queries, of an observation at the end of the range, and of one that is no further than `REACH`
pooled standard deviations from the mean. docs/evidence/collections.csv measures them."""
REACH = 2.0
MEDIAN = 0.25
"""Weight, in queries, of the collections' median variance in that of each collection's differences."""
UNSEEN = 2.0
"""Queries that the variance of a difference counts beyond those in all collections."""
MANY = 100
"""From this number of queries on, Student's t is as good, and the pooled standard deviation is known."""


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
    a Bayesian bootstrap of its queries with one more observation, of a fifth of a query's weight, at the
    end of the range. If all collections together have 100 queries, that observation is no further away than
    two of their pooled standard deviations, with two fifths of a query's weight. From 100 queries on, and
    for measures without a range, a collection's interval is Student's t.
    """
    mean, below, above = macro_means(parts), np.zeros(len(parts[0])), np.zeros(len(parts[0]))
    many = sum(part.shape[1] for part in parts) >= MANY
    reach = REACH * _pooled_deviation(parts) if many else np.full(len(mean), np.inf)
    for c, part in enumerate(parts):
        own, rng = part.mean(axis=1), np.random.default_rng([seed, c])
        if part.shape[1] >= MANY or not np.isfinite(limits).all():
            half = t_half(part.std(axis=1, ddof=1), part.shape[1], confidence)
            low, high = own - half, own + half
        else:
            furthest = np.maximum(reach, REACH * part.std(axis=1, ddof=1))
            ends = np.maximum(limits[0], own - furthest), np.minimum(limits[1], own + furthest)
            low, high = _bootstrap(part, ends, NEAR if many else FAR, confidence, rng)
        below += (own - low) ** 2
        above += (high - own) ** 2
    low, high = mean - np.sqrt(below) / len(parts), mean + np.sqrt(above) / len(parts)
    return np.maximum(low, limits[0]), np.minimum(high, limits[1])


def _pooled_deviation(parts: Sequence[Floats]) -> Floats:
    """Return the root of the mean of the collections' variances by their degrees of freedom."""
    freedom = [part.shape[1] - 1 for part in parts]
    return np.sqrt(np.average([part.var(axis=1, ddof=1) for part in parts], axis=0, weights=freedom))


def _bootstrap(
    values: Floats, ends: tuple[Floats, Floats], weight: float, confidence: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return quantiles of random weightings of the queries and of one more observation at either end."""
    weights = np.concatenate(
        [rng.standard_gamma(weight, (RESAMPLES, 1)), rng.standard_exponential((RESAMPLES, values.shape[1]))],
        axis=1,
    )
    weights /= weights.sum(axis=1, keepdims=True)
    inside, more, tail = values @ weights[:, 1:].T, weights[:, 0], (1 - confidence) / 2
    low = np.quantile(inside + more * ends[0][:, None], tail, axis=1)
    return low, np.quantile(inside + more * ends[1][:, None], 1 - tail, axis=1)


def macro_variances(parts: Sequence[Floats]) -> Floats:
    """Return what each collection adds to the variance of a mean over collections, s_c^2 / (n_c C^2).

    `parts` are rows x queries of each collection, and the result is collections x rows. A few queries often
    vary less than their collection, so the median of the s_c^2 counts in each as a quarter of a query (a
    moderated t, as of Smyth, 2004).
    """
    counts = np.array([part.shape[1] for part in parts])[:, None]
    own = np.array([part.var(axis=1, ddof=1) for part in parts])
    moderated = (MEDIAN * np.median(own, axis=0) + (counts - 1) * own) / (MEDIAN + counts - 1)
    return np.asarray(moderated / counts / len(parts) ** 2, float)


def macro_differences(parts: Sequence[Floats], confidence: float) -> MacroDifferences:
    """Return the difference of macro means of each pair, by a t test with stratified queries.

    `parts` are pairs x queries: differences by query, of at least two queries per collection. The variance
    is the sum of `macro_variances`, with the degrees of freedom of Welch and Satterthwaite. Few queries
    rarely show the largest differences, so the sum is multiplied by 1 + 2 / n, for n queries in all. If no
    query varies, p is 1 for equal systems, else 2^(1 - n), and the interval is the whole line.
    """
    from scipy.special import stdtr, stdtrit

    counts = np.array([part.shape[1] for part in parts])[:, None]
    value, each = macro_means(parts), macro_variances(parts)
    variance = each.sum(axis=0)
    flat = variance <= np.finfo(float).eps * np.maximum(value**2, np.finfo(float).tiny)
    spread = np.where(flat, 1.0, variance)
    freedom = spread**2 / np.where(flat, 1.0, (each**2 / (counts - 1)).sum(axis=0))
    error = np.sqrt(spread * (1 + UNSEEN / counts.sum()))
    half = np.where(flat, np.inf, stdtrit(freedom, (1 + confidence) / 2) * error)
    p = 2 * stdtr(freedom, -np.abs(value) / error)
    constant = np.where(value == 0, 1.0, 2.0 ** (1 - min(counts.sum(), 1000)))
    return MacroDifferences(value, value - half, value + half, np.where(flat, constant, p))
