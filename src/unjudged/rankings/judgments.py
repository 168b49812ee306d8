"""Judgments: every document that has a line in the qrels, with its state."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import InputError, UsageError
from unjudged.formats import matching, trec
from unjudged.formats.columns import Ids
from unjudged.formats.memory import table_of
from unjudged.formats.scanner import Index

UNSAMPLED: Final = -1
"""The grade of a document that is pooled and not judged; so is any other negative grade of a file."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """What is known of the documents of each query.

    A document with a row here is judged (`grade` >= 0) or pooled and not judged (`grade` < 0); a
    document without one was not pooled. The rows of query q are `offsets[q]` to `offsets[q + 1]`.

    >>> judgments = Judgments.of({"q1": {"d1": 1, "d2": 0, "d3": -1}})
    >>> judgments
    Judgments(1 query, 2 judged documents, 1 relevant, 1 pooled but not judged)
    """

    queries: Ids
    offsets: NDArray[np.int64]
    documents: Ids
    grade: NDArray[np.int32]
    index: Index

    @classmethod
    def of(cls, source: JudgmentsSource) -> Judgments:
        """From a file, `{query: {document: grade}}`, or (query, document, grade) tuples."""
        if isinstance(source, Judgments):
            return source
        if isinstance(source, str | os.PathLike):
            return cls.read(source)
        table = table_of(source, "grade")
        if not len(table.documents):
            raise InputError("the judgments are empty, expected at least one judged document")
        return cls._from(table, matching.index(table))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Judgments:
        """From a file of four columns, `query iteration document grade`; `-` is standard input."""
        return cls._from(*trec.read_qrels(path))

    @classmethod
    def _from(cls, table: Any, index: Index) -> Judgments:
        grade = table.numbers[:, 0].astype(np.int32)
        return cls(table.queries, table.starts, table.documents, grade, index)

    def with_grades(self, grade: NDArray[np.int32]) -> Judgments:
        """The same pool with other grades: one for every row."""
        if np.shape(grade) != self.grade.shape:
            raise UsageError(f"expected {len(self.grade)} grades, one a row, got {np.shape(grade)}")
        return replace(self, grade=np.asarray(grade, np.int32))

    def count(self, low: float, high: float = np.inf) -> NDArray[np.int64]:
        """How many documents of each query have a grade from `low` to just below `high`."""
        chosen = (self.grade >= low) & (self.grade < high)
        before = np.concatenate([[0], np.cumsum(chosen)])
        return np.diff(before[self.offsets])

    def __repr__(self) -> str:
        judged, relevant = int((self.grade >= 0).sum()), int((self.grade >= 1).sum())
        queries = f"{len(self.queries)} {'query' if len(self.queries) == 1 else 'queries'}"
        left = f"{len(self.grade) - judged} pooled but not judged"
        return f"Judgments({queries}, {judged} judged documents, {relevant} relevant, {left})"


JudgmentsSource = (
    Judgments | str | os.PathLike[str] | Mapping[str, Mapping[str, int]] | Iterable[tuple[str, str, int]]
)
