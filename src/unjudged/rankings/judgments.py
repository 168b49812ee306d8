"""Judgments: every document that has a line in the qrels, with its state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.lazy import computed_once
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.base.wording import counted
from unjudged.data.columns import IS_IT_A_RUN, QRELS, Layout, expected
from unjudged.data.frames import Frame
from unjudged.data.scan import scanner
from unjudged.data.scan.scanner import Index
from unjudged.data.sources import FILE, kind_of_source, name_in_errors, table_of_source
from unjudged.data.tables import Ids, Table
from unjudged.rankings.origin import (
    A_POOL,
    UNIFORM,
    UNKNOWN,
    DrawOrder,
    Origin,
    kind_by_columns,
)
from unjudged.rankings.pooled import PooledDocuments, fingerprint, hashes, mixed, salt

UNSAMPLED: Final = -1
"""The grade of a document that is pooled but not judged; every negative grade counts as this one."""
CANNOT_JUDGE: Final = -2
"""The answer "cannot judge": no grade, so the document counts as not judged, but nobody is asked again."""
SAMPLE: Final = "# unjudged-sample "
"""How the file of a sample begins that records what was drawn."""


@dataclass(eq=False, repr=False)
class Judgments:
    """Grades of the documents of each query, and how they were judged.

    A document with a row here is judged (`grade` >= 0) or pooled but not judged (`grade` < 0); a document
    without a row was not pooled. Grade -2 is the answer "cannot judge": people looked at the document, so it
    is not judged and `waiting` is False.

    Where the judged documents are a sample, `stratum` is the part of the pool that a document belongs to and
    `probability` the probability with which it was drawn (NaN where unknown). Either is None where the file
    does not record it. `drawn` are the documents that people were asked to judge, where some still
    wait for their grades; None where none does. `frame` is the random order in which documents are judged,
    where there is one. `origin` says how the judgments were made, and so what can be computed from them.

    A grade is a place among those that occur: `grade` g stands for the gain `scale[g]`, from 0 upwards, so
    that fractions are kept exactly. `scale` is None where grades are whole numbers, which are their gains.

    >>> judgments = Judgments.read({"q1": {"d1": 1, "d2": 0, "d3": -1}})
    >>> judgments
    Judgments(1 query, 2 judged documents, 1 relevant, 1 pooled but not judged)
    """

    pooled: Final[PooledDocuments]
    grade: Final[NDArray[np.int32]]
    stratum: Final[NDArray[np.int32] | None] = None
    probability: Final[Floats | None] = None
    origin: Final[Origin] = A_POOL
    scale: Final[Floats | None] = None
    drawn: Final[Mask | None] = None
    frame: Final[DrawOrder | None] = None
    _once: dict[tuple[Any, ...], NDArray[Any]] = field(init=False, repr=False, default_factory=dict)
    queries: Ids = field(init=False, repr=False)
    documents: Ids = field(init=False, repr=False)
    offsets: Integers = field(init=False, repr=False)
    """Row at which each query begins, then the number of rows."""

    def __post_init__(self) -> None:
        pooled = self.pooled
        self.queries, self.documents, self.offsets = pooled.queries, pooled.documents, pooled.offsets

    @classmethod
    def read(cls, source: JudgmentsSource, **columns: str) -> Judgments:
        """Read a file, a frame, `{query: {document: grade}}`, or (query, document, grade) rows.

        A file is Parquet, Arrow, CSV or TSV with a header, JSON, or TREC text, whatever its name; `-` is
        standard input, `irds:<id>` a dataset of ir_datasets. TREC text is recognised by its columns:

        - four, `query iteration document grade`: qrels;
        - five, `query iteration document stratum grade`: a stratified sample, as sample_eval reads it;
        - five, `query document grade method probability`: a sample with inclusion probabilities (prels), as
          statAP's script reads it. Methods 0 and 2 judged every document they chose: probability 1.

        The file of a sample that `next` drew says so in its first line.

        Parameters
        ----------
        source
            Where the grades are.
        columns
            Names of columns by role, where they are not those that ir_measures, PyTerrier and BEIR use:
            `Judgments.read(frame, query="topic", document="url", grade="stars")`.
        """
        if isinstance(source, Judgments):
            return source
        if is_sample_file(source):
            found: Judgments = import_module("unjudged.rankings.sample_file").read_sample(source)
            return found
        table, layout = table_of_source(source, "grade", columns, "judgments")
        if table.keys is not None:  # of plain dicts, in which nothing can be repeated
            return cls.from_table(table, layout)
        with name_in_errors(source, "judgments"):
            return cls.from_table(table, layout)

    @classmethod
    def whole(cls, source: JudgmentsSource) -> Judgments:
        """Return judgments whose grades mean the same as in others: whole numbers, no fractions."""
        found = cls.read(source)
        if found.scale is None:
            return found
        gain = found.scale[np.maximum(found.grade, 0)]
        row = int(np.argmax(gain % 1 > 0))
        query, document = map(quoted, found.pooled.names(np.array([row]))[0])
        problem = f"the grade of document {document} of query {query} is '{gain[row]:g}'"
        with name_in_errors(source, "judgments"):
            raise InputError(f"{problem}, expected {expected('grade')}: round them; {IS_IT_A_RUN}")

    @classmethod
    def from_arrays(
        cls, documents: Any = None, grades: Any = None, *, queries: Any = None, names: Any = None
    ) -> Judgments:
        """Take arrays with a row per query, as `Run.from_arrays` takes them.

        Without `documents`, `grades` is a matrix of labels with a column per document, as scikit-learn's
        `ndcg_score` takes it; NaN means that a document has no judgment. Without `grades` they are 1.

        >>> Judgments.from_arrays(grades=[[3, 0, -1], [0, 1, float("nan")]])
        Judgments(2 queries, 4 judged documents, 2 relevant, 1 pooled but not judged)
        """
        from unjudged.data.arrays import rows_of_arrays

        _, rows = rows_of_arrays(documents, grades, "grade", queries, names)
        return cls.from_table(rows.table(), QRELS)

    @classmethod
    def from_table(cls, table: Table, layout: Layout, index: Index | None = None) -> Judgments:
        """Take a table with the columns of the layout, in which each query's rows are together."""
        column = {name: table.numbers[:, k] for k, name in enumerate(layout.numbers)}
        stratum, probability = column.get("stratum"), column.get("probability")
        if probability is not None:
            certain = np.isin(column.get("method", np.ones(1)), (0, 2))
            probability = np.where(certain, 1.0, probability)
        grade, scale = _places_and_gains(column["grade"], table.extent is not None)
        form = "prels" if probability is not None else "qrels" if stratum is None else "strata"
        lowest, highest = table.extent or (UNSAMPLED, None)
        pooled_only = lowest < 0 and UNSAMPLED in grade
        made = cls(
            PooledDocuments.from_table(table, index),
            grade,
            None if stratum is None else stratum.astype(np.int32),
            probability,
            Origin.read(layout.marks, kind_by_columns(form, pooled_only=pooled_only)),
            scale,
        )
        if highest is not None:
            made.highest = max(highest, 0)
        return made

    def as_table(self) -> Table:
        """Return the documents and their grades as a table."""
        return self.pooled.table(self.grade)

    def with_grades(self, grade: NDArray[np.int32]) -> Judgments:
        """Return the same pool with other grades, one per row."""
        given = np.asarray(grade)
        if given.shape != self.grade.shape:
            raise UsageError(f"expected {len(self.grade)} grades, one per row, got an array of {given.shape}")
        if given.dtype == np.int32:
            return replace(self, grade=given)
        low, high = int(np.iinfo(np.int32).min), int(np.iinfo(np.int32).max)
        if given.dtype.kind not in "iub" or given.min(initial=0) < low or given.max(initial=0) > high:
            raise UsageError(f"expected grades that are whole numbers from {low} to {high}")
        return replace(self, grade=given.astype(np.int32))

    def of_queries(self, chosen: Mask) -> Judgments:
        """Return the judgments of some queries."""
        rows = chosen[self.query]
        made = Judgments(
            self.pooled.of_queries(chosen), self.grade[rows], origin=self.origin, scale=self.scale
        )
        columns = ("stratum", "probability", "drawn")
        known = {name: column[rows] for name in columns if (column := getattr(self, name)) is not None}
        return replace(made, **known, frame=None if self.frame is None else self.frame.take(rows))

    def count(self, low: float, high: float = np.inf) -> Integers:
        """How many documents of each query have a grade from `low` to just below `high`."""
        return self.once(_count, low, high)

    def once(self, function: Callable[..., NDArray[Any]], *parameters: Any) -> NDArray[Any]:
        """`function(self, *parameters)`, computed once: many measures and rankings need the same arrays."""
        try:
            found = self._once.get((function, parameters))
        except TypeError:  # a parameter that cannot be hashed, such as gains by grade
            return function(self, *parameters)
        if found is None:
            found = self._once[function, parameters] = function(self, *parameters)
            found.setflags(write=False)
        return found

    @computed_once
    def highest(self) -> int:
        """Highest grade; 0 if none is above."""
        return int(np.maximum.reduce(self.grade, initial=0))

    @property
    def query(self) -> Integers:
        """Query of each row."""
        return self.pooled.query

    @property
    def index(self) -> Index:
        """The documents of each query, found by name."""
        return self.pooled.index

    @property
    def recorded(self) -> bool:
        """Whether strata, probabilities or an order say how each document was drawn."""
        return any(column is not None for column in (self.stratum, self.probability, self.frame))

    @property
    def waiting(self) -> Mask:
        """Rows that have no answer: neither a grade nor "cannot judge"."""
        waiting: Mask = (self.grade < 0) & (self.grade != CANNOT_JUDGE)
        return waiting

    @property
    def unanswered(self) -> str:
        """Say which drawn documents wait for their grades; nothing if none does."""
        if self.drawn is None:
            return ""
        waiting = np.flatnonzero(self.drawn & self.waiting)
        ((query, document),) = self.pooled.names(waiting[:1])
        several = "1 drawn document is" if len(waiting) == 1 else f"{len(waiting):,} drawn documents are"
        example = f"document {document!r} of query {query!r}"
        return f"{several} not judged yet, such as {example}: the estimate needs all of them"

    @cached_property
    def sampled_share(self) -> Floats:
        """Judged share of each query's pool."""
        return self.count(0) / np.maximum(np.diff(self.offsets), 1)

    @cached_property
    def inclusion(self) -> Floats:
        """Probability with which each document was judged: as recorded, else its stratum's judged share.

        Without strata the pool counts as one stratum, which is right for a uniform sample. NaN where a
        document was not drawn.
        """
        return np.where(self.grade >= 0, self._rate, np.nan)

    @property
    def _rate(self) -> Floats:
        if self.probability is not None:
            return self.probability
        return self.pooled.judged_share(self.grade >= 0, self.stratum)

    @cached_property
    def topics(self) -> str:
        """A fingerprint of the queries' names."""
        return fingerprint(hashes(self.queries, salt("query")))

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint of queries, documents and grades; their order does not matter."""
        query = mixed(hashes(self.queries, salt("query")))[self.query]
        document = hashes(self.documents, salt("document"))
        return fingerprint(mixed(query ^ document) + self.grade.astype(np.uint64))

    @cached_property
    def even(self) -> bool:
        """Whether all documents of a query were equally likely to be judged."""
        rate = self._rate
        first = np.minimum(self.offsets[:-1], max(len(rate) - 1, 0))
        return bool((rate == rate[first][self.query]).all()) if len(rate) else True

    def text(self, comments: Iterable[str] = ()) -> str:
        """Return the judgments as qrels, -1 for a document that is pooled but not judged.

        A further comment says how the judgments were made, where that cannot be seen in the grades.
        """
        from unjudged.data.writing import qrels_text

        if self.scale is not None:
            raise UsageError("judgments with fractional grades cannot be written: round them first")
        told, origin = kind_by_columns("qrels", pooled_only=UNSAMPLED in self.grade), self.origin
        if origin.sampled and told == UNIFORM:
            origin = replace(origin, kind=told if origin.kind == told or self.even else UNKNOWN)
        marks = [] if origin == Origin(told) else [origin.mark(judged=bool((self.grade >= 0).any()))]
        names = self.pooled.names(np.arange(len(self.grade)))
        rows = ((*name, grade) for name, grade in zip(names, self.grade.tolist(), strict=True))
        return qrels_text(rows, [*comments, *marks])

    def __getstate__(self) -> dict[str, Any]:
        """Only the columns are pickled, so that equal judgments give the same bytes."""
        return {column.name: getattr(self, column.name) for column in fields(self) if column.init}

    def __setstate__(self, columns: dict[str, Any]) -> None:
        self.__init__(**columns)  # type: ignore[misc]

    def __repr__(self) -> str:
        judged, relevant = int((self.grade >= 0).sum()), int((self.grade >= 1).sum())
        known = f"{counted(len(self.queries), 'query')}, {judged} judged documents, {relevant} relevant"
        unable = int((self.grade == CANNOT_JUDGE).sum())
        further = f", of which {unable} cannot be judged" if unable else ""
        return f"Judgments({known}, {len(self.grade) - judged} pooled but not judged{further})"


def is_sample_file(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this is the file of a sample; pipes are left alone, because they can be read only once."""
    if kind_of_source(source) != FILE or not os.path.isfile(source):
        return False
    with suppress(OSError), open(source, "rb") as stream:
        return stream.read(len(SAMPLE)) == SAMPLE.encode()
    return False


def answers_in(grade: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return grades, -2 for "cannot judge", and -1 for every other negative number."""
    return np.where(grade == CANNOT_JUDGE, grade, np.maximum(grade, UNSAMPLED)).astype(np.int32)


def _places_and_gains(grades: Floats, whole: bool) -> tuple[NDArray[np.int32], Floats | None]:
    """Return the place of each grade among the gains from 0 upwards, and these gains, None if all are whole.

    `whole` says that they are.
    """
    if whole or not (grades % 1).any():
        return grades.astype(np.int32), None
    scale = np.unique(np.append(np.maximum(grades, 0.0), 0.0))
    return np.where(grades < 0, grades, np.searchsorted(scale, grades)).astype(np.int32), scale


def _count(judgments: Judgments, low: float, high: float) -> Integers:
    """Count each query's judgments with a grade in a range."""
    return scanner.count_grades(judgments.grade, judgments.pooled.offsets, low, high)


JudgmentsSource = (
    Judgments
    | str
    | os.PathLike[str]
    | Frame
    | Mapping[Any, Mapping[Any, float] | Sequence[Any] | AbstractSet[Any]]
    | Iterable[tuple[Any, Any, float] | Mapping[str, Any]]
)
