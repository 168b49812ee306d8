"""Sums, means and geometric means over queries, and quotients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats

GEOMETRIC = "geometric mean"
"""The `summary` of a measure whose mean over queries is the exponential of its mean logarithm."""

ROUNDING = 1e-12
"""Values that differ by less, relative to the largest value, are equal: floating point does no better."""


def sum_over_queries(values: Floats) -> Floats:
    """Return the sum over the last axis, rounded once, so that the order of the queries does not matter."""
    if values.shape[-1] == 1:
        return values[..., 0].astype(float)
    rows = values.reshape(-1, values.shape[-1]).tolist()
    try:
        return np.array([math.fsum(row) for row in rows]).reshape(values.shape[:-1])
    except OverflowError:
        raise UsageError("the sum over all queries is too large for a number; use smaller weights") from None


def mean_over_queries(values: Floats, *, exact: bool = True) -> Floats:
    """Return the mean over the last axis: the one rule for means over queries.

    The sum is rounded once. `exact=False` is NumPy's mean: many times as fast, and different in the last
    bits. It is meant for thousands of random draws whose spread or quantiles alone matter, and
    never for a value that is shown or compared with one of `Scores.means`.
    """
    if not exact:
        return np.asarray(values.mean(axis=-1), float)
    return np.asarray(sum_over_queries(values) / values.shape[-1], float)


def summarised(summary: str, values: Floats) -> Floats:
    """Return the "mean", "sum" or "geometric mean" over the last axis."""
    if summary == "sum":
        return sum_over_queries(values)
    if summary == GEOMETRIC:
        return np.asarray(np.exp(mean_over_queries(np.log(values))), float)
    return mean_over_queries(values)


def ratio(numerator: Any, denominator: Any) -> Floats:
    """Return the quotient, 0 where there is nothing to divide by."""
    denominator = np.asarray(denominator)
    if np.count_nonzero(denominator) == denominator.size:
        everywhere: Floats = np.true_divide(numerator, denominator)
        return everywhere
    quotients = np.zeros(np.broadcast(numerator, denominator).shape)
    quotient: Floats = np.divide(numerator, denominator, out=quotients, where=np.not_equal(denominator, 0))
    return quotient
