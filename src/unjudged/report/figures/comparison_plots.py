"""Figures of comparisons: the matrix of pairs, and the differences of one pair by query."""

from __future__ import annotations

from typing import Any

from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.verdicts import CLEAR, OPEN, SETTLED, SIGNIFICANT, UNRESOLVED
from unjudged.measures.kernel.names import MeasureLike
from unjudged.report.figures.charts import altair_module, finished
from unjudged.report.figures.score_plots import difference_chart

CELL = 22
MARKS = {
    CLEAR: ("square", "#0072B2", 260),
    SIGNIFICANT: ("triangle-up", "#D55E00", 160),
    SETTLED: ("square", "#009E73", 70),
    OPEN: ("cross", "#8a939d", 60),
    UNRESOLVED: ("diamond", "#CC79A7", 160),
}
"""The shape, colour and size of each verdict: shapes differ as well as colours."""


class ComparisonPlots:
    """`comparison.plot`: figures as Altair charts, to change further and to save with `.save(file)`."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def matrix(self, measure: MeasureLike | None = None) -> Any:
        """The verdict on every pair, systems by mean on both sides: row against column."""
        alt, result = altair_module(), self._comparison.result(measure)
        runs, pairs = self._comparison.runs, result.tests.pairs
        order = [runs[i] for i in result.order()]
        rows = []
        for k, verdict in enumerate(result.verdicts):
            a, b = runs[int(pairs.first[k])], runs[int(pairs.second[k])]
            low, high = float(result.judging.low[k]), float(result.judging.high[k])
            gap, p = float(pairs.difference[k]), float(result.tests.p_adjusted[k])
            known = {"verdict": verdict, "p": p}
            rows.append({"row": a, "column": b, "difference": gap, "low": low, "high": high, **known})
            rows.append({"row": b, "column": a, "difference": -gap, "low": -high, "high": -low, **known})
        shown = [verdict for verdict in MARKS if any(row["verdict"] == verdict for row in rows)]
        looks = [MARKS[verdict] for verdict in shown]
        legend = alt.Legend(title=None, orient="bottom", labelLimit=0)

        def scale(part: int) -> Any:
            return alt.Scale(domain=shown, range=[look[part] for look in looks])

        title = alt.TitleParams(f"Pairs by {result.measure}", subtitle="systems by mean, highest first")
        chart = alt.Chart(alt.Data(values=rows)).mark_point(filled=True, opacity=1)
        numbers = [alt.Tooltip(f"{field}:Q", format="+.4f") for field in ("difference", "low", "high")]
        tooltip = [
            "row:N",
            "column:N",
            *numbers,
            alt.Tooltip("p:Q", format=".4f", title="p, corrected"),
            "verdict:N",
        ]
        return finished(
            chart.encode(
                alt.X("column:N", sort=order, title=None, axis=alt.Axis(orient="top", labelAngle=-90)),
                alt.Y("row:N", sort=order, title=None),
                shape=alt.Shape("verdict:N", scale=scale(0), sort=shown, legend=legend),
                color=alt.Color("verdict:N", scale=scale(1), sort=shown, legend=legend),
                size=alt.Size("verdict:N", scale=scale(2), sort=shown, legend=None),
                tooltip=tooltip,
            ).properties(title=title, width=alt.Step(CELL), height=alt.Step(CELL))
        )

    def differences(self, a: str, b: str, measure: MeasureLike | None = None) -> Any:
        """The difference of two systems on each query, largest first."""
        result = self._comparison.result(measure)
        self._comparison.pair(a, b, result.measure)  # refuses systems that were not compared
        place = list(self._comparison.runs).index
        gap = result.values[place(a)] - result.values[place(b)]
        return difference_chart(gap, self._comparison.queries, str(result.measure), a, b)
