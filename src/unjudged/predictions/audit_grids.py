"""Result of an audit, and its tables: for people one per question, for programs one in long form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

from unjudged.base.wording import counted, percent
from unjudged.grids.grid import Cell, Column, Grid, grid_of
from unjudged.grids.shown import Shown
from unjudged.predictions.judge_agreement import Confusion
from unjudged.predictions.score_bias import Bias
from unjudged.uncertainty.estimate import Estimate

ENDS = (Column("value"), Column("low"), Column("high"))


class Rating(NamedTuple):
    """What is predicted of the documents of one human grade; `over` is by how much it is too high."""

    grade: int
    documents: int
    mean: float
    over: float | None


class CurvePoint(NamedTuple):
    """The documents with predictions from `low` to `high`, and which share of them people call relevant."""

    low: float
    high: float
    documents: int
    mean: float
    relevant: Estimate


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """How the predictions compare with what people say; shares and means are weighted by 1 / pi."""

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
    """What the biases leave out, and how the predictions were read."""
    assumed: bool = False
    """No design is recorded, so the judged documents count as a uniform sample of each query's pool."""

    def grid(self) -> Grid:
        """How well the predictions agree with people."""
        return self.grids()[0]

    def grids(self) -> list[Grid]:
        """Everything, in a table per question."""
        return audit_grids(self)

    def records(self) -> Grid:
        """Everything in one table in long form, for programs."""
        return audit_records(self)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.grids()))


def audit_grids(found: Audit) -> list[Grid]:
    """Agreement, confusion matrix, predictions by grade, calibration curve, and the bias of each run."""
    made = [_agreement(found)]
    if found.confusion is not None:
        made.append(_confusion(found.confusion))
    made += [_ratings(found), _curve(found)]
    return [*made, _biases(found)] if found.biases else made


def audit_records(found: Audit) -> Grid:
    """Everything in one table: which statistic, of what, its value and its interval."""
    rows: list[list[Cell]] = []
    for name, estimate in _statistics(found):
        rows.append([name, "", found.documents, *_ends(estimate)])
    if found.confusion is not None:
        for i, grade in enumerate(found.confusion.human):
            for j, label in enumerate(found.confusion.predicted):
                share, count = float(found.confusion.share[i, j]), int(found.confusion.count[i, j])
                rows.append(["share", f"grade {grade}, predicted {label}", count, share, nan, nan])
    for rating in found.ratings:
        of = f"grade {rating.grade}"
        rows.append(["mean prediction", of, rating.documents, rating.mean, nan, nan])
        if rating.over is not None:
            rows.append(["over-rating", of, rating.documents, rating.over, nan, nan])
    for point in found.curve:
        of = f"predicted {_span(point.low, point.high)}"
        rows.append(["share relevant", of, point.documents, *_ends(point.relevant)])
    for bias in found.biases:
        rows.append([f"{found.measure} by people", bias.run, found.documents, *_ends(bias.by_people)])
        rows.append([f"bias of {found.measure}", bias.run, found.documents, *_ends(bias.bias)])
    return grid_of(["statistic", "of", "documents", "value", "low", "high"], rows, _notes(found))


def _agreement(found: Audit) -> Grid:
    rows: list[list[Cell]] = [[name, *_ends(estimate)] for name, estimate in _statistics(found)]
    title = f"Agreement on {counted(found.documents, 'document')} that people judged"
    return Grid([Column("", "label"), *ENDS], rows, title, _notes(found))


def _notes(found: Audit) -> list[str]:
    notes = [f"{percent(found.auc.confidence)} intervals; a document is relevant from grade {found.rel} on."]
    if found.weighted:
        notes.append("Each document is weighted by 1 / its probability of being judged.")
    if found.weighted and found.assumed:
        assumed = "the judged documents count as a uniform sample of each query's pool"
        notes.append(f"No design of the sample is recorded: {assumed}.")
    if isnan(found.auc.value):
        notes.append("All of the documents are relevant, or none, so there is no AUC.")
    if found.missing:
        has = "has" if found.missing == 1 else "have"
        notes.append(f"{counted(found.missing, 'document')} that people judged {has} no prediction.")
    if found.confusion is None:
        notes.append("The predictions are scores without a threshold, so there is no confusion matrix.")
    return [*notes, *found.notes]


def _statistics(found: Audit) -> list[tuple[str, Estimate]]:
    several = {
        "AUC": found.auc,
        "kappa, relevant or not": found.kappa,
        "kappa, grades": found.kappa_of_grades,
    }
    return [(name, estimate) for name, estimate in several.items() if estimate is not None]


def _confusion(found: Confusion) -> Grid:
    columns = [Column("human grade", "label"), *(Column(f"predicted {p}") for p in found.predicted)]
    shares = zip(found.human, found.share.tolist(), strict=True)
    return Grid(columns, [[str(grade), *row] for grade, row in shares], "Share of the documents")


def _ratings(found: Audit) -> Grid:
    columns = [
        Column("human grade", "label"),
        Column("documents", "integer"),
        Column("mean prediction"),
        Column("over-rating"),
    ]
    rows = [[str(r.grade), r.documents, r.mean, r.over] for r in found.ratings]
    return Grid(columns, rows, "Predictions by human grade")


def _curve(found: Audit) -> Grid:
    columns = [
        Column("prediction", "label"),
        Column("documents", "integer"),
        Column("relevant"),
        *ENDS[1:],
    ]
    rows: list[list[Cell]] = [[_span(p.low, p.high), p.documents, *_ends(p.relevant)] for p in found.curve]
    return Grid(columns, rows, "Calibration: share of relevant documents by prediction")


def _biases(found: Audit) -> Grid:
    sampled = any(bias.by_people.has_interval for bias in found.biases)
    columns = [
        Column("run", "label"),
        Column("by people"),
        *((Column("from"), Column("to")) if sampled else ()),
    ]
    rows: list[list[Cell]] = []
    for bias in found.biases:
        people = _ends(bias.by_people)
        rows.append([bias.run, *(people if sampled else people[:1]), *_ends(bias.bias)])
    notes = (
        ["from, to: of the score by people for these queries, had another sample been judged."]
        if sampled
        else []
    )
    title = f"{found.measure} by the predictions minus by people"
    return Grid([*columns, Column("bias"), *ENDS[1:]], rows, title, notes)


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:.4g} to {high:.4g}"
