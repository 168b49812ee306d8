"""A pilot of human labels, and what a sample of documents or of whole queries would vary by.

A label of document d leaves the error (y - m) w / pi, so that a design with probabilities pi has the variance

    V = c sum over all documents of (1 - pi) / pi w^2 m (top - m).

m (top - m) is the largest variance of a gain from 0 to `top` with mean m, and c corrects it: the sum of
squared errors that the pilot shows, divided by the sum that it should show if the predictions were right,
each weighted as in V. People alone have m = 0, and y^2 in place of the squared error, with the mean top m.

A study's estimate of V varies, and so does c with the pilot. Both follow from the fourth moments of errors,
c m (top - m) ((top - m)^3 + m^3) / top, as if gains were 0 or `top`.

Where people judge n of Q queries completely and predictions the others, with H the scores by people, L those
by predictions and R = H - L, of which the pilot shows the covariances, `prediction_powered` has the variance

    (H - 2 lambda C + lambda^2 L) / n + lambda^2 L / (Q - n),    C = (H + L - R) / 2.

Its estimate varies with the queries that are chosen, and the covariances with the pilot. Over the runs, or
over all pairs of them, sums of variances are traces of the runs' covariance S, and for Normal scores

    2 tr(S^2) / ((n - 2) tr(S)^2) (1 - n/Q)   and   (4 tr(S N) + 2 tr(N^2)) / (Q - 1)

are the relative variance of the first, and the variance that the pilot's noise N adds to the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.estimators.by_document import calibrated_gains, estimate_population
from unjudged.predictions.estimators.population import Population, PredictedPopulation
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.poisson_sample import FLOOR, LEAST_DOUBT, SHARE_FOR_FLOOR, probabilities
from unjudged.rankings.judged import Floats, Mask

MEAN, DIFFERENCE = "a mean", "a difference"
UNIFORM, WEIGHTED, WHOLE = "uniform", "weighted", "whole queries"


@dataclass(frozen=True, eq=False)
class Pilot:
    """What the pilot shows. Matrices are runs x runs, `weight` is runs x rows, in the runs' means."""

    population: Population
    chosen: Sum
    open: Mask
    """Documents that count and that people could label."""
    weight: Any
    sums: Floats
    squares: Floats
    """Sums over runs of each document's weights, and of their squares."""
    gain: Floats
    expected: Floats
    top: float
    between: Floats
    """Covariance over queries of the runs' scores by people, with the noise of the pilot taken off."""
    predicted: Floats
    """The same of the scores by the calibrated predictions."""
    residual: Floats
    """The same of the difference of both."""
    doubt: Floats
    """Covariance of that difference to expect within queries if the predictions are right."""
    noise: Floats
    """Covariance of the scores by people over samples of the pilot, mean over queries."""

    @classmethod
    def of(
        cls, population: Population, judges: PredictedPopulation, measure: MeasureLike, outside: str
    ) -> Pilot:
        chosen = Sum.of(measure)
        estimates = estimate_population(population, judges, measure, outside=outside).checked()
        gain = chosen.gains_where(population.drawn, population.judgments.grade)
        top = max(1.0, float(gain.max(initial=0.0)))
        expected = calibrated_gains(population, judges, gain).expected
        expected = np.where(population.unreachable, 0.0, np.clip(expected, 0.0, top))
        weight = chosen.weights(population.rankings.rank)
        open_ = population.counted(weight) & ~population.unreachable
        weights = population.weights(weight, open_)
        if population.queries < 2:
            raise UsageError("there is one query, expected two or more to plan for")
        predicted = population.totals(weight, expected)
        noise = population.queries * estimates.error.covariance
        scaled = weights.multiply(np.sqrt(expected * (top - expected)))
        return cls(
            population,
            chosen,
            open_,
            weights,
            np.asarray(weights.sum(axis=0)).ravel(),
            np.asarray(weights.multiply(weights).sum(axis=0)).ravel(),
            gain,
            expected,
            top,
            np.atleast_2d(np.cov(estimates.per_query)) - noise,
            np.atleast_2d(np.cov(predicted)),
            np.atleast_2d(np.cov(estimates.per_query - predicted)) - noise,
            population.queries * (scaled @ scaled.T).toarray(),
            noise,
        )

    def odds(self, design: str, labels: float, alone: bool) -> Floats:
        """Return the probability of each document to be labelled by a design that expects so many labels."""
        documents = int(self.open.sum())
        if design == UNIFORM:
            return np.where(self.open, min(1.0, labels / documents), 0.0)
        size = self.sums
        if not alone:
            chance = np.clip(self.expected / self.top, LEAST_DOUBT, 1 - LEAST_DOUBT)
            size = size * np.sqrt(chance * (1 - chance))
        return probabilities(size, self.open, labels, min(FLOOR, SHARE_FOR_FLOOR * labels / documents))

    def sampling(self, design: str, labels: float, alone: bool, target: str) -> tuple[Floats, float]:
        """Return the covariance of the runs' means over samples of a design, with or without predictions.

        The second number is the relative variance of what a study will take it for: that over samples of the
        study, and that over samples of the pilot.
        """
        pi, drawn = self.odds(design, labels, alone), self.population.drawn
        scale = np.where(self.open & (pi > 0), (1 - pi) / np.where(pi > 0, pi, 1.0), 0.0)
        m = self.expected
        guess = self.top * m if alone else m * (self.top - m)
        squared = self.gain**2 if alone else (self.gain - m) ** 2
        pooled = self.squares
        if target == DIFFERENCE:
            pooled = len(self.population.runs) * self.squares - self.sums**2
        first = self.population.inclusion
        shown = np.where(drawn, scale * pooled / first, 0.0)
        seen = float((shown * guess).sum())
        ratio = float((shown * squared).sum()) / seen if seen > 0 else 1.0
        spread = self.weight.multiply(np.sqrt(ratio * scale * guess))
        covariance: Floats = (spread @ spread.T).toarray()
        fourth = ratio * guess * (self.top**3 if alone else (self.top - m) ** 3 + m**3) / self.top
        of_study = (scale**3 * pooled**2 * fourth).sum()
        of_pilot = (
            (1 - first) / first * (scale * pooled) ** 2 * np.maximum(fourth - (ratio * guess) ** 2, 0.0)
        ).sum()
        total = ratio * float((scale * pooled * guess).sum())
        varies = float(of_study + of_pilot) / total**2 if total > 0 else 0.0
        return covariance, varies

    def shares(self, target: str) -> Iterator[Floats]:
        """Yield the combinations of runs: each one, or every two."""
        unit = np.eye(len(self.population.runs))
        if target == MEAN:
            yield from unit
        else:
            for i, j in combinations(range(len(unit)), 2):
                yield unit[i] - unit[j]


def between(pilot: Pilot, share: Floats) -> float:
    """Return the variance over queries by people, at least that by the predictions."""
    return max(float(share @ pilot.between @ share), float(share @ pilot.predicted @ share))


def variance_by_query(pilot: Pilot, share: Floats, n: int, alone: bool) -> tuple[float, float]:
    """Return the variance of a mean with n queries judged by people, and lambda."""
    human, more = between(pilot, share), pilot.population.queries - n
    if alone or not more:
        return human / n, 0.0
    model = float(share @ pilot.predicted @ share)
    rest = max(float(share @ pilot.residual @ share), float(share @ pilot.doubt @ share))
    together = (human + model - rest) / 2
    weight = min(max(together / ((1 + n / more) * model), 0.0), 1.0) if model > 0 else 0.0
    variance = (human - 2 * weight * together + weight**2 * model) / n + weight**2 * model / more
    return max(variance, 0.0), weight


def varies_by_query(pilot: Pilot, target: str, n: int, weight: float, variance: float) -> float:
    """Return the relative variance of what n judged queries show, and of the `variance` that is planned.

    `variance` and `weight`, lambda, are means over the runs, or over all pairs of them.
    """
    queries, runs = pilot.population.queries, len(pilot.population.runs)
    centre, scale = np.eye(runs), 1 / runs
    if target != MEAN:
        centre, scale = centre - 1 / runs, 2 / (runs - 1)
    human, rest, noise = (centre @ m @ centre for m in (pilot.between, pilot.residual, pilot.noise))
    part = np.clip(np.linalg.eigvalsh(human), 0.0, None)
    alike = float((part**2).sum() / part.sum() ** 2) if part.any() else 1.0

    def unsure(covariance: Floats) -> float:
        square = 4 * np.trace(covariance @ noise) + 2 * np.trace(noise @ noise)
        return scale * float(np.sqrt(max(square, 0.0) / (queries - 1)))

    of_study = 2 * alike / max(n - 2, 1) * (1 - n / queries)
    of_pilot = ((1 - weight) * unsure(human) + weight * unsure(rest)) / n
    return of_study + (of_pilot / max(variance, np.finfo(float).tiny)) ** 2
