"""How much higher each run scores by a judge than by people: a contrast of two sets of judgments."""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.base.wording import counted
from unjudged.collection.collection import Collection
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.predictions import Predictions
from unjudged.evidence.drawn.strata import StrataEvidence
from unjudged.evidence.intervals.quantiles import t_interval
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.systems import alone, means_of_systems
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.completeness import Completeness, IncompleteError, with_retrieved
from unjudged.questions.drawn import Drawn
from unjudged.rankings.judgments import UNSAMPLED
from unjudged.results.fields import Row, known

Biases = tuple[list[Row], list[str]]
"""Biases of the runs that have one, and sentences on what was left out."""


def bias_rows(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare what each run scores by a judge and by people, who judged drawn documents or whole queries."""
    drawn = Drawn.of(collection.changed(predictions={source.name: source}))
    if not (drawn.one_by_one or drawn.strata):
        return _of_complete_queries(collection, source, measure, confidence, threshold)
    shared = collection.shared()
    scores = measure.averaged(shared.per_run(measure.compute(shared.judged_rankings)))
    plain = RankingsEvidence(shared, measure, scores, collection.judgments.origin.pool_depth())
    people, notes = drawn.estimated(plain, shared.judged_rankings)
    if not isinstance(people, EstimatedEvidence | StrataEvidence):
        raise UsageError(
            f"{measure}: the bias of a run needs complete judgments, or an estimate from drawn ones"
        )
    contrast = alone(people)
    columns = means_of_systems(contrast, 1 - confidence)
    gaps = _by_judge(shared, source, measure, threshold) - contrast.scores
    rows = []
    for k, run in enumerate(people.systems):
        own = {"by_people": float(columns["mean"][k])}
        own |= {name: known(float(columns[name][k])) for name in SHOWN if name in columns}
        rows.append(own | _bias(gaps[k], run, measure, confidence))
    return rows, [str(one) for one in notes if one.code != "drawn"]


SHOWN = ("estimate_low", "estimate_high", "labels")


def _by_judge(
    shared: SharedRankings, source: Predictions, measure: Measure, threshold: float | None
) -> Floats:
    """Return runs x queries by the judge's labels; documents without one keep people's grade."""
    value = np.full(len(shared.judgments.grade), np.nan)
    own = shared.name < len(shared.original.grade)
    value[own] = source.aligned(shared.original).value[shared.name[own]]
    label = source.labels(value, threshold, int(measure.given.get("rel", 1)))
    grade = np.where(label == UNSAMPLED, shared.judgments.grade, label).astype(np.int32)
    rankings = shared.rankings.relabelled(shared.judgments.with_grades(grade))
    return measure.averaged(shared.per_run(measure.compute(rankings)))


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
        by_people = {"by_people": float(mean_over_queries(people))}
        found.append(by_people | _bias(gaps, run, measure, confidence))
        if left := int((~known).sum()):
            notes.append(f"{run}: {counted(left, 'query')} left out, judged in part for {measure}.")
    if refused is not None and not found:
        raise refused
    return found, notes


def _bias(gaps: Floats, run: str, measure: Measure, confidence: float) -> Row:
    """Return the mean of the differences by query, with its interval for other queries."""
    of = Estimand(f"bias in {measure}", OTHER, ALL_JUDGED, run)
    widest = measure.range[1] - measure.range[0]
    bias = t_interval(gaps, confidence, method="t over queries", of=of, limits=(-widest, widest))
    ends = {"query_low": known(bias.low), "query_high": known(bias.high)}
    return {"measure": str(measure), "system": run, "bias": bias.value, **ends}
