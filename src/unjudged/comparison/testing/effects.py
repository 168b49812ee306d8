"""How large a difference is: wins and losses by query, an interval of the mean, a standardised effect."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.comparison.testing.pairs import ROUNDING, Pairs
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.quantiles import t_quantile


class Outcomes(NamedTuple):
    """On how many queries the first system of each pair is better, equal, worse."""

    wins: Floats
    ties: Floats
    losses: Floats


class Interval(NamedTuple):
    """A value per pair with the ends of its interval."""

    value: Floats
    low: Floats
    high: Floats


def outcomes(pairs: Pairs) -> Outcomes:
    """Wins, ties and losses by query; scores that differ by a rounding error are tied.

    >>> outcomes(Pairs.of([[0.3, 0.5, 0.1, 0.9], [0.1 + 0.2, 0.2, 0.4, 0.8]]))._asdict()
    {'wins': array([2]), 'ties': array([1]), 'losses': array([1])}
    """
    wins = pairs.over_blocks(lambda differences: (differences > pairs.tolerance).sum(axis=1))
    losses = pairs.over_blocks(lambda differences: (differences < -pairs.tolerance).sum(axis=1))
    return Outcomes(wins, pairs.queries - wins - losses, losses)


def t_interval(pairs: Pairs, confidence: float = 0.95) -> Interval:
    """Mean D +- t_{n-1} sd / sqrt(n): the mean difference had other queries been asked.

    One query says nothing about others: the interval is then the whole line.
    """
    check_confidence(confidence)
    value, n = pairs.difference, pairs.queries
    if n == 1:
        return Interval(value, np.full(len(pairs), -np.inf), np.full(len(pairs), np.inf))
    half = t_quantile(confidence, n - 1) * pairs.deviation / np.sqrt(n)
    return Interval(value, value - half, value + half)


def effect_size(pairs: Pairs, confidence: float = 0.95) -> Interval:
    """Return the difference in standard deviations over queries: d = mean D / sd D, d +- t_{n-1} max(s, s').

    s = sqrt((1 + d^2 / 2) / n) is right for Normal differences. s' is the jackknife's standard error, which
    also sees skewed and heavy-tailed ones; the larger of the two is taken.

    Where all differences are equal but not 0, d is infinite; then, and below three queries, the interval is
    the whole line. Identical systems have d = 0.
    """
    check_confidence(confidence)
    n, mean, deviation = pairs.queries, pairs.difference, pairs.deviation
    constant = np.where(pairs.identical, 0.0, np.copysign(np.inf, mean))
    d = np.divide(mean, deviation, out=constant, where=deviation > 0)
    low, high = np.full(len(pairs), -np.inf), np.full(len(pairs), np.inf)
    if n > 2:
        finite = np.isfinite(d)
        error = np.maximum(np.sqrt((1 + d[finite] ** 2 / 2) / n), _jackknife(pairs)[finite])
        half = t_quantile(confidence, n - 1) * error
        low[finite], high[finite] = d[finite] - half, d[finite] + half
    return Interval(d, low, high)


def _jackknife(pairs: Pairs) -> Floats:
    """Return the standard error of d from leaving out one query at a time, for at least three queries.

    With z = (D - mean D) / sd D the value without query i is
    (d - z_i / (n - 1)) / sqrt((n - 1 - z_i^2 n / (n - 1)) / (n - 2)).
    """
    n, found = pairs.queries, np.zeros(len(pairs))
    for block, differences in pairs.blocks():
        deviation = pairs.deviation[block, None]
        mean = pairs.difference[block, None]
        rows = deviation[:, 0] > 0
        z = (differences[rows] - mean[rows]) / deviation[rows]
        d = mean[rows] / deviation[rows]
        variance = (n - 1 - z**2 * n / (n - 1)) / (n - 2)
        top, flat = d - z / (n - 1), variance <= ROUNDING  # without this query all differences are equal
        without = np.where(flat, 0.0, top / np.sqrt(np.where(flat, 1.0, variance)))
        error = np.sqrt((n - 1) / n * ((without - without.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
        error[(flat & (np.abs(top) > ROUNDING)).any(axis=1)] = np.inf
        found[np.flatnonzero(rows) + block.start] = error
    return found
