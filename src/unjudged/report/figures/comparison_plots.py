"""Figures of comparisons: the matrix of pairs, and the differences of one pair by query."""

from __future__ import annotations

from typing import Any

from unjudged.comparison.comparison_result import Comparison
from unjudged.measures.kernel.names import MeasureLike
from unjudged.report.descriptions import matrix_chart
from unjudged.report.figures.charts import drawn
from unjudged.report.figures.score_plots import difference_figure


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
            known = {"verdict": verdict, "p": p}
            rows.append({"row": a, "column": b, "difference": gap, "low": low, "high": high, **known})
            rows.append({"row": b, "column": a, "difference": -gap, "low": -high, "high": -low, **known})
        return drawn(matrix_chart(str(result.measure), order, set(result.verdicts)), rows=rows)

    def differences(self, a: str, b: str, measure: MeasureLike | None = None) -> Any:
        """Draw the difference of two systems on each query, largest first."""
        result = self._comparison.result(measure)
        self._comparison.pair(a, b, result.measure)  # refuses systems that were not compared
        place = list(self._comparison.runs).index
        gap = result.values[place(a)] - result.values[place(b)]
        return difference_figure(gap, self._comparison.queries, str(result.measure), a, b)
