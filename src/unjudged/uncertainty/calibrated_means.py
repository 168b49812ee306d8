"""The scores of left-out runs, and the intervals of means and differences that they give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.left_out import FirstDocuments

POWER = 1.15
NEW_GROUPS = {1: 1.0, 2: 1.5}
"""Groups that one new run, and two, add to the n known ones: n / (n + this) is the highest level."""


def scale_of(width: Floats, relevant: Floats) -> Floats:
    """Return (p (high - low)) ** 1.15, p the relevant share of a run's first judged documents."""
    scale: Floats = (relevant * np.where(width > 1e-12, width, 0)) ** POWER
    return scale


def place_of(count: int, confidence: float) -> int:
    """Return the place of the sorted score that bounds a new run's: ceil((n + 1) confidence)."""
    return math.ceil((count + 1) * confidence - 1e-9)


@dataclass(frozen=True, eq=False)
class Learnt:
    """Of each left-out run its group, its score, and how it diluted the means of other runs, by scale."""

    group: Integers
    score: Floats
    dilution: Floats

    @cached_property
    def groups(self) -> int:
        return len(np.unique(self.group))

    def radius(self, confidence: float, other: float = 0.0) -> float:
        """Return the ceil((n + 1) confidence)-th smallest |score|.

        With the mean of another, known run: |score of the difference|, in which that mean is diluted.
        """
        place = place_of(len(self.score), confidence)
        return float(np.sort(np.abs(self.score + other * self.dilution))[place - 1])

    def reach(self, confidence: float, scale: tuple[float, float], value: tuple[float, float]) -> float:
        """Return how far the difference of two new runs, of these scales and means, may be off.

        Each is as far off as some left-out run, and these two are of different groups: |error - error|
        over all such pairs, each pair of groups counting once. A share confidence (1 + 1.5 / groups) is not
        further off.
        """
        error, other = (scale[k] * (self.score + value[1 - k] * self.dilution) for k in (0, 1))
        weight = 1 / np.bincount(self.group)[self.group]
        apart = self.group[:, None] != self.group[None, :]
        off = np.abs(error[:, None] - other[None, :])[apart]
        order = np.argsort(off)
        share = np.cumsum((weight[:, None] * weight[None, :])[apart][order])
        level = min(confidence * (1 + NEW_GROUPS[2] / self.groups), 1)
        return float(off[order[np.searchsorted(share, (level - 1e-9) * share[-1])]])


@dataclass(frozen=True, eq=False)
class CalibratedMeans:
    """Mean of each run with its interval, bounds (`least`, `most`), scale, and its first documents.

    Runs that are `unlike` the left-out ones have their bounds as interval.
    """

    measure: Measure
    learnt: Learnt
    value: Floats
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    scale: Floats
    first: FirstDocuments
    unlike: Mask

    def difference(self, a: int, b: int, confidence: float) -> tuple[float, float, float] | None:
        """Return the difference of the means of runs a and b with its interval; None if one is unlike.

        A run of which everything that counts is judged, as pooled runs, has no error of its own.
        """
        if self.unlike[a] or self.unlike[b]:
            return None
        value, scale = ((float(of[a]), float(of[b])) for of in (self.value, self.scale))
        if min(scale) > 0:
            reach = self.learnt.reach(confidence, scale, value)
        else:
            new, known = (0, 1) if scale[0] else (1, 0)
            reach = scale[new] * self.learnt.radius(confidence, value[known])
        diluted = self.learnt.dilution.any()
        least = np.full(2, self.measure.range[0]) if diluted else self.least[[a, b]]
        difference = value[0] - value[1]
        low, high = difference - reach, difference + reach
        return difference, max(low, least[0] - self.most[b]), min(high, self.most[a] - least[1])
