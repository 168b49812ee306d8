"""Result of a comparison: pairs, tables and frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unjudged.base.choices import place_of
from unjudged.base.errors import UsageError
from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.comparison_grids import letters, pair_records, pairs_grid, systems_grid
from unjudged.comparison.comparison_latex import comparison_table
from unjudged.comparison.query_differences import QueryDifferences, query_differences
from unjudged.comparison.verdicts import Pair
from unjudged.evaluation.query_segments import SegmentsSource, several_segments
from unjudged.grids.grid import Framed, Grid, Shown, frame_of, in_paragraphs
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.shared import SharedRankings, two_of

if TYPE_CHECKING:
    from unjudged.comparison.by_segment import SegmentComparison


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown, Framed):
    """Two or more systems compared by one or more measures.

    `pair` gives everything about two of them, `systems_grid` the systems by mean, `pairs_grid` all pairs, and
    `per_query` the queries and documents that decide about a pair. With one pair and one measure, `verdict`,
    `better`, `ahead` and `difference` are those of the pair, and `str` says it in sentences.
    """

    runs: Sequence[str]
    queries: Sequence[str]
    results: Sequence[MeasureComparison]
    shared: SharedRankings | None
    """None for scores of a table."""
    baseline: str | None
    notes: Sequence[str]
    library: str = ""
    """Where frames went in, the library they are of."""
    bounding: SharedRankings | None = None
    """Rankings that bounds and verdicts are of: documents below the depth of the pool are nonrelevant."""

    @property
    def documents(self) -> SharedRankings:
        """Rankings of all runs over one pool; scores of a table have none."""
        if self.shared is None:
            raise UsageError("these scores come from a table: give judgments and runs to see documents")
        return self.shared

    @property
    def method(self) -> str:
        """Test, correction and level in one sentence."""
        tests = self.results[0].tests
        against = "" if self.baseline is None else f", against {self.baseline}"
        return f"{tests.method}{self.family}, alpha = {tests.alpha:g}{against}."

    @property
    def family(self) -> str:
        """Which tests are corrected together, in words that follow those of the correction."""
        tests = self.results[0].tests
        alone = bool(tests.family) and tests.measures == 1 and len(self.results) > 1
        return f" {tests.family}{' per measure' if alone else ''}" if tests.family else ""

    @cached_property
    def letters(self) -> Sequence[str]:
        """Mark of each system: a for the best mean by the first measure."""
        found = [""] * len(self.runs)
        for place, system in enumerate(self.results[0].order()):
            found[system] = letters(place)
        return found

    def reference(self, result: MeasureComparison) -> int:
        """Return the system that the others are set against: the baseline, or the best mean."""
        return result.order()[0] if self.baseline is None else self._place(self.baseline)

    def result(self, measure: MeasureLike | None = None) -> MeasureComparison:
        """Return the comparison by one measure; it may be left out where there is only one."""
        names = [str(result.measure) for result in self.results]
        if measure is None and len(names) > 1:
            raise UsageError(f"several measures were compared: name one of {', '.join(names)}")
        return self.results[0 if measure is None else place_of_measure(measure, names)]

    def pair(self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None) -> Pair:
        """Everything about systems A and B; the names may be left out where there are only two."""
        result, i, j = self._two(a, b, measure)
        found = result.place(i, j)
        if found is None:
            names = f"{self.runs[i]} and {self.runs[j]}"
            raise UsageError(f"{names} were not compared: only pairs with the baseline {self.baseline} were")
        k, turned = found
        return result.pair(k, turned=turned)

    def pairs(self, measure: MeasureLike | None = None) -> Iterator[Pair]:
        """Every pair that was compared, by one measure or by all."""
        return self.pairs_of(self._results(measure))

    def pairs_of(self, results: Sequence[MeasureComparison]) -> Iterator[Pair]:
        for result in results:
            for k in range(len(result.tests.pairs)):
                yield result.pair(k)

    def per_query(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None
    ) -> QueryDifferences:
        """Return the differences of two systems by query, and what decides about them.

        `deciding` are the fewest queries without which the paired t test says the opposite, and without which
        the order turns; each query has its influence and the p value without it. `documents` are the unjudged
        documents that could turn the order.
        """
        result, i, j = self._two(a, b, measure)
        rankings, names = self.bounding or self.shared, (self.runs[i], self.runs[j])
        two = None if rankings is None else two_of(rankings, i, j)
        values, level = result.values[[i, j]], result.level(i, j)
        return query_differences(names, self.queries, result.measure, values, level=level, two=two)

    def by(self, segments: SegmentsSource, measure: MeasureLike | None = None) -> SegmentComparison:
        """Return the differences by segment of the queries, and whether the segments differ.

        `segments` is a mapping of queries to segments, or a file or frame that has both.
        """
        from unjudged.comparison.by_segment import compare_segments

        chosen = self._results(measure)
        over_measures = self.results[0].tests.measures > 1
        found = compare_segments(
            self.results if over_measures else chosen, several_segments(segments, self.queries)
        )
        names = {str(result.measure) for result in chosen}
        rows = [row for row in found.rows if row.measure in names]
        between = [one for one in found.interactions if one.measure in names]
        return replace(found, rows=rows, interactions=between)

    def _two(
        self, a: str | None, b: str | None, measure: MeasureLike | None
    ) -> tuple[MeasureComparison, int, int]:
        if a is None or b is None:
            if len(self.runs) != 2:
                raise UsageError(f"there are {len(self.runs)} runs: name the two that you mean")
            a, b = self.runs
        if a == b:
            raise UsageError(f"{a} was not compared with itself: name two runs")
        return self.result(measure), self._place(a), self._place(b)

    def _place(self, run: str) -> int:
        return place_of("run", run, self.runs)

    def _results(self, measure: MeasureLike | None) -> Sequence[MeasureComparison]:
        return self.results if measure is None else [self.result(measure)]

    @property
    def verdict(self) -> str:
        return self.pair().verdict

    @property
    def better(self) -> str | None:
        return self.pair().better

    @property
    def ahead(self) -> str | None:
        return self.pair().ahead

    @property
    def difference(self) -> Estimate:
        return self.pair().difference

    @property
    def plot(self) -> Any:
        """Figures as Altair charts: `intervals` and `differences`."""
        return import_module("unjudged.report.figures.score_plots").ComparisonPlots(self)

    def grid(self) -> Grid:
        return self.systems_grid()

    def systems_grid(self, measure: MeasureLike | None = None) -> Grid:
        """Return the systems by mean, with tiers, rank intervals and marks of who beats whom."""
        return systems_grid(self, self._results(measure))

    def pairs_grid(self, measure: MeasureLike | None = None) -> Grid:
        """One row per pair: difference, bounds, verdict, p values, effect."""
        return pairs_grid(self, self._results(measure))

    def records(self, measure: MeasureLike | None = None, *, detail: bool = True) -> Grid:
        """One row per pair for programs: with everything that is known about it, or with nine columns."""
        return pair_records(self, self._results(measure), detail=detail)

    def to_latex(
        self,
        decimals: int = 4,
        *,
        caption: str | None = None,
        label: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> str:
        """Return the systems as a LaTeX table for a paper, best first; of packages it needs booktabs only.

        Superscripts are letters of the systems that one is significantly better than; with a baseline,
        daggers mark those that are better and worse than it. `names` maps runs to the names to show. Test,
        correction and what is known of the data stand below.
        """
        return comparison_table(self, decimals, caption, label, names).latex()

    def to_markdown(
        self, decimals: int = 4, *, caption: str | None = None, names: Mapping[str, str] | None = None
    ) -> str:
        """Return the table of `to_latex` as Markdown."""
        return comparison_table(self, decimals, caption, None, names).markdown()

    def to_frame(self, library: str | None = None) -> Any:
        """`records()` in the kind of frame that went in, or as 'pandas', 'polars', 'pyarrow', 'duckdb'."""
        return frame_of(self.records().as_columns(), library or self.library)

    def __str__(self) -> str:
        if len(self.runs) > 2:
            return super().__str__()
        pairs = "\n\n".join(str(self.pair(measure=result.measure)) for result in self.results)
        return "\n".join([pairs, *self.notes])

    def _repr_html_(self) -> str:
        return super()._repr_html_() if len(self.runs) > 2 else in_paragraphs(str(self))
