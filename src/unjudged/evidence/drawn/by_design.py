"""Totals over documents from those that were drawn, by the design that drew them, and how sure they are.

The total of z over a frame is estimated from the documents that people judged. z is what a document's grade
changes of a mean, less what was predicted. Two designs are known:

- sequential: document k was drawn with a probability proportional to its size among those left, and X_k is
  what their sizes added up to. Then t_k = z_1 + ... + z_(k-1) + z_k X_k / x_k is unbiased for every k
  (Des Raj, 1956), and T is the mean of the t_k, weighted by about one over their variances: w_k is the mean
  of X_k, to the power -2. X_k itself would depend on what was drawn, and T would be biased;
- Poisson: document d was drawn with probability pi_d by itself, and T is the sum of z / pi.

A few labels show too little of their own spread, so each variance is drawn towards the one that the
predictions lead us to expect, as if two more labels had shown exactly that.

Where relevant documents are rare and few of them are drawn, a total that is too low looks sure, too. If
theta were the total, the variance of T would be about V + b (theta - T), where b, the third cumulant over
the second that the predictions lead us to expect, is what one more drawn relevant document adds. Solved for
theta, as Wilson (1927) did for a share, this reaches further to the side of what was missed. Poisson's
totals have it.

An interval of 95 % misses in one case of twenty if one looks once. People who judge in batches look after
each, and then some look misses far more often. With a declared number of looks each takes an equal share of
what may be missed. Pocock's (1977) constants are smaller by a tenth, but hold for Normal means alone: after
ten labels a mean is not, and they decided .08 of pairs that are equal (`docs/evidence/looks.csv` has what
the equal shares decide). Without a number it is the asymptotic confidence sequence of Waudby-Smith and others
(2024). It holds at every look there will ever be, and is narrowest at half of the labels that were expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask
from unjudged.evidence.distributions import normal_quantile, student_quantile
from unjudged.measures.kernel.measure import ratio

FEWEST = 3.0
"""With a smaller effective number of labels there is no estimate."""
ALIKE = 10_000.0
"""Of more labels Student's distribution is the Normal one."""
PRIOR = 2.0
"""So many labels are added that show the spread which is expected."""


class Moments(NamedTuple):
    """Contrasts x documents: expected square and cube of z, and the deviation that is taken for it."""

    squares: Floats
    cubes: Floats
    spread: Floats


class Totals(NamedTuple):
    """Estimates of some contrasts.

    `labels` are effective numbers, infinite where nothing is open, and `bend` is how fast a variance rises
    with the value.
    """

    value: Floats
    variance: Floats
    labels: Floats
    bend: Floats

    @property
    def given(self) -> Mask:
        """Which of them have enough labels."""
        given: Mask = self.labels >= FEWEST
        return given


class TotalsByDraw(NamedTuple):
    """Totals after every draw, contrasts x draws, and the sum of weights so far."""

    value: Floats
    variance: Floats
    weight: Floats


@dataclass(frozen=True, eq=False)
class Sequential:
    """Documents drawn one after another; `front` has those that were, in their order."""

    size: Floats
    front: Integers

    @property
    def count(self) -> int:
        """Number of documents that were drawn."""
        return len(self.front)

    def taken(self, documents: Integers) -> Sequential:
        """Return the same with the documents in another order."""
        return Sequential(self.size[documents], np.argsort(documents)[self.front])

    @cached_property
    def information(self) -> Floats:
        """Weight of each draw's own estimate, which does not depend on what was drawn."""
        return sizes_left(self.size, self.count) ** -2.0

    @cached_property
    def stretch(self) -> Floats:
        """What each draw stands for, X_k / x_k."""
        size = self.size[self.front]
        before = np.concatenate([[0.0], np.cumsum(size)[:-1]])
        found: Floats = np.maximum(self.size.sum() - before, size) / size
        return found

    @cached_property
    def weight(self) -> Floats:
        """Weight of each document's z in the total: by its own draw, and by all later draws."""
        weight = np.zeros(len(self.size))
        if len(self.front) == len(self.size):
            return weight + 1.0
        own = self.information
        later = own.sum() - np.cumsum(own)
        weight[self.front] = (own * self.stretch + later) / max(own.sum(), 1.0)
        return weight

    def path(self, z: Floats, spread: Floats) -> TotalsByDraw:
        """Return the totals after every draw."""
        own, drawn = self.information, z[:, self.front]
        each = np.cumsum(drawn, axis=1) - drawn + drawn * self.stretch
        weight, added = np.cumsum(own), np.cumsum(own * each, axis=1)
        value = added / weight
        around = np.maximum(np.cumsum(own * each**2, axis=1) - value * added, 0.0)
        draws = np.arange(1, len(own) + 1)
        kappa = (around + PRIOR * self.expected(spread)[:, None]) / (draws + PRIOR - 1)
        variance = kappa / weight
        if len(self.front) == len(self.size) and len(own):
            value[:, -1], variance[:, -1] = z.sum(axis=1), 0.0
        return TotalsByDraw(value, variance, weight)

    def expected(self, spread: Floats) -> Floats:
        """Return the variance to expect of the first draw, for each contrast."""
        found: Floats = (spread**2 / self.size).sum(axis=1) * self.size.sum()
        return found

    def labels(self, spread: Floats, draws: int) -> Floats:
        """Return how many of so many draws are worth as much as these."""
        share = self.size / self.size.sum()
        squares, fourth = (spread**2 / share).sum(axis=1), (spread**4 / share**3).sum(axis=1)
        return np.where(fourth > 0, draws * ratio(squares**2, fourth), inf)

    def totals(self, z: Floats, moments: Moments) -> Totals:
        """Return the totals after the last draw; sizes make z / size alike, so that nothing bends them."""
        labels, nothing = self.labels(moments.spread, self.count), np.zeros(len(z))
        if not self.count:
            return Totals(nothing, self.expected(moments.spread), labels, nothing)
        path = self.path(z, moments.spread)
        return Totals(path.value[:, -1], path.variance[:, -1], labels, nothing)


@dataclass(frozen=True, eq=False)
class Poisson:
    """Documents drawn one by one, each with its `chance`; strata are taken for it, and so are too wide."""

    chance: Floats
    drawn: Mask

    @property
    def count(self) -> int:
        """Number of documents that were drawn."""
        return int(self.drawn.sum())

    def taken(self, documents: Integers) -> Poisson:
        """Return the same with the documents in another order."""
        return Poisson(self.chance[documents], self.drawn[documents])

    @property
    def weight(self) -> Floats:
        """1 / chance of what was drawn."""
        return np.where(self.drawn, 1 / self.chance, 0.0)

    def totals(self, z: Floats, moments: Moments) -> Totals:
        """Return sums of z / chance."""
        odds = (1 - self.chance) / self.chance
        cumulant = (odds * (1 - 2 * self.chance) / self.chance * moments.cubes).sum(axis=1)
        bend, doubt = ratio(cumulant, (odds * moments.squares).sum(axis=1)), odds * moments.spread**2
        expected, pi = doubt.sum(axis=1), self.chance[self.drawn]
        seen, shown = doubt[:, self.drawn] / pi, ratio(z, moments.spread)[:, self.drawn] ** 2
        by = ratio((seen * shown).sum(axis=1), seen.sum(axis=1))
        n = ratio(seen.sum(axis=1) ** 2, (seen**2).sum(axis=1))
        variance = expected * (n * by + PRIOR) / (n + PRIOR)
        labels = ratio(expected**2, (doubt**2 / self.chance).sum(axis=1))
        return Totals(z @ self.weight, variance, np.where(expected > 0, labels, inf), bend)


Design = Sequential | Poisson
"""How documents of a frame were drawn."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """What further labels would show of one contrast, before any of them is known.

    `spread` and `size` are of the frame's documents; `left_over` is the variance that a linear estimate
    leaves, which only more labels remove.
    """

    spread: Floats
    size: Floats
    left_over: float = 0.0

    @cached_property
    def _design(self) -> Sequential:
        order = np.argsort(-self.size, kind="stable")  # only the number of draws matters
        return Sequential(self.size, order)

    def labels(self, n: int) -> float:
        """Return the effective number of n labels."""
        return float(self._design.labels(self.spread[None], n)[0])

    def variance(self, n: int) -> float:
        """Return the variance to expect after n labels."""
        documents = len(self.size)
        if n >= documents:
            return 0.0
        first = float(self._design.expected(self.spread[None])[0])
        weights = sizes_left(self.size, n) ** -2.0
        return first / float(weights.sum()) + 4 * self.left_over * (1 - (n / documents) ** 2)

    def half_width(self, n: int, confidence: float = 0.95) -> float:
        """Return half the width of the interval to expect; infinite where there would be none."""
        labels = self.labels(n)
        return inf if labels < FEWEST else float(reach(labels, 1 - confidence)) * self.variance(n) ** 0.5

    def needed(self, half_width: float, confidence: float = 0.95) -> int:
        """Return how many labels make an interval of this half width or less."""
        low, high = 0, len(self.size)
        while high - low > 1:
            middle = (low + high) // 2
            if self.half_width(middle, confidence) > half_width:
                low = middle
            else:
                high = middle
        return high


def sizes_left(size: Floats, n: int) -> Floats:
    """Return the share of the sizes that is left before each of n draws, on average.

    With independent exponential waiting times of rate x, the share left after k draws is that at the time at
    which k documents are drawn on average.
    """
    share, high = size / size.sum(), 1.0
    wanted = np.arange(n)
    while (1 - np.exp(-share * high)).sum() < n - 0.5 and high < 1e12:
        high *= 2
    times = np.concatenate([[0.0], np.geomspace(high * 1e-9, high, 400)])
    drawn = (1 - np.exp(-share * times[:, None])).sum(axis=1)
    rest = (share * np.exp(-share * times[:, None])).sum(axis=1)
    found: Floats = np.maximum(np.interp(wanted, drawn, rest), share.min())
    return found


def bent(reaching: Floats, bend: Floats, error: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return how many standard errors reach down and up, where the variance rises by `bend` with the total.

    A positive bend raises both ends:

    >>> down, up = bent(np.array([2.0]), np.array([0.01]), np.array([0.01]), 0.95)
    >>> down.round(2).tolist(), up.round(2).tolist()
    ([0.84], [4.76])
    """
    half = normal_quantile((1 + confidence) / 2) * ratio(bend, error) / 2
    root = np.sqrt(1 + half**2)
    with np.errstate(invalid="ignore"):
        return reaching * (root - half), reaching * (root + half)


def boundary(information: Floats, expected: float, alpha: float = 0.05) -> Floats:
    """Return how many standard errors an interval reaches that holds at every look at drawn labels.

    It is that of a confidence sequence, at so much information; nobody need plan how often to look.

    `expected` is the information at which it is to be narrowest.

    >>> boundary(np.array([10.0, 50.0, 200.0]), 50.0).round(2).tolist()
    [3.36, 3.04, 3.13]
    """
    doubled = -2 * log(alpha)
    mixed = information * (doubled + log(doubled + 1)) / expected
    found: Floats = np.sqrt((mixed + 1) / mixed * np.log((mixed + 1) / alpha**2))
    return found


def reach(
    labels: Any,
    alpha: float,
    looks: int | None = None,
    information: Floats | None = None,
    expected: float = 1.0,
) -> Floats:
    """Return how many standard errors an interval reaches on either side; infinite below `FEWEST` labels.

    It is by Student's distribution, with one degree of freedom less than the labels. By default it is for one
    look. With `looks` it is for each of so many. With `information`, the amount that each look has, it is for
    any number of looks.
    """
    labels = np.asarray(labels, float)
    once = student_quantile(1 - alpha / (looks or 1) / 2, np.clip(labels - 1, FEWEST - 1, ALIKE))
    if information is not None:
        once = once / -normal_quantile(alpha / 2) * boundary(information, expected, alpha)
    return np.where(labels < FEWEST, inf, once)
