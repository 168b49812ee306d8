"""The table of results: one value for every run, query and measure."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unjudged.errors import UsageError, missing_package
from unjudged.measures.names import MeasureLike, parse
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.bounds import bounds
from unjudged.uncertainty.estimate import EVERY, Estimate
from unjudged.uncertainty.intervals import DRAWS, both_interval, model_interval, queries_interval

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow


INTERVALS = ("bounds", "model", "queries", "both")


class Score(NamedTuple):
    """One value of the table; `query` is "all" for the mean."""

    run: str
    query: str
    measure: str
    value: float


@dataclass(frozen=True, eq=False)
class Scores:
    """`values[i, j, k]` is what run i scores on query j by measure k.

    `missing` names, for each run that lacks some, the queries it has no ranking for; their values
    are those of an empty ranking and count in the means.
    """

    values: Floats
    runs: Sequence[str]
    queries: Sequence[str]
    measures: Sequence[Measure]
    missing: Mapping[str, Sequence[str]]
    rankings: JudgedRankings
    library: str = ""
    """Where frames went in, the library they are of."""

    @cached_property
    def means(self) -> Floats:
        """Run x measure: the mean over all queries; the sum for counts, the geometric mean for GMAP."""
        columns = [measure.over_queries(self.values[:, :, k]) for k, measure in enumerate(self.measures)]
        return np.stack(columns, axis=-1)

    def value(self, measure: MeasureLike, *, run: str | None = None, query: str | None = None) -> float:
        """One number: of a query, or the mean; `run` may be left out where there is only one."""
        if run is None and len(self.runs) > 1:
            raise UsageError(f"say which run: one of {', '.join(self.runs)}")
        i = 0 if run is None else _place("run", run, self.runs)
        k = _place("measure", _name(measure), [str(m) for m in self.measures])
        if query is None:
            return float(self.means[i, k])
        return float(self.values[i, _place("query", query, self.queries), k])

    def rows(self, *, per_query: bool = True, mean: bool = False) -> Iterator[Score]:
        """The table as (run, query, measure, value), run by run, query by query."""
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
        interval: str = "bounds",
        *,
        q: float | str = "all",
        level: float = 0.95,
        more: int = 0,
        draws: int = DRAWS,
        seed: int = 0,
    ) -> list[list[Estimate]]:
        """Run by run and measure by measure, the mean with an interval.

        - 'bounds': whatever the unjudged documents of the rankings turn out to be (exact; `more` relevant
          documents that were not retrieved may turn up for each query).
        - 'model': if each unjudged document is relevant with probability `q`, a number or estimated from
          the judged ones ('all', 'query', 'rank', 'urn'); exact for RBP and P, by `draws` random completions
          for the others.
        - 'queries': had other queries been asked (bootstrap).
        - 'both': the last two together.

        >>> from unjudged import evaluate, sample
        >>> print(evaluate(sample.qrels, sample.runs["fused"], "P@10").estimate("bounds")[0][0])
        0.3967 [0.3967, 0.3967]
        """
        if interval not in INTERVALS:
            raise UsageError(f"interval is {interval!r}, expected one of {', '.join(INTERVALS)}")
        for measure in self.measures:
            measure.check_mean()
        found = []
        for i in range(len(self.runs)):
            own = self.rankings.run(i)
            row = []
            for k, measure in enumerate(self.measures):
                if interval == "bounds":
                    row.append(self._bounds(measure, own, more))
                elif interval == "queries":
                    row.append(queries_interval(self.values[i, :, k], measure, level=level, seed=seed))
                else:
                    made = model_interval if interval == "model" else both_interval
                    row.append(made(measure, own, q, level=level, draws=draws, seed=seed))
            found.append([self._summed(e, m) for e, m in zip(row, self.measures, strict=True)])
        return found

    def _summed(self, estimate: Estimate, measure: Measure) -> Estimate:
        """Of a count the sum over queries, where what was found is of the mean."""
        if measure.traits.summary != "sum":
            return estimate
        n = len(self.queries)
        value, low, high = n * estimate.value, n * estimate.low, n * estimate.high
        return replace(estimate, value=value, low=low, high=high, of=f"sum of {measure}")

    @staticmethod
    def _bounds(measure: Measure, rankings: JudgedRankings, more: int) -> Estimate:
        limits = bounds(measure, rankings, more=more)
        value, low, high = (float(v.mean()) for v in (measure.compute(rankings), limits.low, limits.high))
        method = EVERY + (", exact" if limits.exact else ", enclosed")
        return Estimate(value, low, high, 1.0, method, f"mean {measure}")

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame of `rows()`."""
        frame: pandas.DataFrame = self._frame("pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """A Polars frame of `rows()`."""
        frame: polars.DataFrame = self._frame("polars")
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table of `rows()`."""
        return self._frame("pyarrow")

    def to_duckdb(self) -> duckdb.DuckDBPyRelation:
        """A DuckDB relation over `rows()`."""
        try:
            import duckdb
        except ModuleNotFoundError:
            raise missing_package("duckdb", "to_duckdb") from None
        return duckdb.from_arrow(self.to_arrow())

    def to_frame(self, library: str | None = None) -> Any:
        """`rows()` in the kind of frame that went in, or of another library:
        'pandas', 'polars', 'pyarrow', 'duckdb'.
        """
        chosen = library or self.library
        if chosen not in FRAMES:
            known = ", ".join(FRAMES)
            said = f"no kind of frame is called {chosen!r}" if chosen else "no frame went in, so say which"
            raise UsageError(f"{said}, expected one of {known}")
        return FRAMES[chosen](self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """`rows()` for whatever takes a stream of Arrow's: `polars.DataFrame(scores)`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _frame(self, backend: Any) -> Any:
        import narwhals

        runs, queries, measures = self.values.shape
        columns = {
            "run": np.repeat(np.array(self.runs, object), queries * measures),
            "query": np.tile(np.repeat(np.array(self.queries, object), measures), runs),
            "measure": np.tile(np.array([str(m) for m in self.measures], object), runs * queries),
            "value": self.values.ravel(),
        }
        lists = {name: column.tolist() for name, column in columns.items()}
        try:
            return narwhals.from_dict(lists, backend=backend).to_native()
        except ModuleNotFoundError:
            raise missing_package(backend, f"to_{backend}") from None

    def __repr__(self) -> str:
        size = f"Scores({_many(self.runs, 'run')} x {_many(self.queries, 'query', 'queries')}; means)"
        names = [str(m) for m in self.measures]
        wide = max([3, *map(len, self.runs)])
        head = f"{'run':<{wide}}  " + "  ".join(f"{name:>6}" for name in names)
        lines = [
            f"{run:<{wide}}  "
            + "  ".join(f"{v:>{max(6, len(n))}.4f}" for n, v in zip(names, row, strict=True))
            for run, row in zip(self.runs, self.means, strict=True)
        ]
        return "\n".join([size, head, *lines])

    def _repr_html_(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        head = row(["run", *map(str, self.measures)], "th")
        body = [
            row([run, *(f"{v:.4f}" for v in means)], "td")
            for run, means in zip(self.runs, self.means, strict=True)
        ]
        caption = f"<caption>means over {_many(self.queries, 'query', 'queries')}</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


FRAMES: Mapping[str, Callable[[Scores], Any]] = {
    "pandas": Scores.to_pandas,
    "polars": Scores.to_polars,
    "pyarrow": Scores.to_arrow,
    "duckdb": Scores.to_duckdb,
}


def _name(measure: MeasureLike) -> str:
    return str(parse(measure)[0]) if isinstance(measure, str) else str(measure)


def _place(what: str, name: str, names: Sequence[str]) -> int:
    try:
        return list(names).index(name)
    except ValueError:
        some = ", ".join(list(names)[:5]) + (", ..." if len(names) > 5 else "")
        raise UsageError(f"no {what} is called {name!r}; there are: {some}") from None


def _many(items: Sequence[Any], one: str, more: str | None = None) -> str:
    return f"{len(items)} {one if len(items) == 1 else more or one + 's'}"
