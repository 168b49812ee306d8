"""Intervals that hold however often one looks while judgments come in.

An interval of 95 % misses in one case of twenty if one looks once. People who judge in batches look after
each, and then some look misses far more often. With a declared number of looks every interval is a little
wider (Pocock, 1977). Without one it is the asymptotic confidence sequence of Waudby-Smith and others (2024).
It holds at every look there will ever be, and is narrowest at half of the labels that were expected.
"""

from __future__ import annotations

from functools import cache
from math import log, sqrt

import numpy as np

from unjudged.base.distributions import normal_quantile, student_quantile
from unjudged.base.segments import Floats

NODES = 160
"""Places at which the density of what was seen so far is known; fewer lose digits after a hundred looks."""
MOST_LOOKS = 100
_HALVINGS = 48


def within_all(looks: int, critical: float) -> float:
    """Return the probability that none of so many means, each of one batch more, is further off than that.

    Batches are equal; the density of the last z is carried from look to look (Armitage and others, 1969).

    >>> round(1 - within_all(5, 1.96), 3)
    0.142
    """
    node, weight = np.polynomial.legendre.leggauss(NODES)
    z, weight = critical * node, critical * weight
    density = np.exp(-(z**2) / 2)
    for k in range(1, looks):
        step = sqrt(k + 1) * z[:, None] - sqrt(k) * z
        density = sqrt(k + 1) * np.exp(-(step**2) / 2) @ (weight * density) / sqrt(2 * np.pi)
    return float(weight @ density / sqrt(2 * np.pi))


@cache
def pocock(looks: int, alpha: float = 0.05) -> float:
    """Return how many standard errors an interval reaches at each of a declared number of looks.

    >>> [round(pocock(looks), 3) for looks in (1, 2, 5, 10)]
    [1.96, 2.178, 2.413, 2.555]
    """
    low = -normal_quantile(alpha / 2)
    high = -normal_quantile(alpha / (2 * looks))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if within_all(looks, middle) < 1 - alpha else (low, middle)
    return high


def boundary(information: Floats, expected: float, alpha: float = 0.05) -> Floats:
    """Return how many standard errors the sequence without a plan reaches, at so much information.

    `expected` is the information at which it is to be narrowest.

    >>> boundary(np.array([10.0, 50.0, 200.0]), 50.0).round(2).tolist()
    [3.36, 3.04, 3.13]
    """
    doubled = -2 * log(alpha)
    mixed = information * (doubled + log(doubled + 1)) / expected
    found: Floats = np.sqrt((mixed + 1) / mixed * np.log((mixed + 1) / alpha**2))
    return found


def reach(
    freedom: Floats,
    alpha: float,
    looks: int | None = None,
    information: Floats | None = None,
    expected: float = 1.0,
) -> Floats:
    """Return how many standard errors an interval reaches on either side, by Student's distribution.

    By default it is for one look. With `looks` it is for each of so many. With `information`, the amount that
    each look has, it is for any number of looks.
    """
    once = np.asarray(student_quantile(1 - alpha / 2, freedom), float)
    if looks is not None:
        return students(pocock(looks, alpha), freedom)
    if information is None:
        return once
    return once / -normal_quantile(alpha / 2) * boundary(information, expected, alpha)


def students(critical: float, freedom: Floats) -> Floats:
    """Return the quantile of Student's distribution with the same probability as this Normal one."""
    from statistics import NormalDist

    return np.asarray(student_quantile(NormalDist().cdf(critical), freedom), float)
