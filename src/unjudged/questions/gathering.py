"""Where evidence comes from: the one place that knows which kinds of sources there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import inf
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import TestName, TiesName, check_probability, checked_int
from unjudged.base.errors import AssumptionWarning, UnjudgedWarning, UsageError, announce
from unjudged.base.notes import Note, note
from unjudged.collection.collection import Collection, collection_of
from unjudged.collection.description import Description
from unjudged.collection.scores import Scores, of_systems, scores_of
from unjudged.evidence.contrast import Ends, Evidence
from unjudged.evidence.intervals.sampled_means import SampledMeans
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.evidence.table import TableEvidence
from unjudged.evidence.tied_scores import TIES, ends_of_orders, over_orders, tie_notes
from unjudged.measures.kernel.estimand import COMPARISON, SAMPLED, permitted
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.questions.measure_warnings import measure_warnings, not_uniform, why_not_uniform
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import A_SAMPLE, POSITIVES, STRATIFIED, UNIFORM, WEIGHTED, Kind, below_pool
from unjudged.rankings.runs import RunsSource
from unjudged.results.evaluation import Evaluation

Source = JudgmentsSource | Collection | Scores | Evaluation


class Predicting(NamedTuple):
    """What judges predict, or the name that a collection gives to it, and how it is used."""

    source: Any
    outside: str
    threshold: float | None


def predicting(predictions: Any, outside: str = "error", threshold: float | None = None) -> Predicting | None:
    """Return how predictions are used, None without any."""
    return None if predictions is None else Predicting(predictions, outside, threshold)


@dataclass(frozen=True, eq=False)
class Gathered:
    """Evidence by each measure, with what a reader must know of it."""

    evidence: Sequence[Evidence]
    notes: Sequence[Note]
    library: str = ""
    shared: SharedRankings | None = None
    """The runs over one pool; None for scores of a table."""
    made_of: tuple[str, object] = ("judgments", None)
    """What it rests on: a word, and a value that is the same for the same."""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> Sequence[str]:
        """Names of the systems."""
        return self.evidence[0].systems

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries."""
        return self.evidence[0].queries


def gather(
    qrels: Source,
    runs: RunsSource | None,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    *,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName | None = None,
    predicted: Predicting | None = None,
    seed: int = 0,
    on_read: Callable[[str], None] | None = None,
) -> Gathered:
    """Return the evidence that these sources hold by the measures."""
    source, described = resolved(qrels, runs, on_read=on_read)
    if isinstance(source, Scores):
        for name, given in {"depth": depth, "predictions": predicted, "ties": ties}.items():
            if given not in (None, "order"):
                raise UsageError(f"{name} needs judgments and runs, and these are scores: omit it")
        return of_table(source.chosen(described.defaults.measures if measures is None else measures))
    if predicted is not None:
        return of_predictions(source, measures, predicted)
    chosen = source.measures(measures, lambda: fitting_measures(source.judgments, (DEFAULT,))[:1])
    ties = described.ties if ties is None else ties
    return of_rankings(source, chosen, depth=depth, pool_depth=pool_depth, ties=ties, seed=seed)


def resolved(
    qrels: Source, runs: RunsSource | None = None, *, on_read: Callable[[str], None] | None = None
) -> tuple[Collection | Scores, Description]:
    """Return the collection or the scores that are asked about, and what is described beside them."""
    if isinstance(qrels, Evaluation):
        qrels = qrels.cube
    if isinstance(qrels, Scores):
        named = runs if runs is None or isinstance(runs, list | tuple) else [runs]
        return (qrels if named is None else of_systems(qrels, list(map(str, named)))), Description()
    collection = collection_of(qrels, runs, on_read=on_read)
    table = scores_of(collection)
    return collection if table is None else table, collection.described


def level_of(described: Description, alpha: float | None) -> float:
    """Return the significance level that a call names, else the one described."""
    usual = described.defaults.alpha
    level = (0.05 if usual is None else usual) if alpha is None else alpha
    check_probability("alpha", level, 0.05)
    return level


def chosen_test(described: Description, test: TestName | None) -> TestName:
    """Return the test that a call names, else the one described."""
    return (described.defaults.test or "t") if test is None else test


def baseline_of(described: Description, baseline: str | None, systems: Sequence[str]) -> str | None:
    """Return the baseline that a call names, else the one described if it is among the systems."""
    usual = described.defaults.baseline
    return usual if baseline is None and usual in systems else baseline


def of_table(table: Scores) -> Gathered:
    """Return the evidence of a table of scores, by each of its measures."""
    evidence = [TableEvidence(table, place) for place in range(len(table.measures))]
    notes = [*map(Note, table.notes)]
    return Gathered(evidence, notes, table.library, made_of=("scores", table.values.tobytes()))


def of_predictions(
    collection: Collection, measures: MeasureLike | Iterable[MeasureLike] | None, predicted: Predicting
) -> Gathered:
    """Return the evidence of people's labels with predictions, by document or by query."""
    judges = predicted.source
    if isinstance(judges, str):
        judges = collection.predictions.get(judges, judges)
    evidence, notes = import_module("unjudged.predictions.evidence").predicted_evidence(
        collection, judges, measures, outside=predicted.outside, threshold=predicted.threshold
    )
    made_of = ("judgments", collection.judgments.fingerprint)
    return Gathered(evidence, [*map(Note, notes)], collection.library, made_of=made_of)


def of_rankings(
    collection: Collection,
    chosen: Sequence[Measure],
    *,
    depth: int | None,
    pool_depth: int | None,
    ties: TiesName,
    seed: int,
) -> Gathered:
    """Return the evidence of judgments and runs."""
    TIES.find(ties)
    deepest = inf if depth is None else checked_int("depth", depth, least=1)
    judgments = collection.judgments
    chosen, refused = comparable(chosen, judgments)
    reach = judgments.origin.pool_depth(pool_depth)
    shared = collection.shared(deepest)
    across = any(measure.traits.across_queries for measure in chosen)
    rankings = shared.with_judged_elsewhere() if across else shared.judged_rankings
    expected = ties == "expected" and rankings.ties is not None
    sampled, unknown = estimates_of(chosen, rankings, expected=expected)
    chosen, lacking = left_out(chosen, unknown)
    values = np.stack([shared.per_run(measure.compute(rankings)) for measure in chosen], axis=-1)
    uncut = rankings
    if depth is not None and rankings.ties is not None:
        whole = collection.shared()
        uncut = whole.with_judged_elsewhere() if across else whole.judged_rankings
    ends, about_ties = None, list[Note]()
    if ties == "expected" and uncut.ties is not None:
        values, about_ties = over_orders(chosen, uncut, len(shared.runs), depth=depth, seed=seed)
    elif uncut.ties is not None:
        ends = ends_of_orders(chosen, uncut, values, depth=depth)
        about_ties = list(tie_notes(chosen, list(shared.runs), uncut, ends))
    of_measures = measure_warnings(chosen, shared.judged_rankings, values)
    evidence = []
    for k, measure in enumerate(chosen):
        seen = None
        if measure in sampled:
            seen, change = sampled[measure].seen, sampled[measure].value - values[:, :, k]
            for each in (values, *(ends or ())):  # another order of tied documents changes it as much
                each[:, :, k] += change
        scores = np.ascontiguousarray(measure.averaged(values[:, :, k]))
        orders = None if ends is None else Ends(*(measure.averaged(end[:, :, k]) for end in ends))
        known = None if seen is None or seen.all() else seen
        evidence.append(RankingsEvidence(shared, measure, scores, reach, orders, expected, known))
    refused = [*refused, *lacking]
    warnings: list[UnjudgedWarning] = [*shared.warnings, *of_measures, *map(AssumptionWarning, refused)]
    announce(warnings)
    notes = [
        *collection.notes,
        *(one.note for one in warnings),
        *about_ties,
        *_about_estimates(chosen, shared.judged_rankings),
    ]
    notes += [] if reach is None else [note("pool-depth", what=below_pool(reach))]
    return Gathered(evidence, notes, collection.library, shared, ("judgments", shared.original.fingerprint))


def _about_estimates(measures: Sequence[Measure], rankings: JudgedRankings) -> Iterator[Note]:
    """Say what measures estimate, and that tests allow for the noise of the sample."""
    estimates = [measure for measure in measures if measure.traits.estimates]
    if estimates:
        names = ", ".join(f"{measure} estimates {measure.estimated}" for measure in estimates)
        drawn = f", from {rankings.judgments.origin}, as the interval 'sampling' does: {SAMPLED}"
        if not_uniform(estimates, rankings):
            drawn = " only if the judged documents are a random sample, which tests take them for"
        yield note("estimates", what=names, how=drawn)
        yield note("outside-pool")


def comparable(measures: Sequence[Measure], judgments: Judgments) -> tuple[list[Measure], list[Note]]:
    """Return the measures that these judgments allow, and why others are left out; an error if all are."""
    answers = {measure: permitted(measure, judgments, COMPARISON) for measure in measures}
    return left_out(measures, {m: answer for m, answer in answers.items() if isinstance(answer, Refusal)})


def left_out(
    measures: Sequence[Measure], refused: Mapping[Measure, object]
) -> tuple[list[Measure], list[Note]]:
    """Return the other measures, and why these are left out; an error if all are."""
    if refused and len(refused) == len(measures):
        raise UsageError(str(next(iter(refused.values()))))
    notes = [note("left-out", [str(measure)], why=str(why)) for measure, why in refused.items()]
    return [measure for measure in measures if measure not in refused], notes


def estimates_of(
    measures: Sequence[Measure], rankings: JudgedRankings, *, expected: bool
) -> tuple[dict[Measure, SampledMeans], dict[Measure, object]]:
    """Return what the interval 'sampling' estimates of measures from a sample, and why others have none."""
    found: dict[Measure, SampledMeans] = {}
    refused: dict[Measure, object] = {}
    for measure in measures if _of_strata(rankings) else ():
        if not (measure.traits.estimates and measure.traits.quality):
            continue
        if expected:
            refused[measure] = f"{measure} is of one order of tied documents: leave it or ties='expected' out"
            continue
        from unjudged.evidence.intervals.sampled import sampled_means

        try:
            measure.check_mean()
            _, found[measure] = sampled_means(measure, rankings)
        except UsageError as error:
            refused[measure] = error
    return found, refused


def _of_strata(rankings: JudgedRankings) -> bool:
    """Whether a fixed number was drawn from each stratum, by what is recorded or if nothing denies it."""
    judgments = rankings.judgments
    if judgments.origin.kind == UNIFORM and judgments.stratum is None:
        return why_not_uniform(rankings) is None
    return judgments.origin.kind in (UNIFORM, STRATIFIED)


def notes_on_measures(evidence: Sequence[Evidence]) -> Iterator[Note]:
    """Say of measures what differences are of, and in which direction they are better."""
    reported = [one.measure for one in evidence if one.measure.name not in MEASURES]
    for lower, code in ((True, "lower-better"), (False, "higher-better")):
        if own := [str(measure) for measure in reported if measure.traits.lower == lower]:
            yield note(code, own)
    for one in evidence:
        if one.measure.geometric:
            yield note("of-logarithms", [str(one.measure)])
        if one.measure.traits.summary == "sum":
            yield note("per-query", [str(one.measure)])


DEFAULT = "nDCG@10"
"""The measure if one is needed and none is named."""
DEFAULT_MEASURES = (DEFAULT, "AP", "Judged@10")
FOR_POSITIVES = (DEFAULT, "RR@10", "R@100")
"""Measures that need no document judged not relevant, nor a complete list."""
FROM_SAMPLES: dict[Kind, tuple[str, ...]] = {
    STRATIFIED: ("xinfAP", "infNDCG", "statAP"),
    WEIGHTED: ("statAP", "statRprec", "statP@10"),
}
"""What estimates AP and others from samples with unequal shares."""

TOO_LOW_FOR_AP = 20


def default_measures(judgments: Judgments) -> tuple[str, ...]:
    """Return the measures of an evaluation; of a recorded sample it estimates AP."""
    if judgments.origin.kind == POSITIVES:
        return FOR_POSITIVES
    recorded = judgments.origin != A_SAMPLE or judgments.probability is not None
    estimates = {**FROM_SAMPLES, UNIFORM: ("infAP",) * recorded}.get(judgments.origin.kind, ())[:1]
    return (*DEFAULT_MEASURES[:2], *estimates, *DEFAULT_MEASURES[2:])


def fitting_measures(judgments: Judgments, plain: Sequence[str]) -> tuple[str, ...]:
    """Return the measures of a comparison or report if none are named.

    A sample with strata or probabilities has estimates from it. Nothing is known of documents below the rank
    to which it was drawn: if that is low, only precision at it is estimated.
    """
    origin = judgments.origin
    if origin.depth is not None and origin.depth <= TOO_LOW_FOR_AP and origin.kind in FROM_SAMPLES:
        return (f"statP@{origin.depth}",)
    return FROM_SAMPLES.get(origin.kind, tuple(plain))
