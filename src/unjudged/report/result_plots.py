"""Figures of scores and comparisons: systems in their ranges, differences by query, judged by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.base.choices import as_list
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import counted, percent, shortlist
from unjudged.evidence.intervals import NoIntervalError
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.report.figure import (
    WIDTH,
    Figure,
    Scale,
    around,
    at_line_ends,
    axis_across,
    axis_up,
    box,
    colour_of,
    diamond,
    dot,
    line,
    named,
    ring,
    width_of,
    words,
)
from unjudged.results.evaluation import Evaluation
from unjudged.results.fields import Row
from unjudged.results.grid import blank
from unjudged.results.words import wide_ranges

ROW, BAR, STRIP = 27, 13, 16
"""Pixels of a system, of its range, and of a choice."""
OVER_QUERIES = ("query_low", "query_high")
KEYS = ("mean", "low", "high", *OVER_QUERIES)
FEW = 6
"""More lines than this are not told apart: only the lowest have names."""


def finding(measure: str, rows: Sequence[Row]) -> str:
    """Say which system leads, and which could be anywhere."""
    best, hot = named(rows[0]["system"]), wide_ranges(rows)
    said = f"{best} leads by {measure}" if len(rows) > 1 else f"{measure} of {best}"
    if not hot:
        return said
    if len(hot) > 1:
        return f"{said}. {shortlist(list(map(named, hot)), 3)} could be anywhere"
    (row,) = (row for row in rows if row["system"] == hot[0])
    return f"{said}. {named(hot[0])} could be anywhere from {row['low']:.2f} to {row['high']:.2f}"


def systems_figure(
    measure: str,
    rows: Sequence[Row],
    level: float,
    title: str = "",
    *,
    truth: Mapping[str, float] | None = None,
    judged: Mapping[str, float] | None = None,
    width: float = WIDTH,
) -> Figure:
    """Draw means as dots in the ranges that judging could make of them, with intervals for other queries.

    A row has `system`, `mean`, and perhaps `low` and `high`, and `query_low` and `query_high`. `truth` are
    the means with every document judged, and `judged` the judged shares of first documents.
    """
    names = {row["system"]: named(row["system"]) for row in rows}
    left = max(map(width_of, names.values())) + 14
    right = width - (58 if judged is None else 104)
    ends = [row[key] for row in rows for key in KEYS if blank(row.get(key)) is not None]
    bottom = 8 + ROW * len(rows)
    x = Scale(*around(ends, zero=min(ends) >= 0), left, right)
    hot = wide_ranges(rows)
    ranged = any(row.get("low") is not None for row in rows)
    sampled = any(blank(row.get("query_low")) is not None for row in rows)
    keys = [(dot(10, 0), "score today")]
    keys += [(box(0, -6, 20, 12), "what judging could make of it")] if ranged else []
    keys += [(line([(0, 0), (20, 0)], "ink", 1.5), f"other queries ({percent(level)})")] if sampled else []
    keys += [(diamond(10, 0), "with every document judged")] if truth else []
    figure = Figure(bottom + 40, title or finding(measure, rows), keys, width)
    figure.add(axis_across(x, 4, bottom, f"mean {measure}"))
    if judged is not None:
        figure.add(words(width - 4, bottom + 16, "top ten judged", anchor="end", size=12, colour="quiet"))
    for k, row in enumerate(rows):
        y, own = 8 + ROW * (k + 0.5), row["system"] in hot
        colour = "hot" if own else "ink"
        figure.add(words(left - 10, y + 4.5, names[row["system"]], anchor="end", colour=colour, bold=own))
        if blank(row.get("low")) is not None:
            low, high = x(row["low"]), x(row["high"])
            figure.add(box(low, y - BAR / 2, high - low, BAR, "hot-range" if own else "range"))
        if blank(row.get("query_low")) is not None:
            figure.add(line([(x(row["query_low"]), y), (x(row["query_high"]), y)], colour, 1.5))
        if truth:
            figure.add(diamond(x(truth[row["system"]]), y))
        figure.add(dot(x(row["mean"]), y, colour))
        beside = f"{row['mean']:.3f}" if judged is None else percent(judged[row["system"]], 0)
        figure.add(words(width - 4, y + 4.5, beside, anchor="end", colour=colour, bold=own))
    return figure


def differences_figure(pair: Row, by_query: Sequence[Row], systems: Sequence[str], level: float) -> Figure:
    """Draw the difference on each query as a dot in its range, and of the means beside them."""
    rows = sorted(by_query, key=lambda row: -row["difference"])
    a, b, measure = pair["a"], pair["b"], pair["measure"]
    left, right, top, bottom, margin = 46.0, WIDTH - 104.0, 24.0, 224.0, WIDTH - 76.0
    ends = [
        row[key] for row in rows for key in ("difference", "low", "high") if blank(row.get(key)) is not None
    ]
    y = Scale(*around([*ends, pair["difference"]], zero=True), bottom, top)
    sign = -1 if pair["lower_is_better"] else 1
    ahead = sum(sign * row["difference"] > 0 for row in rows)
    behind = sum(sign * row["difference"] < 0 for row in rows)
    first, second = (a, b) if ahead >= behind else (b, a)
    title = f"{named(first)} beats {named(second)} on {max(ahead, behind)} of {counted(len(rows), 'query')}"
    colours = {name: colour_of(systems.index(name)) for name in (a, b)}
    keys = [(dot(10, 0, colours[name]), f"{named(name)} is better") for name in (first, second)]
    if any(row.get("low") is not None for row in rows):
        keys.append((box(0, -6, 20, 12), "what judging could make of it"))
    figure = Figure(bottom + 26, title, keys)
    figure.add(axis_up(y, left, right, f"{measure} of {named(a)} minus {named(b)}"))
    step = (right - left) / len(rows)
    for k, row in enumerate(rows):
        x, won = left + (k + 0.5) * step, sign * row["difference"]
        if blank(row.get("low")) is not None:
            high, low = y(row["high"]), y(row["low"])
            figure.add(box(x - 0.36 * step, high, 0.72 * step, low - high))
        colour = colours[a] if won > 0 else colours[b] if won < 0 else "quiet"
        figure.add(dot(x, y(row["difference"]), colour, max(min(0.45 * step, 4.0), 1.2)))
    figure.add(line([(left, y(0)), (right, y(0))], "quiet", 1))
    figure.add(words((left + right) / 2, bottom + 18, "queries", anchor="middle", size=12, colour="quiet"))
    if blank(pair.get("low")) is not None:
        high, low = y(min(pair["high"], y.high)), y(max(pair["low"], y.low))
        figure.add(box(margin - BAR / 2, high, BAR, low - high))
    beside = min(y(pair["difference"]) + 4, bottom - 46)  # so that four lines have room
    if blank(pair.get("query_low")) is not None:
        figure.add(line([(margin, y(pair["query_low"])), (margin, y(pair["query_high"]))], "ink", 1.5))
        spans = (
            f"{percent(level)}:",
            f"{pair['query_low']:+.2f} to",
            f"{pair['query_high']:+.2f}",
        )
        for k, said in enumerate(spans):
            figure.add(words(margin + 12, beside + 14 + 15 * k, said, size=12, colour="quiet"))
    figure.add(dot(margin, y(pair["difference"])))
    figure.add(words(margin + 12, beside, f"{pair['difference']:+.3f}", bold=True))
    figure.add(words(margin, bottom + 18, "mean", anchor="middle", size=12, colour="quiet"))
    return figure


def choices_figure(result: Any) -> Figure:
    """Draw a strip per choice, a column per measure: the difference, its interval, and who leads.

    The colour is the leader's; the dot is filled if the leader is better. Each measure has its own
    scale, with no difference in its middle.
    """
    rows, systems = result.rows["choices"], result.settings["systems"]
    families = list(dict.fromkeys(row["family"] for row in rows))
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        group = row["group"] if "cutoff" in row else f"{row['group']}, one at a time"
        groups.setdefault(group, {}).setdefault(named(row["label"]), []).append(row)
    left = 10 + max(width_of(label, 11) for group in groups.values() for label in group)
    wide, y = (WIDTH - left - 4) / len(families), 32.0
    colours = {name: colour_of(place) for place, name in enumerate(systems)}
    keys = [(dot(10, 0, colours[name]), f"{named(name)} is better") for name in systems]
    keys += [(ring(10, 0, colours[name]), f"{named(name)} leads") for name in systems]
    keys.append(
        (line([(0, 0), (20, 0)], "quiet", 1.5), f"other queries ({percent(1 - result.settings['alpha'])})")
    )
    first, *others = result.settings["said"]
    figure = Figure(0, first, keys, why=" ".join(others))
    scales = {}
    for k, family in enumerate(families):
        own = [row for row in rows if row["family"] == family]
        ends = [row[end] for row in own for end in (*OVER_QUERIES, "difference")]
        most = max(abs(end) for end in ends if blank(end) is not None) or 1.0
        start = left + k * wide
        scales[family] = Scale(-most, most, start + 6, start + wide - 6)
        figure.add(words(start + wide / 2, 12, named(family, 12), anchor="middle", size=12, bold=True))
    for head, group in groups.items():
        figure.add(words(4, y, head, size=12, colour="quiet"))
        for label, several in group.items():
            y += STRIP
            figure.add(words(left - 8, y + 4, label, anchor="end", size=12))
            for row in several:
                x, colour = scales[row["family"]], colours.get(row["ahead"], "quiet")
                figure.add(line([(x(0), y - STRIP / 2), (x(0), y + STRIP / 2)], "rule", 1))
                if blank(row.get("query_low")) is not None:
                    figure.add(line([(x(row[end]), y) for end in OVER_QUERIES], colour, 1.5))
                mark = dot if row["better"] else ring
                figure.add(mark(x(row["difference"]), y, colour))
        y += STRIP + 8
    figure.height = y
    return figure


def judged_by_rank(rankings: JudgedRankings, runs: int, depth: int) -> tuple[Integers, Integers]:
    """Return by run and rank how many documents are judged, and how many there are."""
    queries = len(rankings) // runs
    top = rankings.where((rankings.labels >= 0) & (rankings.rank <= depth))
    judged = np.bincount(top.ranking // queries * depth + top.rank - 1, minlength=runs * depth)
    ranked = [(rankings.retrieved.reshape(runs, queries) > i).sum(axis=1) for i in range(depth)]
    return judged.reshape(runs, depth), np.stack(ranked, axis=1)


def judged_figure(systems: Sequence[str], judged: Integers, ranked: Integers) -> Figure:
    """Draw the judged share of the first documents, a line per system; of many, the lowest have names."""
    share: Floats = judged.cumsum(axis=1) / np.maximum(ranked.cumsum(axis=1), 1)
    ten = share[:, min(9, share.shape[1] - 1)]
    order = np.argsort(ten, kind="stable").tolist()
    told = set(order if len(systems) <= FEW else order[:3])
    depth = max(int((ranked > 0).any(axis=0).sum()), 2)
    lowest = order[0]
    title = f"{percent(ten[lowest], 0)} of {named(systems[lowest])}'s first ten documents are judged"
    if len(systems) == 2:
        title = f"{title}, and {percent(ten[order[1]], 0)} of {named(systems[order[1]])}'s"
    elif len(systems) > 2:
        least = percent(ten[order[1]], 0)
        title = f"{title}, {'all' if ten[order[1]] == 1 else f'at least {least}'} of the others'"
    names = [named(systems[i], 16) for i in told]
    right = WIDTH - max(map(width_of, names)) - 12
    x, y = Scale(1, depth, 46, right), Scale(0, 1, 214, 24)
    figure = Figure(254, title)
    ticks = [1.0, *(tick for tick in x.ticks if tick > 4)]
    figure.add(
        axis_up(y, 46, right, "judged share of the first documents"),
        axis_across(x, 24, 214, "first documents of each ranking", ticks),
    )
    ends = []
    for i in reversed(order):
        points = [(x(k + 1), y(float(share[i, k]))) for k in range(depth) if ranked[i, k]]
        colour = colour_of(i) if i in told else "range"
        figure.add(line(points, colour, 2 if i in told else 1) if points else "")
        if i in told and points:
            ends.append((points[-1][1], named(systems[i], 16), colour))
    figure.add(at_line_ends(ends, right + 8, 24, 214))
    return figure


class ResultPlots:
    """`result.plot`: figures to show in a notebook, or to save with `.save(file)`.

    The measure is the first if none is named.
    """

    def __init__(self, result: Any) -> None:
        self._result = result
        self._level = 1 - result.settings["alpha"]

    def intervals(self, measure: MeasureLike | None = None, intervals: Sequence[str] | None = None) -> Figure:
        """Draw the means, best first, in their ranges, with lines for other queries.

        Of an evaluation other `intervals` may be named; those for other queries are lines, all others ranges.
        """
        name, result = self._measure(measure), self._result
        if not isinstance(result, Evaluation):
            rows = [row for row in result.rows["systems"] if row["measure"] == name]
            return systems_figure(name, rows, self._level)
        level, found = self._level, dict[str, Row]()
        for asked in ("bounds", "queries") if intervals is None else as_list("intervals", intervals):
            try:
                made = result.with_interval(asked)
            except NoIntervalError:
                if intervals is not None:
                    raise
                continue
            for row in (row for row in made.rows["systems"] if row["measure"] == name):
                own = found.setdefault(row["system"], {"system": row["system"], "mean": row["mean"]})
                own |= _ends(row, asked.partition("(")[0])
                level = row.get("confidence", level) if own.keys() & set(OVER_QUERIES) else level
        return systems_figure(name, list(found.values()), level)

    def choices(self) -> Figure:
        """Draw a strip per choice, of `compare_choices`."""
        return choices_figure(self._result)

    def judged_by_rank(self, depth: int = 100) -> Figure:
        """Draw the judged share of the first documents, over all queries: a line per run."""
        runs = self._result.runs
        return judged_figure(runs, *judged_by_rank(self._result.rankings, len(runs), depth))

    def differences(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None
    ) -> Figure:
        """Draw the difference of two systems on each query, largest first."""
        name, result = self._measure(measure), self._result
        pair, by_query = result.pair(a, b, name), result.by_query(a, b, name).rows["queries"]
        return differences_figure(pair, by_query, list(result.runs), self._level)

    def _measure(self, given: MeasureLike | None) -> str:
        measures: list[str] = list(self._result.measures)
        return measures[0 if given is None else place_of_measure(given, measures)]


def _ends(row: Row, kind: str) -> Row:
    """Return the ends of one kind of interval, as a range or as a line for other queries."""
    if kind == "queries":
        return {name: row.get(name) for name in OVER_QUERIES}
    prefix = {"bounds": "", "calibrated": "calibrated_"}.get(kind, "estimate_")
    return {end: row.get(prefix + end) for end in ("low", "high")}
