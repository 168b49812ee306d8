"""Scores as a table for a paper: means of systems x measures, with intervals if asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple

from unjudged.base.choices import checked_int
from unjudged.base.wording import counted
from unjudged.grids.paper_cells import PaperCell, PaperRow, Width, interval_text
from unjudged.grids.paper_table import Best, PaperTable, chosen_rows, shown_names
from unjudged.measures.kernel.names import place_of_measure
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
        column = 0 if measure is None else place_of_measure(measure, columns)
        return shown.measures[column].best_first(means[:, column])

    def cell(i: int, k: int) -> PaperCell:
        traits, mean = shown.measures[k].traits, means[i, k]
        ends = (nan, nan) if estimates is None else (estimates[i][k].low, estimates[i][k].high)
        best = bool(shown.measures[k].are_best(means[systems, k])[systems.index(i)])
        text = f"{mean:.{0 if traits.summary == 'sum' else places}f}"
        return PaperCell(text, interval=interval_text(*ends, places), best=best)

    systems, labels = chosen_rows(shown.runs, order, by), shown_names(shown.runs, names)
    rows = [PaperRow("", labels[i], [cell(i, k) for k in range(len(columns))]) for i in systems]
    notes = shown.notes if estimates is None else estimates.grid().notes
    said = caption or f"Means over {counted(shown.queries, 'query')}."
    return PaperTable(columns, rows, said, notes, label, best, width)
