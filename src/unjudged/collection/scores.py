"""Values by run, query and measure: of an evaluation, or of a table that any tool computed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import UsageError
from unjudged.base.lazy import computed_once
from unjudged.base.segments import Floats, Mask
from unjudged.base.wording import counted, shortlist
from unjudged.collection.query_segments import file_and_column
from unjudged.data.frames import is_frame, library_of
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.measures.kernel.registry import Measure, lower_is_better

if TYPE_CHECKING:
    from unjudged.collection.description import Description
    from unjudged.collection.score_arrays import Missing, Wide


class Score(NamedTuple):
    """One value: of a run on a query by a measure."""

    run: str
    query: str
    measure: str
    value: float


@dataclass(eq=False, repr=False)
class Scores:
    """`values[i, j, k]` is what run i scores on query j by measure k: an array with the names of its axes.

    `Scores.read` makes them of a table of another tool, for `evaluate`, `compare`, `gate` and `report_page`.
    """

    values: Final[Floats]
    runs: Final[Sequence[str]]
    queries: Final[Sequence[str]]
    measures: Final[Sequence[Measure]]
    notes: Final[Sequence[str]] = ()
    """What a reader must know: what a table lacks or repeats."""
    segments: Final[Mapping[str, str] | None] = None
    """Segment of each query, if a column of a table was named `by`."""
    ends: Final[tuple[Floats, Floats] | None] = None
    """Lowest and highest values with every document judged, if a table has them; NaN where it does not."""
    gaps: Final[Mask | None] = None
    """Values that a table lacks: here the worst, and at the ends the lowest and highest of the measure."""
    library: Final[str] = ""
    """Where frames went in, the library they are of."""
    clusters: Final[Any] = None
    """Where the cluster of each query stands, if queries are in clusters."""

    @classmethod
    def read(
        cls,
        source: Any,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        runs: Sequence[str] | None = None,
        queries: Sequence[str] | None = None,
        columns: Mapping[str, str] | None = None,
        wide: Wide | None = None,
        missing: Missing = "range",
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
        columns by role. A missing value may be any in the range of its measure, unless `missing` is 'zero' or
        'drop'. `range` is for measures that are not known, and `lower` names the ones whose lower
        values are better, such as a latency. `by` is a column with the segment of each query. Columns `low`
        and `high` of a long table are bounds of each value, as `engines.spark.evaluate(bounds=True)` has
        them.

        >>> Scores.read({"query": ["q1", "q2"], "bm25": [0.2, 0.4], "dense": [0.3, 0.6]}, "nDCG@10")
        Scores(2 runs x 2 queries; nDCG@10)
        """
        from unjudged.collection.score_arrays import array_of_scores, is_array
        from unjudged.collection.score_tables import table_of_scores

        if isinstance(source, Scores):
            same: Scores = source
            if lower is not None:
                same = replace(same, measures=lower_is_better(same.measures, lower))
            return same.chosen(measures)
        if lower is not None and missing == "zero":
            problem = "a missing value would count as 0, the best one where lower values are better"
            raise UsageError(f"{problem}: use --set scores.missing=drop (in Python missing='drop')")
        others: Sequence[str] = ()
        if is_array(source):
            made = cls(**array_of_scores(source, runs, queries, measures, missing=missing, limits=range))
        elif runs is not None or queries is not None:
            raise UsageError("runs and queries name the axes of an array; tables have names of their own")
        else:
            given: Any = {"columns": columns, "wide": wide, "missing": missing, "range": range, "by": by}
            table, others = table_of_scores(source, measures, **given)
            made = cls(**table, library=library_of(source) if is_frame(source) else "")
        if lower is None:
            return made
        made = replace(made, measures=lower_is_better(made.measures, lower, others))
        if made.gaps is None or made.ends is None:
            return made
        worst = made.gaps & np.array([measure.traits.lower for measure in made.measures])
        return replace(made, values=np.where(worst, made.ends[1], made.values))

    def chosen(self, measures: MeasureLike | Iterable[MeasureLike] | None) -> Scores:
        """Return the scores by some of the measures."""
        if measures is None:
            return self
        names = [str(m) for m in self.measures]
        several = [measures] if isinstance(measures, str | Measure) else list(measures)
        return self._only(slice(None), [place_of_measure(measure, names) for measure in several])

    def of_systems(self, names: Sequence[str]) -> Scores:
        """Return the scores of some systems, in this order."""
        return self._only([place_of("system", name, list(self.runs)) for name in names], slice(None))

    def _only(self, runs: Any, measures: Any) -> Scores:
        """Return the scores of some runs by some measures."""

        def some(values: Any) -> Any:
            return None if values is None else values[runs][:, :, measures]

        return replace(
            self,
            values=some(self.values),
            runs=np.array(self.runs, object)[runs].tolist(),
            measures=np.array(self.measures, object)[measures].tolist(),
            ends=None if self.ends is None else (some(self.ends[0]), some(self.ends[1])),
            gaps=some(self.gaps),
        )

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

    def __iter__(self) -> Iterator[Score]:
        """Yield (run, query, measure, value), run by run, query by query."""
        for (i, j, k), value in np.ndenumerate(self.values):
            yield Score(self.runs[i], self.queries[j], str(self.measures[k]), float(value))

    def __repr__(self) -> str:
        size = f"{counted(len(self.runs), 'run')} x {counted(len(self.queries), 'query')}"
        return f"Scores({size}; {shortlist(list(map(str, self.measures)))})"


def described_scores(described: Description) -> Scores:
    """Return the scores by query of another tool that are described in place of judgments and runs."""
    table = described.scores
    assert table is not None  # noqa: S101
    given = {name: getattr(table, name) for name in ("lower", "missing", "wide", "range", "columns")}
    segments = described.segments
    if isinstance(segments, str) and not os.path.exists(file_and_column(segments)[0]):
        given["by"] = segments
    file = table.file[0] if isinstance(table.file, tuple) and len(table.file) == 1 else table.file
    return replace(Scores.read(file, table.measures, **given), clusters=described.clusters)
