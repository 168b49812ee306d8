"""From what a call was given to evidence: the one place that knows which kinds of sources there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.choices import TiesName, checked_int
from unjudged.base.errors import AssumptionWarning, UnjudgedWarning, UsageError, announce
from unjudged.base.lazy import computed_once
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats
from unjudged.collection.collection import Collection, collection_of
from unjudged.collection.description import Description, ScoreTable
from unjudged.collection.query_segments import labels_of
from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import ByCluster, Clusters, Ends, Evidence
from unjudged.evidence.rankings_evidence import RankingsEvidence, StreamedRankings
from unjudged.evidence.tied_scores import TIES, ends_of_orders, over_orders, tie_notes
from unjudged.measures.kernel.measure import Measure, compute_all
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.permitted import SAMPLED
from unjudged.questions.estimating import Drawn
from unjudged.questions.fitting_measures import (
    comparable,
    measure_warnings,
    not_uniform,
    usual_measures,
    why_not_uniform,
)
from unjudged.rankings.coverage import coverage_warnings, missing_queries
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import below_pool
from unjudged.rankings.runs import RunsSource
from unjudged.results.evaluation import Evaluation

if TYPE_CHECKING:
    from unjudged.evidence.shared import SharedRankings

Source = JudgmentsSource | Collection | Scores | Evaluation
Measures = MeasureLike | Iterable[MeasureLike] | None


class Gathered:
    """Evidence of some systems by each measure, with what a reader must know of it.

    What only judgments and runs have is empty here.
    """

    warnings: Sequence[UnjudgedWarning] = ()
    """Warnings that were given."""
    interval = ""
    """The interval of systems that it allows, beside bounds."""
    rankings: JudgedRankings | None = None
    """The judged documents of runs."""
    shared: SharedRankings | None = None
    """The runs over one pool, if they are compared."""
    name = ""
    """The name of the collection, if it is described."""
    clusters: Clusters | None = None

    def __init__(
        self,
        evidence: Sequence[Evidence],
        notes: Iterable[Note] = (),
        *,
        library: str = "",
        scores: Scores | None = None,
        judgments: Judgments | None = None,
    ) -> None:
        """Keep evidence by each measure, with values by query if there are any."""
        self._evidence, self._notes = evidence, notes
        self.measures: Sequence[Measure] = [one.measure for one in evidence]
        self.systems, self.queries = evidence[0].systems, list(evidence[0].queries)
        self.library, self.scores, self.judgments = library, scores, judgments

    def find(self, every: bool) -> Sequence[Evidence]:
        """Return the evidence: with ranges of the systems by every measure, or by the first one alone."""
        plain, clusters = self._plain(every), self.clusters
        return plain if clusters is None else [ByCluster(one, clusters) for one in plain]

    def _plain(self, every: bool) -> Sequence[Evidence]:  # noqa: ARG002 (of runs)
        """Return the evidence by each measure; `every` is of runs, which may be streamed."""
        return self._evidence

    @property
    def evidence(self) -> Sequence[Evidence]:
        """Evidence by each measure, with ranges by all of them."""
        return self.find(True)

    @property
    def notes(self) -> list[Note]:
        """What must be known of it."""
        of = self.clusters
        queries = (
            [] if of is None else [note("clusters", queries=len(of.number), clusters=len(of), worth=of.worth)]
        )
        return [*self._said(), *queries]

    def _said(self) -> Iterable[Note]:
        return self._notes

    @property
    def identity(self) -> tuple[str, object]:
        """What it rests on: a word, and a value that is the same for the same."""
        if self.judgments is not None:
            return "judgments", self.judgments.fingerprint
        return "scores", None if self.scores is None else self.scores.values.tobytes()

    @property
    def origin(self) -> str:
        """How its judgments were made, in words."""
        return ""

    def missing(self) -> Mapping[str, Sequence[str]]:
        """Return for each run that lacks some the queries that it has no ranking for."""
        return {}


class GatheredRuns(Gathered):
    """Evidence of judgments and runs; runs of which each is asked about `alone` are streamed.

    Values are computed at once, evidence and notes when they are asked for. Some estimates from drawn
    documents need all that runs retrieve.
    """

    rankings: JudgedRankings

    def __init__(
        self,
        collection: Collection,
        chosen: Sequence[Measure],
        *,
        depth: int | None = None,
        pool_depth: int | None = None,
        ties: TiesName = "order",
        seed: int = 0,
        alone: bool = False,
    ) -> None:
        """Score the runs by measures that judgments allow, and warn of what may mislead."""
        refused: list[Note] = []
        judgments = collection.judgments
        self.judgments: Judgments = judgments
        self.collection, self.library, self.depth = collection, collection.library, depth
        self.systems, self.queries = list(collection.runs), judgments.pooled.query_names()
        self.reach = judgments.origin.pool_depth(pool_depth)
        """The rank to which runs were pooled."""
        self.drawn = Drawn.of(collection)
        if not alone:
            chosen, refused = comparable(chosen, judgments)
        self.measures = chosen
        if not alone or self.drawn.needs_all(chosen):
            self.shared = collection.shared(inf if depth is None else depth)
        elif is_calibrated(collection):
            self.interval = "calibrated"
        across = any(measure.traits.across_queries for measure in chosen)
        self.uncut = self._to_the_end(across=across)
        self.expected = self.uncut.ties is not None and ties == "expected"
        self.about_ties: Sequence[Note] = ()
        values = self._values(across=across, seed=seed)
        self.scores: Scores = Scores(values, self.systems, self.queries, chosen, library=self.library)
        self.warnings = [
            *coverage_warnings(self.systems, self.queries, self.rankings),
            *measure_warnings(chosen, self.rankings, values),
            *map(AssumptionWarning, refused),
        ]
        if self.warnings:
            announce(self.warnings)

    def _values(self, *, across: bool, seed: int) -> Floats:
        """Return runs x queries x measures, and keep the judged documents that they are computed from."""
        depth, chosen, shared, size = self.depth, self.measures, self.shared, len(self.systems)
        if shared is None:
            rankings = self.rankings = self.uncut if depth is None else self.uncut.cut(depth)
        else:
            self.rankings = shared.judged_rankings
            rankings = shared.with_judged_elsewhere() if across else self.rankings
        if not self.expected:
            return compute_all(chosen, rankings).reshape(size, len(self.queries), len(chosen))
        values, self.about_ties = over_orders(chosen, self.uncut, size, depth=depth, seed=seed)
        return values

    def _to_the_end(self, *, across: bool) -> JudgedRankings:
        """Return the rankings to their end; of ties alone, unless runs are streamed."""
        shared = self.shared
        if shared is not None and (self.depth is None or shared.judged_rankings.ties is None):
            whole: SharedRankings | None = shared
        else:
            whole = self.collection.shared() if across or shared is not None else None
        if whole is None:
            return self.collection.rankings
        return whole.with_judged_elsewhere() if across else whole.judged_rankings

    @property
    def origin(self) -> str:
        """How its judgments were made, in words."""
        why, origin = why_not_uniform(self.rankings), self.judgments.origin
        if why is not None:
            return f"part of the pool was judged; {why}"
        return origin.words if origin.depth is None else str(origin)

    def missing(self) -> Mapping[str, Sequence[str]]:
        """Return for each run that lacks some the queries that it has no ranking for."""
        return missing_queries(self.systems, self.queries, self.rankings)

    def _plain(self, every: bool) -> Sequence[Evidence]:
        """Return the evidence by each measure; streamed runs have ranges by all of them or the first."""
        return [one for one, _ in (self._ranged if every and self.shared is None else self._unranged)]

    def _said(self) -> Iterator[Note]:
        """Yield what must be known of it."""
        yield from (*self.collection.notes, *self.drawn.unused, *(one.note for one in self.warnings))
        yield from self.about_ties
        alone = self.shared is None
        if self.uncut.ties is not None and not self.expected:
            yield from tie_notes(self.measures, self.systems, self.uncut, self._orders)
        undrawn: list[str] = []
        for k, (_, said) in enumerate(self._unranged):
            yield from (
                one for one in said if one.code != "undrawn" and (alone or k == 0 or one.code != "drawn")
            )
            undrawn += (name for one in said if one.code == "undrawn" for name in one.about)
        if undrawn:
            yield note("undrawn", undrawn)
        if not alone:
            yield from _about_estimates(self.measures, self.rankings)
            yield from [] if self.reach is None else [note("pool-depth", what=below_pool(self.reach))]

    @computed_once
    def _ranged(self) -> list[tuple[Evidence, list[Note]]]:
        """Evidence and notes by each measure, with ranges by all of them."""
        return self._estimated(len(self.measures))

    @computed_once
    def _unranged(self) -> list[tuple[Evidence, list[Note]]]:
        """Evidence and notes by each measure, with ranges by the first one."""
        return self._estimated(1)

    def _estimated(self, bounded: int) -> list[tuple[Evidence, list[Note]]]:
        """Return the evidence by each measure with its notes; the first so many measures have ranges."""
        each = range(len(self.measures))
        return [self.drawn.estimated(self._evidence_by(k, bounded), self.rankings) for k in each]

    def _evidence_by(self, k: int, bounded: int) -> RankingsEvidence:
        """Return the evidence by the measure at place k."""
        measure, orders = self.measures[k], None if self.shared is None else self._orders
        own = np.ascontiguousarray(measure.averaged(self.scores.values[:, :, k]))
        return RankingsEvidence(
            self.shared or StreamedRankings(self.rankings, self.systems, self._own_to_depth),
            measure,
            own,
            self.reach,
            None if orders is None else Ends(*(measure.averaged(end[:, :, k]) for end in orders)),
            self.expected,
            bounded=self.shared is not None or k < bounded,
            calibration=self._calibration if self.shared is None else None,
        )

    @computed_once
    def _orders(self) -> tuple[Floats, Floats] | None:
        """Ends of the values over orders of tied documents."""
        if self.expected or self.uncut.ties is None:
            return None
        return ends_of_orders(self.measures, self.uncut, self.scores.values, depth=self.depth)

    def _own_to_depth(self) -> JudgedRankings:
        """Return each run's rankings, with documents below the pool's depth as nonrelevant."""
        from unjudged.evidence.difference_bounds import own_to_depth

        assert self.reach is not None  # noqa: S101
        made = own_to_depth(self.collection.shared(), self.reach)
        return made if self.depth is None else made.cut(self.depth)

    def _calibration(self) -> Any:
        return self._calibrated

    @computed_once
    def _calibrated(self) -> Any:
        """What leaving out pooled runs says of these judgments."""
        from unjudged.questions.calibrating import calibration_of

        return calibration_of(self.collection, self.measures)


def is_calibrated(collection: Collection) -> bool:
    """Whether a calibration is described, or the pooled runs with their groups, and nothing was drawn."""
    labels = collection.described.labels
    if labels.calibration is None and not (labels.pooled and collection.described.groups is not None):
        return False
    return not collection.judgments.recorded


def _about_estimates(measures: Sequence[Measure], rankings: JudgedRankings) -> Iterator[Note]:
    """Say what measures estimate, and that tests allow for the noise of the sample."""
    estimates = [measure for measure in measures if measure.traits.estimates]
    if estimates:
        names = ", ".join(f"{measure} estimates {measure.estimated}" for measure in estimates)
        drawn = f", from {rankings.judgments.origin}: {SAMPLED}"
        if not_uniform(estimates, rankings):
            drawn = " only if the judged documents are a random sample, which tests take them for"
        yield note("estimates", what=names, how=drawn)
        yield note("outside-pool")


def asked_about(
    qrels: Source, runs: RunsSource | None = None, *, on_read: Callable[[str], None] | None = None
) -> Collection:
    """Return the collection that a call is about, given what calls take; scores of a table are one too."""
    if isinstance(qrels, Evaluation):
        qrels = qrels.cube
    if isinstance(qrels, Scores):
        higher = tuple(str(measure) for measure in qrels.measures if not measure.traits.lower)
        qrels = Collection(Description(scores=ScoreTable(qrels, higher=higher), clusters=qrels.clusters))
    return collection_of(qrels, runs, on_read=on_read)


def gather(
    collection: Collection,
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
    described = collection.described
    if collection.table is not None:
        for name, given in {"depth": depth, "predictions": predictions, "ties": ties}.items():
            if given not in (None, "order"):
                raise UsageError(f"{name} needs judgments and runs, and these are scores: omit it")
        found = gather_table(collection.table, described.defaults.measures if measures is None else measures)
    else:
        if predictions is not None:
            collection = with_predictions(collection, predictions)
        ties = described.ties if ties is None else ties
        TIES.find(ties)
        depth = None if depth is None else checked_int("depth", depth, least=1)
        if collection.predictions and Drawn.of(collection).unused and has_further_queries(collection):
            found = gather_predicted(collection, measures, threshold)
        else:
            chosen = collection.measures(
                measures, lambda: usual_measures(collection.judgments, usual, alone=alone)
            )
            options: dict[str, Any] = {"depth": depth, "pool_depth": pool_depth, "ties": ties, "seed": seed}
            found = GatheredRuns(collection, chosen, alone=alone, **options)
    found.name = described.name
    if described.clusters is not None:
        found.clusters = Clusters.of(labels_of(described.clusters, found.queries, "cluster"))
    return found


def gather_table(table: Scores, measures: Measures = None) -> Gathered:
    """Return the evidence of a table of scores, by each of its measures or some of them."""
    from unjudged.evidence.table import TableEvidence

    chosen = table.chosen(measures)
    evidence = [TableEvidence(chosen, place) for place in range(len(chosen.measures))]
    notes = [said if isinstance(said, Note) else Note(said) for said in chosen.notes]
    return Gathered(evidence, notes, library=chosen.library, scores=chosen)


def with_predictions(collection: Collection, source: Any) -> Collection:
    """Return a collection with what judges predict; a name chooses one of those that it describes."""
    from unjudged.evidence.drawn.judges import Judges

    if isinstance(source, str) and source in collection.predictions:
        source = {source: collection.predictions[source]}
    return collection.changed(predictions=Judges.of(source).by_name)


def has_further_queries(collection: Collection) -> bool:
    """Whether people judged all that they list, and something is predicted of further queries."""
    from unjudged.evidence.drawn.judges import Judges

    people = collection.judgments
    whole = bool((people.grade >= 0).all())
    return whole and bool(Judges.of(collection.predictions).queries - {*people.queries.tolist()})


def gather_predicted(collection: Collection, measures: Measures, threshold: float | None) -> Gathered:
    """Return the evidence of queries that people judged, with predictions of further ones."""
    query_evidence = import_module("unjudged.predictions").query_evidence

    evidence, notes = query_evidence(collection, measures, threshold)
    judgments = collection.judgments
    return Gathered(evidence, [*map(Note, notes)], library=collection.library, judgments=judgments)
