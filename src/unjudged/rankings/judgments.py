"""Judgments: every document that has a line in the qrels, with its state."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import UsageError
from unjudged.formats import matching
from unjudged.formats.inputs import name_in_errors, table_of_source
from unjudged.formats.readers.frames import Frame
from unjudged.formats.roles import Layout
from unjudged.formats.scan.scanner import Index
from unjudged.formats.tables import Ids, Table

UNSAMPLED: Final = -1
"""The grade of a document that is pooled and not judged; so is any other negative grade of a file."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """What is known of the documents of each query.

    A document with a row here is judged (`grade` >= 0) or pooled and not judged (`grade` < 0); a
    document without one was not pooled. The rows of query q are `offsets[q]` to `offsets[q + 1]`.

    Where the judged documents are a sample, `stratum` says which part of the pool a document belongs
    to and `probability` how likely it was to be drawn (not a number where that is not known); either
    is None where the file does not say.

    >>> judgments = Judgments.of({"q1": {"d1": 1, "d2": 0, "d3": -1}})
    >>> judgments
    Judgments(1 query, 2 judged documents, 1 relevant, 1 pooled but not judged)
    """

    queries: Ids
    offsets: NDArray[np.int64]
    documents: Ids
    grade: NDArray[np.int32]
    index: Index
    stratum: NDArray[np.int32] | None = None
    probability: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, source: JudgmentsSource, **columns: str) -> Judgments:
        """From a file, a frame, `{query: {document: grade}}`, or (query, document, grade) rows.

        Columns of a frame are recognised by the names that ir_measures, PyTerrier and BEIR use. Name
        others yourself: `Judgments.of(frame, query="topic", document="url", grade="stars")`.
        """
        if isinstance(source, Judgments):
            return source
        table, layout = table_of_source(source, "grade", columns, "judgments")
        with name_in_errors(source, "judgments"):
            return cls.from_table(table, layout)

    @classmethod
    def read(cls, path: str | os.PathLike[str], **columns: str) -> Judgments:
        """From a file; `-` is standard input, `irds:<id>` a dataset of ir_datasets.

        Parquet, Arrow, CSV or TSV with a header (BEIR's qrels) and JSON dictionaries are recognised by their
        first bytes; `columns` works as for `of`. TREC text is recognised by its columns:

        - four, `query iteration document grade`: qrels;
        - five, `query iteration document stratum grade`: a stratified sample, as sample_eval takes it;
        - five, `query document grade method probability`: a sample with inclusion probabilities (prels),
          as statAP's script takes it. Methods 0 and 2 judged every document they chose: probability 1.
        """
        return cls.of(path, **columns)

    @classmethod
    def from_table(cls, table: Table, layout: Layout, index: Index | None = None) -> Judgments:
        """From a table whose numbers are those of the layout, each query's rows together."""
        column = {name: table.numbers[:, i] for i, name in enumerate(layout.numbers)}
        stratum, probability = column.get("stratum"), column.get("probability")
        if probability is not None:
            certain = np.isin(column.get("method", np.ones(1)), (0, 2))
            probability = np.where(certain, 1.0, probability)
        return cls(
            table.queries,
            table.starts,
            table.documents,
            column["grade"].astype(np.int32),
            index or matching.index(table),
            None if stratum is None else stratum.astype(np.int32),
            probability,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "index"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """To another process travel the columns; the index is made there."""
        self.__dict__.update(state)
        self.__dict__["index"] = matching.index_of(self.queries, self.offsets, self.documents)

    def with_grades(self, grade: NDArray[np.int32]) -> Judgments:
        """The same pool with other grades: one for every row."""
        if np.shape(grade) != self.grade.shape:
            raise UsageError(f"expected {len(self.grade)} grades, one a row, got {np.shape(grade)}")
        return replace(self, grade=np.asarray(grade, np.int32))

    def count(self, low: float, high: float = np.inf) -> NDArray[np.int64]:
        """How many documents of each query have a grade from `low` to just below `high`."""
        if (low, high) not in self._counts:
            chosen = (self.grade >= low) & (self.grade < high)
            before = np.concatenate([[0], np.cumsum(chosen)])
            counts = np.diff(before[self.offsets])
            counts.flags.writeable = False
            self._counts[low, high] = counts
        return self._counts[low, high]

    @cached_property
    def _counts(self) -> dict[tuple[float, float], NDArray[np.int64]]:
        """What was counted before: most measures need the same."""
        return {}

    @property
    def query(self) -> NDArray[np.int64]:
        """The query of each row."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    @cached_property
    def sampled_share(self) -> NDArray[np.float64]:
        """The judged share of each query's pool."""
        return self.count(0) / np.maximum(np.diff(self.offsets), 1)

    @cached_property
    def inclusion(self) -> NDArray[np.float64]:
        """How likely each document was to be judged: as recorded, else the judged share of its stratum.

        Without strata the pool is one: right for a uniform sample. Not a number where a document was not
        drawn.
        """
        known = self._judged_share if self.probability is None else self.probability
        return np.where(self.grade >= 0, known, np.nan)

    @property
    def _judged_share(self) -> NDArray[np.float64]:
        """For each row, the judged share of its query's stratum."""
        strata, stratum = np.unique([0] if self.stratum is None else self.stratum, return_inverse=True)
        cell = self.query * len(strata) + stratum
        sizes = np.bincount(cell)
        judged = np.bincount(cell[self.grade >= 0], minlength=len(sizes))
        share: NDArray[np.float64] = judged[cell] / sizes[cell]
        return share

    def __repr__(self) -> str:
        judged, relevant = int((self.grade >= 0).sum()), int((self.grade >= 1).sum())
        queries = f"{len(self.queries)} {'query' if len(self.queries) == 1 else 'queries'}"
        left = f"{len(self.grade) - judged} pooled but not judged"
        return f"Judgments({queries}, {judged} judged documents, {relevant} relevant, {left})"


JudgmentsSource = (
    Judgments
    | str
    | os.PathLike[str]
    | Frame
    | Mapping[str, Mapping[str, int]]
    | Iterable[tuple[str, str, int]]
)
