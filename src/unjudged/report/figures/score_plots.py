"""Figures of scores and comparisons: intervals, differences, judged shares, precision and recall, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from unjudged.base.choices import as_list, place_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import percent
from unjudged.comparison.collections_result import MACRO, CollectionsComparison
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.pairwise import t_interval
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import blank
from unjudged.measures.interpolated import TENTHS
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.rankings.judged import Floats
from unjudged.report.descriptions import (
    INK,
    ROW,
    differences_chart,
    interval_words,
    intervals_chart,
    matrix_chart,
)
from unjudged.report.figures.charts import COLOURS, altair_module, drawn, finished, highest_first, line_looks
from unjudged.report.page.packed import judged_by_rank

WIDTH, WIDE, HEIGHT = 460, 640, 280
LEVEL = 0.95
MOST_QUERIES = 40
"""Queries that a figure has a bar of full width for."""


class ScorePlots:
    """`scores.plot`: figures as Altair charts, to change further and to save with `.save(file)`.

    A measure need be named only where there are several.
    """

    def __init__(self, scores: Scores) -> None:
        self._scores = scores

    def intervals(
        self,
        measure: MeasureLike | None = None,
        intervals: Sequence[str] = ("bounds", "queries"),
        **given: Any,
    ) -> Any:
        """Draw the means, best first, with one or more kinds of interval.

        Each kind has its own shape: bounds are a hollow box, other intervals for judgments a solid bar,
        intervals for other queries a dashed line. `given` goes to `scores.estimate`.
        """
        k, scores = self._place(measure), self._scores
        order = scores.measures[k].best_first(scores.means[:, k])
        rows = [{"run": scores.runs[i], "mean": float(scores.means[i, k])} for i in order]
        one = scores.chosen(scores.measures[k])
        words = {}
        for kind in as_list("intervals", intervals):
            estimates = one.estimate(kind, **given)
            words[kind] = interval_words(kind, estimates[0][0].confidence)
            for row, i in zip(rows, order, strict=True):
                row |= {f"{kind}_low": estimates[i][0].low, f"{kind}_high": estimates[i][0].high}
        return drawn(intervals_chart(str(scores.measures[k]), words), rows=rows).properties(width=WIDTH)

    def differences(self, a: str, b: str, measure: MeasureLike | None = None) -> Any:
        """Draw the difference of two runs on each query, largest first."""
        k, two = self._place(measure), [place_of("run", run, self._scores.runs) for run in (a, b)]
        both = self._scores.values[two, :, k]
        _, low, high = t_interval(Pairs.of(both), LEVEL)
        return difference_figure(
            both[0] - both[1],
            self._scores.queries,
            self._scores.measures[k],
            a,
            b,
            interval=(float(low[0]), float(high[0]), LEVEL),
        )

    def judged_by_rank(self, depth: int = 100) -> Any:
        """Draw the judged share of the documents at each rank, over all queries: a line per run."""
        judged, ranked = judged_by_rank(self._scores.judged, len(self._scores.runs), depth)
        share = 100 * judged / np.maximum(ranked, 1)
        rows = [
            {"run": run, "rank": rank + 1, "judged": float(share[i, rank])}
            for i, run in enumerate(self._scores.runs)
            for rank in np.flatnonzero(ranked[i]).tolist()
        ]
        return self._lines(rows, "rank", "judged", "judged documents (%)", points=False)

    def precision_recall(self, rel: int = 1) -> Any:
        """Draw mean interpolated precision at eleven levels of recall: a line per run."""
        queries = len(self._scores.queries)
        rows = []
        for recall in TENTHS:
            measure = MEASURES["IPrec"](recall=recall, rel=rel)
            values = measure.compute(self._scores.judged).reshape(-1, queries)
            rows += [
                {"run": run, "recall": recall, "precision": float(mean)}
                for run, mean in zip(self._scores.runs, measure.over_queries(values), strict=True)
            ]
        return self._lines(rows, "recall", "precision", "interpolated precision", points=True)

    def queries(self, measure: MeasureLike | None = None) -> Any:
        """Draw the values of all runs on each query, hardest last: a dot per run, a tick for the median."""
        alt, k = altair_module(), self._place(measure)
        measure, values = self._scores.measures[k], self._scores.values[:, :, k]
        name, median = str(measure), np.median(values, axis=0)
        order = [self._scores.queries[q] for q in measure.best_first(median)]
        rows = [
            {"run": run, "query": query, "value": float(values[i, q])}
            for i, run in enumerate(self._scores.runs)
            for q, query in enumerate(self._scores.queries)
        ]
        medians = zip(self._scores.queries, median.tolist(), strict=True)
        middle = [{"query": query, "median": value} for query, value in medians]
        x = alt.X(
            "query:N",
            sort=order,
            title=f"query, {'lowest' if measure.traits.lower else 'highest'} median first",
            scale=alt.Scale(type="band"),
            axis=alt.Axis(labelOverlap=True),
        )
        dots = alt.Chart(alt.Data(values=rows)).mark_circle(color=COLOURS[2], size=30, opacity=0.6)
        ticks = alt.Chart(alt.Data(values=middle)).mark_rule(color=COLOURS[1], strokeWidth=2)
        tooltip = ["run:N", "query:N", alt.Tooltip("value:Q", format=".4f")]
        dots = dots.encode(x, alt.Y("value:Q", title=name), tooltip=tooltip)
        title = alt.TitleParams(f"{name} by query", subtitle="dot: a run; tick: the median of all runs")
        ends = {"x": alt.X("query:N", sort=order, bandPosition=0.1), "x2": alt.X2("query", bandPosition=0.9)}
        both = dots + ticks.encode(y=alt.Y("median:Q"), **ends)
        wide = WIDE if len(order) > MOST_QUERIES else alt.Step(16)
        return finished(both.properties(height=260, width=wide, title=title))

    def _lines(self, rows: list[dict[str, Any]], x: str, y: str, title: str, *, points: bool) -> Any:
        """Draw a line per run with a colour and dashes of its own; the legend has the highest first."""
        alt = altair_module()
        top = 100.0 if max((row[y] for row in rows), default=0.0) > 1 else 1.0
        colour, dash = line_looks("run", highest_first(rows, "run", y))
        tooltip = ["run:N", f"{x}:Q", alt.Tooltip(f"{y}:Q", format=".3f")]
        base = alt.Chart(alt.Data(values=rows)).encode(
            alt.X(f"{x}:Q", title=x, scale=alt.Scale(zero=False, nice=False)),
            alt.Y(f"{y}:Q", title=title, scale=alt.Scale(domain=[0, top])),
            colour,
            dash,
            tooltip=tooltip,
        )
        line = base.mark_line(point={"size": 20} if points else False, strokeWidth=1.5)
        return finished(line.properties(width=WIDTH, height=HEIGHT))

    def _place(self, measure: MeasureLike | None) -> int:
        names = [str(m) for m in self._scores.measures]
        if measure is None and len(names) > 1:
            raise UsageError(f"say which measure: {', '.join(names)}")
        return 0 if measure is None else place_of_measure(measure, names)


def difference_figure(
    gap: Floats,
    queries: Sequence[str],
    measure: Measure,
    a: str,
    b: str,
    *,
    interval: tuple[float, float, float],
    bounds: tuple[float, float] | None = None,
) -> Any:
    """Draw bars by query, largest difference first, and a line for their mean.

    A band is its `interval` for other queries, with its level, and a box its `bounds`.
    """
    order = np.argsort(-gap, kind="stable").tolist()
    better = [a if gain > 0 else b for gain in measure.sign * gap]
    rows = [{"query": queries[q], "difference": float(gap[q]), "better": better[q]} for q in order]
    low, high, level = interval
    known = isfinite(low)
    mean = {"mean": float(gap.mean())}
    said = [f"line: the mean, {gap.mean():+.4f}"]
    if known:
        mean |= {"query_low": low, "query_high": high}
        said.append(f"band: other queries, {percent(level)} interval, {low:+.4f} to {high:+.4f}")
    if bounds is not None:
        mean |= {"low": bounds[0], "high": bounds[1]}
        words = "box: the mean whatever the unjudged documents are"
        said.append(f"{words}, {bounds[0]:+.4f} to {bounds[1]:+.4f}")
    description = differences_chart(str(measure), a, b, bounded=bounds is not None, interval=known)
    description["title"]["subtitle"] = said
    if len(queries) > MOST_QUERIES:
        description["width"] = WIDE
    return drawn(description, rows=rows, mean=[mean])


class ComparisonPlots:
    """`comparison.plot`: figures as Altair charts, to change further and to save with `.save(file)`."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def matrix(self, measure: MeasureLike | None = None) -> Any:
        """Draw the verdict on every pair, systems by mean on both sides: row against column."""
        result = self._comparison.result(measure)
        runs, pairs = self._comparison.runs, result.tests.pairs
        order = [runs[i] for i in result.order()]
        rows = []
        for k, verdict in enumerate(result.verdicts):
            a, b = runs[int(pairs.first[k])], runs[int(pairs.second[k])]
            low, high = float(result.judging.low[k]), float(result.judging.high[k])
            gap, p = float(pairs.difference[k]), float(result.tests.p_adjusted[k])
            for row, column, *numbers in ((a, b, gap, low, high), (b, a, -gap, -high, -low)):
                known = dict(zip(("difference", "low", "high"), map(blank, numbers), strict=True))
                rows.append({"row": row, "column": column, **known, "verdict": verdict, "p": p})
        return drawn(matrix_chart(str(result.measure), order, set(result.verdicts)), rows=rows)

    def differences(self, a: str, b: str, measure: MeasureLike | None = None) -> Any:
        """Draw the difference of two systems on each query, largest first."""
        result = self._comparison.result(measure)
        pair = self._comparison.pair(a, b, result.measure)
        place = list(self._comparison.runs).index
        values = result.measure.averaged(result.values)
        gap = values[place(a)] - values[place(b)]
        other, judged = pair.other_queries, pair.difference
        return difference_figure(
            gap,
            self._comparison.queries,
            result.measure,
            a,
            b,
            interval=(other.low, other.high, other.confidence),
            bounds=(judged.low, judged.high) if judged.has_interval else None,
        )


def collections_figure(found: CollectionsComparison) -> Any:
    """Draw a dot per collection, and the mean over collections with its interval; best mean first."""
    alt = altair_module()
    low, high = found.interval
    order = [found.runs[i] for i in found.order]
    dots = [
        {"run": run, "collection": name, "value": float(found.means[i, c])}
        for i, run in enumerate(found.runs)
        for c, name in enumerate(found.collections)
    ]
    means = [
        {"run": run, "value": float(found.macro_means[i]), "low": float(low[i]), "high": float(high[i])}
        for i, run in enumerate(found.runs)
    ]
    y = alt.Y("run:N", sort=order, title=None, scale=alt.Scale(type="band"))
    title = f"{found.measure}: collections, and their {MACRO} with its interval for other queries"
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False))
    colours = alt.Scale(
        domain=list(found.collections), range=COLOURS[1:] if len(found.collections) < 7 else alt.Undefined
    )
    points = alt.Chart(alt.Data(values=dots)).mark_point(filled=True, opacity=0.75, size=45)
    points = points.encode(x=x, y=y, color=alt.Color("collection:N", scale=colours, title=None))
    base = alt.Chart(alt.Data(values=means))
    ends = {"x": alt.X("low:Q"), "x2": "high:Q", "y": y}
    bars = base.mark_rule(color=INK, strokeWidth=2).encode(**ends)
    above, below = alt.Y("run:N", sort=order, bandPosition=0.2), alt.Y2("run", bandPosition=0.8)
    ticks = base.mark_rule(color=INK, strokeWidth=3).encode(x=x, y=above, y2=below)
    return finished((points + bars + ticks).properties(width=WIDTH, height=alt.Step(ROW)))
