"""Evidence from people's labels together with predictions: by document or by query, as judgments allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unjudged.base.errors import AssumptionWarning, UsageError, announce
from unjudged.collection.collection import Collection, collection_of
from unjudged.evidence.contrast import Evidence
from unjudged.evidence.drawn.predictions import GRADES, Judges, JudgesSource
from unjudged.measures.kernel.names import MeasureLike, with_relevant
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.by_document import DocumentEvidence, estimate_population
from unjudged.predictions.by_query import JudgedAndPredicted, QueryEvidence
from unjudged.predictions.labelled_population import Population, is_sample
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunsSource

BY_DOCUMENT = ("P@10", "RBP(p=0.8)")
BY_QUERY = ("AP", "nDCG@10", "RBP(p=0.8)")
"""Measures if none are given."""


Predicted = DocumentEvidence | QueryEvidence


def predicted_evidence(
    collection: Collection, predictions: JudgesSource, measures: Any, **options: Any
) -> tuple[list[Evidence], list[str]]:
    """Return the evidence of each measure, and notes."""
    found = estimate_with_predictions(collection, None, predictions, measures, **options)
    return [*found], list(dict.fromkeys(note for one in found for note in one.notes()))


def estimate_with_predictions(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None,
    predictions: JudgesSource,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    threshold: float | None = None,
    outside: str = "error",
    rel: float | None = None,
) -> list[Predicted]:
    """Estimate what runs score if everything were judged by people, one object per measure.

    If the judgments are no sample and there are predictions for more queries, it is `estimate_by_query`,
    which takes any measure, needs queries that people judged completely, and may need a `threshold`.
    Otherwise people judged a sample of the documents, and it is `estimate_by_document`, which takes P, RBP,
    DCG and other sums; `outside` says what to do with documents that people could not have judged. `rel` is
    the lowest relevant grade, for measures that do not set their own. Several judges, `{"llama": ...,
    "clicks": ...}`, are combined: people decide what each one weighs.

    >>> people = {"q1": {"d1": 1, "d2": -1, "d3": 0}, "q2": {"d1": -1, "d2": 0, "d3": 1}}
    >>> model = {q: {"d1": 0.9, "d2": 0.5, "d3": 0.1} for q in people}
    >>> (estimates,) = estimate_with_predictions(people, {"mine": model}, model, "P@3")
    >>> print(estimates.notes()[0])
    P@3 by document: assumed uniform sample of 4 human judgments, calibrated predictions.
    """
    collection, source = collection_of(qrels, runs), Judges.of(predictions)
    judgments = collection.judgments
    by_query = not is_sample(judgments) and bool(source.queries - set(judgments.queries.tolist()))
    chosen = with_relevant(collection.measures(measures, lambda: BY_QUERY if by_query else BY_DOCUMENT), rel)
    if judgments.scale is not None:
        _check_fractions(chosen, source, by_query=by_query)
    if by_query:
        matched = JudgedAndPredicted.of(collection, None, source)
        return _of_each(chosen, lambda measure: matched.estimate(measure, threshold))
    population = Population.of(collection)
    predicted = population.with_predictions(source)
    return _of_each(
        chosen, lambda measure: estimate_population(population, predicted, measure, outside=outside).checked()
    )


def _check_fractions(measures: Sequence[Measure], judges: Judges, *, by_query: bool) -> None:
    """Refuse what fractional grades of people cannot be compared with: predicted whole grades."""
    if any(predictions.kind == GRADES for predictions in judges.all):
        problem = "people gave fractional grades, and the predictions are whole grades of another scale"
        raise UsageError(f"{problem}: give probabilities or scores (--set predictions.kind=scores)")
    graded = [m for m in measures if m.traits.gain is not None and "rel" not in m.given]
    if by_query and graded:
        problem = f"{graded[0]} by query needs a predicted gain, and these are probabilities or scores"
        raise UsageError(f"{problem}: use a measure with rel, such as AP(rel=0.5), or judge a sample")


def _of_each(measures: Sequence[Measure], estimate: Callable[[Measure], Predicted]) -> list[Predicted]:
    """Return an estimate per measure; those that cannot have one are left out aloud, an error if all are."""
    estimates: list[Predicted] = []
    refused: dict[Measure, UsageError] = {}
    for measure in measures:
        try:
            estimates.append(estimate(measure))
        except UsageError as error:
            refused[measure] = error
    if not estimates:
        raise next(iter(refused.values()))
    announce(AssumptionWarning(f"{measure} is left out: {error}.") for measure, error in refused.items())
    return estimates
