"""How much higher each run scores by a judge than by people."""

from __future__ import annotations

from math import nan

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.base.wording import counted
from unjudged.collection.collection import Collection
from unjudged.evidence.drawn.predictions import Judges, Predictions
from unjudged.evidence.intervals.quantiles import Estimate, t_interval
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.by_document import estimate_population
from unjudged.predictions.labelled_population import (
    Completeness,
    IncompleteError,
    Population,
    is_sample,
    with_retrieved,
)
from unjudged.predictions.sums import WEIGHTS, Sum
from unjudged.results.fields import Row, known

Biases = tuple[list[Row], list[str]]
"""Biases of the runs that have one, and sentences on what was left out."""


def bias_rows(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare what each run scores by a judge and by people, who judged a sample or whole queries.

    Judgments that list documents which are not judged are a sample, unless a design is not recorded and every
    query is complete all the same.
    """
    judgments = collection.judgments
    made = _of_sample if is_sample(judgments) else _of_complete_queries
    if not judgments.recorded:
        retrieved = with_retrieved(collection)
        known = ~np.isnan(source.aligned(retrieved.judgments).value)
        if Completeness.of(measure, retrieved, known).complete.all():
            made = _of_complete_queries
    return made(collection, source, measure, confidence, threshold)


def _of_sample(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare the score by predictions of all documents with what the sample says it would be by people.

    Documents that people could not have judged count as nonrelevant on both sides. The predictions help to
    estimate the score by people.
    """
    if measure.traits.weight is None and measure.name not in WEIGHTS:
        problem = f"{measure}: the bias of a run needs complete judgments, and people judged a sample"
        raise UsageError(f"{problem}: choose a sum over documents such as P, RBP or DCG")
    population = Population.of(collection)
    by_judge = population.with_predictions(Judges.of(source))
    people = estimate_population(population, by_judge, measure, outside="nonrelevant")
    chosen = Sum.of(measure)
    weight = chosen.weights(population.rankings.rank)
    notes = people.notes()[2:] if people.outside else []
    notes += [f"Wrong by people: {people.impossible}."] if people.impossible else []
    (value,) = by_judge.values
    known = ~np.isnan(value) & ~population.unreachable
    gain = chosen.gains_where(known, source.labels(value, threshold, chosen.rel))
    scores = population.totals(weight, gain)
    by_run = [
        _bias(people.mean(run, confidence=confidence), gaps, run, measure)
        for run, gaps in zip(people.systems, scores - people.per_query, strict=True)
    ]
    return by_run, notes


def _of_complete_queries(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare scores by the judge and by people on the queries that people judged completely for a run."""
    rankings, retrieved = collection.rankings, with_retrieved(collection)
    runs = tuple(collection.runs)
    human = measure.compute(rankings).reshape(len(runs), -1)
    labelled = ~np.isnan(source.aligned(retrieved.judgments).value)
    value = source.aligned(collection.judgments).value
    grade = source.labels(value, threshold, int(measure.given.get("rel", 1))).astype(np.int32)
    relabelled = rankings.relabelled(collection.judgments.with_grades(grade))
    machine = measure.compute(relabelled).reshape(len(runs), -1)
    found: list[Row] = []
    notes, refused = list[str](), None
    for i, run in enumerate(runs):
        judged = Completeness.of(measure, retrieved.run(i), labelled)
        try:
            judged.check(2)
        except IncompleteError as error:
            refused = error
            notes.append(f"{run}: no bias. {error}.")
            continue
        known = judged.complete
        people, gaps = human[i, known], machine[i, known] - human[i, known]
        of, mean = Estimand(str(measure), subject=run), float(mean_over_queries(people))
        found.append(_bias(Estimate(mean, nan, nan, confidence, "", of), gaps, run, measure))
        if left := int((~known).sum()):
            notes.append(f"{run}: {counted(left, 'query')} left out, judged in part for {measure}.")
    if refused is not None and not found:
        raise refused
    return found, notes


def _bias(people: Estimate, gaps: Floats, run: str, measure: Measure) -> Row:
    """Return the mean by people, and the mean difference over queries with its interval."""
    of = Estimand(f"bias in {measure}", OTHER, ALL_JUDGED, run)
    widest = measure.range[1] - measure.range[0]
    bias = t_interval(gaps, people.confidence, method="t over queries", of=of, limits=(-widest, widest))
    return {
        "measure": str(measure),
        "system": run,
        "by_people": people.value,
        "estimate_low": known(people.low),
        "estimate_high": known(people.high),
        "bias": bias.value,
        "query_low": known(bias.low),
        "query_high": known(bias.high),
    }
