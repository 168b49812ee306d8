"""A collection: judgments and runs, each named and read once, whichever results are computed from them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from unjudged.base.choices import TestName, check_probability, place_of
from unjudged.base.errors import InputError, UsageError
from unjudged.base.lazy import computed_once
from unjudged.base.notes import Note, note
from unjudged.base.wording import counted
from unjudged.collection.description import MODEL, STATED, Description, Labels, description_of
from unjudged.data.frames import library_of
from unjudged.data.limits import limit
from unjudged.data.scan import scanner
from unjudged.data.sources import (
    FILE,
    FRAME,
    FileWithColumns,
    is_one_source,
    kind_of_source,
    match_runs,
    name_in_errors,
    run_name,
)
from unjudged.data.tables import Matched
from unjudged.measures.kernel.measure import Measure
from unjudged.measures.kernel.names import MeasureLike, parse_measures, with_relevant
from unjudged.rankings.coverage import in_order
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource, is_sample_file
from unjudged.rankings.origin import A_POOL, CHOSEN, POOL, POSITIVES, UNKNOWN, Kind, Origin
from unjudged.rankings.runs import Run, RunSource, RunsSource, name_runs

if TYPE_CHECKING:
    from unjudged.collection.query_segments import SegmentsSource
    from unjudged.collection.scores import Scores
    from unjudged.evidence.shared import SharedRankings

OF_JUDGMENTS = ("how", "depth", "pooled", "calibration", "conflicts")


class Collection:
    """A collection: judgments and runs by name, and all else that is known of them.

    `Collection("collection.toml")` is what the file describes, `Collection(qrels, runs, ...)` the same of
    files or objects, by the same words. Calls that take judgments and runs also take a collection, or the
    name of a description. Rankings are made when they are first needed, and kept: what is asked of one
    collection several times reads each run once.

    >>> from unjudged import evaluate, sample
    >>> collection = Collection(sample.qrels, sample.runs, relevant=2)
    >>> collection
    Collection(30 queries, 6 runs)
    >>> print(f'{evaluate(collection, measures="P@10").value("P(rel=2)@10", run="fused"):.2f}')
    0.12
    """

    def __init__(
        self,
        qrels: JudgmentsSource | Description | None = None,
        runs: RunsSource | None = None,
        *,
        predictions: Any = None,
        on_read: Callable[[str], None] | None = None,
        **keys: Any,
    ) -> None:
        """Read the judgments, and name the runs.

        Parameters
        ----------
        qrels
            Judgments, or a description: a file that ends in `.toml`, a folder with a `collection.toml` or
            with files as BEIR names them, or a dataset `irds:ID`.
        runs
            A run, several, or a mapping of names to them. Of a description: names of its runs, or other ones.
        predictions
            What a model predicts, or several models by name: never mixed with what people judged.
        on_read
            Is told the name of each run once it is read.
        keys
            Other keys of a description: name, queries, documents, stale, relevant, segments, clusters, code,
            ties, columns, groups, scores, defaults; and of the judgments how, depth, pooled, calibration.
        """
        described = qrels if isinstance(qrels, Description) else description_of(qrels)
        if described is None:
            described = Description(judgments=() if qrels is None else (Labels(qrels),))
        if keys and (given := {name: value for name, value in keys.items() if value is not None}):
            stated = {name: given.pop(name) for name in OF_JUDGMENTS if name in given}
            described = described.changed(given | ({"judgments": stated} if stated else {}))
        if described.code is not None and not described.found:
            import_module("unjudged.measures.kernel.registry").load_measures(described.code)
        self.described = described
        self.on_read = on_read
        self.library = ""
        self._predictions = predictions
        self._shared: dict[float, SharedRankings] = {}
        self._judgments, self.notes = united(described.judgments)
        if self._judgments is not None and described.documents is not None and described.stale == "drop":
            from unjudged.collection.stale import without_stale

            self._judgments, stale = without_stale(self._judgments, described.documents)
            self.notes = [*stale, *self.notes]
        self.runs: dict[str, RunSource] = {}
        self.runs = self._named(runs)
        self._state_sample()
        for source in (runs, *self.runs.values(), qrels):
            if type(source) is not dict and kind_of_source(source) == FRAME:
                self.library = library_of(source)
                break

    def _state_sample(self) -> None:
        """Take labels for the random sample that the description states, where their file records none."""
        labels = self.described.labels
        if self._judgments is None or labels.how not in STATED or self._judgments.origin.sampled:
            return
        if not self.runs:
            problem = "the file does not record what was drawn, and without runs it cannot be known"
            raise labels.place.at("how").error(f"is {labels.how!r}, and {problem}")
        self.runs = self.loaded().runs
        stated = import_module("unjudged.judging.designs").stated_sample
        self._judgments = stated(self, how=labels.how, depth=labels.depth)

    @property
    def judgments(self) -> Judgments:
        """Judgments by people, or else by the only model."""
        if self._judgments is None:
            raise UsageError("there are no judgments, expected a file of grades")
        return self._judgments

    @property
    def table(self) -> Scores | None:
        """Scores by query of another tool, if they stand in place of judgments and runs."""
        whole, names = self._table, self._of_table
        return whole if whole is None or names is None else whole.of_systems(names)

    @computed_once
    def _table(self) -> Scores | None:
        """The scores of a described table, None if none is described."""
        if self.described.scores is None:
            return None
        from unjudged.collection.scores import described_scores

        return described_scores(self.described)

    @property
    def systems(self) -> list[str]:
        """Names of the runs, or of the systems of a table."""
        return list(self.runs if self.table is None else self.table.runs)

    @computed_once
    def predictions(self) -> dict[str, Any]:
        """What models predict, by their names; not of a model whose labels are the judgments."""
        labels = self.described.judgments
        found: dict[str, Any] = {}
        if len(labels) > 1:
            models = [one for one in labels if one.by == MODEL]
            found = by_name(models) if len(models) < len(labels) else {}
        if self._predictions is None:
            return found
        several = isinstance(self._predictions, Mapping) and not is_one_source(self._predictions)
        return {**found, **(self._predictions if several else {"predictions": self._predictions})}

    def measures(
        self, named: MeasureLike | Iterable[MeasureLike] | None, otherwise: Callable[[], Iterable[str]]
    ) -> list[Measure]:
        """Return the measures that a call names, else the described defaults, else others.

        Each has the lowest relevant grade of the collection, unless it sets its own.
        """
        if named is None:
            named = self.described.defaults.measures or otherwise()
        found = with_relevant(parse_measures(named), self.described.relevant)
        return found if self._judgments is None else [measure.on(self._judgments) for measure in found]

    def segments(self, named: SegmentsSource | None) -> SegmentsSource | None:
        """Return the segments that a call names, else the table's, else the described ones."""
        own = None if self.table is None else self.table.segments
        return next((one for one in (named, own) if one is not None), self.described.segments)

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

    @computed_once
    def rankings(self) -> JudgedRankings:
        """Judged documents of the runs; these are streamed, not kept."""
        if inf in self._shared:
            return self._shared[inf].judged_rankings
        return judged_rankings(self.judgments, self._some_runs(), on_read=self.on_read)

    def shared(self, depth: float = inf) -> SharedRankings:
        """Return the rankings over one pool that has every document which the runs retrieve, to a depth."""
        from unjudged.evidence.shared import SharedRankings

        if depth not in self._shared:
            self._shared[depth] = SharedRankings.of(self.judgments, self._some_runs(), self.on_read, depth)
        return self._shared[depth]

    def loaded(self) -> Collection:
        """Return the same with every run in memory, for what needs all of its documents."""
        runs: dict[str, RunSource] = {}
        for name, source in self.runs.items():
            runs[name] = Run.read(source)
            if self.on_read is not None and not isinstance(source, Run):
                self.on_read(name)
        return self.changed(runs=runs, on_read=None)

    def chosen(self, runs: RunsSource) -> Collection:
        """Return the same with these runs: names of its own, or other ones."""
        made = self.changed()
        made.runs = made._named(runs)  # noqa: SLF001
        return made

    def override(self, *settings: str) -> Collection:
        """Return the same with other values, from texts such as `relevant=2` or `defaults.alpha=0.1`."""
        described = self.described.override(*settings)
        runs = None if described.runs else self.runs
        return Collection(described, runs, predictions=self._predictions, on_read=self.on_read)

    def changed(self, **attributes: Any) -> Collection:
        """Return the same with other attributes, of which nothing was read yet."""
        made = copy(self)
        vars(made).pop("rankings", None)
        vars(made).update(attributes, _shared={})
        return made

    def _named(self, runs: RunsSource | None) -> dict[str, RunSource]:
        """Return runs by name: those described, some of them, or others."""
        described = self.described
        own: dict[str, Any] = self.runs or described_runs(described)
        several = [runs] if isinstance(runs, str) else runs
        words = isinstance(several, list | tuple) and any(isinstance(one, str) for one in several)
        self._of_table: list[str] | None = None
        if described.scores is not None:
            self._of_table = None if several is None else list(map(str, cast("Sequence[str]", several)))
            return {}
        if runs is None:
            named = own
        elif own and words:
            named = {}
            for one in cast("Sequence[Any]", several):
                if isinstance(one, str) and not (one in own or {*one} & {*"*?["} or os.path.exists(one)):
                    place_of("run", one, list(own))
                named |= {one: own[one]} if isinstance(one, str) and one in own else name_runs([one])
        else:
            named = name_runs(runs)
        return named if self._judgments is None else in_order(self._judgments, named)

    def _some_runs(self) -> dict[str, RunSource]:
        """Return the runs; refuse a collection without any."""
        if not self.runs:
            raise UsageError("no run given, expected at least one")
        return self.runs

    def __repr__(self) -> str:
        if self.described.scores is not None:
            return f"Collection(scores of {self.described.scores.file})"
        queries = 0 if self._judgments is None else len(self._judgments.queries)
        return f"Collection({counted(queries, 'query')}, {counted(len(self.runs), 'run')})"


def collection_of(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    *,
    on_read: Callable[[str], None] | None = None,
) -> Collection:
    """Return a collection as it is, with the runs that are named, or made of what calls take."""
    if not isinstance(qrels, Collection):
        return Collection(qrels, runs, on_read=on_read)
    made = qrels if runs is None else qrels.chosen(runs)
    return made if on_read is None else made.changed(on_read=on_read)


def described_runs(described: Description) -> dict[str, RunSource]:
    """Return the runs of a description by name."""

    def file(name: Any) -> Any:
        return FileWithColumns.of(name, described.columns) if described.columns else name

    runs = described.runs
    if not runs:
        return {}
    given = {name: file(one) for name, one in runs.items()} if isinstance(runs, dict) else [*map(file, runs)]
    return name_runs(cast("RunsSource", given))


def judged_rankings(
    judgments: Judgments,
    runs: Mapping[str, RunSource],
    *,
    on_read: Callable[[str], None] | None = None,
) -> JudgedRankings:
    """Match every run once: dicts directly, anything else by way of a table."""
    return JudgedRankings.from_matches(judgments, _matched(judgments, runs, on_read))


def _matched(
    judgments: Judgments, runs: Mapping[str, RunSource], on_read: Callable[[str], None] | None
) -> Iterator[Matched]:
    """Yield the judged documents of each run; an error if it has no query in common."""
    direct = [_matched_dicts(judgments, run) for run in runs.values()]
    matches = None
    if None in direct:
        others = {name: run for (name, run), own in zip(runs.items(), direct, strict=True) if own is None}
        matches = match_runs(others, judgments.index)
    try:
        for (name, run), own in zip(runs.items(), direct, strict=True):
            match = own or next(cast("Iterator[Matched]", matches))
            if not len(match.rank) and not np.count_nonzero(match.query >= 0):
                with name_in_errors(run, run_name(name)):
                    example = f"which have queries such as {judgments.queries[0]!r}"
                    raise InputError(f"no query in common with the judgments, {example}")
            if on_read is not None:
                on_read(name)
            yield match
            del match
    finally:
        if matches is not None:
            matches.close()


def _matched_dicts(judgments: Judgments, run: Any) -> Matched | None:
    """Return the judged documents of a run of plain dicts; None for any other run."""
    if type(run) not in (dict, defaultdict):
        return None
    keys = judgments.pooled.keys(run)
    return scanner.match_dicts(run, keys.queries, keys.documents, judgments.offsets, limit("ROWS"))


KIND_OF: Final[Mapping[str, Kind]] = {
    "pool": POOL,
    "chosen": CHOSEN,
    "positives": POSITIVES,
    "unknown": UNKNOWN,
}
ENOUGH_QUERIES: Final = 10
"""On fewer, a list of relevant documents may be an example; no headline rests on them."""


def united(labels: Sequence[Labels]) -> tuple[Judgments | None, list[Note]]:
    """Return the judgments of people as one, or else of the only model; and what to know of them."""
    judgments, notes = _by_people(labels)
    if judgments is None:
        return None, notes
    if len(judgments.queries) >= ENOUGH_QUERIES and not any(one.is_stated for one in labels):
        judgments = recognised(judgments)
    if judgments.origin.kind == POSITIVES:
        notes.append(note("positives"))
    return judgments, notes


def recognised(judgments: Judgments) -> Judgments:
    """Return judgments that say nothing of their origin as positives, if they list nothing else.

    >>> lists = {f"q{k}": {"d1": 1, "d2": 2} for k in range(10)}
    >>> print(recognised(Judgments.read(lists)).origin)
    positives only
    >>> print(recognised(Judgments.read({**lists, "q1": {"d": 0}})).origin)
    a pool
    """
    if judgments.origin != A_POOL or (judgments.grade <= 0).any():
        return judgments
    return replace(judgments, origin=Origin(POSITIVES))


def _by_people(labels: Sequence[Labels]) -> tuple[Judgments | None, list[Note]]:
    """Return the judgments of the only file, of people as one, or of the only model."""
    if len(labels) == 1 and labels[0].by != MODEL:
        return _read(labels[0]), []
    models = [one for one in labels if one.by == MODEL]
    people = [one for one in labels if one.by != MODEL]
    if people:
        return _united(people) if len(people) > 1 else _by_people(people)
    if not models:
        return None, []
    if len(models) > 1:
        raise models[1].place.error("are of several models and none by people: describe one of them alone")
    return _read(models[0]), [note("model-alone", list(by_name(models)))]


def by_name(labels: Sequence[Labels]) -> dict[str, Any]:
    """Return the sources by the names of those who judged, or of their files."""
    named: dict[str, Any] = {}
    for one in labels:
        name = one.name or (os.fspath(one.file) if kind_of_source(one.file) == FILE else "judgments")
        if name in named:
            raise one.place.error(f"has the name {name!r}, as others do: give it another with name = ...")
        named[name] = one.source
    return named


def _united(people: Sequence[Labels]) -> tuple[Judgments, list[Note]]:
    """Return the judgments of several files by people, merged by the rule for conflicts."""
    rules = {one.conflicts: one for one in people if one.conflicts is not None}
    if len(rules) > 1:
        known = " and ".join(map(repr, rules))
        raise [*rules.values()][1].place.at("conflicts").error(f"has different rules, {known}: expected one")
    first, *others = sorted(people, key=lambda one: not is_sample_file(one.file))
    answers = {
        name: _read(one) if one.is_stated else source
        for one, (name, source) in zip(others, by_name(others).items(), strict=True)
    }
    merged = import_module("unjudged.judging.merging").merge(
        _read(first), answers, conflicts=next(iter(rules), "error"), name=next(iter(by_name([first])))
    )
    return merged.judgments, [*map(Note, merged.notes)]


def _read(labels: Labels) -> Judgments:
    """Return the judgments of a file, with the origin that is stated where the file records none."""
    judgments = Judgments.read(labels.source)
    if not labels.is_stated:
        return judgments
    origin, how = judgments.origin, labels.how
    kind = KIND_OF.get(how or "", origin.kind)
    recorded = judgments.recorded or origin.kind == CHOSEN
    if recorded and kind != origin.kind:
        raise labels.place.at("how").error(f"is {how!r}, and the file records {origin}")
    if kind == POSITIVES and (others := int((judgments.grade <= 0).sum())):
        problem = f"is {how!r}, and {counted(others, 'document')} have a grade of 0 or below"
        raise labels.place.at("how").error(f"{problem}: say pool")
    if how in STATED and not origin.sampled:
        return judgments
    return replace(judgments, origin=Origin(kind, labels.depth or origin.depth))
