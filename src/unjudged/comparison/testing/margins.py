"""One-sided tests against a margin: is a mean difference above it, or below it?

Differences over queries are skewed, and then Student's t is too sure on one side. Hall (1992) corrects it for
the skewness: with T = sqrt(n) (mean + margin) / sd, the skewness l = k3 / sd^3 and a = l / (3 sqrt(n)) it
takes ((1 + a T)^3 - 1) / (3 a) + a / 2 for T. The p value here is the larger of the two, so that neither side
is too sure.

Where all n differences are equal, they say nothing of their spread. A share s of all queries that are like
them is seen alone with probability s^n; the others may be as far away as the measure's range reaches.
"""

from __future__ import annotations

from math import ceil, log
from typing import NamedTuple

import numpy as np

from unjudged.comparison.testing.pairs import ROUNDING
from unjudged.rankings.judged import Floats

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
    deviation, bend = _shape(differences)
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
    return _shape(differences)[0] == 0


def alike_needed(difference: float, margin: float, alpha: float, reach: float) -> int | None:
    """Return how many queries with this very difference tell its side of the margin; None if none do."""
    share = min(_alike(sign * difference, sign * margin, reach) for sign in (1, -1))
    return None if share >= 1 else ceil(log(alpha) / log(share)) if share > 0 else 1


def one_sided_limits(differences: Floats, alpha: float, reach: float = np.inf) -> tuple[float, float]:
    """Return the ends that the mean is above and below, each at level alpha, as the tests say.

    One query says nothing about others: the ends are infinite, or as far away as differences reach.
    """
    from scipy.special import stdtrit

    n, mean = len(differences), float(np.mean(differences))
    deviation, bend = _shape(differences)
    if deviation == 0:
        share = alpha ** (1 / n)
        return share * mean - (1 - share) * reach, share * mean + (1 - share) * reach
    critical, error = float(stdtrit(n - 1, 1 - alpha)), deviation / np.sqrt(n)
    above, below = (_straightened(end, bend) for end in (critical, -critical))
    return max(mean - max(critical, above) * error, -reach), min(mean - min(-critical, below) * error, reach)


def _shape(differences: Floats) -> tuple[float, float]:
    """Return the standard deviation, 0 where it is a rounding error, and a = skewness / (3 sqrt(n))."""
    n = len(differences)
    deviation = float(np.std(differences, ddof=1)) if n > 1 else 0.0
    if deviation <= ROUNDING * float(np.abs(differences).max()):
        return 0.0, 0.0
    skewness = float(np.mean(((differences - np.mean(differences)) / deviation) ** 3))
    unbiased = n**2 / ((n - 1) * (n - 2)) if n > 2 else 1.0
    return deviation, unbiased * skewness / (3 * np.sqrt(n))


def _bent(t: float, a: float) -> float:
    return t + a * t**2 + a**2 * t**3 / 3 + a / 2


def _straightened(value: float, a: float) -> float:
    """Return the t whose corrected value this is."""
    if abs(a) < ROUNDING:
        return value
    return float((np.cbrt(1 + 3 * a * (value - a / 2)) - 1) / a)
