"""Evaluate systems: what do they score, and how sure is that?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from unjudged.base.choices import TiesName, checked_int
from unjudged.base.errors import UnjudgedWarning, announce
from unjudged.collection.collection import Collection, collection_of
from unjudged.collection.query_segments import SegmentsSource, several_segments, with_every
from unjudged.collection.scores import Scores, of_systems, scores_of
from unjudged.evidence.contrast import Evidence
from unjudged.evidence.runs_alone import AloneEvidence
from unjudged.evidence.tied_scores import TIES, notes_on_ties, over_orders
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import Measure, compute_all
from unjudged.questions.gathering import default_measures
from unjudged.questions.measure_warnings import measure_warnings
from unjudged.rankings.coverage import coverage_warnings, missing_queries
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import Names, RunsSource
from unjudged.results.evaluation import Evaluation
from unjudged.results.fields import Row

Notes = Iterable[str] | Callable[[], Iterable[str]]


def evaluate(
    qrels: JudgmentsSource | Collection | Scores,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    interval: str | None = None,
    segments: SegmentsSource | None = None,
    predictions: Any = None,
    threshold: float | None = None,
    outside: str = "error",
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName | None = None,
    seed: int = 0,
    names: Names = "file",
    on_read: Callable[[str], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Score runs against judgments.

    `qrels` and each run may be a file (plain, gz, xz, zst; `-` is standard input), a frame (pandas, Polars,
    PyArrow, DuckDB), a dict of dicts, lists or sets, a `Judgments` or a `Run`, or rows; or `qrels` a
    description, or `Scores` of another tool. `runs` is one run, a list of them, or a mapping of names to
    them; a column `run` of a frame or file names several. Grades may be fractions, which are gains.

    By the first measure systems have a range: what judging could make of their means. `interval` adds one
    for every measure:

    - 'bounds': the same range. `bounds(extra_relevant=2)` allows for relevant documents that nobody found.
    - 'queries': other queries, these judgments.
    - 'calibrated': as far as the pooled groups were off when each was left out, as the collection describes.
    - 'model(prevalence=0.2)': unjudged documents are relevant with this probability, or with one per rank
      band, `model(prevalence=[0.5, 0.3, 0.1])`.
    - 'sampling': another random sample of the pool; of AP for infAP, xinfAP and statAP, and alike.

    Each takes its `confidence`, as in `queries(confidence=0.9)`. A measure that cannot have the interval
    appears with its mean alone and a note; it is an error if none can.

    Parameters
    ----------
    qrels
        The judgments.
    runs
        The runs.
    measures
        nDCG@10, AP and Judged@10 if none are named; estimates of AP too if the judgments are a sample.
    interval
        An interval with its parameters.
    segments
        A mapping of queries to segments, or a file or frame of them.
    predictions
        What a model predicts of documents, or several models by name: scores are estimated from people's
        labels and these.
    threshold
        The lowest predicted score that counts as relevant, for predictions by query.
    outside
        What to do with documents that people could not have judged: error, nonrelevant or predicted.
    depth
        Keep only so many first documents of each ranking.
    pool_depth
        The rank to which runs were pooled: documents of a run below it count as nonrelevant for its range.
    ties
        'expected' for expected values over all orders of documents of the same score, or over 1,000 that the
        `seed` draws where there are too many. By default they are in trec_eval's order, names descending.
    seed
        The seed of whatever is drawn.
    names
        'tag' names runs by their tags.
    on_read
        Is told the name of each run once it is read.
    on_progress
        Is told how many runs of how many have an interval.

    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> run = {"q1": {"d1": 0.3, "d2": 0.7}, "q2": {"d3": 0.5}}
    >>> evaluate(qrels, {"mine": run}, ["nDCG@10", "AP"])
    system  nDCG@10  could be         AP
    mine     0.8155  0.82 – 0.82  0.7500
    """
    asking = Asking(segments=segments, seed=seed, on_progress=on_progress)
    if isinstance(qrels, Scores):
        named = runs if runs is None or isinstance(runs, list | tuple) else [runs]
        table = qrels if named is None else of_systems(qrels, list(map(str, named)))
        return _of_table(table.chosen(measures), asking, interval)
    collection = collection_of(qrels, runs, names=names, on_read=on_read)
    described, found = collection.described, scores_of(collection)
    asking.segments = described.segments if segments is None else segments
    if described.defaults.alpha is not None:
        asking.alpha = described.defaults.alpha
    if found is not None:
        return _of_table(
            found.chosen(described.defaults.measures if measures is None else measures), asking, interval
        )
    if predictions is not None:
        return _of_predictions(collection, measures, (predictions, outside, threshold), asking, interval)
    chosen = collection.measures(measures, lambda: default_measures(collection.judgments))
    ties = described.ties if ties is None else ties
    TIES.find(ties)
    across = any(measure.traits.across_queries for measure in chosen)
    rankings = uncut = collection.shared().with_judged_elsewhere() if across else collection.rankings
    if depth is not None:
        depth = checked_int("depth", depth, least=1)
        rankings = rankings.cut(depth)
    values, systems = compute_all(chosen, rankings), list(collection.runs)
    queries = collection.judgments.pooled.query_names()
    values = values.reshape(len(systems), len(queries), len(chosen))
    expected = uncut.ties is not None and ties == "expected"
    if expected:
        values, asking.said = over_orders(chosen, uncut, len(systems), depth=depth, seed=seed)
    elif uncut.ties is not None:
        asking.said = partial(notes_on_ties, chosen, systems, uncut, values, depth)
    asking.measures, asking.systems, asking.queries = chosen, systems, queries
    asking.rankings, asking.library, asking.of_collection = rankings, collection.library, collection.notes
    asking.warnings = [
        *coverage_warnings(systems, queries, rankings),
        *measure_warnings(chosen, rankings, values),
    ]
    reach = collection.judgments.origin.pool_depth(pool_depth)
    asking.find = partial(_alone, collection, values, expected, (depth, reach))
    if asking.warnings:
        announce(asking.warnings)
    scores = Scores(values, systems, queries, chosen, library=collection.library)
    return asking.answer(scores, interval)


@dataclass(eq=False)
class Asking:
    """What was asked, and what finds the answers when they are looked at."""

    segments: SegmentsSource | None = None
    seed: int = 0
    on_progress: Callable[[int, int], None] | None = None
    alpha: float = 0.05
    measures: Sequence[Measure] = ()
    systems: Sequence[str] = ()
    queries: Sequence[str] = ()
    rankings: JudgedRankings | None = None
    library: str = ""
    of_collection: Sequence[str] = ()
    said: Notes = ()
    warnings: Sequence[UnjudgedWarning] = ()
    interval: Any = None
    scores: Scores | None = None
    find: Callable[[Asking], Sequence[Evidence]] = lambda _: ()

    def answer(self, scores: Scores | None, interval: str | None) -> Evaluation:
        """Return the evaluation; an interval that no measure can have is an error."""
        self.scores = scores
        made = Evaluation(scores, self)
        return made if interval is None else made.with_interval(interval)

    def with_interval(self, interval: str) -> Asking:
        """Return the same with another interval."""
        from unjudged.evidence.intervals.methods import Asked, How

        return replace(self, interval=Asked.of(interval, How(1 - self.alpha, self.seed, self.on_progress)))

    @cached_property
    def evidence(self) -> Sequence[Evidence]:
        """Evidence by each measure."""
        return self.find(self)

    def rows(self) -> dict[str, Callable[[], Sequence[Row]]]:
        """Return what makes the rows of each view."""
        views: dict[str, Callable[[], Sequence[Row]]] = {"systems": self._systems, "queries": self._queries}
        return views | ({} if self.segments is None else {"segments": self._segments})

    def _systems(self) -> list[Row]:
        from unjudged.inference.systems import rows_alone

        return rows_alone(self.evidence, self.interval, self.alpha)

    def _segments(self) -> list[Row]:
        from unjudged.inference.systems import rows_by_segment

        parts = several_segments(self.segments, list(self.evidence[0].queries))
        with_every(parts, len(self.evidence[0].queries))  # refuses one that is called like the row of all
        return rows_by_segment(self.evidence, self.interval, self.alpha, parts)

    def _queries(self) -> list[Row]:
        from unjudged.inference.systems import query_rows

        values = [None] * len(self.evidence) if self.scores is None else np.moveaxis(self.scores.values, 2, 0)
        return [row for one, own in zip(self.evidence, values, strict=True) for row in query_rows(one, own)]

    def settings(self) -> dict[str, Any]:
        """Return what was asked, and of what."""
        given = {"systems": self.systems, "queries": self.queries, "alpha": self.alpha}
        return {
            **given,
            "library": self.library,
            "interval": None if self.interval is None else str(self.interval),
        }

    def notes(self) -> list[str]:
        """Return what must be known of the values."""
        said = self.said() if callable(self.said) else self.said
        return [*(one.note for one in self.warnings), *self.of_collection, *said]

    def missing(self) -> Mapping[str, Sequence[str]]:
        """Return for each run that lacks some the queries that it has no ranking for."""
        if self.rankings is None:
            return {}
        return missing_queries(self.systems, self.queries, self.rankings)


def _of_table(table: Scores, asking: Asking, interval: str | None) -> Evaluation:
    from unjudged.evidence.table import TableEvidence

    asking.measures, asking.systems, asking.queries = table.measures, table.runs, table.queries
    asking.library, asking.said = table.library, table.notes
    asking.segments = table.segments or asking.segments
    asking.find = lambda _: [TableEvidence(table, place) for place in range(len(table.measures))]
    return asking.answer(table, interval)


def _of_predictions(
    collection: Collection, measures: Any, predicted: tuple[Any, ...], asking: Asking, interval: str | None
) -> Evaluation:
    from unjudged.questions.gathering import Predicting, of_predictions

    found = of_predictions(collection, measures, Predicting(*predicted))
    asking.measures = [one.measure for one in found.evidence]
    asking.systems, asking.queries = found.systems, list(found.queries)
    asking.library, asking.said = found.library, found.notes
    asking.find = lambda _: found.evidence
    return asking.answer(None, interval)


def _alone(
    collection: Collection,
    values: Floats,
    expected: bool,
    depths: tuple[int | None, int | None],
    asking: Asking,
) -> list[Evidence]:
    """Return the evidence of each run alone; by the first measure with its range."""
    rankings = asking.rankings
    assert rankings is not None  # noqa: S101
    depth, reach = depths

    def to_depth() -> JudgedRankings:
        from unjudged.evidence.bounds.difference_bounds import own_to_depth

        assert reach is not None  # noqa: S101
        made = own_to_depth(collection.shared(), reach)
        return made if depth is None else made.cut(depth)

    @cache
    def calibration() -> Any:
        from unjudged.questions.calibrating import calibration_of

        return calibration_of(collection, asking.measures)

    every = asking.interval is not None and asking.interval.method.needs == "ends"
    return [
        AloneEvidence(
            measure,
            asking.systems,
            asking.queries,
            np.ascontiguousarray(measure.averaged(values[:, :, k])),
            rankings,
            bounded=every or k == 0,
            depth=reach,
            to_depth=to_depth,
            expected=expected,
            calibration=calibration,
        )
        for k, measure in enumerate(asking.measures)
    ]
