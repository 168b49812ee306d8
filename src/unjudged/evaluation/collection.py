"""A collection: judgments and runs, each named and read once, whichever results are computed from them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.base.lazy import computed_once
from unjudged.formats.files import expanded, runs_in_file
from unjudged.formats.inputs import (
    FILE,
    FRAME,
    is_one_source,
    is_row,
    kind_of_source,
    match_runs,
    name_in_errors,
    run_name,
)
from unjudged.formats.limits import limit
from unjudged.formats.readers.frames import is_frame, library_of, runs_in_frame
from unjudged.formats.scan import scanner
from unjudged.formats.streams import STANDARD_INPUT, without_links
from unjudged.formats.tables import Matched
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.coverage import in_order
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run, RunSource

if TYPE_CHECKING:
    from unjudged.uncertainty.shared import SharedRankings


@dataclass(eq=False, repr=False)
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

    judgments: Final[Judgments]
    runs: Final[dict[str, RunSource]]
    library: Final[str] = ""
    """Where frames went in, the library they are of."""
    on_read: Final[Callable[[str], None] | None] = None
    _shared: dict[float, SharedRankings] = field(init=False, default_factory=dict)

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
            if qrels.judgments.scale is not None and not fractions:
                Judgments.of(qrels.judgments)  # says which grade is a fraction
            return qrels if on_read is None else replace(qrels, on_read=on_read)
        judgments = Judgments.with_fractions(qrels) if fractions else Judgments.of(qrels)
        named = name_runs(cast("RunsSource", runs), names)
        library = ""
        for source in (runs, *named.values(), qrels):
            if kind_of_source(source) == FRAME:
                library = library_of(source)
                break
        return cls(judgments, in_order(judgments, named), library, on_read)

    @computed_once
    def rankings(self) -> JudgedRankings:
        """Judged documents of the runs; these are streamed, not kept."""
        if inf in self._shared:
            return self._shared[inf].judged_rankings
        return judged_rankings(self.judgments, self.runs, on_read=self.on_read)

    def shared(self, depth: float = inf) -> SharedRankings:
        """Return the rankings over one pool that has every document which the runs retrieve, to a depth."""
        from unjudged.uncertainty.shared import SharedRankings

        if depth not in self._shared:
            self._shared[depth] = SharedRankings.of(self.judgments, self.runs, self.on_read, depth)
        return self._shared[depth]

    def by_whole_grades(self, measures: Sequence[Measure]) -> tuple[Collection, list[Measure]]:
        """Return collection and measures by whole grades, which stand for fractions if there are any."""
        scale = self.judgments.scale
        if scale is None:
            return self, list(measures)
        whole = replace(self, judgments=self.judgments.by_whole_grades())
        return whole, [measure.on_scale(scale) for measure in measures]

    def loaded(self) -> Collection:
        """Return the same with every run in memory, for what needs all of its documents."""
        runs: dict[str, RunSource] = {}
        for name, source in self.runs.items():
            runs[name] = Run.of(source)
            if self.on_read is not None and not isinstance(source, Run):
                self.on_read(name)
        return replace(self, runs=runs, on_read=None)

    def __repr__(self) -> str:
        return f"Collection({len(self.judgments.queries)} queries, {len(self.runs)} runs)"


def judged_rankings(
    judgments: Judgments,
    runs: Mapping[str, RunSource],
    *,
    on_read: Callable[[str], None] | None = None,
) -> JudgedRankings:
    """Match every run once: dicts directly, anything else by way of a table."""
    return JudgedRankings.of(judgments, _matched(judgments, runs, on_read))


def _matched(
    judgments: Judgments, runs: Mapping[str, RunSource], on_read: Callable[[str], None] | None
) -> Iterator[Matched]:
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


SUFFIXES = (
    *(".gz", ".xz", ".zst", ".run", ".txt", ".trec", ".tsv", ".res"),
    *(".csv", ".json", ".jsonl", ".parquet", ".arrow", ".feather", ".ipc"),
)

Names = Literal["file", "tag"]
RunsSource = RunSource | Sequence[RunSource] | Mapping[str, RunSource]


def name_runs(runs: RunsSource, names: Names = "file") -> dict[str, RunSource]:
    """A name for every run: the key it has, else its file's name, else a number.

    A column `run`, `run_id` or `system` of a frame or a file with a header names the run of each row. With
    names="tag" the tag of a run names it: the sixth column of TREC text, or a column `tag`.
    """
    if names not in ("file", "tag"):
        raise UsageError(f"names is {names!r}, expected 'file' or 'tag'")
    one = is_one_source(runs)
    if one and type(runs) is dict:  # looking for a name takes longer than to evaluate a few documents
        return {"run 1": runs}
    if isinstance(runs, Mapping) and not one:
        named = {str(name): run for name, run in cast("Mapping[str, RunSource]", runs).items()}
    else:
        several: list[Any] = [runs] if one else list(cast("Sequence[RunSource]", runs))
        several = [file for run in several for file in (expanded(run) if isinstance(run, str) else [run])]
        if not one and several and is_row(several[0]):
            several = [several]  # the rows of one run, from an iterator or as lists
        own: list[tuple[str | None, Any]] = []
        for i, run in enumerate(several, 1):
            with name_in_errors(run, f"run {i}"):
                own += _by_own_name(run, names == "tag")
        named = by_own_names(own)
    if not named:
        raise UsageError("no run given, expected at least one")
    return named


def _by_own_name(run: Any, by_tag: bool) -> list[tuple[str | None, Any]]:
    """Return the run with the name that it carries itself, or several if a column names them."""
    if kind_of_source(run) == FILE:
        if by_tag and os.fspath(run) == STANDARD_INPUT:
            raise UsageError("a run from standard input cannot be named by its tag: write it to a file first")
        return [*(runs_in_file(run, by_tag) or {}).items()] or [(None, run)]
    split = runs_in_frame(run, by_tag) if is_frame(run) else None
    return [(None, run)] if split is None else list(split.items())


def by_own_names(sources: Sequence[tuple[str | None, Any]]) -> dict[str, Any]:
    """Return sources by name: as given, else that of the file, with folders if two are alike, or a number."""
    found = [name or file_name(one) or f"run {i}" for i, (name, one) in enumerate(sources, 1)]
    if len(set(found)) < len(found):
        _refuse_one_file_twice(one for _, one in sources)
        found = [name or _longer_name(one) or f"run {i}" for i, (name, one) in enumerate(sources, 1)]
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise UsageError(f"run {twice!r} is given twice")
    return dict(zip(found, (one for _, one in sources), strict=True))


def _refuse_one_file_twice(runs: Iterable[Any]) -> None:
    """Refuse a file that has two names, such as `a.run` and `./a.run`."""
    files: dict[str, Any] = {}
    for run in runs:
        if file_name(run) and os.fspath(run) != STANDARD_INPUT:
            first = files.setdefault(without_links(run), run)
            if first is not run:
                again = "" if str(first) == str(run) else f", the second time as {str(run)!r}"
                raise UsageError(f"run {str(first)!r} is given twice{again}")


def _longer_name(run: Any) -> str | None:
    return str(run) if file_name(run) else None


def file_name(run: Any) -> str | None:
    """`bm25` for `results/bm25.run.gz`."""
    if kind_of_source(run) != FILE:
        return None
    if os.fspath(run) == STANDARD_INPUT:
        return "standard input"
    name = Path(run).name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix) or name
    return name
