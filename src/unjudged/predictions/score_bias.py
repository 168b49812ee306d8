"""Bias of runs: how much higher they score by predictions than by people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.estimators.by_document import estimate_population
from unjudged.predictions.estimators.completeness import Completeness, IncompleteError
from unjudged.predictions.estimators.population import Population, is_sample, with_retrieved
from unjudged.predictions.estimators.sums import WEIGHTS, Sum
from unjudged.predictions.predictions import Predictions
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import UNSAMPLED
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import t_interval


class Bias(NamedTuple):
    """Mean of a run by people, and how much higher it is by the predictions."""

    run: str
    by_people: Estimate
    """As `evaluate` estimates it with the predictions from a sample; else it has no interval."""
    bias: Estimate

    @property
    def human(self) -> float:
        """Mean by people without its interval."""
        return self.by_people.value


class Biases(NamedTuple):
    """Biases of the runs that have one, and sentences on what was left out."""

    by_run: list[Bias]
    notes: list[str]


def score_biases(
    collection: Collection,
    predictions: Predictions,
    measure: Measure,
    confidence: float,
    threshold: float | None = None,
) -> Biases:
    """Compare what each run scores by predictions and by people, who judged a sample or whole queries.

    Judgments that list documents which are not judged are a sample, unless a design is not recorded and every
    query is complete all the same.
    """
    collection = collection.loaded()
    judgments = collection.judgments
    made = _of_sample if is_sample(judgments) else _of_complete_queries
    if judgments.stratum is None and judgments.probability is None:
        retrieved = with_retrieved(collection)
        known = ~np.isnan(predictions.aligned(retrieved.judgments).value)
        if Completeness.of(measure, retrieved, known).complete.all():
            made = _of_complete_queries
    return made(collection, predictions, measure, confidence, threshold)


def _of_sample(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare the score by predictions of all documents with what the sample says it would be by people.

    Documents that people could not have judged count as nonrelevant on both sides.
    """
    if measure.traits.weight is None and measure.name not in WEIGHTS:
        problem = f"{measure}: the bias of a run needs complete judgments, and people judged a sample"
        raise UsageError(f"{problem}: choose a sum over documents such as P, RBP or DCG")
    population = Population.of(collection)
    predicted = population.with_predictions(source)
    people = estimate_population(population, predicted, measure, outside="nonrelevant")
    chosen = Sum.of(measure)
    known = ~np.isnan(predicted.value) & ~population.unreachable
    gain = np.zeros(len(known))
    gain[known] = chosen.gains(source.labels(predicted.value[known], threshold, chosen.rel))
    scores = population.totals(chosen.weights(population.rankings.rank), gain)
    by_run = [
        Bias(run, people.mean(run, confidence=confidence), _bias(own - estimated, run, measure, confidence))
        for run, own, estimated in zip(people.runs, scores, people.per_query, strict=True)
    ]
    notes = people.notes()[2:] if people.outside else []
    return Biases(by_run, [*notes, f"Wrong by people: {people.impossible}."] if people.impossible else notes)


def _of_complete_queries(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare scores by predictions and by people on the queries that people judged completely for a run."""
    rankings, retrieved = collection.rankings, with_retrieved(collection)
    predicted = ~np.isnan(source.aligned(retrieved.judgments).value)
    value = source.aligned(collection.judgments).value
    label = source.labels(value, threshold, int(measure.given.get("rel", 1)))
    grade = np.where(np.isnan(value), UNSAMPLED, label).astype(np.int32)
    human, machine = (
        measure.compute(each).reshape(len(collection.runs), -1)
        for each in (rankings, rankings.relabelled(collection.judgments.with_grades(grade)))
    )
    biases, refused = Biases([], []), None
    for i, run in enumerate(collection.runs):
        judged = Completeness.of(measure, retrieved.run(i), predicted)
        try:
            judged.check(2)
        except IncompleteError as error:
            refused = error
            biases.notes.append(f"{run}: no bias. {error}.")
            continue
        by_people, by_model = human[i, judged.complete], machine[i, judged.complete]
        of = Estimand(str(measure), subject=run)
        mean = Estimate.without_interval(float(mean_over_queries(by_people)), "all is judged", of)
        biases.by_run.append(Bias(run, mean, _bias(by_model - by_people, run, measure, confidence)))
        if left := int((~judged.complete).sum()):
            biases.notes.append(f"{run}: {counted(left, 'query')} left out, judged in part for {measure}.")
    if refused is not None and not biases.by_run:
        raise refused
    return biases


def _bias(gaps: Floats, run: str, measure: Measure, confidence: float) -> Estimate:
    """Estimate the mean of the differences by query."""
    of = Estimand(f"bias in {measure}", OTHER, ALL_JUDGED, run)
    widest = measure.traits.range[1] - measure.traits.range[0]
    return t_interval(gaps, confidence, method="t over queries", of=of, limits=(-widest, widest))
