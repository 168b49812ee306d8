"""Further sections of a page: figures drawn beforehand, and tables; a section per result that was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from unjudged.evaluation.scores import Scores
from unjudged.experiments.statistics import STATISTICS
from unjudged.grids.escapes import plain
from unjudged.grids.grid import Cell, Grid
from unjudged.predictions.audit_grids import Audit
from unjudged.rankings.origin import KINDS
from unjudged.report.figures.charts import picture
from unjudged.report.figures.experiment_figures import curves
from unjudged.report.figures.judging_figures import audit_figure
from unjudged.report.saved_experiment import SavedExperiment


def sample_section(estimated: Scores) -> dict[str, Any]:
    """Show the values that the sample estimates."""
    origin = estimated.rankings.judgments.origin
    names = " and ".join(f"{measure} estimates {measure.estimated}" for measure in estimated.measures)
    words = [
        f"The judgments are {KINDS[origin.kind]}.",
        f"From the sample {names} as it would be with the whole pool judged.",
    ]
    grid = replace(estimated.grid(), title="Estimates from the sample")
    return _section("sample", "Sample", words, [], [grid])


def audit_section(audit: Audit) -> dict[str, Any]:
    """Say how far the predictions agree with people, and what they do to each run's score."""
    words = [
        f"{audit.documents:,} documents have both a human judgment and a prediction.",
        "AUC is the chance that a relevant document has a higher prediction than one that is not.",
    ]
    description = "Share of relevant documents by prediction, and bias of each run, with intervals"
    drawn = [_figure("audit-figure", "Predictions against people", description, audit_figure(audit))]
    return _section("audit", "Predictions", words, drawn, audit.grids())


def experiment_section(saved: SavedExperiment) -> dict[str, Any]:
    """Say how well fewer judgments would have ordered the runs and estimated their scores."""
    shown = [name for name in ("tau", "rho", "rms") if name in saved.statistics] or saved.statistics[:3]
    words = [
        f"How well measures agree with {saved.against} under all judgments if fewer documents are judged.",
        f"Design: {saved.design}. The bands are one standard deviation over the samples on either side.",
    ]
    titles = ", ".join(STATISTICS[name].title for name in shown)
    drawn = [
        _figure("experiment-figure", "Agreement by level", titles, curves(saved, statistics=shown)),
    ]
    return _section("experiment", "Fewer judgments", words, drawn, [saved.grid()])


def _section(
    place: str, title: str, words: Sequence[str], figures: Sequence[dict[str, str]], grids: Sequence[Grid]
) -> dict[str, Any]:
    tables = [
        {
            "place": f"{place}-table-{number}",
            "caption": plain(grid.title),
            "notes": list(map(plain, grid.notes)),
            "columns": [
                {"name": plain(column.name), "number": column.numeric, "decimals": _decimals(grid, k)}
                for k, column in enumerate(grid.columns)
            ],
            "rows": [[_cell(cell) for cell in row] for row in grid.rows],
        }
        for number, grid in enumerate(grids)
    ]
    return {
        "place": place,
        "title": title,
        "words": list(map(plain, words)),
        "figures": list(figures),
        "tables": tables,
    }


def _decimals(grid: Grid, k: int) -> int:
    return grid.columns[k].decimals if grid.columns[k].kind in ("number", "p value") else 0


def _cell(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return plain(cell)
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _figure(place: str, title: str, description: str, chart: Any) -> dict[str, str]:
    svg = picture(chart, "svg")
    return {"place": place, "title": title, "description": description, "svg": str(svg)}
