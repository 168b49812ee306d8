"""Prediction-powered inference: some queries judged by people, more queries by predictions alone.

n queries have a score H by human judgments and L by predicted ones; N further queries have L only. With

    lambda = Cov(H, L) / ((1 + n/N) Var(L)), clipped to [0, 1],

the estimate lambda mean_N(L) + mean_n(H - lambda L) is right however bad the predictions are, and lambda
gives them the weight that they deserve (Angelopoulos, Duchi and Zrnic, "PPI++", 2023). It takes any measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.evaluation import RunsSource, judged_rankings, name_runs
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.predictions.estimators.estimates import Estimates
from unjudged.predictions.source import Predictions, PredictionsSource
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run
from unjudged.uncertainty.estimate import QUERIES, Estimate
from unjudged.uncertainty.quantiles import NO_LIMITS, Limits, normal_interval


@dataclass(frozen=True)
class Powered:
    """A mean, its standard error, and the weight that the predictions were given."""

    value: float
    error: float
    weight: float
    """lambda: 0 where the predictions say nothing, 1 where they may be added as they are."""

    def interval(self, confidence: float, of: str, limits: Limits = NO_LIMITS) -> Estimate:
        method = f"prediction-powered, lambda {self.weight:.3f}"
        return normal_interval(
            self.value, self.error, confidence, method=method, of=of, limits=limits, uncertainty=QUERIES
        )


def prediction_powered(human: ArrayLike, predicted: ArrayLike, further: ArrayLike) -> Powered:
    """The mean of `human`, made more precise by `predicted` of the same queries and `further` of others.

    >>> found = prediction_powered([0.2, 0.4, 0.9], [0.3, 0.4, 0.8], [0.5, 0.7, 0.6, 0.4])
    >>> round(found.value, 4), round(found.weight, 4)
    (0.55, 1.0)
    """
    known, guessed, more = (np.asarray(values, float) for values in (human, predicted, further))
    if known.shape != guessed.shape or known.ndim != 1 or more.ndim != 1:
        raise UsageError(
            f"{known.shape} human and {guessed.shape} predicted scores, expected one each per query"
        )
    if len(known) < 2:
        raise UsageError(f"people judged {len(known)} of the queries, expected two or more")
    weight, spread = 0.0, float(np.var(np.concatenate([guessed, more]), ddof=1))
    if len(more) and spread > 0:
        together = float(np.mean((known - known.mean()) * (guessed - guessed.mean())))
        weight = min(max(together / ((1 + len(known) / len(more)) * spread), 0.0), 1.0)
    rest = known - weight * guessed
    value, variance = float(rest.mean()), float(rest.var()) / len(known)
    if len(more):
        value += weight * float(more.mean())
        variance += weight**2 * float(more.var()) / len(more)
    return Powered(value, sqrt(variance), weight)


@dataclass(frozen=True, eq=False, repr=False)
class QueryEstimates(Estimates):
    """What runs would score on average, from some queries that people judged and more that they did not.

    `human[i, j]` and `predicted[i, j]` are the scores of run i on the j-th query that people judged,
    `further` those by predictions on the other queries.
    """

    measure: str
    runs: tuple[str, ...]
    human: Floats
    predicted: Floats
    further: Floats
    without_predictions: int
    """Queries that people judged and that have no predictions: they are left out."""

    def mean(self, run: str, *, confidence: float = 0.95) -> Estimate:
        return self._powered(self.place(run)).interval(confidence, f"mean {self.measure} of {run}")

    def _powered(self, i: int) -> Powered:
        return prediction_powered(self.human[i], self.predicted[i], self.further[i])

    def difference(self, a: str, b: str, *, confidence: float = 0.95) -> Estimate:
        """The mean of run `a` minus that of run `b`, by the differences of each query."""
        i, j = self.place(a), self.place(b)
        pairs = (scores[i] - scores[j] for scores in (self.human, self.predicted, self.further))
        return prediction_powered(*pairs).interval(confidence, f"mean {self.measure}, {a} minus {b}")

    def intervals(self, a: str, b: str | None = None, *, confidence: float = 0.95) -> list[Estimate]:
        if b is None:
            return [self.mean(a, confidence=confidence)]
        return [self.difference(a, b, confidence=confidence)]

    def notes(self) -> list[str]:
        judged, more = (counted(scores.shape[1], "query") for scores in (self.human, self.further))
        weights = [f"{run} {self._powered(i).weight:.3f}" for i, run in enumerate(self.runs)]
        queries = f"{judged} judged by people, {more} with predictions only"
        found = [f"{self.measure} by query: {queries}; weight of the predictions: {', '.join(weights)}."]
        if self.without_predictions:
            found.append(
                f"{counted(self.without_predictions, 'query')} judged by people left out: no predictions."
            )
        return found


def estimate_by_query(
    qrels: JudgmentsSource,
    runs: RunsSource,
    predictions: PredictionsSource,
    measure: MeasureLike = "AP",
    *,
    threshold: float | None = None,
) -> QueryEstimates:
    """Estimate the runs' means of any measure over all queries that have predictions.

    `qrels` are the human judgments of some queries, as complete as the measure needs them. `predictions` are
    of these and further queries: grades, or scores that are relevant from `threshold` on (probabilities:
    0.5).
    """
    chosen = parse_measure(measure)
    chosen.check_mean()
    judgments, named = Judgments.of(qrels), {name: Run.of(run) for name, run in name_runs(runs).items()}
    rel = int(chosen.given.get("rel", 1))
    predicted = Predictions.of(predictions).judgments(threshold, rel)
    place = {query: j for j, query in enumerate(judgments.queries.tolist())}
    both = [(place[query], j) for j, query in enumerate(predicted.queries.tolist()) if query in place]
    if not both:
        example = f"{predicted.queries[0]!r} in the predictions, {judgments.queries[0]!r} in the judgments"
        raise InputError(f"no query that people judged has predictions: for example {example}")
    ours, theirs = (list(column) for column in zip(*both, strict=True))
    if len(theirs) == len(predicted.queries):
        raise InputError(
            "every query with predictions is judged by people, so they add nothing: expected further queries"
        )
    human, machine = (
        chosen.compute(judged_rankings(pool, named)).reshape(len(named), -1)
        for pool in (judgments, predicted)
    )
    return QueryEstimates(
        str(chosen),
        tuple(named),
        human[:, ours],
        machine[:, theirs],
        np.delete(machine, theirs, axis=1),
        len(judgments.queries) - len(ours),
    )
