"""Measures that are sums over the retrieved documents: weight of the rank x gain of the grade."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Integers, Mask, sums
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Weight
from unjudged.predictions.labelled_population import POISSON, Population
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments


def _discount(rank: Floats, cutoff: float = inf, **_: Any) -> Floats:
    return (rank <= cutoff) / np.log2(rank + 1.0)


WEIGHTS: dict[str, Weight] = {"DCG": _discount}
"""Sums whose weights are not among their traits."""


@dataclass(frozen=True)
class Sum:
    """Measure of the form: sum over ranks k of weight(k) x gain(grade at k).

    >>> dcg = Sum.of("DCG@10")
    >>> dcg.weights([1, 3, 11]), dcg.gains([0, 2])
    (array([1. , 0.5, 0. ]), array([0., 2.]))
    """

    measure: Measure

    @classmethod
    def of(cls, measure: MeasureLike) -> Sum:
        """Return the sum of a measure; raise UsageError for one of another form."""
        chosen = parse_measure(measure)
        chosen.check_complete()
        chosen.check_completable()
        if chosen.traits.weight is None and chosen.name not in WEIGHTS:
            known = [name for name, m in MEASURES.items() if m.traits.weight or name in WEIGHTS]
            reason = (
                "it is not a sum over documents: what one document adds depends on how the others are judged"
            )
            if chosen.traits.diluted:
                reason = (
                    "it divides by a number of relevant documents, or a best gain, that a sample cannot give"
                )
            raise UsageError(
                f"{chosen} cannot be estimated by document: {reason}. Estimate it by query instead, "
                f"choose one of {', '.join(known)}, or leave the predictions out (AP and nDCG with "
                "--interval sampling)"
            )
        return cls(chosen)

    def weights(self, rank: ArrayLike) -> Floats:
        """Return what a document of gain 1 adds at each of these ranks."""
        if self.measure.traits.weight is not None:
            return self.measure.weights(rank)
        return WEIGHTS[self.measure.name](np.asarray(rank, float), **self.measure.own)

    def gains(self, grade: ArrayLike) -> Floats:
        """Return the gain of each grade: what a document at rank 1 scores, divided by the weight there."""
        grades, place = np.unique(np.asarray(grade, np.int32), return_inverse=True)
        judgments = Judgments.read({str(g): {"d": g} for g in grades.tolist()})
        first = np.ones(len(grades), np.int32)
        one_each = np.arange(len(grades) + 1)
        rankings = JudgedRankings(
            judgments, first, one_each[:-1].astype(np.int32), one_each, first, one_each[:-1].astype(np.int32)
        )
        gain: Floats = (self.measure.compute(rankings) / self.weights(1.0))[place]
        return gain

    def gains_where(self, known: Mask, grade: NDArray[Any]) -> Floats:
        """Return the gain of each grade that is known, 0 for the others."""
        gain = np.zeros(len(known))
        gain[known] = self.gains(grade[known])
        return gain

    @property
    def rel(self) -> int:
        """Lowest relevant grade."""
        return int(self.measure.given.get("rel", 1))


@dataclass(frozen=True, eq=False)
class SamplingError:
    """Covariance of the runs' means around what complete judgments would give; all are runs x runs.

    `covariance` is estimated from the sample, and is unbiased for Poisson samples. It is too small if heavy
    documents were hardly ever drawn, and none was. `expected` and `expected_seen` show that: the covariance
    to expect if the predictions are right, from all documents and from the judged alone. Where the first is
    larger, the estimated variance is raised in proportion.

    A sample may show no error at all. `unseen` is the covariance then: of the n that were judged none was
    off, and the share of others that are is taken as 1 / (n + 2), as if one of two more had been.
    """

    covariance: Floats
    expected: Floats
    expected_seen: Floats
    unseen: Floats

    @classmethod
    def of(cls, population: Population, weight: Floats, gain: Floats, expected: Floats) -> SamplingError:
        """`weight` is of the documents of the rankings; `gain` and `expected`, y and m, are of each row.

        For gains from 0 to top, m (top - m) is the largest variance with mean m: expected is the sum of
        (1 - pi)/pi w^2 m (top - m) over all documents, expected_seen that over the judged, each 1 / pi times.
        Documents of unknown pi add nothing, and both are 0 for stratified samples.
        """
        covariance = sampling_covariance(population, weight, gain - expected)
        drawn, top = population.drawn, max(1.0, float(gain[population.drawn].max(initial=0.0)))
        rate = np.where(drawn | population.unreachable, 1.0, population.rate)
        off = top / sqrt(int(drawn.sum()) + 2)
        unseen = _squared(population, weight, off * np.sqrt((1 - rate) / rate))
        if population.design != POISSON:
            return cls(covariance, 0 * covariance, 0 * covariance, unseen)
        pi, m = population.inclusion, np.clip(expected, 0.0, top)
        doubt = np.sqrt((1 - pi) / pi * m * (top - m))
        seen = np.where(drawn, doubt / np.sqrt(pi), 0.0)
        return cls(
            covariance, _squared(population, weight, doubt), _squared(population, weight, seen), unseen
        )

    def deviation(self, share: Floats) -> float:
        """Return the standard error of a combination of the runs' means."""
        matrices = (self.covariance, self.expected, self.expected_seen, self.unseen)
        variance, expected, seen, unseen = (max(float(share @ matrix @ share), 0.0) for matrix in matrices)
        if variance == 0:
            return sqrt(unseen)
        return sqrt(variance * (max(1.0, expected / seen) if seen > 0 else 1.0))


def sampling_covariance(population: Population, weight: Floats, residual: Floats) -> Floats:
    """Estimate the covariance of the runs' means over samples, runs x runs.

    `weight` is of the documents of the rankings, `residual` is r = y - m of each row. Poisson samples: the
    sum over the judged of (1 - pi) (w r / pi)^2, which is unbiased. Stratified samples: the sum over strata
    of N^2 (1 - n/N) s^2 / n, with s^2 the variance of w r among the n judged of N; where n = 1 < N there is
    no variance, and s^2 is (w r)^2.
    """
    if population.design == POISSON:
        pi = population.inclusion
        return _squared(population, weight, np.where(population.drawn, np.sqrt(1 - pi) / pi * residual, 0.0))
    rows = np.flatnonzero(population.drawn)
    spread = np.ascontiguousarray(population.weights(weight, population.drawn)[:, rows].toarray().T)
    sizes = np.bincount(population.stratum[population.stratum >= 0])
    centred = _within_strata(spread * residual[rows, None], population.stratum[rows], sizes)
    covariance: Floats = centred.T @ centred
    return covariance


def _squared(population: Population, weight: Floats, scale: Floats) -> Floats:
    """Return sums over rows of w_i w_j scale^2, runs x runs, with the weights in the runs' means."""
    spread = population.weights(weight * scale[population.rankings.row], scale != 0)
    squared: Floats = (spread @ spread.T).toarray()
    return squared


def _within_strata(spread: Floats, stratum: Integers, sizes: Integers) -> Floats:
    """Return rows scaled so that their squares add up to the variance of a stratified sample."""
    judged = np.bincount(stratum, minlength=len(sizes))
    several = np.maximum(judged, 1)
    totals = [sums(column, stratum, len(sizes)) for column in spread.T]
    means = np.stack(totals, axis=1) / several[:, None]
    means[judged == 1] = 0.0
    scale = sizes**2 * (1 - judged / sizes) / several / np.maximum(judged - 1, 1)
    centred: Floats = (spread - means[stratum]) * np.sqrt(np.maximum(scale, 0.0))[stratum, None]
    return centred
