"""One-sided tests against a margin: is a mean difference above it, or below it?

The p value is the larger of Student's and of Hall's, which corrects for the skewness, so that neither side is
too sure; `uncertainty/quantiles.py` has the formula.
"""

from __future__ import annotations

from math import ceil, log
from typing import NamedTuple

import numpy as np

from unjudged.comparison.testing.pairs import ROUNDING
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.quantiles import limits_of_mean, shape_of

HUGE = 1e100
"""Larger t change no p value, and their cubes are no numbers."""


class AgainstMargin(NamedTuple):
    """P values of both sides: small where the mean is surely above, or surely below, minus the margin."""

    above: float
    below: float


def against_margin(differences: Floats, margin: float, reach: float = np.inf) -> AgainstMargin:
    """Test a mean difference against minus the margin, on both sides; `reach` is the largest difference.

    >>> tested = against_margin(np.array([0.02, -0.01, 0.03, 0.01, 0.0, 0.02]), 0.01)
    >>> round(tested.above, 4), round(tested.below, 4)
    (0.0171, 0.9923)
    """
    from scipy.special import stdtr

    n, mean = len(differences), float(np.mean(differences))
    deviation, bend = shape_of(differences)
    if deviation == 0:
        above, below = (_alike(sign * mean, sign * margin, reach) ** n for sign in (1, -1))
        return AgainstMargin(above, below)
    t = float(np.clip(np.sqrt(n) * (mean + margin) / deviation, -HUGE, HUGE))
    both = np.array([t, _bent(t, bend)])
    return AgainstMargin(float(stdtr(n - 1, -both).max()), float(stdtr(n - 1, both).max()))


def _alike(value: float, margin: float, reach: float) -> float:
    """Return the largest share of queries with this difference if the mean is minus the margin or less."""
    if value + margin <= ROUNDING or not np.isfinite(reach):
        return 1.0
    return min(1.0, max(0.0, (reach - margin) / (reach + value)))


def are_alike(differences: Floats) -> bool:
    """Whether all differences are the same, up to rounding errors."""
    return shape_of(differences)[0] == 0


def alike_needed(difference: float, margin: float, alpha: float, reach: float) -> int | None:
    """Return how many queries with this very difference tell its side of the margin; None if none do."""
    share = min(_alike(sign * difference, sign * margin, reach) for sign in (1, -1))
    return None if share >= 1 else ceil(log(alpha) / log(share)) if share > 0 else 1


def one_sided_limits(differences: Floats, alpha: float, reach: float = np.inf) -> tuple[float, float]:
    """Return the ends that the mean is above and below, each at level alpha, as the tests say.

    One query says nothing about others: the ends are infinite, or as far away as differences reach.
    """
    return limits_of_mean(differences, alpha, (-reach, reach))


def _bent(t: float, a: float) -> float:
    return t + a * t**2 + a**2 * t**3 / 3 + a / 2
