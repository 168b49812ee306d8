"""The careful p value: the larger of Student's and Hall's, on either side of a margin, for many rows at once.

Differences over queries are skewed, and then Student's t is too sure on one side. Hall (1992) corrects it for
the skewness: with T = sqrt(n) (mean + margin) / sd, the skewness l = k3 / sd^3 and a = l / (3 sqrt(n)) it
takes ((1 + a T)^3 - 1) / (3 a) + a / 2 for T. The p value here is the larger of the two, so that neither side
is too sure.

Where all n differences are equal, they say nothing of their spread. A share s of all queries that are like
them is seen alone with probability s^n; the others may be as far away as the measure's range reaches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unjudged.base.distributions import upper_tail
from unjudged.base.segments import Floats
from unjudged.evidence.clusters import Clusters, independent
from unjudged.evidence.intervals.quantiles import limits_of_mean, shape_of
from unjudged.measures.kernel.measure import ROUNDING

HUGE = 1e100
"""Larger t change no p value, and their cubes are no numbers."""


class Sides(NamedTuple):
    """P values of rows: small where the mean is surely above, or surely below, minus the margin."""

    above: Floats
    below: Floats

    @property
    def both(self) -> Floats:
        """P values of a mean that is not there, on either side."""
        return np.asarray(np.minimum(2 * np.minimum(self.above, self.below), 1.0), float)


def careful(
    values: Floats, margin: float = 0.0, reach: float = np.inf, clusters: Clusters | None = None
) -> Sides:
    """Test the mean of each row against minus the margin, on both sides; `reach` is the largest value.

    >>> tested = careful(np.array([[0.02, -0.01, 0.03, 0.01, 0.0, 0.02]]), 0.01)
    >>> tested.above.round(4).tolist(), tested.below.round(4).tolist()
    ([0.0171], [0.9923])
    """
    mean, deviation, bend, n = shape_of(values, clusters)
    alike = deviation == 0
    t = np.divide(np.sqrt(n) * (mean + margin), deviation, out=np.zeros(len(values)), where=~alike).clip(
        -HUGE, HUGE
    )
    bent = t + bend * t**2 + bend**2 * t**3 / 3 + bend / 2
    tails = upper_tail(max(n - 1, 1), np.stack([-t, -bent, t, bent]))
    below, above = tails[:2].max(axis=0), tails[2:].max(axis=0)
    if alike.any():
        parts = independent(values.shape[1], clusters)
        above[alike], below[alike] = (
            share_alike(sign * mean[alike], sign * margin, reach) ** parts for sign in (1, -1)
        )
    return Sides(above, below)


def share_alike(value: Floats, margin: float, reach: float) -> Floats:
    """Return the largest share of queries with this difference if the mean is minus the margin or less."""
    value = np.asarray(value, float)
    if not np.isfinite(reach):
        return np.ones(value.shape)
    apart = value + margin > ROUNDING
    share = np.divide(reach - margin, reach + value, out=np.ones(value.shape), where=apart)
    return np.clip(share, 0.0, 1.0)


def limits(
    values: Floats, alpha: float, reach: float = np.inf, clusters: Clusters | None = None
) -> tuple[Floats, Floats]:
    """Return what the mean of each row is above, and what it is below, each at level alpha, as the tests say.

    One query says nothing about others: the ends are infinite, or as far away as values reach.
    """
    return limits_of_mean(values, alpha, (-reach, reach), clusters)
