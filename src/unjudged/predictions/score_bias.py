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
from unjudged.predictions.estimators.population import (
    Completeness,
    IncompleteError,
    Population,
    is_sample,
    with_retrieved,
)
from unjudged.predictions.estimators.sums import WEIGHTS, Sum
from unjudged.predictions.predictions import Judges, any_predicted
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import t_interval

NO_SCORES: Floats = np.zeros((0, 0))


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
    """Biases under one judge of the runs that have one, and sentences on what was left out."""

    by_run: list[Bias]
    notes: list[str]
    runs: tuple[str, ...] = ()
    people: Floats = NO_SCORES
    """Runs x queries: scores by people, not a number where they cannot be known."""
    predicted: Floats = NO_SCORES
    """The same by the judge."""


def score_biases(
    collection: Collection,
    judges: Judges,
    measure: Measure,
    confidence: float,
    threshold: float | None = None,
) -> dict[str, Biases]:
    """Compare what each run scores by each judge and by people, who judged a sample or whole queries.

    Judgments that list documents which are not judged are a sample, unless a design is not recorded and every
    query is complete all the same.
    """
    collection = collection.loaded()
    judgments = collection.judgments
    made = _of_sample if is_sample(judgments) else _of_complete_queries
    if judgments.stratum is None and judgments.probability is None:
        retrieved = with_retrieved(collection)
        known = any_predicted(judges.aligned(retrieved.judgments))
        if Completeness.of(measure, retrieved, known).complete.all():
            made = _of_complete_queries
    return made(collection, judges, measure, confidence, threshold)


def _of_sample(
    collection: Collection, judges: Judges, measure: Measure, confidence: float, threshold: float | None
) -> dict[str, Biases]:
    """Compare the score by predictions of all documents with what the sample says it would be by people.

    Documents that people could not have judged count as nonrelevant on both sides. All judges together help
    to estimate the score by people.
    """
    if measure.traits.weight is None and measure.name not in WEIGHTS:
        problem = f"{measure}: the bias of a run needs complete judgments, and people judged a sample"
        raise UsageError(f"{problem}: choose a sum over documents such as P, RBP or DCG")
    population = Population.of(collection)
    by_judge = population.with_predictions(judges)
    people = estimate_population(population, by_judge, measure, outside="nonrelevant")
    chosen = Sum.of(measure)
    weight = chosen.weights(population.rankings.rank)
    notes = people.notes()[2:] if people.outside else []
    notes += [f"Wrong by people: {people.impossible}."] if people.impossible else []
    biases = {}
    for (name, judge), value in zip(judges.by_name.items(), by_judge.values, strict=True):
        known = ~np.isnan(value) & ~population.unreachable
        gain = chosen.gains_where(known, judge.labels(value, threshold, chosen.rel))
        scores = population.totals(weight, gain)
        by_run = [
            Bias(run, people.mean(run, confidence=confidence), _bias(gaps, run, measure, confidence))
            for run, gaps in zip(people.runs, scores - people.per_query, strict=True)
        ]
        biases[name] = Biases(by_run, list(notes), people.runs, people.per_query, scores)
    return biases


def _of_complete_queries(
    collection: Collection, judges: Judges, measure: Measure, confidence: float, threshold: float | None
) -> dict[str, Biases]:
    """Compare scores by predictions and by people on the queries that people judged completely for a run."""
    rankings, retrieved = collection.rankings, with_retrieved(collection)
    runs = tuple(collection.runs)
    human = measure.compute(rankings).reshape(len(runs), -1)
    biases = {}
    for name, source in judges.by_name.items():
        labelled = ~np.isnan(source.aligned(retrieved.judgments).value)
        value = source.aligned(collection.judgments).value
        grade = source.labels(value, threshold, int(measure.given.get("rel", 1))).astype(np.int32)
        relabelled = rankings.relabelled(collection.judgments.with_grades(grade))
        machine = measure.compute(relabelled).reshape(len(runs), -1)
        complete = [Completeness.of(measure, retrieved.run(i), labelled) for i in range(len(runs))]
        known = np.stack([judged.complete for judged in complete])
        found = Biases([], [], runs, *(np.where(known, scores, np.nan) for scores in (human, machine)))
        refused = None
        for i, (run, judged) in enumerate(zip(runs, complete, strict=True)):
            try:
                judged.check(2)
            except IncompleteError as error:
                refused = error
                found.notes.append(f"{run}: no bias. {error}.")
                continue
            people, gaps = human[i, known[i]], machine[i, known[i]] - human[i, known[i]]
            of, mean = Estimand(str(measure), subject=run), float(mean_over_queries(people))
            by_people = Estimate.without_interval(mean, "all is judged", of)
            found.by_run.append(Bias(run, by_people, _bias(gaps, run, measure, confidence)))
            if left := int((~known[i]).sum()):
                found.notes.append(f"{run}: {counted(left, 'query')} left out, judged in part for {measure}.")
        if refused is not None and not found.by_run:
            raise refused
        biases[name] = found
    return biases


def _bias(gaps: Floats, run: str, measure: Measure, confidence: float) -> Estimate:
    """Estimate the mean of the differences by query."""
    of = Estimand(f"bias in {measure}", OTHER, ALL_JUDGED, run)
    widest = measure.range[1] - measure.range[0]
    return t_interval(gaps, confidence, method="t over queries", of=of, limits=(-widest, widest))
