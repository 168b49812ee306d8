"""Figures of experiments: estimated against actual values, and statistics over the levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from unjudged.base.choices import as_list
from unjudged.base.errors import UsageError
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judged import Floats
from unjudged.report.charts import COLOURS, WIDTH, altair_module, finished, line_looks
from unjudged.results.fields import Row
from unjudged.studies.orders import STATISTICS, rho, rms, tau
from unjudged.studies.summary import ITSELF, Experiment, Samples

Series = tuple[str, str]
"""A measure, and what it is compared with: another measure's actual values, or its own (`itself`)."""

PANEL, HEIGHT = 140, 130
ROUND = (1, 2, 5, 10, 20, 50, 100)


def scatter(
    result: Experiment,
    measures: Sequence[str] | None = None,
    levels: Sequence[float] | None = None,
    *,
    against: str | None = None,
    repeat: int = 0,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Draw the estimate of every run against its actual value: a panel per measure and level.

    On the line they are equal. Each panel states the statistics of its own sample. `titles` replaces the
    names of measures in the axes.
    """
    chart = altair_module()
    made = result.source
    names = [str(measure) for measure in made.measures]
    usual = made.design.shown
    steps = list(levels or (usual if usual and set(usual) <= set(made.levels) else made.levels[:3]))
    for level in steps:
        if level not in made.levels:
            raise UsageError(f"the experiment has no level {level:g}")
    panels = []
    for asked in names if measures is None else as_list("measures", measures):
        name = str(asked) if asked in names else str(parse_measure(asked))
        if name not in names:
            raise UsageError(f"the experiment has no {name}; it has: {', '.join(names)}")
        k = names.index(name)
        actual = (made.actual if against == ITSELF else made.reference)[:, k]
        title = f"actual {name if against == ITSELF else made.targets[k]}"
        chosen = [made.means[list(made.levels).index(level), repeat, :, k] for level in steps]
        every = np.concatenate([actual, *chosen])
        ends = min(float(np.floor(10 * every.min()) / 10), 0.0), float(np.ceil(10 * every.max()) / 10)
        scale = chart.Scale(domain=ends, nice=False)
        axis = chart.Axis(tickCount=4, labelFlush=False)
        axes = (
            chart.X("x:Q", title=title, scale=scale, axis=axis),
            chart.Y("y:Q", title=titles.get(name, name), scale=scale, axis=axis),
        )
        panels += [
            _panel(
                made.runs,
                actual,
                values,
                ends=ends,
                axes=axes,
                name=made.design.level.show(level) + _sample(made, repeat),
            )
            for level, values in zip(steps, chosen, strict=True)
        ]
    return finished(chart.concat(*panels, columns=2))


def _sample(made: Samples, repeat: int) -> str:
    """Which of several samples a panel shows."""
    repeats = made.means.shape[1]
    return f", sample {repeat + 1} of {repeats}" if repeats > 1 else ""


def _panel(
    runs: Sequence[str],
    actual: Floats,
    estimate: Floats,
    *,
    ends: tuple[float, float],
    axes: tuple[Any, Any],
    name: str,
) -> Any:
    chart = altair_module()
    values = zip(runs, actual.tolist(), estimate.tolist(), strict=True)
    points = [{"run": run, "x": a, "y": e} for run, a, e in values]
    numbers = f"tau {tau(estimate, actual):.3f}, rho {rho(estimate, actual):.3f}"
    title = chart.TitleParams(name, subtitle=[numbers, f"RMS {rms(estimate, actual):.3f}"])
    corners = [{"x": end, "y": end} for end in ends]
    line = chart.Chart(chart.Data(values=corners)).mark_line(color="#888888", strokeWidth=1)
    dots = chart.Chart(chart.Data(values=points)).mark_point(color=COLOURS[2], size=16, opacity=0.8)
    tooltip = ["run:N", *(chart.Tooltip(f"{axis}:Q", format=".4f") for axis in "xy")]
    return (line.encode(*axes) + dots.encode(*axes, tooltip=tooltip)).properties(
        width=PANEL, height=PANEL, title=title
    )


def curves(
    result: Experiment,
    series: Sequence[Series] | None = None,
    statistics: Sequence[str] = ("tau", "rho", "rms"),
) -> Any:
    """Draw a panel for each statistic over the levels, with all measures in it.

    The bands are one standard deviation over the repeats on either side of the mean.
    """
    names, made = _known(statistics), result.source
    targets = {str(one): str(target) for one, target in zip(made.measures, made.targets, strict=True)}
    labels = {pair: _label(pair, targets) for pair in series or targets.items()}
    rows = [
        (labels[row["measure"], row["against"]], made.design.level.on_axis(row["level"]), row)
        for row in result.rows["experiment"]
        if (row["measure"], row["against"]) in labels
    ]
    levels = sorted({level for _, level, _ in rows})
    return _lines(rows, list(labels.values()), made.design.axis, names, _apart(levels))


def across(
    series: Mapping[str, tuple[Experiment, str]], statistics: Sequence[str] = ("tau", "rho", "rms")
) -> Any:
    """Draw measures under several designs over the share of all judgments that each design makes.

    `series` maps a name to an experiment and one of its measures.
    """
    rows, names = [], _known(statistics)
    for name, (result, measure) in series.items():
        rows += [
            (name, 100 * row["judged"] / result.source.complete, row)
            for row in result.rows["experiment"]
            if row["measure"] == measure and row["against"] != ITSELF
        ]
    ticks = [tick for tick in ROUND if tick >= min(share for _, share, _ in rows)]
    return _lines(rows, list(series), "share of the judgments (%)", names, ticks)


def _known(statistics: Sequence[str]) -> list[str]:
    """Return the names of statistics; an unknown one is refused."""
    names = as_list("statistics", statistics)
    for name in names:
        STATISTICS.find(name)
    if not names:
        raise UsageError(f"no statistic given, expected some of {', '.join(STATISTICS)}")
    return names


def _lines(
    rows: Sequence[tuple[str, float, Row]],
    order: Sequence[str],
    x: str,
    statistics: Sequence[str],
    ticks: Sequence[float],
) -> Any:
    chart = altair_module()
    colour, dash = line_looks("series", order)
    axis = chart.Axis(values=ticks, format=".3~g", labelOverlap=True, labelFlush=False)
    scale = chart.Scale(type="log", nice=False)
    panels = []
    for statistic in statistics:
        points: list[dict[str, Any]] = [
            {"series": name, "level": level, "value": row["mean"], **_spread(row)}
            for name, level, row in rows
            if row["statistic"] == statistic
            and row["mean"] == row["mean"]  # skip what is not a number
            and level > 0
        ]
        ends = [float(p[key]) for p in points for key in ("value", "low", "high") if key in p]
        domain = _domain(ends, statistic)
        vertical = chart.Scale(domain=domain, nice=False)
        base = chart.Chart(chart.Data(values=points))
        spread = base.mark_area(opacity=0.1, clip=True).encode(
            chart.X("level:Q", scale=scale), chart.Y("low:Q", scale=vertical), chart.Y2("high:Q"), colour
        )
        lines = base.mark_line(point=chart.OverlayMarkDef(size=35)).encode(
            chart.X("level:Q", title=f"{x}, logarithmic", scale=scale, axis=axis),
            chart.Y("value:Q", title=STATISTICS[statistic].title, scale=vertical),
            colour,
            dash,
            tooltip=["series:N", "level:Q", chart.Tooltip("value:Q", format=".4f")],
        )
        known = [spread] if any("low" in point for point in points) else []
        panels.append(chart.layer(*known, lines).properties(width=WIDTH, height=HEIGHT))
    return finished(chart.vconcat(*panels))


def _domain(values: Sequence[float], statistic: str) -> tuple[float, float]:
    """Return the range of an axis in round numbers: errors from 0, biases around it, others up to 1."""
    low, high = min([0.0, *values]), max([0.0, *values])
    if statistic == "rms":
        low = 0.0
    elif statistic != "bias":
        low, high = max(min([1.0, *values]), -1.0), 1.0
    step = 0.05 if high - low < 0.5 else 0.1
    bottom, top = float(np.floor(low / step) * step), float(np.ceil(high / step) * step)
    return round(bottom, 6), round(max(top, bottom + step), 6)


def _spread(row: Row) -> dict[str, float]:
    """One standard deviation over the repeats on either side, where there are several."""
    if row["repeats"] < 2:
        return {}
    return {"low": row["mean"] - row["deviation"], "high": row["mean"] + row["deviation"]}


def _label(series: Series, targets: Mapping[str, str]) -> str:
    measure, against = series
    return measure if against == targets.get(measure) else f"{measure} against {against}"


def _apart(ticks: Sequence[float]) -> list[float]:
    """Ticks with room for their labels on a logarithmic axis, including the last one."""
    kept: list[float] = []
    for tick in sorted((tick for tick in ticks if tick > 0), reverse=True):
        if not kept or tick <= kept[-1] / 1.5:
            kept.append(tick)
    return kept[::-1]
