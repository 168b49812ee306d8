"""Means with their intervals as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from unjudged.grids.grid import Cell, Column, Grid, grid_of
from unjudged.scores import Scores
from unjudged.scores_grid import missing_queries
from unjudged.uncertainty.estimate import Estimate

FIELDS = tuple(field.name for field in fields(Estimate) if field.name != "of")


def intervals_grid(scores: Scores, estimates: Sequence[Sequence[Estimate]]) -> Grid:
    """`0.2930 [0.2410, 0.4020]` per run and measure; the notes name the methods.

    The long form has a row per run and measure.
    """
    columns = [Column("run", "label"), *(Column(str(measure)) for measure in scores.measures)]
    rows: list[list[Cell]] = [[run, *map(str, row)] for run, row in zip(scores.runs, estimates, strict=True)]
    methods = dict.fromkeys(f"Intervals: {e.method} ({e.level:.0%})." for row in estimates for e in row)
    return Grid(
        columns,
        rows,
        notes=[*missing_queries(scores), *methods],
        records=lambda: _records(scores, estimates),
    )


def _records(scores: Scores, estimates: Sequence[Sequence[Estimate]]) -> Grid:
    rows = [
        [run, str(measure), *(getattr(estimate, name) for name in FIELDS)]
        for run, row in zip(scores.runs, estimates, strict=True)
        for measure, estimate in zip(scores.measures, row, strict=True)
    ]
    return grid_of(["run", "measure", *FIELDS], rows)
