"""Scores as a table for a paper: means of systems x measures, with intervals if asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.grids.paper_cells import PaperCell, PaperRow, Width
from unjudged.grids.paper_table import (
    BESTS,
    Best,
    PaperTable,
    chosen_rows,
    shown_names,
)
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimates


class Means(NamedTuple):
    """What the table shows: `values[i, k]` is the mean of run i by measure k."""

    values: Floats
    runs: Sequence[str]
    measures: Sequence[Measure]
    queries: int
    estimates: Estimates | None
    notes: Sequence[str]


def scores_table(
    shown: Means,
    *,
    decimals: int = 4,
    caption: str | None = None,
    label: str | None = None,
    names: Mapping[str, str] | None = None,
    order: str | Sequence[str] | None = None,
    best: Best = "bold",
    width: Width = "auto",
) -> PaperTable:
    """Make the table; the notes below it say what the intervals cover and what is known of the data."""
    places, means, estimates = checked_int("decimals", decimals), shown.values, shown.estimates
    columns = [str(measure) for measure in shown.measures]

    def by(measure: str | None) -> list[int]:
        column = 0 if measure is None else place_of(measure, columns)
        found: list[int] = np.argsort(-means[:, column], kind="stable").tolist()
        return found

    systems = chosen_rows(shown.runs, order, by)
    labels = shown_names(shown.runs, names)
    several = len(systems) > 1
    rows = [
        PaperRow(
            "",
            labels[i],
            [
                PaperCell(
                    f"{means[i, k]:.{0 if measure.traits.summary == 'sum' else places}f}",
                    interval="" if estimates is None else _ends(estimates, i, k, places),
                    best=several and measure.traits.quality and means[i, k] == means[systems, k].max(),
                )
                for k, measure in enumerate(shown.measures)
            ],
        )
        for i in systems
    ]
    word = BESTS.find(best)[2]
    notes = [f"{word}: the highest mean."] if word and any(c.best for row in rows for c in row.cells) else []
    notes += shown.notes if estimates is None else estimates.grid().notes
    said = caption or f"Means over {counted(shown.queries, 'query')}."
    return PaperTable(columns, rows, said, notes, label, best, width)


def _ends(estimates: Estimates, run: int, measure: int, decimals: int) -> str:
    one = estimates[run][measure]
    return "" if isnan(one.low) else f"[{one.low:.{decimals}f}, {one.high:.{decimals}f}]"


def place_of(measure: str, columns: Sequence[str]) -> int:
    """Return the column of a measure: as it is written, or as it is parsed."""
    name = measure if measure in columns else str(parse_measure(measure))
    if name not in columns:
        raise UsageError(f"order: no measure is called {measure!r}; there are {', '.join(columns)}")
    return list(columns).index(name)
