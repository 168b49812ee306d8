"""Runs: the rankings of one system, best document first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.base.wording import counted
from unjudged.data import matching
from unjudged.data.arrays import rows_of_arrays
from unjudged.data.frames import Frame
from unjudged.data.matching import InPieces
from unjudged.data.scan import scanner
from unjudged.data.sources import name_in_errors, table_of_source
from unjudged.data.tables import Ids, Table


@dataclass(frozen=True, eq=False)
class Run:
    """Documents of each query, best first: score descending, ties by document descending.

    The documents of `queries[i]` are `documents[offsets[i]]` to `documents[offsets[i + 1] - 1]`.

    >>> run = Run.of({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}})
    >>> run.ranking("q1")
    ['d2', 'd3', 'd1']
    """

    queries: Ids
    offsets: NDArray[np.int64]
    documents: Ids
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, source: RunSource, **columns: str) -> Run:
        """From a file, a frame, `{query: {document: score}}`, or (query, document, score) rows.

        Columns of a frame are recognised by the names that ir_measures, PyTerrier and BEIR use. Name
        others yourself: `Run.of(frame, query="topic", document="url", score="similarity")`.
        """
        if isinstance(source, Run):
            return source
        table = run_table(source, **columns)
        with name_in_errors(source, "run"):
            return cls.of_table(table)

    @classmethod
    def of_table(cls, table: Table) -> Run:
        """From a table that has each query's rows together; a document listed twice is an error."""
        matching.index(table)
        order = scanner.best_first(table)
        return cls(table.queries, table.starts, table.documents.take(order), table.numbers[order, 0])

    @classmethod
    def read(cls, path: str | os.PathLike[str], **columns: str) -> Run:
        """From a file of six columns, `query iteration document rank score tag`; `-` is standard input."""
        return cls.of(path, **columns)

    @classmethod
    def from_arrays(
        cls, documents: Any = None, scores: Any = None, *, queries: Any = None, names: Any = None
    ) -> Run:
        """From arrays with a row per query, as faiss, hnswlib and `torch.topk` give the best documents.

        `documents` are row numbers, which `names` gives names, or names. -1 (None among names) fills up a
        query that has fewer documents, and a score of -inf means that a document was not retrieved. Without
        `scores` the documents are ranked as they stand. Without `documents`, `scores` is a matrix with a
        column per document. `queries` are the names of the rows; they are numbers from 0 otherwise.

        Anything with `__array__` or DLPack will do, and lists. The highest score is best: give distances
        as `-distances`.

        >>> Run.from_arrays([[2, 0], [1, -1]], [[0.9, 0.4], [0.7, 0]], names=["a", "b", "c"]).ranking("0")
        ['c', 'a']
        """
        return _ArrayRun(*rows_of_arrays(documents, scores, "score", queries, names))

    @property
    def table(self) -> Table:
        """Same rankings as a table."""
        return Table(self.queries, self.offsets, self.documents, self.scores[:, None], np.zeros(0, np.int64))

    def ranking(self, query: str) -> list[str]:
        """Return the documents of one query, best first."""
        if query not in self.queries:
            raise InputError(f"the run has no query {query!r}")
        i = self.queries.index(query)
        return [self.documents[row] for row in range(self.offsets[i], self.offsets[i + 1])]

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
        self.__dict__.update(Run.of_table(self.table).__dict__)
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
