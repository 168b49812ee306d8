"""A collection: judgments and named runs, each read once, whatever is asked of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.evaluation.named_runs import Names, RunsSource, name_runs
from unjudged.formats.inputs import FRAME, kind_of_source, match_runs, name_in_errors, run_name
from unjudged.formats.limits import limit
from unjudged.formats.readers.arrow.frames import library_of
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Matched
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run, RunSource

if TYPE_CHECKING:
    from unjudged.uncertainty.shared import SharedRankings


HIGHEST_GRADE = 10
FEW = 10
"""With fewer documents, scores and grades cannot be told apart."""


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Judgments and runs by name. Calls that take judgments and runs also take a collection.

    Rankings are made when they are first needed, and kept. What is asked of one collection several times
    therefore reads each run once.

    >>> from unjudged import evaluate, sample
    >>> collection = Collection.of(sample.qrels, sample.runs)
    >>> collection
    Collection(30 queries, 6 runs)
    >>> evaluate(collection, measures="AP").value("AP", run="fused")
    0.33208841344160495
    """

    judgments: Judgments
    runs: dict[str, RunSource]
    library: str = ""
    """Where frames went in, the library they are of."""
    on_read: Callable[[str], None] | None = None

    @classmethod
    def of(
        cls,
        qrels: JudgmentsSource | Collection,
        runs: RunsSource | None = None,
        *,
        names: Names = "file",
        fractions: bool = False,
        on_read: Callable[[str], None] | None = None,
    ) -> Collection:
        """From judgments and runs, or as it is. `fractions` allows fractional grades."""
        if isinstance(qrels, Collection):
            if runs is not None:
                raise UsageError("a collection has its runs already: give it alone, or judgments and runs")
            return qrels if on_read is None else replace(qrels, on_read=on_read)
        judgments = Judgments.with_fractions(qrels) if fractions else Judgments.of(qrels)
        named = name_runs(cast("RunsSource", runs), names)
        frames = (source for source in (*named.values(), qrels) if kind_of_source(source) == FRAME)
        frame = next(frames, None)
        named = _in_order(judgments, named)
        return cls(judgments, named, "" if frame is None else library_of(frame), on_read)

    @cached_property
    def rankings(self) -> JudgedRankings:
        """What the runs hold of the judged documents; runs are streamed, not kept."""
        shared = self.__dict__.get("_shared", {}).get(inf)
        if shared is not None:
            return shared.judged_rankings  # type: ignore[no-any-return]
        return judged_rankings(self.judgments, self.runs, on_read=self.on_read)

    def shared(self, depth: float = inf) -> SharedRankings:
        """The rankings over one pool that has every document which the runs retrieve, to a depth."""
        from unjudged.uncertainty.shared import SharedRankings

        kept = self.__dict__.setdefault("_shared", {})
        if depth not in kept:
            kept[depth] = SharedRankings.of(self.judgments, self.runs, self.on_read, depth)
        return kept[depth]  # type: ignore[no-any-return]

    def loaded(self) -> Collection:
        """The same with every run in memory, for what needs all of its documents."""
        runs: dict[str, RunSource] = {}
        for name, source in self.runs.items():
            runs[name] = Run.of(source)
            if self.on_read is not None and not isinstance(source, Run):
                self.on_read(name)
        return replace(self, runs=runs, on_read=None)

    def __repr__(self) -> str:
        return f"Collection({len(self.judgments.queries)} queries, {len(self.runs)} runs)"


def _in_order(judgments: Judgments, runs: dict[str, RunSource]) -> dict[str, RunSource]:
    """Return the runs; refuse judgments that were given as a run, and a run in their place.

    Judgments are scores if nearly all of a query's grades differ. Only then are the runs looked at, and read
    for it: one holds grades if its scores are whole, at most 10, and mostly the same.
    """
    if judgments.scale is None and judgments.grade.max(initial=0) <= HIGHEST_GRADE:
        return runs
    judged = judgments.grade >= 0
    cells = np.stack([judgments.query[judged], judgments.grade[judged]], axis=1)
    if len(cells) < FEW or len(np.unique(cells, axis=0)) < 0.9 * len(cells):
        return runs
    read: dict[str, RunSource] = {name: Run.of(source) for name, source in runs.items()}
    for name, run in read.items():
        assert isinstance(run, Run)  # noqa: S101
        query = np.repeat(np.arange(len(run.queries)), np.diff(run.offsets))
        kinds, differ = np.unique(run.scores), len(np.unique(np.stack([query, run.scores], axis=1), axis=0))
        few = len(kinds) == 1 or differ <= len(query) / 2
        if len(query) >= FEW and few and not (kinds % 1).any() and kinds[-1] <= HIGHEST_GRADE:
            with name_in_errors(runs[name], run_name(name)):
                grades = f"its scores are grades: whole numbers up to {kinds[-1]:g}, most of them the same"
                scores = "the grades of the judgments are scores: nearly all differ"
                raise InputError(f"{grades}; {scores}; judgments come before runs")
    return read


def judged_rankings(
    judgments: Judgments,
    runs: Mapping[str, RunSource],
    *,
    on_read: Callable[[str], None] | None = None,
) -> JudgedRankings:
    """Match every run once: dicts directly, anything else by way of a table."""
    direct = {name: _matched_dicts(judgments, run) for name, run in runs.items()}
    others = {name: run for name, run in runs.items() if direct[name] is None}
    matched: list[Matched] = []
    none: AbstractContextManager[Iterator[Matched]] = nullcontext(iter(()))
    with closing(match_runs(others, judgments.index)) if others else none as matches:
        for name, run in runs.items():
            match = direct[name] or next(matches)
            if not np.count_nonzero(match.query >= 0):
                with name_in_errors(run, run_name(name)):
                    example = f"which have queries such as {judgments.queries[0]!r}"
                    raise InputError(f"no query in common with the judgments, {example}")
            matched.append(match)
            if on_read is not None:
                on_read(name)
    return JudgedRankings.of(judgments, matched)


def _matched_dicts(judgments: Judgments, run: Any) -> Matched | None:
    """What a run of plain dicts holds of the judged documents; None for any other run."""
    if type(run) not in (dict, defaultdict):
        return None
    rankings = dict.copy(run)  # another thread may change the dict itself
    keys = judgments.pooled.keys(rankings)
    return scanner.match_dicts(rankings, keys.queries, keys.documents, judgments.offsets, limit("ROWS"))
