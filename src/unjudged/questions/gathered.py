"""Evidence that was gathered, with what a reader must know of it; and that of judgments and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.choices import TiesName
from unjudged.base.errors import AssumptionWarning, UnjudgedWarning, UsageError, announce
from unjudged.base.lazy import computed_once
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats
from unjudged.collection.collection import Collection
from unjudged.collection.description import STATED
from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import ByCluster, Ends, Evidence
from unjudged.evidence.judged_runs import AloneEvidence
from unjudged.evidence.tied_scores import ends_of_orders, over_orders, tie_notes
from unjudged.measures.kernel.estimand import SAMPLED
from unjudged.measures.kernel.measure import Measure, compute_all
from unjudged.questions.fitting_measures import comparable, measure_warnings, not_uniform, why_not_uniform
from unjudged.rankings.coverage import coverage_warnings, missing_queries
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import UNIFORM, below_pool

if TYPE_CHECKING:
    from unjudged.evidence.drawn.estimated import EstimatedEvidence
    from unjudged.evidence.drawn.predictions import Judges
    from unjudged.evidence.drawn.strata import StrataEvidence
    from unjudged.evidence.judged_runs import RankingsEvidence
    from unjudged.evidence.shared import SharedRankings

    Plain = AloneEvidence | RankingsEvidence


Notes = Iterable[Note] | Callable[[], Iterable[Note]]
"""Notes, or what makes them when they are asked for."""
STATE_IT = (
    "nothing says that these documents were drawn at random: if they were, say so (--set "
    "judgments.how=sample, in Python how='sample' of a Collection)"
)


@dataclass(eq=False)
class Gathered:
    """Evidence by each measure of systems on queries, with what a reader must know of it."""

    measures: Sequence[Measure]
    systems: Sequence[str]
    queries: Sequence[str]
    find: Callable[[bool], Sequence[Evidence]]
    """Finds the evidence: with ranges of the systems by every measure, or by the first one alone."""
    said: Notes = ()
    library: str = ""
    scores: Scores | None = None
    """Values by query; None for estimates with predictions, and for runs that are compared."""
    rankings: JudgedRankings | None = None
    """The judged documents of runs; None for scores of a table."""
    shared: SharedRankings | None = None
    """The runs over one pool, if they are compared."""
    interval: str = ""
    """The interval of systems that it allows, beside bounds."""
    warnings: Sequence[UnjudgedWarning] = ()
    """Warnings that were given."""
    name: str = ""
    """The name of the collection, if it is described."""
    rests_on: Judgments | Scores | None = None

    @property
    def evidence(self) -> Sequence[Evidence]:
        """Evidence by each measure, with ranges by all of them."""
        return self.find(True)

    @property
    def identity(self) -> tuple[str, object]:
        """What it rests on: a word, and a value that is the same for the same."""
        if isinstance(self.rests_on, Scores):
            return "scores", self.rests_on.values.tobytes()
        return "judgments", None if self.rests_on is None else self.rests_on.fingerprint

    @property
    def origin(self) -> str:
        """How its judgments were made, in words; nothing for scores of a table."""
        if self.rankings is None:
            return ""
        why, origin = why_not_uniform(self.rankings), self.rankings.judgments.origin
        if why is not None:
            return f"part of the pool was judged; {why}"
        return origin.words if origin.depth is None else str(origin)

    @property
    def notes(self) -> list[Note]:
        """What must be known of it."""
        return list(self.said() if callable(self.said) else self.said)

    def described(self, name: str, source: Any) -> Gathered:
        """Return the same with a name, whose queries are in the clusters that a file or a mapping says."""
        self.name = name
        if source is None:
            return self
        from unjudged.collection.query_segments import labels_of
        from unjudged.evidence.contrast import Clusters

        queries = list(self.queries)
        clusters = Clusters.of(labels_of(source, queries, "cluster"))
        if clusters is None:
            return self
        count = note("clusters", queries=len(queries), clusters=len(clusters), worth=clusters.worth)

        def find(every: bool) -> Sequence[Evidence]:
            return [ByCluster(one, clusters) for one in self.find(every)]

        return replace(self, find=find, said=lambda: [*self.notes, count])

    def missing(self) -> Mapping[str, Sequence[str]]:
        """Return for each run that lacks some the queries that it has no ranking for."""
        return {} if self.rankings is None else missing_queries(self.systems, self.queries, self.rankings)


def gather_runs(
    collection: Collection,
    chosen: Sequence[Measure],
    *,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName = "order",
    seed: int = 0,
    alone: bool = False,
) -> Gathered:
    """Return the evidence of judgments and runs; runs of which each is asked about `alone` are streamed.

    Some estimates from drawn documents need all that they retrieve.
    """
    judgments, refused = collection.judgments, list[Note]()
    drawn = Drawn.of(collection)
    if not alone:
        chosen, refused = comparable(chosen, judgments)
    across = any(measure.traits.across_queries for measure in chosen)
    shared = (
        None if alone and not drawn.needs_all(chosen) else collection.shared(inf if depth is None else depth)
    )
    uncut = _uncut(collection, shared, depth, across=across)
    if shared is None:
        rankings = judged = uncut if depth is None else uncut.cut(depth)
    else:
        judged = shared.judged_rankings
        rankings = shared.with_judged_elsewhere() if across else judged
    systems, queries = list(collection.runs), judgments.pooled.query_names()
    drawn.expected = uncut.ties is not None and ties == "expected"
    about_ties = list[Note]()
    if drawn.expected:
        values, about_ties = over_orders(chosen, uncut, len(systems), depth=depth, seed=seed)
    else:
        values = compute_all(chosen, rankings).reshape(len(systems), len(queries), len(chosen))
    warnings = [
        *coverage_warnings(systems, queries, judged),
        *measure_warnings(chosen, judged, values),
        *map(AssumptionWarning, refused),
    ]
    if warnings:
        announce(warnings)
    reach = judgments.origin.pool_depth(pool_depth)
    scores = Scores(values, systems, queries, chosen, library=collection.library)
    made = Runs(collection, scores, shared, judged, uncut, drawn, about_ties, warnings, reach, depth)
    return Gathered(
        chosen,
        systems,
        queries,
        made.find,
        made.notes,
        collection.library,
        scores if alone else None,
        judged,
        shared,
        "calibrated" if shared is None and is_calibrated(collection) else "",
        warnings,
        rests_on=judgments,
    )


def _uncut(
    collection: Collection, shared: SharedRankings | None, depth: int | None, *, across: bool
) -> JudgedRankings:
    """Return the rankings to their end; of ties alone, unless runs are streamed."""
    if shared is not None and (depth is None or shared.judged_rankings.ties is None):
        whole: SharedRankings | None = shared
    else:
        whole = collection.shared() if across or shared is not None else None
    if whole is None:
        return collection.rankings
    return whole.with_judged_elsewhere() if across else whole.judged_rankings


@dataclass(eq=False)
class Runs:
    """Values of runs, of which evidence and notes are made when they are asked for."""

    collection: Collection
    scores: Scores
    shared: SharedRankings | None
    """The runs over one pool; None if they are streamed."""
    judged: JudgedRankings
    uncut: JudgedRankings
    drawn: Drawn
    about_ties: Sequence[Note]
    warnings: Sequence[UnjudgedWarning]
    reach: int | None
    """The rank to which runs were pooled."""
    depth: int | None

    def find(self, every: bool) -> list[Evidence]:
        """Return the evidence by each measure; streamed runs have ranges by all of them or the first."""
        return [one for one, _ in (self._ranged if every and self.shared is None else self._plain)]

    def notes(self) -> Iterator[Note]:
        """Yield what must be known of it."""
        yield from (*self.collection.notes, *self.drawn.unused, *(one.note for one in self.warnings))
        yield from self.about_ties
        measures, alone = self.scores.measures, self.shared is None
        if self.uncut.ties is not None and not self.drawn.expected:
            yield from tie_notes(measures, self.scores.runs, self.uncut, self._orders)
        for k, (_, said) in enumerate(self._plain):
            yield from (one for one in said if alone or k == 0 or one.code != "drawn")
        if not alone:
            yield from _about_estimates(measures, self.judged)
            yield from [] if self.reach is None else [note("pool-depth", what=below_pool(self.reach))]

    @computed_once
    def _ranged(self) -> list[tuple[Evidence, list[Note]]]:
        return self._estimated(len(self.scores.measures))

    @computed_once
    def _plain(self) -> list[tuple[Evidence, list[Note]]]:
        return self._estimated(1)

    def _estimated(self, bounded: int) -> list[tuple[Evidence, list[Note]]]:
        """Return the evidence by each measure with its notes; the first so many measures have ranges."""
        each = range(len(self.scores.measures))
        return [self.drawn.estimated(self._evidence(k, bounded), self.judged) for k in each]

    def _evidence(self, k: int, bounded: int) -> Plain:
        scores, reach, expected = self.scores, self.reach, self.drawn.expected
        measure = scores.measures[k]
        own = np.ascontiguousarray(measure.averaged(scores.values[:, :, k]))
        if self.shared is None:
            return AloneEvidence(
                measure,
                scores.runs,
                scores.queries,
                own,
                self.judged,
                bounded=k < bounded,
                depth=reach,
                to_depth=self._own_to_depth,
                expected=expected,
                calibration=self._calibration,
            )
        from unjudged.evidence.judged_runs import RankingsEvidence

        orders = self._orders
        orders = None if orders is None else Ends(*(measure.averaged(end[:, :, k]) for end in orders))
        return RankingsEvidence(self.shared, measure, own, reach, orders, expected)

    @computed_once
    def _orders(self) -> tuple[Floats, Floats] | None:
        """Ends of the values over orders of tied documents."""
        if self.drawn.expected or self.uncut.ties is None:
            return None
        return ends_of_orders(self.scores.measures, self.uncut, self.scores.values, depth=self.depth)

    def _own_to_depth(self) -> JudgedRankings:
        from unjudged.evidence.difference_bounds import own_to_depth

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


@dataclass(eq=False)
class Drawn:
    """Judgments some of whose documents were drawn, and what is predicted of others.

    One estimator is for documents that were drawn one by one, for what is predicted, and for sums. It needs
    all that runs retrieve. AP and nDCG from strata, of which a fixed number was drawn, have one of their own.
    """

    judgments: Judgments
    judges: Judges | None
    one_by_one: bool
    strata: bool
    expected: bool = False
    """Whether scores are expected values over all orders of tied documents."""

    @classmethod
    def of(cls, collection: Collection) -> Drawn:
        """Return what a collection says of it."""
        judgments = collection.judgments
        judges = None
        if collection.predictions:
            from unjudged.evidence.drawn.predictions import Judges

            judges = Judges.of(collection.predictions)
        layered, weighted = judgments.stratum is not None, judgments.probability is not None
        alike = weighted and judgments.origin.kind == UNIFORM
        stated = judgments.origin.sampled and collection.described.labels.how in STATED
        strata = layered or alike or stated
        alone = weighted and not (layered or alike)
        one_by_one = judgments.frame is not None or alone or (strata and judges is not None)
        return cls(judgments, judges, one_by_one, strata)

    def needs_all(self, measures: Sequence[Measure]) -> bool:
        """Whether all that runs retrieve is needed to estimate by these measures."""
        return self.one_by_one or (self.strata and any(map(_adds_up, measures)))

    @property
    def unused(self) -> list[Note]:
        """Say of which models the labels are not used, because nothing was drawn."""
        if self.judges is None or self.one_by_one:
            return []
        return [note("only-judges", self.judges.names)]

    def estimated(self, plain: Plain, rankings: JudgedRankings) -> tuple[Evidence, list[Note]]:
        """Return what is estimated by a measure, with notes; the plain evidence if it cannot be."""
        measure, why = plain.measure, ""
        none_drawn = not (self.one_by_one or self.strata)
        if none_drawn or not measure.traits.quality:
            return (replace(plain, unestimated=STATE_IT) if self.judgments.origin.sampled else plain), []
        if whole := measure.traits.estimates:
            return replace(plain, unestimated=f"{measure} is an estimate itself: ask for {whole}"), []
        for makes in (self._one_by_one, self._from_strata):
            try:
                made = makes(plain, rankings)
            except UsageError as error:
                why = why or str(error)
                continue
            if made is not None:
                return made, list(made.notes())
        if not why:
            return plain, []
        return replace(plain, unestimated=why), [note("not-estimated", [str(measure)], why=why)]

    def _one_by_one(self, plain: Plain, rankings: JudgedRankings) -> EstimatedEvidence | None:
        from unjudged.evidence.drawn.estimated import EstimatedEvidence
        from unjudged.evidence.drawn.population import Population
        from unjudged.evidence.drawn.strata import check_sampled
        from unjudged.evidence.judged_runs import RankingsEvidence

        if not self.needs_all([plain.measure]) or not isinstance(plain, RankingsEvidence):
            return None
        self._check()
        if not self.one_by_one:
            check_sampled(plain.measure, rankings)
        population = Population.of(plain.shared)
        return None if population is None else EstimatedEvidence.of(plain, population, self.judges)

    def _from_strata(self, plain: Plain, rankings: JudgedRankings) -> StrataEvidence | None:
        from unjudged.evidence.drawn.strata import StrataEvidence

        if not self.strata or _adds_up(plain.measure):
            return None
        self._check()
        return StrataEvidence.of(plain, rankings)

    def _check(self) -> None:
        """Refuse scores and judgments of which nothing can be estimated."""
        if self.expected:
            raise UsageError("values are expected ones over all orders of tied documents")
        if self.judgments.frame is None and (problem := self.judgments.unanswered):
            raise UsageError(problem)


def _adds_up(measure: Measure) -> bool:
    from unjudged.evidence.drawn.effects import adds_up

    return adds_up(measure) and not measure.traits.estimates and measure.traits.quality
