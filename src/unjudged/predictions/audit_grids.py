"""Result of an audit, and its tables: one per question for people, one in long form for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

from unjudged.base.wording import counted, percent
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank, grid_of
from unjudged.predictions.judge_agreement import Confusion
from unjudged.predictions.score_bias import Bias
from unjudged.uncertainty.estimate import Estimate

ENDS = (Column("value"), Column("low"), Column("high"))


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

    def grid(self) -> Grid:
        """Return the table of agreement."""
        return self.grids()[0]

    def grids(self) -> list[Grid]:
        """Return a table per question."""
        return audit_grids(self)

    def records(self) -> Grid:
        """Return everything in one table in long form, for programs."""
        return audit_records(self)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.grids()))


def audit_grids(audit: Audit) -> list[Grid]:
    """Return agreement, confusion matrix, predictions by grade, calibration curve, and bias of each run."""
    made = [_agreement(audit)]
    if audit.confusion is not None:
        made.append(_confusion(audit.confusion))
    made += [_ratings(audit), _curve(audit)]
    return [*made, _biases(audit)] if audit.biases else made


def audit_records(audit: Audit) -> Grid:
    """Return everything in one table: statistic, what it is of, value and interval."""
    rows: list[list[Cell]] = []
    for name, estimate in _statistics(audit):
        rows.append([name, "", audit.documents, *ends_of(estimate)])
    if audit.confusion is not None:
        for i, grade in enumerate(audit.confusion.human):
            for j, label in enumerate(audit.confusion.predicted):
                share, count = float(audit.confusion.share[i, j]), int(audit.confusion.count[i, j])
                rows.append(["share", f"grade {grade}, predicted {label}", count, share, nan, nan])
    for rating in audit.ratings:
        of = f"grade {rating.grade}"
        rows.append(["mean prediction", of, rating.documents, rating.mean, nan, nan])
        if rating.over is not None:
            rows.append(["over-rating", of, rating.documents, rating.over, nan, nan])
    for point in audit.curve:
        of = f"predicted {_span(point.low, point.high)}"
        rows.append(["share relevant", of, point.documents, *ends_of(point.relevant)])
    for bias in audit.biases:
        rows.append([f"{audit.measure} by people", bias.run, audit.documents, *ends_of(bias.by_people)])
        rows.append([f"bias of {audit.measure}", bias.run, audit.documents, *ends_of(bias.bias)])
    return grid_of(["statistic", "of", "documents", "value", "low", "high"], rows, _notes(audit))


def _agreement(audit: Audit) -> Grid:
    rows: list[list[Cell]] = [[name, *ends_of(estimate)] for name, estimate in _statistics(audit)]
    title = f"Agreement on {counted(audit.documents, 'document')} that people judged"
    return Grid([Column("", "label"), *ENDS], rows, title, _notes(audit))


def _notes(audit: Audit) -> list[str]:
    notes = [f"{percent(audit.auc.confidence)} intervals; a document is relevant from grade {audit.rel} on."]
    if audit.weighted:
        notes.append("Each document is weighted by 1 / its probability of being judged.")
    if audit.weighted and audit.assumed:
        assumed = "the judged documents count as a uniform sample of each query's pool"
        notes.append(f"No design of the sample is recorded: {assumed}.")
    if isnan(audit.auc.value):
        notes.append("All of the documents are relevant, or none, so there is no AUC.")
    if audit.missing:
        has = "has" if audit.missing == 1 else "have"
        notes.append(f"{counted(audit.missing, 'document')} that people judged {has} no prediction.")
    if audit.confusion is None:
        notes.append("The predictions are scores without a threshold, so there is no confusion matrix.")
    return [*notes, *audit.notes]


def _statistics(audit: Audit) -> list[tuple[str, Estimate]]:
    several = {
        "AUC": audit.auc,
        "kappa, relevant or not": audit.kappa,
        "kappa, grades": audit.kappa_of_grades,
    }
    return [(name, estimate) for name, estimate in several.items() if estimate is not None]


def _confusion(audit: Confusion) -> Grid:
    columns = [Column("human grade", "label"), *(Column(f"predicted {p}") for p in audit.predicted)]
    shares = zip(audit.human, audit.share.tolist(), strict=True)
    return Grid(columns, [[str(grade), *row] for grade, row in shares], "Share of the documents")


def _ratings(audit: Audit) -> Grid:
    columns = [
        Column("human grade", "label"),
        Column("documents", "integer"),
        Column("mean prediction"),
        Column("over-rating"),
    ]
    rows = [[str(r.grade), r.documents, r.mean, r.over] for r in audit.ratings]
    return Grid(columns, rows, "Predictions by human grade")


def _curve(audit: Audit) -> Grid:
    columns = [
        Column("prediction", "label"),
        Column("documents", "integer"),
        Column("relevant"),
        *ENDS[1:],
    ]
    rows: list[list[Cell]] = [[_span(p.low, p.high), p.documents, *ends_of(p.relevant)] for p in audit.curve]
    return Grid(columns, rows, "Calibration: share of relevant documents by prediction")


def _biases(audit: Audit) -> Grid:
    sampled = any(bias.by_people.has_interval for bias in audit.biases)
    columns = [
        Column("run", "label"),
        Column("by people"),
        *((Column("from"), Column("to")) if sampled else ()),
    ]
    rows: list[list[Cell]] = []
    for bias in audit.biases:
        people = ends_of(bias.by_people)
        rows.append([bias.run, *(people if sampled else people[:1]), *ends_of(bias.bias)])
    notes = (
        ["from, to: of the score by people for these queries, had another sample been judged."]
        if sampled
        else []
    )
    title = f"{audit.measure} by the predictions minus by people"
    return Grid([*columns, Column("bias"), *ENDS[1:]], rows, title, notes)


def ends_of(estimate: Estimate) -> tuple[Cell, Cell, Cell]:
    """Return the value and the ends of its interval; what is not known is blank."""
    return blank(estimate.value), blank(estimate.low), blank(estimate.high)


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:.4g} to {high:.4g}"
