"""Audit predictions on the documents that people judged too, and by how much they raise each run's score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.agreement.agreeing import coefficient_estimates, confusion_rows
from unjudged.agreement.coefficients import grades_of, tables
from unjudged.agreement.resampling import note_on_intervals, row_of
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.by_document import estimate_population
from unjudged.predictions.population import (
    Completeness,
    IncompleteError,
    Population,
    is_sample,
    with_retrieved,
)
from unjudged.predictions.predictions import GRADES, Judges, Predictions, PredictionsSource
from unjudged.predictions.sums import WEIGHTS, Sum
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.results.fields import Row, known
from unjudged.results.result import Result
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import t_interval


def audit(
    qrels: JudgmentsSource,
    predictions: PredictionsSource,
    runs: RunsSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    rel: int = 1,
    threshold: float | None = None,
    confidence: float = 0.95,
) -> Result:
    """Compare predictions with human judgments, and say how far each run's score would be off by them.

    A document is relevant from grade `rel` on, and by scores from `threshold` on (probabilities: 0.5). Rows
    are `agreement` (Cohen's kappa), `shares` of the documents by both labels, `ratings`, the mean prediction
    by people's grade, and `bias`, how much higher each run scores by the predictions. Shares and means are
    weighted by 1 / the probability of being judged.

    >>> people = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1, "d3": 0}}
    >>> model = {"q1": {"d1": 0.9, "d2": 0.6, "d3": 0.7}, "q2": {"d1": 0.2, "d2": 0.4, "d3": 0.3}}
    >>> round(audit(people, model).rows["agreement"][0]["value"], 4)
    0.3333
    """
    judgments, source = Judgments.of(qrels), Predictions.of(predictions)
    value = source.aligned(judgments).value
    people = np.isfinite(judgments.inclusion)
    both = people & ~np.isnan(value)
    if not both.any():
        raise InputError("no document that people judged has a prediction", source=source.name)
    label, grade = source.labels(value, threshold, rel), judgments.grade
    found = Documents(judgments.query[both], grade[both], label[both], 1 / judgments.inclusion[both])
    kappas = {"kappa, relevant or not": found.by_relevance(rel)}
    if source.kind == GRADES:
        kappas["kappa, grades"] = found
    rows: dict[str, list[Row]] = {
        "agreement": [row_of(own.kappa(confidence), "", name) for name, own in kappas.items()],
        "shares": [*confusion_rows(found.tables(weighted=False), found.grades, found.tables())],
        "ratings": [*_ratings(found, value[both], rel if source.kind != GRADES else None)],
    }
    chosen, notes = _measure_with_rel(measure, rel), [*source.notes()]
    if runs is not None:
        biases, said = _biases(Collection(judgments, runs), source, chosen, confidence, threshold)
        rows["bias"], notes = biases, [*said, *notes]
    documents = counted(len(found.weight), "document")
    titles = {
        "agreement": f"Agreement on {documents} that people judged",
        "shares": "Share of the documents: by people in rows, predicted in columns",
        "ratings": "Predictions by people's grades",
        "bias": f"{chosen} by the predictions minus by people",
    }
    weighted = bool((found.weight != found.weight[0]).any())
    known = judgments.probability is not None or judgments.stratum is not None
    about = _notes(confidence, rel, int((people & ~both).sum()), weighted=weighted, recorded=known)
    return Result(rows, [*about, *notes], {"titles": titles, "measure": str(chosen)})


def _notes(confidence: float, rel: int, missing: int, *, weighted: bool, recorded: bool) -> Iterator[str]:
    """Say what intervals are, and what is known of the documents."""
    yield f"{note_on_intervals(confidence)[:-1]}; a document is relevant from grade {rel} on."
    if weighted:
        yield "Each document is weighted by 1 / its probability of being judged."
    if weighted and not recorded:
        assumed = "the judged documents count as a uniform sample of each query's pool"
        yield f"No design of the sample is recorded: {assumed}."
    if missing:
        has = "has" if missing == 1 else "have"
        yield f"{counted(missing, 'document')} that people judged {has} no prediction."


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents that people judged and that have a prediction: their queries, labels and weights."""

    query: Integers
    human: NDArray[Any]
    predicted: NDArray[Any]
    weight: Floats

    @cached_property
    def grades(self) -> Floats:
        """Grades that people or predictions give."""
        return grades_of(self.human, self.predicted)

    def by_relevance(self, rel: int) -> Documents:
        """Return the same, relevant or not."""
        return replace(self, human=self.human >= rel, predicted=self.predicted >= rel)

    def tables(self, *, weighted: bool = True) -> Floats:
        """Return the documents by query and by both grades: the sums of their weights, or counts."""
        names, query = np.unique(self.query, return_inverse=True)
        first, second = (np.searchsorted(self.grades, own) for own in (self.human, self.predicted))
        weight = self.weight if weighted else None
        return tables(query, first, second, (len(names), len(self.grades)), weight)

    def kappa(self, confidence: float) -> Estimate:
        """Estimate Cohen's kappa, had both judged every document."""
        return coefficient_estimates(self.tables(), self.grades, confidence, ["kappa"])["kappa"]


def _measure_with_rel(measure: MeasureLike, rel: int) -> Measure:
    """Return the measure; `rel` is its lowest relevant grade if it does not set its own."""
    chosen = parse_measure(measure)
    if "rel" in chosen.parameters and "rel" not in chosen.given and rel != 1:
        return chosen(rel=rel)
    return chosen


def _ratings(found: Documents, value: Floats, rel: int | None) -> Iterator[Row]:
    """Yield the mean prediction by people's grade; with `rel`, over-rating is a share of the documents."""
    for grade in np.unique(found.human).tolist():
        own = found.human == grade
        label, weight = found.predicted[own], found.weight[own]
        excess = label - grade if rel is None else (label >= rel) - float(grade >= rel)
        yield {
            "grade": f"{grade:g}",
            "documents": int(own.sum()),
            "mean_prediction": float(np.average(value[own], weights=weight)),
            "over_rating": float(np.average(excess, weights=weight)),
        }


Biases = tuple[list[Row], list[str]]
"""Biases of the runs that have one, and sentences on what was left out."""


def _biases(
    collection: Collection,
    source: Predictions,
    measure: Measure,
    confidence: float,
    threshold: float | None,
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
        for run, gaps in zip(people.runs, scores - people.per_query, strict=True)
    ]
    return by_run, notes


def _of_complete_queries(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare scores by predictions and by people on the queries that people judged completely for a run."""
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
    """Return the mean by people, and that of the differences by query with its interval."""
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
