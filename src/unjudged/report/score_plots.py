"""Figures of scores and comparisons: systems in their ranges, differences by query, judged by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from unjudged.base.choices import as_list, place_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import percent
from unjudged.evaluation.scores import Scores
from unjudged.inference.pairs import Pairs
from unjudged.inference.pairwise import t_interval
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.report.charts import WIDTH, altair_module, drawn, finished, highest_first, line_looks
from unjudged.report.descriptions import differences_chart, interval_words, intervals_chart
from unjudged.report.page.packed import judged_by_rank
from unjudged.results.comparison import Comparison
from unjudged.results.grid import blank

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
    mean: float | None = None,
) -> Any:
    """Draw bars by query, largest difference first, and a line for their mean.

    A band is its `interval` for other queries, with its level, and a box its `bounds`. `mean` is that of the
    bars if it is not given.
    """
    order = np.argsort(-gap, kind="stable").tolist()
    better = [a if gain > 0 else b for gain in measure.sign * gap]
    rows = [{"query": queries[q], "difference": float(gap[q]), "better": better[q]} for q in order]
    low, high, level = interval
    known = isfinite(low)
    middle = float(gap.mean()) if mean is None else mean
    line = {"mean": middle}
    said = [f"line: the mean, {middle:+.4f}"]
    if known:
        line |= {"query_low": low, "query_high": high}
        said.append(f"band: other queries, {percent(level)} interval, {low:+.4f} to {high:+.4f}")
    if bounds is not None:
        line |= {"low": bounds[0], "high": bounds[1]}
        words = "box: what judging could make of it"
        said.append(f"{words}, {bounds[0]:+.4f} to {bounds[1]:+.4f}")
    description = differences_chart(str(measure), a, b, bounded=bounds is not None, interval=known)
    description["title"]["subtitle"] = said
    return drawn(description | {"width": WIDTH, "height": HEIGHT}, rows=rows, mean=[line])


class ResultPlots:
    """`result.plot`: figures as Altair charts, to change further and to save with `.save(file)`."""

    def __init__(self, result: Comparison) -> None:
        self._result = result

    def intervals(self, measure: MeasureLike | None = None) -> Any:
        """Draw the means, best first: a box for their ranges, a dashed line for other queries."""
        one = self._measure(measure)
        rows = [row for row in self._result.systems if row["measure"] == str(one)]
        level = 1 - self._result.settings["alpha"]
        ends = {
            "bounds": [(row.get("low"), row.get("high")) for row in rows],
            "queries": [(row.get("query_low"), row.get("query_high")) for row in rows],
        }
        known: dict[str, Any] = {
            kind: pairs for kind, pairs in ends.items() if all(None not in pair for pair in pairs)
        }
        judged = () if self._result.source.shared is not None else ("",)
        words = {kind: interval_words(kind, level, *judged) for kind in known}
        means = np.array([row["mean"] for row in rows])
        return intervals_figure(one, [row["system"] for row in rows], means, words, known)

    def differences(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None
    ) -> Any:
        """Draw the difference of two systems on each query, largest first."""
        one = self._measure(measure)
        pair = self._result.pair(a, b, one)
        by_query = self._result.by_query(a, b, one).rows["queries"]
        return difference_figure(
            np.array([row["difference"] for row in by_query]),
            [row["query"] for row in by_query],
            one,
            pair["a"],
            pair["b"],
            interval=(pair["query_low"], pair["query_high"], 1 - self._result.settings["alpha"]),
            bounds=(pair["low"], pair["high"]) if pair.get("low") is not None else None,
            mean=pair["difference"],
        )

    def _measure(self, given: MeasureLike | None) -> Measure:
        measures = [one.measure for one in self._result.source.evidence]
        found: Measure = measures[0 if given is None else place_of_measure(given, list(map(str, measures)))]
        return found
