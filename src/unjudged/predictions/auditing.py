"""Audit predictions on the documents that people judged too, and by how much they raise each run's score."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.audit_grids import Audit, Bias, Confusion, CurvePoint, Rating
from unjudged.predictions.by_document import estimate_population
from unjudged.predictions.calibrated_gains import effective_count
from unjudged.predictions.population import (
    Completeness,
    IncompleteError,
    Population,
    is_sample,
    with_retrieved,
)
from unjudged.predictions.predictions import GRADES, Judges, Predictions, PredictionsSource
from unjudged.predictions.sums import WEIGHTS, Sum
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import Limits, normal_quantile, t_interval, t_quantile, within

MOST_GRADES, MOST_VALUES, BINS = 100, 15, 10


def audit(
    qrels: JudgmentsSource,
    predictions: PredictionsSource,
    runs: RunsSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    rel: int = 1,
    threshold: float | None = None,
    confidence: float = 0.95,
) -> Audit:
    """Compare predictions with human judgments, and say how far each run's score would be off by them.

    A document is relevant from grade `rel` on, and by scores from `threshold` on (probabilities: 0.5).
    Without a threshold, raw scores have no confusion matrix and no kappa, and the bias of a run is refused.

    >>> people = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1, "d3": 0}}
    >>> model = {"q1": {"d1": 0.9, "d2": 0.6, "d3": 0.7}, "q2": {"d1": 0.2, "d2": 0.4, "d3": 0.3}}
    >>> agreed = audit(people, model)
    >>> round(agreed.auc.value, 4), round(agreed.kappa.value, 4)
    (0.8889, 0.3333)
    """
    judgments, source = Judgments.of(qrels), Predictions.of(predictions)
    value = source.aligned(judgments).value
    people = np.isfinite(judgments.inclusion)
    both = people & ~np.isnan(value)
    if not both.any():
        raise InputError("no document that people judged has a prediction", source=source.name)
    sample = Sample(1 / judgments.inclusion[both], judgments.query[both], confidence)
    grade, seen = judgments.grade[both].astype(np.int64), value[both]
    relevant = grade >= rel
    _check_scale(grade, seen if source.kind == GRADES else grade)
    label = _labels_of(source, value, rel, threshold, needed=runs is not None)
    confusion = kappa = kappa_of_grades = None
    if label is not None:
        own = label[both].astype(np.int64)
        confusion = Confusion.of(grade, own, sample.weight)
        kappa = sample.kappa(relevant.astype(np.int64), (own >= rel).astype(np.int64), "kappa")
        if source.kind == GRADES:
            kappa_of_grades = sample.kappa(grade, own, "kappa of grades")
    chosen = _measure_with_rel(measure, rel)
    biases = Biases([], [])
    if runs is not None and label is not None:
        collection = Collection.of(judgments, runs)
        biases = _biases(collection, source, chosen, confidence, threshold)
    return Audit(
        rel=rel,
        documents=len(grade),
        missing=int((people & ~both).sum()),
        weighted=bool((sample.weight != sample.weight[0]).any()),
        confusion=confusion,
        kappa=kappa,
        kappa_of_grades=kappa_of_grades,
        auc=sample.auc(relevant, seen, "AUC"),
        ratings=_ratings(judgments, both, value, label, rel if source.kind != GRADES else None),
        curve=_curve(seen, relevant, sample),
        measure=str(chosen),
        biases=tuple(biases.by_run),
        notes=[*biases.notes, *source.notes()],
        assumed=judgments.probability is None and judgments.stratum is None,
    )


def _labels_of(
    source: Predictions, value: Floats, rel: int, threshold: float | None, *, needed: bool
) -> Floats | None:
    """Return the grade predicted of each row, -1 for none; of scores, `rel` or 0 by the threshold."""
    labelled = source.kind == GRADES or source.are_probabilities or threshold is not None
    if not labelled and not needed:
        return None
    return source.labels(value, threshold, rel)


def _check_scale(*labels: NDArray[Any]) -> None:
    """Refuse grades that are no scale: a table of them would have no end."""
    many = max(len(np.unique(own)) for own in labels)
    if many > MOST_GRADES:
        problem = f"there are {many} different grades, expected at most {MOST_GRADES}"
        raise InputError(f"{problem}: predictions of many values are scores (kind='scores')")


def _measure_with_rel(measure: MeasureLike, rel: int) -> Measure:
    """Return the measure; `rel` is its lowest relevant grade if it does not set its own."""
    chosen = parse_measure(measure)
    if "rel" in chosen.parameters and "rel" not in chosen.given and rel != 1:
        return chosen(rel=rel)
    return chosen


def _ratings(
    judgments: Judgments, both: Mask, value: Floats, label: Floats | None, rel: int | None
) -> tuple[Rating, ...]:
    """Return a rating per human grade; with `rel`, over-rating is a share of the documents."""
    ratings = []
    for grade in np.unique(judgments.grade[both]).tolist():
        own = both & (judgments.grade == grade)
        weight = 1 / judgments.inclusion[own]
        over = None
        if label is not None:
            excess = label[own] - grade if rel is None else (label[own] >= rel) - float(grade >= rel)
            over = float(np.average(excess, weights=weight))
        ratings.append(Rating(grade, int(own.sum()), float(np.average(value[own], weights=weight)), over))
    return tuple(ratings)


def _curve(seen: Floats, relevant: Mask, sample: Sample) -> tuple[CurvePoint, ...]:
    """Return a point per value where they are few, else one per tenth of the documents."""
    values = np.unique(seen)
    place = np.searchsorted(values, seen)
    if len(values) > MOST_VALUES:
        edges = np.unique(np.quantile(seen, np.linspace(0, 1, BINS + 1)[1:-1]))
        place = np.searchsorted(edges, seen, "right")
    points = []
    for k in np.unique(place).tolist():
        own = place == k
        share = weighted_share(relevant[own], sample.weight[own], sample.confidence, "share relevant")
        mean = float(np.average(seen[own], weights=sample.weight[own]))
        low, high = float(seen[own].min()), float(seen[own].max())
        points.append(CurvePoint(low, high, int(own.sum()), mean, share))
    return tuple(points)


@dataclass(frozen=True, eq=False)
class Sample:
    """Documents that both judged: how many documents each stands for, and its query.

    Intervals are linearised: each document's influence on a statistic is added up by query, and queries are
    the independent observations (documents, where there is only one query).
    """

    weight: Floats
    query: Integers
    confidence: float

    def kappa(self, human: Integers, predicted: Integers, of: str) -> Estimate:
        """Estimate Cohen's kappa: agreement beyond chance, (observed - expected) / (1 - expected).

        Not a number where both have a single label, the same.
        """
        observed, expected, each = agreement = by_chance(human, predicted, self.weight)
        if expected == 1:
            return Estimate(nan, nan, nan, self.confidence, "both judges have one label only", _about(of))
        above_chance = (human == predicted) - observed - (1 - agreement.kappa) * (each - 2 * expected)
        influence = self.weight / self.weight.sum() * above_chance / (1 - expected)
        return self._linearised(agreement.kappa, influence, of, (-1.0, 1.0))

    def auc(self, relevant: Mask, score: Floats, of: str) -> Estimate:
        """Estimate the chance that a relevant document has a higher score than another; ties count half.

        Not a number where all documents are relevant, or none.
        """
        if relevant.all() or not relevant.any():
            return Estimate(nan, nan, nan, self.confidence, "one kind of document only", _about(of))
        values, place = np.unique(score, return_inverse=True)
        each = np.where(relevant, self.weight[relevant].sum(), self.weight[~relevant].sum())
        w = self.weight / each
        mass = [np.bincount(place[kind], w[kind], len(values)) for kind in (relevant, ~relevant)]
        below = [np.cumsum(own) - own / 2 for own in mass]
        won = np.where(relevant, below[1][place], 1 - below[0][place])
        value = float(w[relevant] @ won[relevant])
        return self._linearised(value, w * (won - value), of, (0.0, 1.0))

    def _linearised(self, value: float, influence: Floats, of: str, limits: Limits) -> Estimate:
        _, place = np.unique(self.query, return_inverse=True)
        unit = "queries"
        if place.max(initial=0) == 0:
            place, unit = np.arange(len(influence)), "documents"
        totals = np.bincount(place, influence)
        n = len(totals)
        if n < 2:
            return Estimate(value, *limits, self.confidence, "one document only", _about(of))
        half = t_quantile(self.confidence, n - 1) * sqrt(n / (n - 1) * float((totals**2).sum()))
        method = f"linearised over {n} {unit}"
        return Estimate(value, *within(value, half, limits), self.confidence, method, _about(of))


def _about(of: str) -> Estimand:
    """Agreement is estimated for other queries, had both judged every document."""
    return Estimand(of, OTHER, ALL_JUDGED)


def weighted_share(relevant: Mask, weight: Floats, confidence: float, of: str) -> Estimate:
    """Return a share with Wilson's interval, for as many documents as the weights are worth."""
    n = effective_count(weight)
    p, z = float(np.average(relevant, weights=weight)), normal_quantile(confidence)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = min(max(middle - half, 0.0), p), max(min(middle + half, 1.0), p)
    return Estimate(p, low, high, confidence, "Wilson, documents taken as independent", Estimand(of))


class Biases(NamedTuple):
    """Biases of the runs that have one, and sentences on what was left out."""

    by_run: list[Bias]
    notes: list[str]


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
        Bias(run, people.mean(run, confidence=confidence), _bias(gaps, run, measure, confidence))
        for run, gaps in zip(people.runs, scores - people.per_query, strict=True)
    ]
    return Biases(by_run, notes)


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
    found, refused = Biases([], []), None
    for i, run in enumerate(runs):
        judged = Completeness.of(measure, retrieved.run(i), labelled)
        try:
            judged.check(2)
        except IncompleteError as error:
            refused = error
            found.notes.append(f"{run}: no bias. {error}.")
            continue
        known = judged.complete
        people, gaps = human[i, known], machine[i, known] - human[i, known]
        of, mean = Estimand(str(measure), subject=run), float(mean_over_queries(people))
        by_people = Estimate.without_interval(mean, "all is judged", of)
        found.by_run.append(Bias(run, by_people, _bias(gaps, run, measure, confidence)))
        if left := int((~known).sum()):
            found.notes.append(f"{run}: {counted(left, 'query')} left out, judged in part for {measure}.")
    if refused is not None and not found.by_run:
        raise refused
    return found


def _bias(gaps: Floats, run: str, measure: Measure, confidence: float) -> Estimate:
    """Estimate the mean of the differences by query."""
    of = Estimand(f"bias in {measure}", OTHER, ALL_JUDGED, run)
    widest = measure.range[1] - measure.range[0]
    return t_interval(gaps, confidence, method="t over queries", of=of, limits=(-widest, widest))


class ByChance(NamedTuple):
    """Observed agreement of two judges, and that of independent judges who use each grade as often.

    `each` has, for each document, how often the other judge uses the grades that these two gave it, summed.
    """

    observed: float
    expected: float
    each: Floats

    @property
    def kappa(self) -> float:
        if self.expected == 1:
            return float("nan")
        return (self.observed - self.expected) / (1 - self.expected)


def by_chance(first: ArrayLike, second: ArrayLike, weight: ArrayLike | None = None) -> ByChance:
    """How often two judges agree, and would by chance; a document counts as often as its weight says."""
    grades, codes = np.unique(np.concatenate([np.asarray(first), np.asarray(second)]), return_inverse=True)
    a, b = np.split(codes, 2)
    w = np.ones(len(a)) if weight is None else np.asarray(weight, float)
    w = w / w.sum()
    of_first, of_second = (np.bincount(given, w, len(grades)) for given in (a, b))
    expected = 1.0 if len(grades) == 1 else float(of_first @ of_second)
    each: Floats = np.asarray(of_second[a] + of_first[b], float)
    return ByChance(float(w @ (a == b)), expected, each)
