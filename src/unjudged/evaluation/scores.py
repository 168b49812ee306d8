"""Table of results: one value for every run, query and measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from unjudged.base.choices import IntervalName, checked_int, place_of
from unjudged.base.errors import UnjudgedWarning, UsageError
from unjudged.base.lazy import computed_once
from unjudged.base.wording import counted
from unjudged.evaluation.measure_warnings import measure_warnings
from unjudged.formats.frames import is_frame, library_of
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.measures.kernel.registry import Measure, lower_is_better
from unjudged.rankings.coverage import coverage_warnings, missing_queries
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.results.frames import Framed, frame_of
from unjudged.results.grid import Cell, Column, Grid, Shown, grid_of

if TYPE_CHECKING:
    from unjudged.evaluation.score_cells import Missing
    from unjudged.evaluation.score_reading import Wide
    from unjudged.uncertainty.calibration import Calibration
    from unjudged.uncertainty.completions import Progress
    from unjudged.uncertainty.estimate import Estimate, Estimates
    from unjudged.uncertainty.prevalence import GivenPrevalence


Notes = Iterable[str] | Callable[[], Iterable[str]]


class Score(NamedTuple):
    """One value of the table; `query` is "all" for the mean."""

    run: str
    query: str
    measure: str
    value: float


@dataclass(eq=False, repr=False)
class Scores(Shown, Framed):
    """`values[i, j, k]` is what run i scores on query j by measure k.

    The values of a query that a run has no ranking for (`missing`) are those of an empty ranking and count in
    the means. Scores of a table (`Scores.of`) have no `rankings`: nothing is known of their judgments.
    """

    values: Final[Floats]
    runs: Final[Sequence[str]]
    queries: Final[Sequence[str]]
    measures: Final[Sequence[Measure]]
    rankings: Final[JudgedRankings | None] = None
    library: Final[str] = ""
    """Where frames went in, the library they are of."""
    said: Final[Notes] = ()
    """The `notes`, or what finds them when they are first asked for."""
    within: Final[Floats | None] = None
    """Run x measure: standard deviation of the mean over the repeats of a run, if a table has repeats."""
    segments: Final[Mapping[str, str] | None] = None
    """Segment of each query, if a column of a table was named `by`."""
    bounding: Final[JudgedRankings | None] = None
    """Rankings that bounds are of, if the depth of the pool is known: documents below it are nonrelevant."""
    pool_depth: Final[int | None] = None
    expected: Final[bool] = False
    """Whether values are expected ones over all orders of documents with the same score."""
    of_a_table: Final[bool] = False
    """Whether another tool computed them: nothing is known of their judgments."""
    ends: Final[tuple[Floats, Floats] | None] = None
    """Lowest and highest values with every document judged, if a table has them; NaN where it does not."""

    @classmethod
    def of(
        cls,
        source: Any,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        runs: Sequence[str] | None = None,
        queries: Sequence[str] | None = None,
        columns: Mapping[str, str] | None = None,
        wide: Wide | None = None,
        missing: Missing = "error",
        range: tuple[float, float] | None = None,
        by: str | None = None,
        lower: Iterable[str] | str | None = None,
    ) -> Scores:
        """Take scores by query that any tool computed, for `compare`, `gate`, `report_page` and intervals.

        `source` is a file (CSV, TSV, Parquet, Arrow, JSON, JSON lines, output of `trec_eval -q` or
        ir_measures), a frame, a dict of columns or of dicts, a list of such files and frames, a mapping of
        systems to them, or an array or lists (runs, queries[, measures]) with names for `runs`, `queries`
        and `measures`. Tables are long (system, query, measure, value; also `repeat`)
        or wide. Columns of a wide table are measures if a column names the system, if `measures` names
        them, or if all are known as measures, and systems if none is; `wide` says which. `columns` names
        columns by role. Missing values are an error unless `missing` is 'zero' or 'drop'. `range` is that
        of measures which are not known, and `lower` names those of them whose lower values are better, such
        as a latency. `by` is a column with the segment of each query. Columns `low` and `high` of a long
        table are bounds of each value, as `engines.spark.evaluate(bounds=True)` has them.

        >>> Scores.of({"query": ["q1", "q2"], "bm25": [0.2, 0.4], "dense": [0.3, 0.6]}, "nDCG@10")
        Scores(2 runs x 2 queries; means)
        run    nDCG@10
        bm25    0.3000
        dense   0.4500
        """
        from unjudged.evaluation.score_tables import array_of_scores, is_array, table_of_scores

        if isinstance(source, Scores):
            same: Scores = source
            if lower is not None:
                same = replace(same, measures=lower_is_better(same.measures, lower))
            return same.chosen(measures)
        if lower is not None and missing == "zero":
            problem = "a missing value would count as 0, the best one where lower values are better"
            raise UsageError(f"{problem}: use --set scores.missing=drop (in Python missing='drop')")
        if is_array(source):
            table = array_of_scores(source, runs, queries, measures, missing=missing, limits=range)
            library = ""
        elif runs is not None or queries is not None:
            raise UsageError("runs and queries name the axes of an array; tables have names of their own")
        else:
            given = {"columns": columns, "wide": wide, "missing": missing, "range": range, "by": by}
            table = table_of_scores(source, measures, **given)  # type: ignore[arg-type]
            library = library_of(source) if is_frame(source) else ""
        others = vars(table).pop("others")
        made = cls(**vars(table), library=library, of_a_table=True)
        if lower is None:
            return made
        return replace(made, measures=lower_is_better(made.measures, lower, others))

    def chosen(self, measures: MeasureLike | Iterable[MeasureLike] | None) -> Scores:
        """Return the scores by some of the measures."""
        if measures is None:
            return self
        names = [str(m) for m in self.measures]
        several = [measures] if isinstance(measures, str | Measure) else list(measures)
        places = [place_of_measure(measure, names) for measure in several]
        within = None if self.within is None else self.within[:, places]
        own = [self.measures[k] for k in places]
        ends = None if self.ends is None else (self.ends[0][:, :, places], self.ends[1][:, :, places])
        values = self.values[:, :, places]
        return replace(self, values=values, measures=own, within=within, ends=ends)

    @property
    def judged(self) -> JudgedRankings:
        """Return the rankings; scores of a table have none."""
        if self.rankings is None:
            raise UsageError("these scores come from a table: give judgments and runs to see rankings")
        return self.rankings

    @cached_property
    def missing(self) -> Mapping[str, Sequence[str]]:
        """For each run that lacks some, the queries of the judgments that it has no ranking for."""
        return {} if self.rankings is None else missing_queries(self.runs, self.queries, self.rankings)

    @computed_once
    def notes(self) -> Sequence[str]:
        """What a reader must know: what a table lacks or repeats, what other orders of ties change."""
        return list(self.said() if callable(self.said) else self.said)

    @computed_once
    def warnings(self) -> Sequence[UnjudgedWarning]:
        """Warnings that `evaluate` gave: why values mean less than they seem to."""
        if self.rankings is None:
            return []
        covered = coverage_warnings(self.runs, self.queries, self.rankings)
        return [*covered, *measure_warnings(self.measures, self.rankings, self.values)]

    @computed_once
    def means(self) -> Floats:
        """Run x measure: the mean over all queries; the sum for counts, the geometric mean for GMAP."""
        means = np.empty((len(self.runs), len(self.measures)))
        for k, measure in enumerate(self.measures):
            means[:, k] = measure.over_queries(self.values[:, :, k])
        return means

    def value(self, measure: MeasureLike, *, run: str | None = None, query: str | None = None) -> float:
        """One number: the value of a query, or the mean. `run` may be left out if there is only one."""
        if run is None and len(self.runs) > 1:
            raise UsageError(f"say which run: one of {', '.join(self.runs)}")
        i = 0 if run is None else place_of("run", run, self.runs)
        k = place_of_measure(measure, [str(m) for m in self.measures])
        if query is None:
            return float(self.means[i, k])
        return float(self.values[i, place_of("query", query, self.queries), k])

    def rows(self, *, per_query: bool = True, mean: bool = False) -> Iterator[Score]:
        """Yield the table as (run, query, measure, value), run by run, query by query."""
        names = [str(measure) for measure in self.measures]
        means = self.means
        for i, run in enumerate(self.runs):
            if per_query:
                for j, query in enumerate(self.queries):
                    for k, name in enumerate(names):
                        yield Score(run, query, name, float(self.values[i, j, k]))
            if mean:
                for k, name in enumerate(names):
                    yield Score(run, "all", name, float(means[i, k]))

    def estimate(
        self,
        interval: IntervalName = "bounds",
        *,
        prevalence: GivenPrevalence | None = None,
        calibration: Calibration | None = None,
        confidence: float = 0.95,
        extra_relevant: int = 0,
        draws: int | None = None,
        seed: int = 0,
        on_progress: Progress | None = None,
    ) -> Estimates:
        """Return the mean of each run and measure with an interval: `[run][measure]`.

        - 'bounds': whatever the unjudged documents turn out to be. Every completion of the retrieved
          documents and of the pool; `extra_relevant` documents outside both may exist per query.
        - 'calibrated': as far as the pooled groups were off when each was left out, from `calibrate`.
        - 'model': given a `prevalence`, the probability that an unjudged document is relevant: a number, or
          a number per rank band.
        - 'queries': other queries, these judgments.
        - 'sampling': another random sample of the pool; of AP for infAP, xinfAP and statAP, and alike.
        - 'both': other queries, completely judged, given a `prevalence`; without one, other queries and
          another random sample of the pool.

        All but 'queries' and 'both' cover judgment uncertainty on these queries. A measure that cannot have
        the interval, such as Judged, appears with its mean alone and a note; it is an error if none can.
        `on_progress` is called with the number of runs done and in all.

        >>> from unjudged import evaluate, sample
        >>> print(evaluate(sample.qrels, sample.runs["fused"], "P@10").estimate("bounds")[0][0])
        0.3967 [0.3967, 0.3967]
        """
        from unjudged.uncertainty.estimate import Estimates
        from unjudged.uncertainty.intervals import IntervalRequest, make_intervals

        if self.expected and interval != "queries":
            problem = f"{interval!r} intervals are of one order of tied documents, and these values of all"
            raise UsageError(f"{problem}: use 'queries', or leave ties out")

        request = IntervalRequest(
            rankings=self.rankings if self.bounding is None or interval != "bounds" else self.bounding,
            pool_depth=self.pool_depth,
            of_a_table=self.of_a_table,
            runs=self.runs,
            measures=self.measures,
            values=self.values,
            prevalence=prevalence,
            calibration=calibration,
            confidence=confidence,
            extra_relevant=extra_relevant,
            draws=draws,
            seed=seed,
            on_progress=on_progress,
        )
        found = make_intervals(interval, request)
        rows = [[self._summed(e, m) for e, m in zip(row, self.measures, strict=True)] for row in found]
        names = [str(measure) for measure in self.measures]
        return Estimates(rows, self.runs, names, self.library, [*map(str, self.warnings), *self.notes])

    def _summed(self, estimate: Estimate, measure: Measure) -> Estimate:
        """Return the sum over queries for a count, whose estimate is of the mean."""
        if measure.traits.summary != "sum" or not estimate.has_interval:
            return estimate
        n = len(self.queries)
        value, low, high = n * estimate.value, n * estimate.low, n * estimate.high
        return replace(estimate, value=value, low=low, high=high, of=replace(estimate.of, statistic="sum of"))

    @property
    def plot(self) -> Any:
        """Figures as Altair charts: `intervals`, `differences` and `judged_by_rank`."""
        return import_module("unjudged.report.score_plots").ScorePlots(self)

    def to_latex(
        self,
        decimals: int = 4,
        *,
        caption: str = "",
        label: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> str:
        """Return the means as a LaTeX table for a paper, best first; of packages it needs booktabs only.

        `names` maps runs to the names to show. Other measures are those of `chosen(measures)`.
        """
        from unjudged.results.rendering import as_latex

        grid = self.grid().rounded(checked_int("decimals", decimals))
        order = list(self.measures[0].best_first(self.means[:, 0]))
        place = {int(i): k for k, i in enumerate(order)}
        grid = replace(
            grid,
            title=f"Means over {counted(len(self.queries), 'query')}.",
            rows=[grid.rows[i] for i in order],
            stressed=frozenset((place[i], k) for i, k in grid.stressed),
        )
        return as_latex(grid.named(names or {}), caption, label)

    def to_frame(self, library: str | None = None) -> Any:
        """`rows()` in the kind of frame that went in, or 'pandas', 'polars', 'pyarrow' or 'duckdb'."""
        runs, queries, measures = self.values.shape
        columns = {
            "run": np.repeat(np.array(self.runs, object), queries * measures),
            "query": np.tile(np.repeat(np.array(self.queries, object), measures), runs),
            "measure": np.tile(np.array([str(m) for m in self.measures], object), runs * queries),
            "value": self.values.ravel(),
        }
        lists = {name: column.tolist() for name, column in columns.items()}
        return frame_of(lists, library or self.library)

    def means_frame(self, library: str | None = None) -> Any:
        """A row per run and a column per measure: the means, in the kind of frame that went in or another."""
        means = {str(m): column.tolist() for m, column in zip(self.measures, self.means.T, strict=True)}
        return frame_of({"run": list(self.runs), **means}, library or self.library)

    def grid(self, per_query: bool = False) -> Grid:
        """Return a row per run, and with `per_query` one per run and query, then the mean as query `all`."""
        names = ["run", "query"] if per_query else ["run"]
        numbers = [
            Column(str(m), "integer" if m.traits.summary == "sum" else "number") for m in self.measures
        ]
        rows: list[list[Cell]] = []
        for i, run in enumerate(self.runs):
            for j, query in enumerate(self.queries if per_query else ()):
                rows.append([run, query, *self.values[i, j].tolist()])
            rows.append([run, *(["all"] if per_query else []), *self.means[i].tolist()])
        size = f"{counted(len(self.runs), 'run')} x {counted(len(self.queries), 'query')}"
        return Grid(
            [*(Column(name, "label") for name in names), *numbers],
            rows,
            f"Scores({size}{'' if per_query else '; means'})",
            [*map(str, self.warnings), *self.notes],
            frozenset() if per_query else self._best(),
            lambda: grid_of(Score._fields, self.rows(per_query=per_query, mean=True)),
        )

    def _best(self) -> frozenset[tuple[int, int]]:
        """Return the places of the best mean of each measure, if there are several runs."""
        columns = zip(self.measures, self.means.T, strict=True)
        return frozenset(
            (i, k)
            for k, (measure, means) in enumerate(columns, 1)
            for i in measure.are_best(means).nonzero()[0].tolist()
        )
