"""Results of a track: a page for each team, and the tables and figures of its overview paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.wording import counted, plain, shortlist
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.grids.escapes import html
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.grids.rendering import as_html, render
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource
from unjudged.report.figures.charts import picture
from unjudged.report.page.page import policy_hash

STYLE = """:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 1.5rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid #8886; text-align: left; }
th.right, td.right { text-align: right; }
figure { margin: 1rem 0; overflow-x: auto; }
.range { stroke: #888; stroke-width: 5; stroke-opacity: .35; }
.median { stroke: currentColor; stroke-width: 1.5; }
text { font: 11px system-ui, sans-serif; fill: currentColor; }
"""
EXPLAINED = (
    "Best, median and worst are those of each topic, by whichever run has them. Grey is the range of all "
    "runs, the line its median. Other teams are not named."
)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STEP, HEIGHT, LEFT = 16, 180, 40
ALIGNED = ' style="text-align: right"'
AMONG = [Column(name) for name in ("best", "median", "worst")]


def team_grids(scores: Scores, runs: Sequence[str]) -> list[Grid]:
    """Return the means of these runs among all, and a table per measure with a row for each topic."""
    names, own = list(scores.runs), [list(scores.runs).index(run) for run in runs]
    means = np.asarray(scores.means)
    columns = [Column("run", "label"), Column("measure", "label"), Column("mean"), Column("rank", "integer")]
    columns += [*AMONG, Column("topics above median", "integer")]
    rows: list[list[Cell]] = []
    for k, measure in enumerate(scores.measures):
        among = among_runs(means[:, k][:, None])[:, 0]
        middle = np.median(scores.values[:, :, k], axis=0)
        for i in own:
            rank = 1 + int((means[:, k] > means[i, k]).sum())
            above = int((scores.values[i, :, k] > middle).sum())
            rows.append([names[i], str(measure), float(means[i, k]), rank, *map(float, among), above])
    grids = [Grid(columns, rows, f"Means among {counted(len(names), 'run')}")]
    for k, measure in enumerate(scores.measures):
        values = scores.values[:, :, k]
        among = among_runs(values)
        heads = [Column("topic", "label"), *map(Column, runs), *AMONG]
        topics: list[list[Cell]] = [
            [query, *(float(values[i, q]) for i in own), *map(float, among[:, q])]
            for q, query in enumerate(scores.queries)
        ]
        grids.append(Grid(heads, topics, f"{measure} by topic"))
    return grids


def among_runs(values: Floats) -> Floats:
    """Return the best, median and worst over runs, for each column."""
    among: Floats = np.stack([values.max(axis=0), np.median(values, axis=0), values.min(axis=0)])
    return among


def _teams(scores: Scores, group_of: Mapping[str, str]) -> dict[str, str]:
    """Return the team of each run; a run without one is a team of its own."""
    return {run: group_of.get(run, run) for run in scores.runs}


def team_page(scores: Scores, team: str, group_of: Mapping[str, str], title: str = "Results") -> str:
    """Return a page with the runs of one team among the best, median and worst; other runs have no names."""
    team_of = _teams(scores, group_of)
    runs = [run for run, own in team_of.items() if own == team]
    if not runs:
        known = sorted(set(team_of.values()))
        raise UsageError(f"team is {team!r}, expected one of {shortlist(known)}")
    teams = len(set(team_of.values()))
    first, *by_topic = team_grids(scores, runs)
    said = f"{counted(len(runs), 'run')} of {team} among {counted(len(scores.runs), 'run')} of"
    topics = f"{counted(teams, 'team')}, {counted(len(scores.queries), 'topic')}"
    parts = [
        f"<h1>{html(plain(title))}: {html(plain(team))}</h1>",
        f"<p>{html(plain(said))} {topics}. {EXPLAINED}</p>",
        _table(first),
    ]
    for k, grid in enumerate(by_topic):
        parts += [_figure(scores, runs, k), _table(grid)]
    policy = (
        f"default-src 'none'; style-src 'sha256-{policy_hash(STYLE)}'; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{html(plain(title))}: {html(plain(team))}</title><style>{STYLE}</style>"
    )
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def team_pages(scores: Scores, group_of: Mapping[str, str], title: str = "Results") -> dict[str, str]:
    """Return the page of every team, by the name of its file."""
    pages: dict[str, str] = {}
    for team in dict.fromkeys(_teams(scores, group_of).values()):
        name = f"{re.sub(r'[^A-Za-z0-9_.-]', '_', team)[:60]}.html"
        if name.lower() in {other.lower() for other in pages}:
            raise UsageError(f"two teams would have the page {name}: rename one of them")
        pages[name] = team_page(scores, team, group_of, title)
    return pages


def _table(grid: Grid) -> str:
    """Return a table whose alignment needs no style of its own, which the page's policy forbids."""
    return as_html(grid).replace(ALIGNED, ' class="right"')


def _figure(scores: Scores, runs: Sequence[str], k: int) -> str:
    """Draw the range of each topic, its median, and a dot for each run; topics by their median."""
    values, names = scores.values[:, :, k], list(scores.runs)
    low, high = float(min(values.min(), 0.0)), float(max(values.max(), 1e-9))
    among, measure = among_runs(values), str(scores.measures[k])
    order = np.argsort(-among[1], kind="stable")

    def y(value: float) -> str:
        return f"{10 + HEIGHT * (1 - (value - low) / (high - low)):.1f}"

    drawn = [f'<text x="0" y="{y(value)}">{value:.2f}</text>' for value in (low, (low + high) / 2, high)]
    for place, q in enumerate(order.tolist()):
        x = LEFT + STEP * place + STEP // 2
        best, median, worst = among[:, q].tolist()
        drawn.append(f'<line class="range" x1="{x}" x2="{x}" y1="{y(best)}" y2="{y(worst)}"/>')
        drawn.append(f'<line class="median" x1="{x - 5}" x2="{x + 5}" y1="{y(median)}" y2="{y(median)}"/>')
        for number, run in enumerate(runs):
            value, colour = float(values[names.index(run), q]), COLOURS[number % len(COLOURS)]
            tip = html(plain(f"{scores.queries[q]}, {run}: {value:.4f}"))
            dot = f'<circle cx="{x}" cy="{y(value)}" r="3.5" fill="{colour}"><title>{tip}</title></circle>'
            drawn.append(dot)
    keys = []
    for number, run in enumerate(runs):
        x = LEFT + 180 * (number % 5)
        top = HEIGHT + 32 + 16 * (number // 5)
        keys.append(f'<circle cx="{x}" cy="{top - 4}" r="3.5" fill="{COLOURS[number % len(COLOURS)]}"/>')
        keys.append(f'<text x="{x + 8}" y="{top}">{html(plain(run))}</text>')
    width = max(LEFT + STEP * len(order) + 10, LEFT + 180 * min(len(runs), 5))
    tall = HEIGHT + 40 + 16 * ((len(runs) - 1) // 5)
    label = html(plain(f"{measure} by topic, topics in the order of their median"))
    inside = "".join([*drawn, *keys])
    return (
        f'<figure><svg width="{width}" height="{tall}" role="img" aria-label="{label}">{inside}</svg>'
        f"<figcaption>{label}</figcaption></figure>"
    )


def runs_grid(scores: Scores, group_of: Mapping[str, str]) -> Grid:
    """Return a row per run with its team and means, best first by the first measure."""
    means, team_of = scores.grid(), _teams(scores, group_of)
    order = _best_first(scores)
    place = {i: row for row, i in enumerate(order)}
    rows: list[list[Cell]] = [
        [run, team_of[run], *means.rows[i][1:]] for i in order for run in [scores.runs[i]]
    ]
    teams = len(set(team_of.values()))
    return Grid(
        [means.columns[0], Column("team", "label"), *means.columns[1:]],
        rows,
        f"{counted(len(rows), 'run')} of {counted(teams, 'team')}",
        [f"Means over {counted(len(scores.queries), 'topic')}; bold: the highest.", *means.notes],
        frozenset((place[i], k + 1) for i, k in means.stressed),
    )


def topics_grids(scores: Scores) -> list[Grid]:
    """Return a table per measure: best, median and worst value of each topic, and which run has the best."""
    columns = [Column("topic", "label"), *AMONG, Column("best run", "text")]
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
    for run in (scores.runs[i] for i in _best_first(scores)):
        best.setdefault(group_of.get(run, run), run)
    return list(best.values())


def _best_first(scores: Scores) -> list[int]:
    """Return the places of runs, that with the highest mean by the first measure first."""
    order: list[int] = np.argsort(-scores.means[:, 0], kind="stable").tolist()
    return order


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
        f"{name}.{kind}": picture(figure, kind) for name, figure in figures.items() for kind in ("svg", "pdf")
    }
