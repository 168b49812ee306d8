"""How many human labels an interval of a given width needs, from a pilot and the judges' predictions.

A label of document d leaves the error (y - m) w / pi, so that a design with probabilities pi has the variance

    V = c sum over all documents of (1 - pi) / pi w^2 m (top - m).

m (top - m) is the largest variance of a gain from 0 to `top` with mean m, and c corrects it: the sum of
squared errors that the pilot shows, divided by the sum that it should show if the predictions were right,
each weighted as in V. People alone have m = 0, and y^2 in place of the squared error, with the mean top m.

The width of a study varies with the errors that its sample happens to have. Nine of ten studies shall be at
most a tenth wider than promised, so the number is also so large that

    mean width x exp(z r / 2) <= 1.1 x width,    z the 95 % quantile of the normal distribution,

where r^2 is the relative variance of the study's estimate of V, and that of c in the pilot. Both follow from
the fourth moments of errors, c m (top - m) ((top - m)^3 + m^3) / top, as if gains were 0 or `top`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.base.errors import UsageError
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.measures.kernel.estimand import OTHER, THESE
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.estimators.by_document import estimate_population
from unjudged.predictions.estimators.completeness import LEAST
from unjudged.predictions.estimators.isotonic import folds_of
from unjudged.predictions.estimators.population import Population, PredictedPopulation
from unjudged.predictions.estimators.stacking import combined
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.judges import JudgesSource
from unjudged.predictions.label_plan_result import LabelNeed, LabelPlan
from unjudged.predictions.poisson_sample import FLOOR, LEAST_DOUBT, SHARE_FOR_FLOOR, probabilities
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.uncertainty.quantiles import normal_quantile, t_quantile

SLACK, KEPT = 1.1, 0.95
"""This share of studies is planned to have intervals at most so many times as wide as promised. It is nine of
ten in fact, because few pilots show the rare large errors that make a study's intervals wide."""
MEAN, DIFFERENCE = "a mean", "a difference"
UNIFORM, WEIGHTED, WHOLE = "uniform", "weighted", "whole queries"


def plan_labels(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None,
    predictions: JudgesSource,
    width: float,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    outside: str = "error",
    confidence: float = 0.95,
) -> LabelPlan:
    """Plan how many documents people must label for intervals of this width, by design.

    `qrels` are a pilot: human labels of a random sample, with how it was drawn. The numbers are for a sample
    that is drawn afresh. Intervals are so wide on average over the runs, or over all pairs of runs, and where
    documents are drawn at most a tenth wider in about nine studies of ten; give two runs to plan for their
    difference. `outside` is as in `estimate_by_document`.

    >>> people = {f"q{i}": {"d1": 1, "d2": -1, "d3": i % 2, "d4": -1, "d5": 0} for i in range(20)}
    >>> model = {q: {"d1": 0.9, "d2": 0.6, "d3": 0.5, "d4": 0.3, "d5": 0.1} for q in people}
    >>> plan = plan_labels(people, {"mine": model}, model, 0.1, "P@5")
    >>> plan.need("a mean", "these queries", "uniform")[3:]
    (69, 88)
    """
    if not 0 < width < 2:
        raise UsageError(f"width is {width:g}, expected a number above 0 and below 2, such as 0.02")
    check_confidence(confidence)
    population = Population.of(Collection.of(qrels, runs))
    pilot = Pilot.of(population, population.with_predictions(predictions), measure, outside)
    needs = []
    for target, queries, design in _cases(pilot):
        of = Planned(target, queries, design, width, confidence)
        needs.append(LabelNeed(target, queries, design, of.least(pilot), of.least(pilot, alone=True)))
    return LabelPlan(
        measure=str(pilot.chosen.measure),
        width=width,
        confidence=confidence,
        pilot=int(pilot.population.drawn.sum()),
        documents=int(pilot.open.sum()),
        queries=pilot.population.queries,
        needs=needs,
    )


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

    @classmethod
    def of(
        cls, population: Population, judges: PredictedPopulation, measure: MeasureLike, outside: str
    ) -> Pilot:
        chosen = Sum.of(measure)
        estimates = estimate_population(population, judges, measure, outside=outside).checked()
        gain, rank = np.zeros(len(population.drawn)), population.rankings.rank
        gain[population.drawn] = chosen.gains(population.judgments.grade[population.drawn])
        top = max(1.0, float(gain.max(initial=0.0)))
        fold, weight = folds_of(population.judgments), chosen.weights(rank)
        expected = combined(list(judges.values), gain, population.drawn, population.inclusion, fold).expected
        expected = np.where(population.unreachable, 0.0, np.clip(expected, 0.0, top))
        counted = np.zeros(len(gain), bool)
        counted[population.rankings.row[weight != 0]] = True
        open_ = counted & ~population.unreachable
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


def _cases(pilot: Pilot) -> Iterator[tuple[str, str, str]]:
    """Yield target, queries and design of each number in the plan."""
    for target in (MEAN, DIFFERENCE) if len(pilot.population.runs) > 1 else (MEAN,):
        for queries, designs in ((THESE, (UNIFORM, WEIGHTED)), (OTHER, (UNIFORM, WEIGHTED, WHOLE))):
            for design in designs:
                yield target, queries, design


@dataclass(frozen=True)
class Planned:
    """Intervals that are planned for: of what, for which queries, by which design, and how wide."""

    target: str
    queries: str
    design: str
    width: float
    confidence: float

    def least(self, pilot: Pilot, *, alone: bool = False) -> int | None:
        """Return the fewest labels with which intervals are no wider on average, None if there are none."""
        queries, shares = pilot.population.queries, list(pilot.shares(self.target))
        if self.design == WHOLE:
            whole = _first(LEAST, queries, lambda n: self._of_queries(pilot, shares, n, alone) <= self.width)
            return None if whole is None else round(whole * int(pilot.open.sum()) / queries)
        quantile = normal_quantile(self.confidence)
        between = [0.0] * len(shares)
        if self.queries == OTHER:
            quantile = t_quantile(self.confidence, queries - 1)
            between = [_between(pilot, share) / queries for share in shares]

        def reached(labels: int) -> bool:
            sampled, varies = pilot.sampling(self.design, labels, alone, self.target)
            noise = np.array([share @ sampled @ share for share in shares])
            variance = np.maximum(noise + between, 0.0)
            width = 2 * quantile * float(np.sqrt(variance).mean())
            if self.queries == OTHER:
                varies *= float(noise.mean() / max(variance.mean(), np.finfo(float).tiny)) ** 2
            wide = np.exp(normal_quantile(2 * KEPT - 1) * np.sqrt(varies) / 2)
            return width <= self.width and width * wide <= SLACK * self.width

        return _first(1, int(pilot.open.sum()), reached)

    def _of_queries(self, pilot: Pilot, shares: list[Floats], n: int, alone: bool) -> float:
        """Return the mean width with n queries judged completely."""
        variances = [_variance_by_query(pilot, share, n, alone) for share in shares]
        quantile = t_quantile(self.confidence, n - (1 if alone else 2))
        return 2 * quantile * float(np.sqrt(np.maximum(variances, 0.0)).mean())


def _between(pilot: Pilot, share: Floats) -> float:
    """Return the variance over queries by people, at least that by the predictions."""
    return max(float(share @ pilot.between @ share), float(share @ pilot.predicted @ share))


def _variance_by_query(pilot: Pilot, share: Floats, n: int, alone: bool) -> float:
    """Return the variance of a mean with n queries judged by people, as in `prediction_powered`."""
    human, more = _between(pilot, share), pilot.population.queries - n
    if alone or not more:
        return human / n
    model = float(share @ pilot.predicted @ share)
    rest = max(float(share @ pilot.residual @ share), float(share @ pilot.doubt @ share))
    together = (human + model - rest) / 2
    weight = min(max(together / ((1 + n / more) * model), 0.0), 1.0) if model > 0 else 0.0
    return (human - 2 * weight * together + weight**2 * model) / n + weight**2 * model / more


def _first(low: int, high: int, reached: Callable[[int], bool]) -> int | None:
    """Return the smallest number from which on `reached` is true, None if it is not true of the highest."""
    if high < low or not reached(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low
