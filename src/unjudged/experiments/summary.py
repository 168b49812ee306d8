"""An experiment as grids: the statistics of each measure and level, and the mean of every run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from unjudged.experiments.statistics import STATISTICS
from unjudged.grids.grid import Cell, Column, Grid, grid_of
from unjudged.judging.pooling.designs import find_design

if TYPE_CHECKING:
    from unjudged.experiments.robustness import Agreement, Robustness


class RunMean(NamedTuple):
    """One run's mean at one level in one repeat, and with all judgments."""

    design: str
    level: float
    repeat: int
    run: str
    measure: str
    value: float
    actual: float


def run_means(found: Robustness) -> Iterator[RunMean]:
    """Every mean of the experiment."""
    levels, repeats, runs, measures = map(range, found.means.shape)
    for li, s, i, k in product(levels, repeats, runs, measures):
        place = found.design, float(found.levels[li]), s, found.runs[i], str(found.measures[k])
        yield RunMean(*place, float(found.means[li, s, i, k]), float(found.actual[i, k]))


def run_means_grid(found: Robustness) -> Grid:
    return grid_of(RunMean._fields, run_means(found))


def level_name(design: str, level: float) -> str:
    """`5 %` of a share, `depth 5` of a pool."""
    return find_design(design).level.show(level)


def summary_grid(found: Robustness) -> Grid:
    """One row per measure and level: how well its means agree with the actual values of `against`.

    The long form also has the agreement of each measure with its own actual values.
    """
    by_place = {
        (row.measure, row.level, row.statistic): row
        for row in found.agreement
        if row.against == str(found.against)
    }
    rows: list[list[Cell]] = []
    for measure, level in product(map(str, found.measures), found.levels):
        statistics = [by_place[measure, level, name] for name in found.statistics]
        level_shown, judged = level_name(found.design, level), statistics[0].judged
        rows.append([measure, level_shown, judged, *map(_number, statistics)])
    columns = [
        Column("measure", "label"),
        Column("level", "label"),
        Column("judged", decimals=1),
        *(Column(STATISTICS[name].title) for name in found.statistics),
    ]
    title = f"{found.design} design, {len(found.runs)} runs against {found.against} with all judgments"
    return Grid(columns, rows, title, records=lambda: grid_of(found.agreement[0]._fields, found.agreement))


def _number(row: Agreement) -> str:
    return f"{row.mean:.4f}" + (f" ±{row.deviation:.4f}" if row.repeats > 1 else "")
