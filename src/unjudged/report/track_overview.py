"""What the overview paper of a track shows: its runs with their teams, its topics, and figures of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unjudged.base.wording import counted
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.grids.rendering import render
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource
from unjudged.report.figures.charts import picture
from unjudged.report.figures.sizes import Size
from unjudged.report.team_pages import among_runs

WHOLE_PAGE = Size(175, 8)


def runs_grid(scores: Scores, group_of: Mapping[str, str]) -> Grid:
    """Return a row per run with its team and means, best first by the first measure."""
    means = scores.grid()
    order = np.argsort(-scores.means[:, 0], kind="stable").tolist()
    place = {i: row for row, i in enumerate(order)}
    rows: list[list[Cell]] = [
        [scores.runs[i], group_of.get(scores.runs[i], scores.runs[i]), *means.rows[i][1:]] for i in order
    ]
    teams = len({row[1] for row in rows})
    return Grid(
        [means.columns[0], Column("team", "label"), *means.columns[1:]],
        rows,
        f"{counted(len(rows), 'run')} of {counted(teams, 'team')}",
        [f"Means over {counted(len(scores.queries), 'topic')}; bold: the highest.", *means.notes],
        frozenset((place[i], k + 1) for i, k in means.stressed),
    )


def topics_grids(scores: Scores) -> list[Grid]:
    """Return a table per measure: best, median and worst value of each topic, and which run has the best."""
    columns = [Column("topic", "label"), *(Column(name) for name in ("best", "median", "worst"))]
    columns.append(Column("best run", "text"))
    grids = []
    for k, measure in enumerate(scores.measures):
        values = scores.values[:, :, k]
        among = among_runs(values)
        rows: list[list[Cell]] = [
            [query, *among[:, q].tolist(), _best(scores.runs, values[:, q])]
            for q, query in enumerate(scores.queries)
        ]
        grids.append(Grid(columns, rows, f"{measure} by topic, of {counted(len(values), 'run')}"))
    return grids


def _best(runs: Sequence[str], values: Floats) -> str:
    """Return the run with the highest value, and how many others have it."""
    first, *others = np.flatnonzero(values == values.max()).tolist()
    return f"{runs[first]} and {counted(len(others), 'other')}" if others else runs[first]


def best_of_teams(scores: Scores, group_of: Mapping[str, str]) -> list[str]:
    """Return the best run of each team by the first measure."""
    best: dict[str, str] = {}
    for i in np.argsort(-scores.means[:, 0], kind="stable").tolist():
        best.setdefault(group_of.get(scores.runs[i], scores.runs[i]), scores.runs[i])
    return list(best.values())


def overview_files(
    judgments: Judgments,
    runs: Mapping[str, RunSource],
    measures: Sequence[Measure],
    group_of: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, str | bytes]]:
    """Return tables of runs and topics, and figures of both by the first measure, by the names of files.

    The figure of runs has the best one of each team, with its interval for other topics.
    """
    scores = evaluate(judgments, dict(runs), measures)
    table, topics = runs_grid(scores, group_of), topics_grids(scores)
    tables = {
        f"{name}.{suffix}": str(render(grids, kind))
        for name, grids in (("runs", table), ("topics", topics))
        for suffix, kind in (("tex", "latex"), ("md", "markdown"))
    }
    best = {run: runs[run] for run in best_of_teams(scores, group_of)}
    figures = {
        "runs": evaluate(judgments, best, measures[0]).plot.intervals(intervals=("queries",)),
        "topics": scores.plot.queries(scores.measures[0]),
    }
    return tables, {
        f"{name}.{kind}": picture(figure, kind, WHOLE_PAGE)
        for name, figure in figures.items()
        for kind in ("svg", "pdf")
    }
