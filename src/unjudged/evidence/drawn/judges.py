"""Predictions of relevance by judges: models, click logs or further assessors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.segments import Floats, Mask
from unjudged.base.wording import counted
from unjudged.data.columns import QRELS
from unjudged.data.sources import FILE, FRAME, is_one_source, kind_of_source
from unjudged.data.streams import STANDARD_INPUT, display_name
from unjudged.data.tables import Table
from unjudged.rankings.extension import rows_of
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.runs import Run, RunSource

GRADES, SCORES = "grades", "scores"
KINDS = (GRADES, SCORES)
ONE = "predictions"
"""Name of a judge that has none."""


class Aligned(NamedTuple):
    """Predictions in the order of the judgments' rows, not a number where there is none."""

    value: Floats
    missing: int
    """Rows without a prediction."""
    unused: int
    """Predictions of documents that have no row."""


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Numbers by query and document: the higher, the more relevant.

    `kind` is 'grades' where the numbers are on the scale of the human grades, and 'scores' where they are
    probabilities or any other scores.

    >>> Predictions.of({"q1": {"d1": 0.9, "d2": 0.2}})
    Predictions(1 query, 2 scores)
    """

    table: Table
    kind: str
    name: str = "predictions"
    guessed: bool = False
    """Neither the caller nor the form of the source said which kind it is."""

    @classmethod
    def of(cls, source: PredictionsSource, *, kind: str | None = None, **columns: str) -> Predictions:
        """Read qrels (grades) or a run (scores): a file, a frame, a dict of dicts, or an iterable of tuples.

        A file of four or five columns is qrels, one of six a run. A frame with a column of grades has grades,
        other frames, dicts and tuples have scores; `kind='grades'` overrules this.
        """
        if kind is not None and kind not in KINDS:
            raise UsageError(f"kind is {kind!r}, expected one of {', '.join(KINDS)}")
        made = _made(source, kind, columns)
        if kind == GRADES and made.kind == SCORES:
            value = made.table.numbers[:, 0]
            wrong = value[value != np.floor(value)]
            if len(wrong):
                problem = f"a prediction is {wrong[0]:g}, expected whole numbers as grades"
                raise InputError(problem, source=made.name)
        return made if kind is None else replace(made, kind=kind, guessed=False)

    def notes(self) -> list[str]:
        """Say how the predictions were read, if they could be grades or scores."""
        if not self.guessed or (self.table.numbers[:, 0] % 1).any():
            return []
        other = "say --set predictions.kind=grades (in Python kind='grades') if they are grades"
        return [f"{self.name}: whole numbers, read as scores; {other}."]

    def __repr__(self) -> str:
        queries = counted(len(self.table.queries), "query")
        return f"Predictions({queries}, {len(self.table.documents)} {self.kind})"

    @property
    def value(self) -> Floats:
        """Numbers by row; of grades, not a number where a line has none (-1)."""
        numbers = self.table.numbers[:, 0]
        return np.where(numbers >= 0, numbers, np.nan) if self.kind == GRADES else numbers

    @property
    def are_probabilities(self) -> bool:
        """True for scores that are probabilities as they are."""
        value = self.table.numbers[:, 0]
        return self.kind == SCORES and bool(((value >= 0) & (value <= 1)).all())

    def aligned(self, judgments: Judgments, what: str = "the judgments") -> Aligned:
        """Return values in the order of the judgments' rows; raise InputError if no document is the same."""
        rows = rows_of(judgments, self.table)
        value = np.full(len(judgments.grade), np.nan)
        value[rows[rows >= 0]] = self.value[rows >= 0]
        if not (rows >= 0).any():
            queries = set(judgments.queries.tolist())
            common = [query for query in self.table.queries.tolist() if query in queries]
            ours, theirs, named = self.table.documents[0], judgments.documents[0], "document"
            if not common:
                ours, theirs, named = self.table.queries[0], judgments.queries[0], "query"
            examples = f"{ours!r} in the predictions, {theirs!r} in {what}"
            raise InputError(f"no {named} in common with {what}: for example {examples}", source=self.name)
        return Aligned(value, int(np.isnan(value).sum()), int((rows < 0).sum()))

    def judgments(self, threshold: float | None = None, rel: int = 1) -> Judgments:
        """Return judgments as the predictions alone would make them.

        Scores of at least `threshold` are relevant (grade `rel`), the others are not; for
        probabilities it is 0.5 unless given.
        """
        table = replace(self.table, numbers=self.hard(threshold, rel)[:, None])
        return Judgments.from_table(table, QRELS)

    def hard(self, threshold: float | None, rel: int) -> Floats:
        """Return a grade for each row, -1 where nothing is predicted."""
        return self.labels(self.value, threshold, rel)

    def labels(self, value: Floats, threshold: float | None, rel: int) -> Floats:
        """Return grades as they are, for scores `rel` where they reach the threshold, else 0; -1 for none."""
        grade = value if self.kind == GRADES else np.where(value >= self.cut(threshold), float(rel), 0.0)
        return np.where(np.isnan(value), float(UNSAMPLED), grade)

    def cut(self, threshold: float | None) -> float:
        """Return the score from which on a document counts as relevant."""
        if threshold is not None:
            return threshold
        if not self.are_probabilities:
            low, high = self.value.min(), self.value.max()
            problem = f"{self.name}: the predictions are scores from {low:g} to {high:g}"
            raise UsageError(f"{problem}; say from which threshold on they count as relevant")
        return 0.5


PredictionsSource = Predictions | JudgmentsSource | RunSource


def _made(source: Any, kind: str | None, columns: dict[str, str]) -> Predictions:
    """Read any source; its form decides the kind unless `kind` is given."""
    if isinstance(source, Predictions):
        return source
    if isinstance(source, Judgments):
        return Predictions(source.as_table(), GRADES)
    if isinstance(source, Run):
        return Predictions(source.table, SCORES)
    recognised = kind_of_source(source)
    is_file = recognised == FILE
    name = display_name(source) if is_file else "predictions"
    if is_file and kind is None and os.fspath(source) == STANDARD_INPUT:
        raise UsageError("say whether standard input holds qrels or a run: kind='grades' or 'scores'")
    if kind == GRADES:
        return Predictions(Judgments.whole(Judgments.read(source, **columns)).as_table(), GRADES, name)
    try:
        return Predictions(Run.read(source, **columns).table, SCORES, name, guessed=True)
    except UnjudgedError as as_run:
        if kind == SCORES or recognised not in (FILE, FRAME):
            raise
        try:
            return Predictions(Judgments.whole(Judgments.read(source, **columns)).as_table(), GRADES, name)
        except UnjudgedError as as_qrels:
            if str(as_qrels) == str(as_run):
                raise as_run from None
            problem = f"predictions must be a run or qrels. As a run: {as_run}. As qrels: {as_qrels}"
            raise InputError(problem) from None


@dataclass(frozen=True, eq=False, repr=False)
class Judges:
    """Predictions by the name of the judge who made them.

    >>> Judges.of({"llama": {"q1": {"d1": 0.9, "d2": 0.2}}, "clicks": {"q1": {"d1": 7, "d2": 0}}})
    Judges(llama, clicks)
    >>> Judges.of({"q1": {"d1": 0.9, "d2": 0.2}})
    Judges(predictions)
    """

    by_name: Mapping[str, Predictions]

    @classmethod
    def of(cls, source: JudgesSource, *, kind: str | None = None) -> Judges:
        """Read predictions of one judge, in any form that `Predictions.of` takes, or a mapping of several."""
        if isinstance(source, Judges):
            return source
        made = Predictions | Judgments | Run
        several = isinstance(source, Mapping) and any(isinstance(each, made) for each in source.values())
        if not several and (isinstance(source, made) or is_one_source(source)):
            return cls({ONE: Predictions.of(source, kind=kind)})  # type: ignore[arg-type]
        if not isinstance(source, Mapping) or not source:
            raise UsageError("expected the predictions of one judge, or of several by name: {'model': ...}")
        return cls({str(name): Predictions.of(each, kind=kind) for name, each in source.items()})

    def __repr__(self) -> str:
        return f"Judges({', '.join(self.by_name)})"

    def __len__(self) -> int:
        return len(self.by_name)

    @property
    def names(self) -> list[str]:
        """Names of the judges."""
        return list(self.by_name)

    @property
    def all(self) -> list[Predictions]:
        """Predictions of each judge."""
        return list(self.by_name.values())

    @property
    def queries(self) -> set[bytes]:
        """Queries for which any judge has predictions."""
        return {query for judge in self.all for query in judge.table.queries.tolist()}

    def aligned(self, judgments: Judgments, what: str = "the judgments") -> Floats:
        """Return judges x rows of the judgments; not a number where a judge has no prediction."""
        return np.stack([judge.aligned(judgments, what).value for judge in self.all])

    def notes(self) -> list[str]:
        """Say how the predictions were read, where they could be grades or scores."""
        return [note for judge in self.all for note in judge.notes()]

    def weighed(self, weights: Floats) -> dict[str, float]:
        """Return weights by the names of the judges."""
        return dict(zip(self.names, weights.tolist(), strict=True))


def any_predicted(values: Floats) -> Mask:
    """Return the rows for which any of the judges has a prediction; `values` is judges x rows."""
    known: Mask = np.logical_or.reduce(~np.isnan(values), axis=0)
    return known


def weights_text(weights: Mapping[str, float]) -> str:
    """Return the weights of judges in words.

    >>> weights_text({"llama": 0.75, "clicks": 0.2})
    'llama 0.75, clicks 0.20'
    """
    return ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())


JudgesSource = Judges | PredictionsSource | Mapping[str, PredictionsSource]
