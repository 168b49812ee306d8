"""Intervals that hold however often one looks while judgments come in.

An interval of 95 % misses in one case of twenty if one looks once. People who judge in batches look after
each, and then some look misses far more often. With a declared number of looks each takes an equal share of
what may be missed. Pocock's (1977) constants are smaller by a tenth, but hold for Normal means alone: after
ten labels a mean is not, and they decided .08 of pairs that are equal (`docs/evidence/looks.csv` has what
the equal shares decide). Without a number it is the asymptotic confidence sequence of Waudby-Smith and others
(2024). It holds at every look there will ever be, and is narrowest at half of the labels that were expected.
"""

from __future__ import annotations

from math import log

import numpy as np

from unjudged.base.distributions import normal_quantile, student_quantile
from unjudged.base.segments import Floats


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
    once = np.asarray(student_quantile(1 - alpha / (looks or 1) / 2, freedom), float)
    if information is None:
        return once
    return once / -normal_quantile(alpha / 2) * boundary(information, expected, alpha)
