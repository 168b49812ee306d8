"""Runs: the rankings of one system, best document first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import counted
from unjudged.data import matching
from unjudged.data.frames import Frame, is_frame, runs_in_frame
from unjudged.data.matching import InPieces
from unjudged.data.scan import scanner
from unjudged.data.sources import (
    FILE,
    expanded,
    is_one_source,
    is_row,
    kind_of_source,
    name_in_errors,
    runs_in_file,
    table_of_source,
)
from unjudged.data.streams import STANDARD_INPUT, without_links
from unjudged.data.tables import NO_LINES, Ids, Table


@dataclass(eq=False, repr=False)
class Run:
    """Documents of each query, best first: score descending, ties by document descending.

    The documents of `queries[i]` are `documents[offsets[i]]` to `documents[offsets[i + 1] - 1]`.

    >>> run = Run.read({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}})
    >>> run.ranking("q1")
    ['d2', 'd3', 'd1']
    """

    queries: Ids
    offsets: Integers
    documents: Ids
    scores: Floats

    @classmethod
    def read(cls, source: RunSource, **columns: str) -> Run:
        """Read a file, a frame, `{query: {document: score}}`, or (query, document, score) rows.

        Parameters
        ----------
        source
            Where the rankings are. TREC text has six columns, `query iteration document rank score tag`; `-`
            is standard input.
        columns
            Names of columns by role, where they are not those that ir_measures, PyTerrier and BEIR use:
            `Run.read(frame, query="topic", document="url", score="similarity")`.
        """
        if isinstance(source, Run):
            return source
        table = run_table(source, **columns)
        with name_in_errors(source, "run"):
            return cls.from_table(table)

    @classmethod
    def from_table(cls, table: Table) -> Run:
        """Take a table that has each query's rows together; a document listed twice is an error."""
        matching.index(table)
        order = scanner.best_first(table)
        names = scanner.take_names(table.documents, order)
        return cls(table.queries, table.starts, names, table.numbers[order, 0])

    @classmethod
    def from_arrays(
        cls, documents: Any = None, scores: Any = None, *, queries: Any = None, names: Any = None
    ) -> Run:
        """Take arrays with a row per query, as faiss, hnswlib and `torch.topk` give the best documents.

        `documents` are row numbers, which `names` gives names, or names. -1 (None among names) fills up a
        query that has fewer documents, and a score of -inf means that a document was not retrieved. Without
        `scores` the documents are ranked as they stand. Without `documents`, `scores` is a matrix with a
        column per document. `queries` are the names of the rows; they are numbers from 0 otherwise.

        Anything with `__array__` or DLPack will do, and lists. The highest score is best: give distances
        as `-distances`.

        >>> Run.from_arrays([[2, 0], [1, -1]], [[0.9, 0.4], [0.7, 0]], names=["a", "b", "c"]).ranking("0")
        ['c', 'a']
        """
        from unjudged.data.arrays import rows_of_arrays

        return _ArrayRun(*rows_of_arrays(documents, scores, "score", queries, names))

    @property
    def table(self) -> Table:
        """Same rankings as a table."""
        return Table(self.queries, self.offsets, self.documents, self.scores[:, None], NO_LINES)

    def ranking(self, query: str) -> list[str]:
        """Return the documents of one query, best first."""
        if query not in self.queries:
            raise InputError(f"the run has no query {query!r}")
        i = self.queries.index(query)
        return [self.documents[row] for row in range(self.offsets[i], self.offsets[i + 1])]

    def text(self, tag: str) -> str:
        """Return `query Q0 document rank score tag`, best first, every score with all its digits."""
        from unjudged.data.writing import checked_word, document_id, query_id

        checked_word(tag, "run name")
        lines, documents, scores = list[str](), list(self.documents), self.scores.tolist()
        for query, span in zip(self.queries, pairwise(self.offsets.tolist()), strict=True):
            start = f"{query_id(query)} Q0"
            for rank, row in enumerate(range(*span), 1):
                lines.append(f"{start} {document_id(documents[row])} {rank} {scores[row]!r} {tag}\n")
        return "".join(lines)

    def __repr__(self) -> str:
        queries = counted(len(self.queries), "query")
        return f"Run({queries}, {len(self.documents)} documents)"


class _ArrayRun(Run):
    """Arrays, which are ranked only if someone asks for whole rankings: matching does not need that."""

    def __init__(self, queries: Ids, rows: InPieces) -> None:
        self.__dict__.update(queries=queries, rows=rows)

    def __getattr__(self, name: str) -> Any:
        if name not in ("offsets", "documents", "scores"):
            raise AttributeError(name)
        self.__dict__.update(Run.from_table(self.table).__dict__)
        return self.__dict__[name]

    @property
    def table(self) -> Table:
        rows: InPieces = self.__dict__["rows"]
        return rows.table()

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.queries, self.offsets, self.documents, self.scores)


RunSource = (
    Run
    | str
    | os.PathLike[str]
    | Frame
    | Mapping[Any, Mapping[Any, Any] | Sequence[Any]]
    | Iterable[tuple[Any, Any, float] | Mapping[str, Any]]
)


def run_table(source: RunSource, name: str = "run", **columns: str) -> Table:
    """Return the rankings of any source as a table, not sorted; `name` is what errors call data in memory."""
    return table_of_source(source, "score", columns, name)[0]


SUFFIXES = (
    *(".gz", ".xz", ".zst", ".run", ".txt", ".trec", ".tsv", ".res"),
    *(".csv", ".json", ".jsonl", ".parquet", ".arrow", ".feather", ".ipc"),
)

RunsSource = RunSource | Sequence[RunSource] | Mapping[str, RunSource]


def name_runs(runs: RunsSource) -> dict[str, RunSource]:
    """Name every run: by the key it has, else its file's name, else a number.

    A column `run`, `run_id` or `system` of a frame or a file with a header names the run of each row.
    """
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
                own += _by_own_name(run)
        named = by_own_names(own)
    if not named:
        raise UsageError("no run given, expected at least one")
    for name, run in named.items():
        if re.search("float|int", str(getattr(run, "dtype", ""))):
            problem = f"{name} is an array, expected names of queries and documents"
            raise UsageError(f"{problem}: Run.from_arrays(documents, scores, names=...) gives them")
    return named


def _by_own_name(run: Any) -> list[tuple[str | None, Any]]:
    """Return the run with the name that it carries itself, or several if a column names them."""
    if kind_of_source(run) == FILE:
        return [*(runs_in_file(run) or {}).items()] or [(None, run)]
    split = runs_in_frame(run) if is_frame(run) else None
    return [(None, run)] if split is None else list(split.items())


def by_own_names(sources: Sequence[tuple[str | None, Any]]) -> dict[str, Any]:
    """Return sources by name: as given, else the file's name, with folders if two are alike, or a number."""
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
    name: str = os.path.basename(os.path.normpath(run))
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix) or name
    return name
