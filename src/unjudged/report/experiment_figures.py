"""Figures of experiments: statistics over the levels, and estimated against actual values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from unjudged.base.choices import as_list
from unjudged.base.errors import UsageError
from unjudged.measures.kernel.names import parse_measure
from unjudged.report.figure import (
    WIDTH,
    Figure,
    Scale,
    around,
    at_line_ends,
    axis_across,
    axis_up,
    colour_of,
    dot,
    line,
    named,
    width_of,
    words,
)
from unjudged.results.fields import Row
from unjudged.studies.agreement import STATISTICS, rms, tau
from unjudged.studies.experimenting import ITSELF, Experiment

Series = tuple[str, str]
"""A measure, and what it is compared with: another measure's actual values, or its own (`itself`)."""
Point = tuple[str, float, Row]
"""A series, its place on the axis, and the statistic there."""

PANEL, HEIGHT = 166, 120
DASHES = ("", "6 3", "2 2", "8 2 2 2")


def curves(
    result: Experiment,
    series: Sequence[Series] | None = None,
    statistics: Sequence[str] = ("tau", "rho", "rms"),
) -> Figure:
    """Draw a panel for each statistic over the levels, with all measures in it.

    The bands are one standard deviation over the repeats on either side of the mean.
    """
    made = result.source
    targets = {str(one): str(target) for one, target in zip(made.measures, made.targets, strict=True)}
    labels = {
        (m, to): m if to == targets.get(m) else f"{m} against {to}" for m, to in series or targets.items()
    }
    rows = [
        (labels[row["measure"], row["against"]], made.design.level.on_axis(row["level"]), row)
        for row in result.rows["experiment"]
        if (row["measure"], row["against"]) in labels
    ]
    return lines_over_levels(
        rows, list(labels.values()), made.design.axis, statistics, made.design.level.show
    )


def lines_over_levels(
    rows: Sequence[Point],
    order: Sequence[str],
    x_title: str,
    asked: Sequence[str],
    show: Callable[[float], str],
) -> Figure:
    """Draw the series over a logarithmic axis, a panel for each statistic, names at the ends of lines."""
    statistics = as_list("statistics", asked)
    for name in statistics:
        STATISTICS.find(name)
    if not statistics:
        raise UsageError(f"no statistic given, expected some of {', '.join(STATISTICS)}")
    asked_for = [one for one in rows if one[2]["statistic"] in statistics]
    known = [(name, at, row) for name, at, row in asked_for if at > 0 and row["mean"] == row["mean"]]
    places = sorted({at for _, at, _ in known})
    if not places:
        raise UsageError("nothing to draw: no statistic is a number at any level")
    right = WIDTH - max(width_of(named(name), 12) for name in order) - 24
    x = Scale(places[0], max(places[-1], places[0] * 1.01), 46, right, logarithmic=True)
    figure = Figure((HEIGHT + 52) * len(statistics) + 22, _finding(known, statistics[0], show))
    for panel, statistic in enumerate(statistics):
        top = 26 + panel * (HEIGHT + 52)
        own = [(name, at, row) for name, at, row in known if row["statistic"] == statistic]
        values = [row["mean"] for _, _, row in own]
        y = Scale(*around(values, zero=statistic in ("rms", "bias")), top + HEIGHT, top)
        title = x_title if panel == len(statistics) - 1 else ""
        figure.add(axis_up(y, 46, right, STATISTICS[statistic].title))
        figure.add(axis_across(x, top, top + HEIGHT, title, _apart(x, places)))
        ends = []
        for k, name in enumerate(order):
            line_of = sorted(((at, row) for one, at, row in own if one == name), key=lambda one: one[0])
            if not line_of:
                continue
            colour, dash = colour_of(k), DASHES[k // 6 % len(DASHES)]
            if all(row["repeats"] > 1 for _, row in line_of):
                edge = [(x(at), _inside(y, row["mean"] + row["deviation"])) for at, row in line_of]
                other = [(x(at), _inside(y, row["mean"] - row["deviation"])) for at, row in line_of]
                figure.add(line([*edge, *reversed(other)], colour, filled=True))
            points = [(x(at), y(row["mean"])) for at, row in line_of]
            figure.add(line(points, colour, 2, dash), [dot(*point, colour, 3) for point in points])
            ends.append((points[-1][1], name, colour))
        figure.add(at_line_ends(ends, right + 8, top, top + HEIGHT))
    return figure


def _finding(rows: Sequence[Point], statistic: str, show: Callable[[float], str]) -> str:
    """Say which series agrees best at the lowest level."""
    lowest = min(at for _, at, _ in rows)
    own = [(name, row) for name, at, row in rows if at == lowest and row["statistic"] == statistic]
    small = statistic in ("rms", "bias")
    best, row = min(own, key=lambda one: abs(one[1]["mean"]) if small else -one[1]["mean"])
    title, against = STATISTICS[statistic].title, row["against"] if row["against"] != ITSELF else "itself"
    return f"{best} from {show(row['level'])} is nearest to {against}: {title} {row['mean']:.2f}"


def _inside(y: Scale, value: float) -> float:
    """Return where a value stands in a figure, at its edge if it is outside."""
    return y(min(max(value, y.low), y.high))


def _apart(x: Scale, places: Sequence[float]) -> list[float]:
    """Return the places with room for their numbers, including the last one."""
    kept: list[float] = []
    for place in reversed(places):
        if not kept or x(kept[-1]) - x(place) > 30:
            kept.append(place)
    return kept


def scatter(
    result: Experiment,
    measures: Sequence[str] | None = None,
    levels: Sequence[float] | None = None,
    *,
    against: str | None = None,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> Figure:
    """Draw the estimate of every run against its actual value: a panel per measure and level.

    On the line they are equal. Each panel has the statistics of its own sample, and the title those for the
    nearest. `titles` replaces the names of measures.
    """
    made = result.source
    names, steps = [str(measure) for measure in made.measures], list(levels or made.levels[:3])
    if missing := [level for level in steps if level not in made.levels]:
        raise UsageError(f"the experiment has no level {missing[0]:g}")
    asked = names if measures is None else [str(parse_measure(m)) for m in as_list("measures", measures)]
    if absent := [name for name in asked if name not in names]:
        raise UsageError(f"the experiment has no {absent[0]}; it has: {', '.join(names)}")
    panels = []
    for name, level in ((name, level) for name in asked for level in steps):
        place = names.index(name)
        actual = (made.actual if against == ITSELF else made.reference)[:, place]
        estimate = made.means[list(made.levels).index(level), 0, :, place]
        of, at = name if against == ITSELF else made.targets[place], made.design.level.show(level)
        panels.append((titles.get(name, name), at, str(of), actual, estimate))
    name, at, of, actual, estimate = min(panels, key=lambda one: rms(one[4], one[3]))
    title = f"{name} from {at} is nearest to {of}: RMS error {rms(estimate, actual):.3f}"
    samples = f"Sample 1 of {made.means.shape[1]}." if made.means.shape[1] > 1 else ""
    figure = Figure((PANEL + 66) * -(-len(panels) // 2), title, why=samples)
    for k, (name, at, of, actual, estimate) in enumerate(panels):
        ends = around([*actual.tolist(), *estimate.tolist()], zero=True)
        left, top = 40 + k % 2 * (PANEL + 58), 30 + k // 2 * (PANEL + 66)
        x, y = Scale(*ends, left, left + PANEL), Scale(*ends, top + PANEL, top)
        figure.add(axis_across(x, top, top + PANEL, f"actual {of}"))
        figure.add(axis_up(y, left, left + PANEL, ""))
        figure.add(words(left - 26, top - 10, f"{name}, {at}", size=12))
        said = f"tau {tau(estimate, actual):.2f}, RMS {rms(estimate, actual):.3f}"
        figure.add(words(left + 6, top + 14, said, size=12, colour="quiet"))
        figure.add(line([(x(ends[0]), y(ends[0])), (x(ends[1]), y(ends[1]))], "quiet", 1))
        pairs = np.column_stack([actual, estimate]).tolist()
        figure.add(dot(x(one), y(other), "s0", 3) for one, other in pairs)
    return figure
