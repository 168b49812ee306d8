"""A plan of human labels, and its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unjudged.base.wording import counted, percent
from unjudged.grids.grid import Cell, Column, Grid, Shown


class LabelNeed(NamedTuple):
    """Labels that a design needs for one target; None where these queries cannot give it."""

    target: str
    """A mean or a difference."""
    queries: str
    """These queries or other ones."""
    design: str
    labels: int | None
    """With the predictions."""
    alone: int | None
    """By people alone."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Shown):
    """How many documents people must label for intervals of one width, by target and design."""

    measure: str
    width: float
    confidence: float
    pilot: int
    documents: int
    """Documents that could be labelled."""
    queries: int
    needs: Sequence[LabelNeed]

    def need(self, target: str, queries: str, design: str) -> LabelNeed:
        """Return one row by its first three columns."""
        return next(n for n in self.needs if (n.target, n.queries, n.design) == (target, queries, design))

    def grid(self) -> Grid:
        """Return a row per target, interval and design."""
        columns = [Column(name, "label") for name in ("interval of", "for", "design")]
        columns += [Column("labels", "integer"), Column("people alone", "integer")]
        rows: list[list[Cell]] = [list(need) for need in self.needs]
        title = f"Labels for {percent(self.confidence)} intervals of {self.measure} {self.width:g} wide"
        pilot = (
            f"From a pilot of {counted(self.pilot, 'label')}; {self.documents:,} documents could be labelled"
        )
        drawn = (
            "uniform, weighted: documents drawn afresh, all with the same probability or by weight and doubt"
        )
        notes = [
            f"{pilot}. Intervals are so wide on average over the runs, or over all pairs of runs.",
            "Promised of every design: about nine studies of ten have intervals at most a tenth wider.",
            f"{drawn} (unjudged sample --for predictions). whole queries: all documents of some queries.",
        ]
        if any(None in need for need in self.needs):
            short = f"not with these {counted(self.queries, 'query')}, however many labels"
            notes.append(f"No number: {short} (unjudged plan queries).")
        return Grid(columns, rows, title, notes)
