"""Sums over relevant documents (RBP, P) when each unjudged document is relevant with some probability.

Park (2016) derives mean, variance and distribution for RBP; they hold for every measure in which a relevant
document adds the weight of its rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Integers, numbered, sums
from unjudged.evidence.completions import Completions
from unjudged.evidence.distributions import normal_quantile
from unjudged.measures.kernel.registry import Measure

MOST_ATOMS = 1 << 15
LEAST = 1e-22
"""Values of a sum that are less likely than this are left out."""
POINTS, BLOCK = 1 << 14, 64
"""Points of the lattice to which weights are rounded, the mean kept; and weights that are added at a time."""
FEW_QUERIES = 30
NEAR_NORMAL = 0.1
"""From this ratio of third moments to the cube of the deviation down, a sum is as good as Normal."""


def is_sum(measure: Measure) -> bool:
    """Whether every relevant document adds the weight of its rank alone."""
    return measure.traits.weight is not None and not measure.given.keys() & {"max_grade", "gains", "scale"}


@dataclass(frozen=True, eq=False)
class Uncertain:
    """A sum of weights, each of which is there with its own probability.

    >>> v = Uncertain(0.2 * 0.8 ** np.arange(10, 100), 0.2)
    >>> round(v.mean, 4), round(v.variance, 6), round(v.quantile(0.9), 3)
    (0.0215, 0.000205, 0.041)
    """

    weight: Floats
    chance: Floats | float

    @property
    def mean(self) -> float:
        """Sum of q w, with the weights w and the probabilities q."""
        return float((self.chance * self.weight).sum())

    @property
    def variance(self) -> float:
        """Sum of q (1 - q) w^2."""
        return float((self.chance * (1 - self.chance) * self.weight**2).sum())

    @property
    def near_normal(self) -> bool:
        """Lyapunov's ratio: the third absolute moments over the cube of the deviation."""
        q = self.chance
        third = float((q * (1 - q) * (q**2 + (1 - q) ** 2) * self.weight**3).sum())
        return bool(0 < third < NEAR_NORMAL * self.variance**1.5)

    @cached_property
    def distribution(self) -> tuple[Floats, Floats]:
        """Values and their probabilities: exactly if there are at most 32,768, else on a lattice."""
        return self.exact or self._on_a_lattice()

    @cached_property
    def exact(self) -> tuple[Floats, Floats] | None:
        """The same exactly, None where there are too many values. Equal ones, up to rounding, are one."""
        support, probability = np.zeros(1), np.ones(1)
        chance = np.broadcast_to(self.chance, self.weight.shape)
        order = np.argsort(-self.weight, kind="stable")
        step = 1e-12 * max(float(self.weight.sum()), 1e-300)
        for w, q in zip(self.weight[order].tolist(), chance[order].tolist(), strict=True):
            if w == 0 or q == 0:
                continue
            values = np.concatenate([support, support + w])
            chances = np.concatenate([probability * (1 - q), probability * q])
            arranged = np.argsort(values, kind="stable")
            values, chances = values[arranged], chances[arranged]
            first = np.concatenate([[True], np.diff(values) > step])
            support, probability = values[first], sums(chances, np.cumsum(first) - 1, int(first.sum()))
            likely = probability > LEAST
            support, probability = support[likely], probability[likely]
            if len(support) > MOST_ATOMS:
                return None
        return support, probability

    def _on_a_lattice(self) -> tuple[Floats, Floats]:
        """The transform of a sum is the product of the transforms 1 - q + q exp(-i t w)."""
        chance = np.broadcast_to(self.chance, self.weight.shape)
        step = max(float(self.weight.sum()), 1e-300) / (POINTS // 2)
        place = np.rint(self.weight / step)
        frequency = 2 * np.pi * np.arange(POINTS // 2 + 1) / POINTS
        transform = np.ones(len(frequency), complex)
        rows = np.flatnonzero(place)
        for start in range(0, len(rows), BLOCK):
            own = rows[start : start + BLOCK]
            turned = np.exp(-1j * np.outer(frequency, place[own]))
            transform *= np.prod(1 - chance[own] + chance[own] * turned, axis=1)
        moved = self.mean - step * float((chance * place).sum())
        values: Floats = np.asarray(step * np.arange(POINTS) + moved, float)
        return values, np.maximum(np.fft.irfft(transform, POINTS), 0.0)

    def quantile(self, share: float) -> float:
        """Return the lowest value that at least this share of the probability does not exceed."""
        if not 0 < share < 1:
            raise UsageError(f"share is {share}, expected a number between 0 and 1, such as 0.9")
        return self._value_at(share, "left")

    def _value_at(self, share: float, side: Literal["left", "right"]) -> float:
        """Return the value below which this share of the distribution lies."""
        values, probability = self.distribution
        place = int(np.searchsorted(np.cumsum(probability), share, side))
        return float(values[min(place, len(values) - 1)])

    def interval(self, confidence: float, *, normal: bool = False) -> tuple[float, float, str]:
        """Return the values that leave out as much at either end, and how they were found."""
        tail = (1 - confidence) / 2
        if normal or self.near_normal:
            half = normal_quantile((1 + confidence) / 2) * self.variance**0.5
            return self.mean - half, self.mean + half, "Normal"
        said = f"{POINTS:,} points" if self.exact is None else "exact distribution"
        return self._value_at(tail, "right"), self._value_at(1 - tail, "left"), said

    def density(self, edges: ArrayLike) -> Floats:
        """Return the mean density between each two of these values."""
        values, probability = self.distribution
        mass, ends = np.histogram(values, np.asarray(edges, float), weights=probability)
        return np.asarray(mass / np.diff(ends), float)


@dataclass(frozen=True, eq=False)
class UnjudgedSum:
    """What the unjudged documents of each ranking add to its `value`.

    Each unjudged document at rank k adds its weight, in RBP (1 - p) p^(k-1), with its own chance.
    """

    value: Floats
    weight: Floats
    chance: Floats
    ranking: Integers

    @classmethod
    def of(cls, completions: Completions, measure: Measure) -> UnjudgedSum:
        """Return the sums of the rankings of completions."""
        r = completions.rankings
        place = numbered(completions.row, len(r.judgments.grade))
        unknown = r.where(place[r.row] >= 0)
        weight = measure.weights(unknown.rank)
        counts = weight > 0
        chance = completions.prevalence.chance[place[unknown.row][counts]]
        return cls(measure.compute(r), weight[counts], chance, unknown.ranking[counts])

    @property
    def expected(self) -> Floats:
        """Expected value of each ranking."""
        return self.value + sums(self.chance * self.weight, self.ranking, len(self.value))

    @property
    def of_mean(self) -> Uncertain:
        """What is added to the mean over rankings."""
        return Uncertain(self.weight / len(self.value), self.chance)

    def interval(self, confidence: float) -> tuple[float, float, str]:
        """Return the interval of the mean over rankings, and how it was found.

        From 30 rankings on it is Normal (Park's eq. 8, each ranking with its own unjudged documents).
        """
        start, added = float(self.value.mean()), self.of_mean
        low, high, said = added.interval(confidence, normal=len(self.value) >= FEW_QUERIES)
        return start + max(low, 0.0), start + min(high, float(added.weight.sum())), said

    def of_ranking(self, j: int) -> Uncertain:
        """What is added to the value of one ranking."""
        own = self.ranking == j
        return Uncertain(self.weight[own], self.chance[own])
