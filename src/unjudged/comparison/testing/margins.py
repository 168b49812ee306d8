"""One-sided tests against a margin: is a mean difference above it, or below it?

Differences over queries are skewed, and then Student's t is too sure on one side. Hall (1992) corrects it for
the skewness: with T = sqrt(n) (mean + margin) / sd, l = m3 / sd^3 and a = l / (3 sqrt(n)) it takes
((1 + a T)^3 - 1) / (3 a) + a / 2 for T. The p value here is the larger of the two, so that neither side is
too sure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unjudged.comparison.testing.pairs import ROUNDING
from unjudged.rankings.judged import Floats


class AgainstMargin(NamedTuple):
    """P values of both sides: small where the mean is surely above, or surely below, minus the margin."""

    above: float
    below: float


def against_margin(differences: Floats, margin: float) -> AgainstMargin:
    """Test a mean difference against minus the margin, on both sides.

    If all differences are equal, nothing is known of their spread: the p value is then 2^-n, as for signs.

    >>> tested = against_margin(np.array([0.02, -0.01, 0.03, 0.01, 0.0, 0.02]), 0.01)
    >>> round(tested.above, 4), round(tested.below, 4)
    (0.0121, 0.9923)
    """
    from scipy.special import stdtr

    n, centre = len(differences), float(np.mean(differences)) + margin
    deviation, bend = _shape(differences)
    if deviation == 0:
        sure = 2.0**-n
        if abs(centre) <= ROUNDING * max(1.0, margin):
            return AgainstMargin(1.0, 1.0)
        return AgainstMargin(sure, 1.0) if centre > 0 else AgainstMargin(1.0, sure)
    t = np.sqrt(n) * centre / deviation
    both = np.array([t, _bent(t, bend)])
    return AgainstMargin(float(stdtr(n - 1, -both).max()), float(stdtr(n - 1, both).max()))


def one_sided_limits(differences: Floats, alpha: float) -> tuple[float, float]:
    """Return the ends that the mean is above and below, each at level alpha, as the tests say.

    One query says nothing about others: the ends are infinite.
    """
    from scipy.special import stdtrit

    n, mean = len(differences), float(np.mean(differences))
    if n == 1:
        return -np.inf, np.inf
    deviation, bend = _shape(differences)
    critical, error = float(stdtrit(n - 1, 1 - alpha)), deviation / np.sqrt(n)
    above, below = (_straightened(end, bend) for end in (critical, -critical))
    return mean - max(critical, above) * error, mean - min(-critical, below) * error


def _shape(differences: Floats) -> tuple[float, float]:
    """Return the standard deviation, 0 where it is a rounding error, and a = skewness / (3 sqrt(n))."""
    n = len(differences)
    deviation = float(np.std(differences, ddof=1)) if n > 1 else 0.0
    if deviation <= ROUNDING * float(np.abs(differences).max()):
        return 0.0, 0.0
    skewness = float(np.mean(((differences - np.mean(differences)) / deviation) ** 3))
    return deviation, skewness / (3 * np.sqrt(n))


def _bent(t: float, a: float) -> float:
    return t + a * t**2 + a**2 * t**3 / 3 + a / 2


def _straightened(value: float, a: float) -> float:
    """Return the t whose corrected value this is."""
    if abs(a) < ROUNDING:
        return value
    return float((np.cbrt(1 + 3 * a * (value - a / 2)) - 1) / a)
