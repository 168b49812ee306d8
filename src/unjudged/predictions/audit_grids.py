"""Result of an audit, and its tables: one per question for people, one in long form for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from unjudged.base.wording import counted, percent
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank, grid_of
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.estimate import Estimate

ENDS = (Column("value"), Column("low"), Column("high"))


@dataclass(frozen=True, eq=False)
class Confusion:
    """Documents by human label (rows) and predicted label (columns), as weighted shares and as counts."""

    human: tuple[int, ...]
    predicted: tuple[int, ...]
    share: Floats
    count: Integers

    @classmethod
    def of(cls, human: Integers, predicted: Integers, weight: Floats) -> Confusion:
        rows, i = np.unique(human, return_inverse=True)
        columns, j = np.unique(predicted, return_inverse=True)
        cell, shape = i * len(columns) + j, (len(rows), len(columns))
        count = np.bincount(cell, minlength=len(rows) * len(columns)).reshape(shape)
        share = np.bincount(cell, weight, len(rows) * len(columns)).reshape(shape) / weight.sum()
        return cls(tuple(rows.tolist()), tuple(columns.tolist()), share, count)


class Bias(NamedTuple):
    """Mean of a run by people, and how much higher it is by the predictions."""

    run: str
    by_people: Estimate
    """As `evaluate` estimates it with the predictions from a sample; else it has no interval."""
    bias: Estimate

    @property
    def human(self) -> float:
        """Mean by people without its interval."""
        return self.by_people.value


class Rating(NamedTuple):
    """Mean prediction of the documents of one human grade; `over` is by how much it is too high."""

    grade: int
    documents: int
    mean: float
    over: float | None


class CurvePoint(NamedTuple):
    """Documents with predictions from `low` to `high`, and the share of them that people call relevant."""

    low: float
    high: float
    documents: int
    mean: float
    relevant: Estimate

    @property
    def span(self) -> str:
        """Predictions of these documents in words."""
        return f"{self.low:g}" if self.low == self.high else f"{self.low:.4g} to {self.high:.4g}"


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """Comparison of predictions with what people say; shares and means are weighted by 1 / pi."""

    rel: int
    documents: int
    missing: int
    """Documents that people judged and that have no prediction."""
    weighted: bool
    confusion: Confusion | None
    kappa: Estimate | None
    kappa_of_grades: Estimate | None
    auc: Estimate
    ratings: tuple[Rating, ...]
    curve: tuple[CurvePoint, ...]
    measure: str
    biases: tuple[Bias, ...]
    notes: Sequence[str] = ()
    """Sentences on runs and queries that the biases leave out, and on how predictions were read."""
    assumed: bool = False
    """No design is recorded, so the judged documents count as a uniform sample of each query's pool."""

    def grids(self) -> list[Grid]:
        """Return agreement, confusion matrix, predictions by grade, calibration curve, and bias of runs."""
        made = [self._agreement()]
        if self.confusion is not None:
            made.append(_confusion_grid(self.confusion))
        made += [self._ratings(), self._curve()]
        return [*made, self._biases()] if self.biases else made

    def grid(self) -> Grid:
        """Return the table of agreement."""
        return self._agreement()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.grids()))

    def records(self) -> Grid:
        """Return everything in one table in long form, for programs: statistic, of what, value, interval."""
        rows: list[list[Cell]] = [[name, "", self.documents, *ends] for name, *ends in self._statistics()]
        if self.confusion is not None:
            for i, grade in enumerate(self.confusion.human):
                for j, label in enumerate(self.confusion.predicted):
                    share, count = float(self.confusion.share[i, j]), int(self.confusion.count[i, j])
                    rows.append(["share", f"grade {grade}, predicted {label}", count, share, nan, nan])
        for rating in self.ratings:
            of = f"grade {rating.grade}"
            rows.append(["mean prediction", of, rating.documents, rating.mean, nan, nan])
            if rating.over is not None:
                rows.append(["over-rating", of, rating.documents, rating.over, nan, nan])
        rows += [
            ["share relevant", f"predicted {point.span}", point.documents, *_ends_of(point.relevant)]
            for point in self.curve
        ]
        for bias in self.biases:
            rows.append([f"{self.measure} by people", bias.run, self.documents, *_ends_of(bias.by_people)])
            rows.append([f"bias of {self.measure}", bias.run, self.documents, *_ends_of(bias.bias)])
        return grid_of(["statistic", "of", "documents", "value", "low", "high"], rows, self._notes())

    def _agreement(self) -> Grid:
        title = f"Agreement on {counted(self.documents, 'document')} that people judged"
        return Grid([Column("", "label"), *ENDS], self._statistics(), title, self._notes())

    def _notes(self) -> list[str]:
        level = percent(self.auc.confidence)
        notes = [f"{level} intervals; a document is relevant from grade {self.rel} on."]
        if self.kappa is not None:
            notes.append("kappa: its interval is linearised; `agree` leaves out each query in turn instead.")
        if self.weighted:
            notes.append("Each document is weighted by 1 / its probability of being judged.")
        if self.weighted and self.assumed:
            assumed = "the judged documents count as a uniform sample of each query's pool"
            notes.append(f"No design of the sample is recorded: {assumed}.")
        if isnan(self.auc.value):
            notes.append("All of the documents are relevant, or none, so there is no AUC.")
        if self.missing:
            has = "has" if self.missing == 1 else "have"
            notes.append(f"{counted(self.missing, 'document')} that people judged {has} no prediction.")
        if self.confusion is None:
            notes.append("The predictions are scores without a threshold, so there is no confusion matrix.")
        return [*notes, *self.notes]

    def _statistics(self) -> list[list[Cell]]:
        kappas = {"kappa, relevant or not": self.kappa, "kappa, grades": self.kappa_of_grades}
        known = {"AUC": self.auc, **{name: kappa for name, kappa in kappas.items() if kappa is not None}}
        return [[name, *_ends_of(estimate)] for name, estimate in known.items()]

    def _ratings(self) -> Grid:
        columns = [Column("human grade", "label"), Column("documents", "integer")]
        columns += [Column("mean prediction"), Column("over-rating")]
        rows = [[str(r.grade), r.documents, r.mean, r.over] for r in self.ratings]
        return Grid(columns, rows, "Predictions by human grade")

    def _curve(self) -> Grid:
        columns = [Column("prediction", "label"), Column("documents", "integer"), Column("relevant")]
        rows: list[list[Cell]] = [[p.span, p.documents, *_ends_of(p.relevant)] for p in self.curve]
        title = "Calibration: share of relevant documents by prediction"
        return Grid([*columns, *ENDS[1:]], rows, title)

    def _biases(self) -> Grid:
        sampled = any(bias.by_people.has_interval for bias in self.biases)
        shown = 3 if sampled else 1
        people = [Column("by people"), Column("from"), Column("to")][:shown]
        columns = [Column("run", "label"), *people, Column("bias"), *ENDS[1:]]
        rows = [[b.run, *_ends_of(b.by_people)[:shown], *_ends_of(b.bias)] for b in self.biases]
        note = "from, to: of the score by people for these queries, had another sample been judged."
        title = f"{self.measure} by the predictions minus by people"
        return Grid(columns, rows, title, [note] if sampled else [])


def _confusion_grid(confusion: Confusion) -> Grid:
    columns = [Column("human grade", "label"), *(Column(f"predicted {p}") for p in confusion.predicted)]
    shares = zip(confusion.human, confusion.share.tolist(), strict=True)
    return Grid(columns, [[str(grade), *row] for grade, row in shares], "Share of the documents")


def _ends_of(estimate: Estimate) -> tuple[Cell, Cell, Cell]:
    """Return the value and the ends of its interval; what is not known is blank."""
    return blank(estimate.value), blank(estimate.low), blank(estimate.high)
