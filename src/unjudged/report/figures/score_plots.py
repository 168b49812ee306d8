"""Figures of scores: intervals, differences, judged shares, precision and recall, queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.base.choices import as_list
from unjudged.base.errors import UsageError
from unjudged.base.wording import percent
from unjudged.evaluation.scores import Scores
from unjudged.measures.interpolated import TENTHS
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import MEASURES
from unjudged.report.figures.charts import COLOURS, altair_module, finished
from unjudged.report.figures.line_labels import end_labels

ROW = 24
WIDTH, HEIGHT = 460, 280
MOST_LINES = len(COLOURS)
BOUNDS, CALIBRATED, QUERIES = "#5b2a86", "#E69F00", "#8a3b00"


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
        """The means, highest first, with one or more kinds of interval.

        Each kind has its own shape: bounds are a hollow box, other intervals for judgments a solid bar,
        intervals for other queries a dashed line. `given` goes to `scores.estimate`.
        """
        alt, k = altair_module(), self._place(measure)
        name = str(self._scores.measures[k])
        order = [self._scores.runs[i] for i in np.argsort(-self._scores.means[:, k], kind="stable")]
        y = alt.Y("run:N", sort=order, title=None)
        layers, chosen = [], [m for i, m in enumerate(self._scores.measures) if i == k]
        one = replace(self._scores, values=self._scores.values[:, :, k : k + 1], measures=chosen)
        for kind in as_list("intervals", intervals):
            found = [row[0] for row in one.estimate(kind, **given)]
            rows = [
                {"run": run, "low": e.low, "high": e.high, "interval": _covers(kind, e.confidence)}
                for run, e in zip(one.runs, found, strict=True)
            ]
            layers.append(self._layer(alt, kind, rows, y, f"mean {name}"))
        means = [{"run": run, "mean": float(m)} for run, m in zip(one.runs, one.means[:, 0], strict=True)]
        tick = alt.Chart(alt.Data(values=means)).mark_tick(color="black", thickness=2, height=16)
        tooltip = [alt.Tooltip("run:N"), alt.Tooltip("mean:Q", format=".4f")]
        layers.append(tick.encode(alt.X("mean:Q", title=f"mean {name}"), y, tooltip=tooltip))
        title = alt.TitleParams(f"Mean {name}", subtitle=[_legend(kind, given) for kind in intervals])
        return finished(alt.layer(*layers).properties(width=WIDTH, height=ROW * len(order), title=title))

    def _layer(self, alt: Any, kind: str, rows: list[dict[str, Any]], y: Any, title: str) -> Any:
        base = alt.Chart(alt.Data(values=rows))
        if kind == "bounds":
            mark = base.mark_bar(filled=False, color=BOUNDS, strokeWidth=1.5, height=12)
        elif kind in ("queries", "both"):
            mark = base.mark_rule(color=QUERIES, strokeDash=[4, 3], strokeWidth=1.5, yOffset=9)
        else:
            mark = base.mark_bar(color=CALIBRATED, height=5)
        tooltip = ["run:N", "interval:N", *(alt.Tooltip(f"{end}:Q", format=".4f") for end in ("low", "high"))]
        return mark.encode(alt.X("low:Q", title=title), alt.X2("high:Q"), y, tooltip=tooltip)

    def differences(self, a: str, b: str, measure: MeasureLike | None = None) -> Any:
        """The difference of two runs on each query, largest first."""
        k, runs = self._place(measure), list(self._scores.runs)
        for run in (a, b):
            if run not in runs:
                raise UsageError(
                    f"no run is called {run!r}; there are {', '.join(runs[:5])}{', ...' * (len(runs) > 5)}"
                )
        gap = self._scores.values[runs.index(a), :, k] - self._scores.values[runs.index(b), :, k]
        return difference_chart(gap, self._scores.queries, str(self._scores.measures[k]), a, b)

    def judged_by_rank(self, depth: int = 100) -> Any:
        """The judged share of the documents at each rank, over all queries: a line per run."""
        r, runs, queries = self._scores.rankings, len(self._scores.runs), len(self._scores.queries)
        top = r.where((r.labels >= 0) & (r.rank <= depth))
        judged = np.bincount(top.ranking // queries * depth + top.rank - 1, minlength=runs * depth)
        ranked = np.stack(
            [(r.retrieved.reshape(runs, queries) > i).sum(axis=1) for i in range(depth)], axis=1
        )
        share = 100 * judged.reshape(runs, depth) / np.maximum(ranked, 1)
        rows = [
            {"run": run, "rank": rank + 1, "judged": float(share[i, rank])}
            for i, run in enumerate(self._scores.runs)
            for rank in np.flatnonzero(ranked[i]).tolist()
        ]
        return self._lines(rows, "rank", "rank", "judged", "judged documents (%)", points=False)

    def precision_recall(self, rel: int = 1) -> Any:
        """Interpolated precision at eleven levels of recall, the mean over all queries: a line per run."""
        queries = len(self._scores.queries)
        rows = []
        for recall in TENTHS:
            measure = MEASURES["IPrec"](recall=recall, rel=rel)
            values = measure.compute(self._scores.rankings).reshape(-1, queries)
            rows += [
                {"run": run, "recall": recall, "precision": float(mean)}
                for run, mean in zip(self._scores.runs, measure.over_queries(values), strict=True)
            ]
        title = "interpolated precision"
        return self._lines(rows, "recall", "recall", "precision", title, points=True)

    def queries(self, measure: MeasureLike | None = None) -> Any:
        """The values of all runs on each query, hardest query last: a dot per run, a tick for the median."""
        alt, k = altair_module(), self._place(measure)
        name, values = str(self._scores.measures[k]), self._scores.values[:, :, k]
        median = np.median(values, axis=0)
        order = [self._scores.queries[q] for q in np.argsort(-median, kind="stable")]
        rows = [
            {"run": run, "query": query, "value": float(values[i, q])}
            for i, run in enumerate(self._scores.runs)
            for q, query in enumerate(self._scores.queries)
        ]
        medians = zip(self._scores.queries, median.tolist(), strict=True)
        middle = [{"query": query, "median": value} for query, value in medians]
        x = alt.X("query:N", sort=order, title="query, highest median first")
        dots = alt.Chart(alt.Data(values=rows)).mark_circle(color=COLOURS[2], size=30, opacity=0.6)
        ticks = alt.Chart(alt.Data(values=middle)).mark_tick(color=COLOURS[1], thickness=2, width=12)
        tooltip = ["run:N", "query:N", alt.Tooltip("value:Q", format=".4f")]
        dots = dots.encode(x, alt.Y("value:Q", title=name), tooltip=tooltip)
        title = alt.TitleParams(f"{name} by query", subtitle="dot: a run; tick: the median of all runs")
        both = dots + ticks.encode(x, alt.Y("median:Q"))
        return finished(both.properties(height=260, width=alt.Step(16), title=title))

    def _lines(
        self, rows: list[dict[str, Any]], x: str, x_title: str, y: str, y_title: str, *, points: bool
    ) -> Any:
        """A line per run with its name at its end; many runs share one colour, and the names are on hover."""
        alt, runs = altair_module(), list(self._scores.runs)
        few = len(runs) <= MOST_LINES
        scale = alt.Scale(domain=runs, range=COLOURS[: len(runs)])
        colour = alt.Color("run:N", scale=scale, legend=None) if few else alt.value(COLOURS[2])
        top = 100.0 if max((row[y] for row in rows), default=0.0) > 1 else 1.0
        tooltip = ["run:N", f"{x}:Q", alt.Tooltip(f"{y}:Q", format=".3f")]
        base = alt.Chart(alt.Data(values=rows)).encode(
            alt.X(f"{x}:Q", title=x_title, scale=alt.Scale(zero=False, nice=False)),
            alt.Y(f"{y}:Q", title=y_title, scale=alt.Scale(domain=[0, top])),
            detail="run:N",
            color=colour,
            tooltip=tooltip,
        )
        line = base.mark_line(point=points, opacity=1 if few else 0.4)
        layers = [line]
        if few:
            named = alt.Color("name:N", scale=scale, legend=None)
            layers.append(end_labels(rows, ("run", x, y), (0.0, top), (WIDTH, HEIGHT), named))
        return finished(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))

    def _place(self, measure: MeasureLike | None) -> int:
        names = [str(m) for m in self._scores.measures]
        if measure is None:
            if len(names) > 1:
                raise UsageError(f"say which measure: {', '.join(names)}")
            return 0
        wanted = parse_measure(measure)
        if str(wanted) not in names:
            raise UsageError(f"{wanted} was not evaluated: {', '.join(names)}")
        return names.index(str(wanted))


def _covers(kind: str, confidence: float) -> str:
    return kind if confidence == 1 else f"{kind}, {percent(confidence)}"


def _legend(kind: str, given: dict[str, Any]) -> str:
    level = percent(given.get("confidence", 0.95))
    if kind == "bounds":
        return "hollow box: whatever the unjudged documents turn out to be"
    if kind == "queries":
        return f"dashed line: other queries, these judgments ({level})"
    if kind == "both":
        return f"dashed line: other queries, completely judged ({level})"
    return f"solid bar: {kind} interval on these queries ({level})"


def difference_chart(gap: Any, queries: Sequence[str], measure: str, a: str, b: str) -> Any:
    """Bars by query, largest difference first, and a line for their mean."""
    alt = altair_module()
    order = [queries[q] for q in np.argsort(-gap, kind="stable")]
    rows = [{"query": query, "difference": float(d)} for query, d in zip(queries, gap, strict=True)]
    x = alt.X("query:N", sort=order, title="query, largest difference first")
    colour = alt.condition("datum.difference > 0", alt.value(COLOURS[2]), alt.value(COLOURS[1]))
    title = alt.Y("difference:Q", title=f"difference of {measure}")
    tooltip = ["query:N", alt.Tooltip("difference:Q", format="+.4f")]
    bars = alt.Chart(alt.Data(values=rows)).mark_bar().encode(x, title, color=colour, tooltip=tooltip)
    mean = alt.Chart(alt.Data(values=[{"difference": float(gap.mean())}])).mark_rule(strokeWidth=2)
    text = alt.TitleParams(f"{a} minus {b}", subtitle=f"line: the mean, {gap.mean():+.4f}")
    return finished(
        (bars + mean.encode(alt.Y("difference:Q"))).properties(title=text, height=240, width=alt.Step(16))
    )
