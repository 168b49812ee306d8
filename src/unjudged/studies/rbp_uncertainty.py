"""Uncertainty of RBP: what unjudged documents may add to a score, as a random variable (Park, 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.collection.collection import collection_of, judged_rankings
from unjudged.evidence.completions import Completions
from unjudged.evidence.prevalence import GivenPrevalence
from unjudged.evidence.unjudged_sums import UnjudgedSum, is_sum
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunSource

POINTS = 1 << 14
"""Points of the lattice to which weights are rounded, the mean kept."""
BLOCK = 64


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

    @cached_property
    def distribution(self) -> tuple[Floats, Floats]:
        """Values and their probabilities.

        The transform of a sum is the product of the transforms 1 - q + q exp(-i t w).
        """
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
        values, probability = self.distribution
        place = int(np.searchsorted(np.cumsum(probability), share))
        return float(values[min(place, len(values) - 1)])

    def density(self, edges: ArrayLike) -> Floats:
        """Return the mean density between each two of these values."""
        values, probability = self.distribution
        mass, ends = np.histogram(values, np.asarray(edges, float), weights=probability)
        return np.asarray(mass / np.diff(ends), float)


@dataclass(frozen=True, eq=False)
class UncertaintyOfRBP:
    """What unjudged documents add to a run's score on each query, and to its mean."""

    by_query: Mapping[str, Uncertain]
    mean: Uncertain


def uncertainty_of_rbp(
    qrels: JudgmentsSource,
    run: RunSource,
    prevalence: GivenPrevalence = 0.2,
    measure: MeasureLike = "RBP(p=0.8)",
) -> UncertaintyOfRBP:
    """Return the distribution of what unjudged documents add to RBP, P or another sum over documents.

    `prevalence` is the probability that an unjudged document is relevant, or one for each of the ranks 1, 2,
    3-4, 5-8, ...

    >>> from unjudged import sample
    >>> found = uncertainty_of_rbp(sample.qrels, sample.runs["dense"])
    >>> round(found.mean.mean, 4), round(found.mean.variance**0.5, 4), round(found.mean.quantile(0.95), 4)
    (0.1372, 0.0201, 0.1713)
    >>> round(found.by_query["q01"].mean, 4)
    0.0806
    """
    collection = collection_of(qrels, run)
    chosen = parse_measure(measure).on(collection.judgments)
    if not is_sum(chosen):
        raise UsageError(f"{chosen} is no sum over relevant documents: use RBP or P")
    if len(collection.runs) != 1:
        raise UsageError(f"{len(collection.runs)} runs, expected one")
    rankings = judged_rankings(collection.judgments, collection.runs)
    made = UnjudgedSum.of(Completions.of_run(rankings, prevalence), chosen)
    queries, chance = list(collection.judgments.queries), made.prevalence.chance
    by_query = {
        query: Uncertain(made.weight[made.ranking == j], chance[made.ranking == j])
        for j, query in enumerate(queries)
    }
    return UncertaintyOfRBP(by_query, Uncertain(made.weight / len(queries), chance))
