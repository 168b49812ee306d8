"""Figures of scores and comparisons: systems in their ranges, differences by query, judged by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from unjudged.base.choices import as_list, place_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import percent
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.pairwise import t_interval
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import blank
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.report.descriptions import differences_chart, interval_words, intervals_chart
from unjudged.report.figures.charts import WIDTH, altair_module, drawn, finished, highest_first, line_looks
from unjudged.report.page.packed import judged_by_rank

HEIGHT = 180
LEVEL = 0.95


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
        one = scores.chosen(scores.measures[k])
        words, ends = {}, {}
        for kind in as_list("intervals", intervals):
            estimates = [row[0] for row in one.estimate(kind, **given)]
            words[kind] = interval_words(kind, estimates[0].confidence)
            ends[kind] = [(estimate.low, estimate.high) for estimate in estimates]
        return intervals_figure(scores.measures[k], scores.runs, scores.means[:, k], words, ends)

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
        alt = altair_module()
        judged, ranked = judged_by_rank(self._scores.judged, len(self._scores.runs), depth)
        share = 100 * judged / np.maximum(ranked, 1)
        rows = [
            {"run": run, "rank": rank + 1, "judged": float(share[i, rank])}
            for i, run in enumerate(self._scores.runs)
            for rank in np.flatnonzero(ranked[i]).tolist()
        ]
        colour, dash = line_looks("run", highest_first(rows, "run", "judged"))
        line = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=1.5)
        line = line.encode(
            alt.X("rank:Q", title="rank", scale=alt.Scale(zero=False, nice=False)),
            alt.Y("judged:Q", title="judged documents (%)", scale=alt.Scale(domain=[0, 100])),
            colour,
            dash,
            tooltip=["run:N", "rank:Q", alt.Tooltip("judged:Q", format=".3f")],
        )
        return finished(line.properties(width=WIDTH, height=HEIGHT))

    def _place(self, measure: MeasureLike | None) -> int:
        names = [str(m) for m in self._scores.measures]
        if measure is None and len(names) > 1:
            raise UsageError(f"say which measure: {', '.join(names)}")
        return 0 if measure is None else place_of_measure(measure, names)


def intervals_figure(
    measure: Measure,
    runs: Sequence[str],
    means: Floats,
    words: Mapping[str, str],
    ends: Mapping[str, Sequence[tuple[float, float]]],
) -> Any:
    """Draw means, best first, with intervals by kind; `words` say what a kind is."""
    rows = [
        {"run": runs[i], "mean": float(means[i])}
        | {f"{kind}_low": blank(float(pairs[i][0])) for kind, pairs in ends.items()}
        | {f"{kind}_high": blank(float(pairs[i][1])) for kind, pairs in ends.items()}
        for i in measure.best_first(means)
    ]
    return drawn(intervals_chart(str(measure), words) | {"width": WIDTH}, rows=rows)


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
    return drawn(description | {"width": WIDTH, "height": HEIGHT}, rows=rows, mean=[mean])


class ComparisonPlots:
    """`comparison.plot`: figures as Altair charts, to change further and to save with `.save(file)`."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def intervals(self, measure: MeasureLike | None = None) -> Any:
        """Draw the means, best first: a box for their bounds, a dashed line for other queries."""
        result = self._comparison.result(measure)
        words, ends = {}, {}
        if not result.judging.missing:
            words["bounds"] = interval_words("bounds", 1.0, " of all runs")
            ends["bounds"] = list(zip(result.judging.run_low, result.judging.run_high, strict=True))
        words["queries"] = interval_words("queries", 1 - result.tests.alpha)
        ends["queries"] = list(zip(*result.other_queries, strict=True))
        return intervals_figure(result.measure, self._comparison.runs, result.means, words, ends)

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
