"""Audit predictions on the documents that people judged too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.audit_grids import Audit, CurvePoint, Rating
from unjudged.predictions.judge_agreement import Confusion, Sample, weighted_share
from unjudged.predictions.judges import Judges
from unjudged.predictions.predictions import GRADES, Predictions, PredictionsSource
from unjudged.predictions.score_bias import Biases, score_biases
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource

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
    label = labels_of(source, value, rel, threshold, needed=runs is not None)
    confusion = kappa = kappa_of_grades = None
    if label is not None:
        own = label[both].astype(np.int64)
        confusion = Confusion.of(grade, own, sample.weight)
        kappa = sample.kappa(relevant.astype(np.int64), (own >= rel).astype(np.int64), "kappa")
        if source.kind == GRADES:
            kappa_of_grades = sample.kappa(grade, own, "kappa of grades")
    chosen = measure_with_rel(measure, rel)
    biases = Biases([], [])
    if runs is not None and label is not None:
        collection = Collection.of(judgments, runs)
        (biases,) = score_biases(collection, Judges.of(source), chosen, confidence, threshold).values()
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


def labels_of(
    source: Predictions, value: Floats, rel: int, threshold: float | None, *, needed: bool
) -> Floats | None:
    """Return the grade predicted of each row, -1 for none; of scores, `rel` or 0 by the threshold."""
    labelled = source.kind == GRADES or source.are_probabilities or threshold is not None
    if not labelled and not needed:
        return None
    return np.where(np.isnan(value), float(UNSAMPLED), source.labels(value, threshold, rel))


def _check_scale(*labels: NDArray[Any]) -> None:
    """Refuse grades that are no scale: a table of them would have no end."""
    many = max(len(np.unique(own)) for own in labels)
    if many > MOST_GRADES:
        problem = f"there are {many} different grades, expected at most {MOST_GRADES}"
        raise InputError(f"{problem}: predictions of many values are scores (kind='scores')")


def measure_with_rel(measure: MeasureLike, rel: int) -> Measure:
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
