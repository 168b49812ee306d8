"""From what a call was given to evidence: the one place that knows which kinds of sources there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from unjudged.base.choices import TestName, TiesName, check_probability, checked_int
from unjudged.base.errors import UsageError
from unjudged.base.notes import Note
from unjudged.collection.collection import Collection, collection_of
from unjudged.collection.description import Description
from unjudged.collection.scores import Scores, scores_of
from unjudged.evidence.tied_scores import TIES
from unjudged.measures.kernel.names import MeasureLike
from unjudged.questions.fitting_measures import DEFAULT, default_measures, fitting_measures
from unjudged.questions.gathered import Drawn, Gathered, gather_runs
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
    if collection.predictions and Drawn.of(collection).unused and has_further_queries(collection):
        found = gather_predicted(collection, measures, threshold)
    else:
        named, judgments = usual or (DEFAULT,), collection.judgments
        chosen = collection.measures(
            measures,
            lambda: (
                default_measures(judgments) if alone else fitting_measures(judgments, named)[: len(named)]
            ),
        )
        options: dict[str, Any] = {"depth": depth, "pool_depth": pool_depth, "ties": ties, "seed": seed}
        found = gather_runs(collection, chosen, alone=alone, **options)
    return found.described(described.name, described.clusters)


def gather_table(table: Scores) -> Gathered:
    """Return the evidence of a table of scores, by each of its measures."""
    from unjudged.evidence.table import TableEvidence

    evidence = [TableEvidence(table, place) for place in range(len(table.measures))]
    return Gathered(
        table.measures,
        table.runs,
        table.queries,
        lambda _: evidence,
        [said if isinstance(said, Note) else Note(said) for said in table.notes],
        table.library,
        scores=table,
        rests_on=table,
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
    query_evidence = import_module("unjudged.predictions").query_evidence

    evidence, notes = query_evidence(collection, measures, threshold)
    return Gathered(
        [one.measure for one in evidence],
        evidence[0].systems,
        list(evidence[0].queries),
        lambda _: evidence,
        [*map(Note, notes)],
        collection.library,
        rests_on=collection.judgments,
    )
