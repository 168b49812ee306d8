"""Estimates from people and predictions, as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from unjudged.base.errors import UsageError
from unjudged.base.wording import percent
from unjudged.grids.grid import DECIMALS, Cell, Column, Grid, grid_of
from unjudged.grids.shown import Shown
from unjudged.measures.kernel.estimand import JUDGMENTS
from unjudged.uncertainty.estimate import Estimate

FIELDS = (*(field.name for field in fields(Estimate) if field.name != "of"), "uncertainty")


class Estimates(Shown):
    """Estimated means of one measure for several runs."""

    measure: str
    runs: tuple[str, ...]

    def intervals(self, a: str, b: str | None = None, *, confidence: float = 0.95) -> list[Estimate]:
        """The mean of run `a`, or its difference to run `b`: one estimate per kind of uncertainty."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """How the estimates were made, and what was missing."""
        raise NotImplementedError

    def grid(self) -> Grid:
        return estimates_grid([self])

    def place(self, run: str) -> int:
        """The place of a run by its name."""
        if run not in self.runs:
            raise UsageError(f"no run is called {run!r}; there are: {', '.join(self.runs)}")
        return self.runs.index(run)


def estimates_grid(several: Sequence[Estimates], confidence: float = 0.95, decimals: int = DECIMALS) -> Grid:
    """A row per measure and run; the long form has a row per interval."""
    found = [(e, run, e.intervals(run, confidence=confidence)) for e in several for run in e.runs]
    columns = [
        Column("run", "label"),
        Column("measure", "label"),
        Column("estimate", decimals=decimals),
        Column("these queries"),
        Column("other queries"),
    ]
    rows: list[list[Cell]] = []
    for one, run, intervals in found:
        by_kind = {
            i.uncertainty == JUDGMENTS: f"[{i.low:.{decimals}f}, {i.high:.{decimals}f}]" for i in intervals
        }
        rows.append([run, one.measure, intervals[0].value, by_kind.get(True), by_kind.get(False)])
    level = (
        f"{percent(confidence)} intervals: had people judged another sample, or had there been other queries."
    )
    if all(row[3] is None for row in rows):
        level = f"{percent(confidence)} intervals: had there been other queries."
        columns, rows = [*columns[:3], columns[4]], [[*row[:3], row[4]] for row in rows]

    def records() -> Grid:
        cells = [
            [run, one.measure, *(getattr(interval, name) for name in FIELDS)]
            for one, run, intervals in found
            for interval in intervals
        ]
        return grid_of(["run", "measure", *FIELDS], cells)

    notes = dict.fromkeys(note for one in several for note in one.notes())
    return Grid(columns, rows, notes=[level, *notes], records=records)
