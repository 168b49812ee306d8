"""From what a call was given to evidence: the one place that knows which kinds of sources there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unjudged.base.choices import TestName, TiesName, check_probability, checked_int
from unjudged.base.errors import UnjudgedWarning, UsageError, announce
from unjudged.base.lazy import computed_once
from unjudged.base.notes import Note
from unjudged.collection.collection import Collection, collection_of
from unjudged.collection.description import Description
from unjudged.collection.scores import Scores, scores_of
from unjudged.evidence.contrast import Evidence
from unjudged.evidence.runs_alone import AloneEvidence
from unjudged.evidence.tied_scores import TIES, notes_on_ties, over_orders
from unjudged.measures.kernel.measure import Measure, compute_all
from unjudged.measures.kernel.names import MeasureLike
from unjudged.questions.drawn import Drawn
from unjudged.questions.fitting_measures import DEFAULT, default_measures, fitting_measures, measure_warnings
from unjudged.questions.gathered import Gathered, Notes, known_evidence
from unjudged.rankings.coverage import coverage_warnings
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunsSource
from unjudged.results.evaluation import Evaluation

if TYPE_CHECKING:
    from unjudged.collection.query_segments import SegmentsSource

Source = JudgmentsSource | Collection | Scores | Evaluation
Measures = MeasureLike | Iterable[MeasureLike] | None


class Subject(NamedTuple):
    """What a call is about: a collection, or a table of scores; and what is described beside it."""

    collection: Collection | None
    table: Scores | None
    described: Description

    @property
    def systems(self) -> list[str]:
        """Names of the runs or systems."""
        return list((self.collection or self.table).runs)  # type: ignore[union-attr]

    def chosen(self, systems: Sequence[str]) -> Subject:
        """Return these systems, in this order."""
        if self.table is not None:
            return self._replace(table=self.table.of_systems(systems))
        assert self.collection is not None  # noqa: S101
        return self._replace(collection=self.collection.chosen(list(systems)))

    def segments(self, named: SegmentsSource | None) -> SegmentsSource | None:
        """Return the segments that a call names, else the table's, else the described ones."""
        if named is not None:
            return named
        own = None if self.table is None else self.table.segments
        return self.described.segments if own is None else own

    def alpha(self, named: float | None) -> float:
        """Return the significance level that a call names, else the one described."""
        if named is not None:
            check_probability("alpha", named, 0.05)
            return named
        usual = self.described.defaults.alpha
        return 0.05 if usual is None else usual

    def test(self, named: TestName | None) -> TestName:
        """Return the test that a call names, else the one described."""
        return (self.described.defaults.test or "t") if named is None else named

    def baseline(self, named: str | None) -> str | None:
        """Return the baseline that a call names, else the one described if it is among the systems."""
        usual = self.described.defaults.baseline
        return usual if named is None and usual in self.systems else named


def subject_of(
    qrels: Source,
    runs: RunsSource | None = None,
    *,
    on_read: Callable[[str], None] | None = None,
) -> Subject:
    """Return what a call is about, given what calls take."""
    if isinstance(qrels, Evaluation):
        qrels = qrels.cube
    if isinstance(qrels, Scores):
        made = Subject(None, qrels, Description())
        several = runs if runs is None or isinstance(runs, list | tuple) else [runs]
        return made if several is None else made.chosen(list(map(str, several)))
    collection = collection_of(qrels, runs, on_read=on_read)
    table = scores_of(collection)
    return Subject(collection if table is None else None, table, collection.described)


def usual_measure(subjects: Iterable[Subject]) -> str:
    """Return the only measure that tables have, else the default."""
    known = {str(one) for subject in subjects for one in (subject.table.measures if subject.table else ())}
    return known.pop() if len(known) == 1 else DEFAULT


def gather(
    subject: Subject,
    measures: Measures = None,
    *,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName | None = None,
    predictions: Any = None,
    threshold: float | None = None,
    seed: int = 0,
    alone: bool = False,
    usual: Sequence[str] = (),
) -> Gathered:
    """Return the evidence that a source holds by the measures: of differences, or of each system alone.

    If no measure is named, a pool has the `usual` ones. Runs of which each is asked about alone are streamed;
    for differences all that they retrieve is kept.
    """
    described, collection = subject.described, subject.collection
    if subject.table is not None:
        for name, given in {"depth": depth, "predictions": predictions, "ties": ties}.items():
            if given not in (None, "order"):
                raise UsageError(f"{name} needs judgments and runs, and these are scores: omit it")
        table = subject.table.chosen(described.defaults.measures if measures is None else measures)
        return gather_table(table).described(described.name, table.clusters)
    assert collection is not None  # noqa: S101
    if predictions is not None:
        collection = with_predictions(collection, predictions)
    if ties is None:
        ties = described.ties
    TIES.find(ties)
    if depth is not None:
        depth = checked_int("depth", depth, least=1)
    options: dict[str, Any] = {"depth": depth, "pool_depth": pool_depth, "ties": ties, "seed": seed}
    drawn = Drawn.of(collection)
    if drawn.unused and has_further_queries(collection):
        return gather_predicted(collection, measures, threshold).described(described.name, described.clusters)
    alone_usual = partial(default_measures, collection.judgments)
    if alone:
        chosen = collection.measures(measures, alone_usual)
        if not drawn.needs_all(chosen):
            return gather_alone(collection, chosen, drawn, **options).described(
                described.name, described.clusters
            )
    else:
        known = partial(fitting_measures, collection.judgments, usual or (DEFAULT,))
        chosen = collection.measures(measures, lambda: known()[: len(usual) or 1])
    from unjudged.questions.comparable_runs import gather_compared

    return gather_compared(collection, chosen, alone=alone, **options).described(
        described.name, described.clusters
    )


def gather_table(table: Scores) -> Gathered:
    """Return the evidence of a table of scores, by each of its measures."""
    from unjudged.evidence.table import TableEvidence

    evidence = [TableEvidence(table, place) for place in range(len(table.measures))]
    return Gathered(
        table.measures,
        table.runs,
        table.queries,
        partial(known_evidence, evidence),
        [said if isinstance(said, Note) else Note(said) for said in table.notes],
        table.library,
        scores=table,
        made_of=("scores", table.values.tobytes()),
    )


def with_predictions(collection: Collection, source: Any) -> Collection:
    """Return a collection with what judges predict; a name chooses one of those that it describes."""
    from unjudged.evidence.drawn.predictions import Judges

    if isinstance(source, str) and source in collection.predictions:
        source = {source: collection.predictions[source]}
    return collection.changed(predictions=Judges.of(source).by_name)


def has_further_queries(collection: Collection) -> bool:
    """Whether people judged all that they list, and something is predicted of further queries."""
    from unjudged.evidence.drawn.predictions import Judges

    people = collection.judgments
    whole = bool((people.grade >= 0).all())
    return whole and bool(Judges.of(collection.predictions).queries - {*people.queries.tolist()})


def gather_predicted(collection: Collection, measures: Measures, threshold: float | None) -> Gathered:
    """Return the evidence of queries that people judged, with predictions of further ones."""
    query_evidence = import_module("unjudged.predictions.by_query").query_evidence

    evidence, notes = query_evidence(collection, measures, threshold)
    return Gathered(
        [one.measure for one in evidence],
        evidence[0].systems,
        list(evidence[0].queries),
        partial(known_evidence, evidence),
        [*map(Note, notes)],
        collection.library,
        made_of=("judgments", collection.judgments.fingerprint),
    )


def gather_alone(
    collection: Collection,
    measures: Sequence[Measure],
    drawn: Drawn,
    *,
    depth: int | None,
    pool_depth: int | None,
    ties: TiesName,
    seed: int,
) -> Gathered:
    """Return the evidence of judgments and of runs, each alone: they are streamed."""
    across = any(measure.traits.across_queries for measure in measures)
    rankings = uncut = collection.shared().with_judged_elsewhere() if across else collection.rankings
    if depth is not None:
        rankings = rankings.cut(depth)
    values, systems = compute_all(measures, rankings), list(collection.runs)
    queries = collection.judgments.pooled.query_names()
    values = values.reshape(len(systems), len(queries), len(measures))
    said: Notes = ()
    expected = uncut.ties is not None and ties == "expected"
    if expected:
        values, said = over_orders(measures, uncut, len(systems), depth=depth, seed=seed)
    elif uncut.ties is not None:
        said = partial(notes_on_ties, measures, systems, uncut, values, depth)
    warnings = [
        *coverage_warnings(systems, queries, rankings),
        *measure_warnings(measures, rankings, values),
    ]
    if warnings:
        announce(warnings)
    reach = collection.judgments.origin.pool_depth(pool_depth)
    scores = Scores(values, systems, queries, measures, library=collection.library)
    streamed = Streamed(collection, scores, rankings, drawn, said, warnings, reach, depth, expected)
    return Gathered(
        measures,
        systems,
        queries,
        streamed.find,
        streamed.notes,
        collection.library,
        scores,
        rankings,
        interval="calibrated" if is_calibrated(collection) else "",
        warnings=warnings,
    )


@dataclass(eq=False)
class Streamed:
    """What runs scored that were streamed, of which evidence and notes are made when they are asked for."""

    collection: Collection
    scores: Scores
    rankings: JudgedRankings
    drawn: Drawn
    about_ties: Notes
    warnings: Sequence[UnjudgedWarning]
    reach: int | None
    """The rank to which runs were pooled."""
    depth: int | None
    expected: bool

    def find(self, every: bool) -> list[Evidence]:
        """Return the evidence by each measure: with ranges by all of them, or by the first one alone."""
        return [one for one, _ in (self._ranged if every else self._plain)]

    def notes(self) -> list[Note]:
        """Return what must be known of it."""
        about_ties = self.about_ties() if callable(self.about_ties) else self.about_ties
        about_drawn = [each for _, own in self._plain for each in own]
        known = [*(one.note for one in self.warnings), *self.collection.notes]
        return [*known, *self.drawn.unused, *about_ties, *about_drawn]

    @computed_once
    def _ranged(self) -> list[tuple[Evidence, list[Note]]]:
        return self._estimated(len(self.scores.measures))

    @computed_once
    def _plain(self) -> list[tuple[Evidence, list[Note]]]:
        return self._estimated(1)

    def _estimated(self, bounded: int) -> list[tuple[Evidence, list[Note]]]:
        """Return the evidence by each measure with its notes; the first so many measures have ranges."""
        scores, drawn = self.scores, replace(self.drawn, expected=self.expected)
        plain = [
            AloneEvidence(
                measure,
                scores.runs,
                scores.queries,
                np.ascontiguousarray(measure.averaged(scores.values[:, :, k])),
                self.rankings,
                bounded=k < bounded,
                depth=self.reach,
                to_depth=self._own_to_depth,
                expected=self.expected,
                calibration=self._calibration,
            )
            for k, measure in enumerate(scores.measures)
        ]
        return [drawn.estimated(one, self.rankings) for one in plain]

    def _own_to_depth(self) -> JudgedRankings:
        from unjudged.evidence.bounds.difference_bounds import own_to_depth

        assert self.reach is not None  # noqa: S101
        made = own_to_depth(self.collection.shared(), self.reach)
        return made if self.depth is None else made.cut(self.depth)

    def _calibration(self) -> Any:
        return self._calibrated

    @computed_once
    def _calibrated(self) -> Any:
        from unjudged.questions.calibrating import calibration_of

        return calibration_of(self.collection, self.scores.measures)


def is_calibrated(collection: Collection) -> bool:
    """Whether a calibration is described, or the pooled runs with their groups, and nothing was drawn."""
    labels = collection.described.labels
    if collection.judgments.recorded:
        return False
    return labels.calibration is not None or bool(labels.pooled and collection.described.groups is not None)
