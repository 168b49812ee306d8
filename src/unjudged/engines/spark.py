"""Evaluation on Spark (classic, Connect or Sail): the same numbers as one machine, to the last bit.

Whole queries are assigned to buckets by a hash of their names. Runs and judgments are cogrouped by bucket,
and each bucket of a few hundred thousand rows is one call of the ordinary evaluation. No join runs in Spark,
so an unjudged document is never mistaken for one whose score is missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Floats
from unjudged.data import matching
from unjudged.data.columns import NONE, Layout, columns_of
from unjudged.data.tables import Matched, Table
from unjudged.data.tabular import TabularBlock
from unjudged.data.values import pyarrow_module, validate
from unjudged.evidence.value_bounds import bounds as bounds_of_rankings
from unjudged.measures.kernel.measure import summarised
from unjudged.measures.kernel.names import MeasureLike, parse, parse_measures
from unjudged.measures.kernel.registry import MEASURES, Measure, measure
from unjudged.measures.sets import ONLY_EVALUATE
from unjudged.questions.fitting_measures import DEFAULT_MEASURES
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

ROWS_OF_A_CALL = 250_000
BUCKETS_OF_A_TASK = 2
NAMES = {"byte", "short", "integer", "long", "string", "varchar", "char"}
VALUES = "run string, query string, measure string, value double"
BOUNDS = "low double, high double"
MEANS = "run string, measure string, value double"


def evaluate(
    qrels: DataFrame,
    runs: DataFrame | Mapping[str, DataFrame],
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    depth: int | None = None,
    buckets: int | None = None,
    bounds: bool = False,
    run_columns: Mapping[str, str] = NONE,
    qrels_columns: Mapping[str, str] = NONE,
) -> DataFrame:
    """A lazy frame of (run, query, measure, value): every query of the judgments, for every run.

    `runs` is one frame or a mapping from names to frames. Columns are recognised by the names that
    ir_measures, PyTerrier and BEIR use, or named by role: `run_columns={"document": "url"}`. A null, a score
    or grade that is not a number, or a repeated document in a query fails the job, and the error says which.
    `buckets` is the number of calls; without it the rows of the runs are counted first, and each call gets
    about 250,000.

    `bounds` adds the columns low and high: the values that any completion of the judgments gives a query.
    The highest grade of all judgments is looked up first. Measures without bounds have nulls there.

    `Scores.read(frame)` takes the frame as it is, for `compare`, `gate` and `report_page`. Write or cache it
    before you use it twice, as for its `means`; otherwise Spark computes it twice.
    """
    named = dict(runs) if isinstance(runs, Mapping) else {"run": runs}
    if not named:
        raise UsageError("no run given, expected at least one")
    rankings, judged = _run_rows(named, run_columns), _judgment_rows(qrels, qrels_columns)
    task = Task.of(list(named), parse_measures(measures), depth)
    if bounds:
        scale = _scale(judged)
        highest = _highest_grade(judged) if scale is None else len(scale) - 1
        task = replace(task, highest=highest, scale=scale)
    parts = buckets if buckets is not None else max(1, math.ceil(rankings.count() / ROWS_OF_A_CALL))
    if parts < 1:
        raise UsageError(f"buckets is {parts}, expected a whole number of at least 1")
    groups = [_in_buckets(frame, parts) for frame in (rankings, judged)]

    def score(run: pa.Table, qrels: pa.Table) -> pa.Table:
        return task.score(run.drop_columns("bucket"), qrels.drop_columns("bucket"))

    return groups[0].cogroup(groups[1]).applyInArrow(score, f"{VALUES}, {BOUNDS}" if bounds else VALUES)


def means(values: DataFrame, measures: MeasureLike | Iterable[MeasureLike] = ()) -> DataFrame:
    """A lazy frame of (run, measure, value) from the result of `evaluate`.

    The values are means, or sums for counts such as NumRet. Each is rounded only once, so that the order of
    the rows does not matter. Pass your own measures as
    `measures` if they are counts, so that they are summed.
    """
    own = {str(m): m.traits.summary for m in (parse_measures(measures) if measures else [])}

    def summarise(rows: pa.Table) -> pa.Table:
        name = rows["measure"][0].as_py()
        value = summarised(own.get(name) or _summary_of(name), rows["value"].to_numpy())
        return rows.select(["run", "measure"]).slice(0, 1).append_column("value", [[float(value)]])

    return values.groupBy("run", "measure").applyInArrow(summarise, MEANS)


def _summary_of(name: str) -> str:
    try:
        return parse(name)[0].traits.summary
    except UsageError:
        return "mean"  # the user's own measure, which this machine does not know


def _scale(judged: DataFrame) -> tuple[float, ...] | None:
    """Return all gains from 0 upwards if some grade is a fraction; columns of whole numbers have none."""
    from pyspark.sql import functions as f

    (kind,) = (field.dataType.typeName() for field in judged.schema.fields if field.name == "grade")
    if kind in ("byte", "short", "integer", "long"):
        return None
    grade = f.col("grade").cast("double")
    gains = [row[0] for row in judged.select(grade).distinct().collect() if row[0] is not None]
    if all(gain % 1 == 0 for gain in gains if math.isfinite(gain)):
        return None
    return tuple(sorted({0.0, *(gain for gain in gains if 0 < gain < math.inf)}))


def _highest_grade(judged: DataFrame) -> int:
    from pyspark.sql import functions as f

    highest = judged.agg(f.max(f.col("grade").cast("double"))).collect()[0][0]
    return 0 if highest is None or not math.isfinite(highest) else int(highest)


def _run_rows(runs: Mapping[str, DataFrame], given: Mapping[str, str]) -> DataFrame:
    from pyspark.sql import functions as f

    frames = [
        _named(frame, "score", given, f"run {name!r}").withColumn("run", f.lit(number))
        for number, (name, frame) in enumerate(runs.items())
    ]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole


def _judgment_rows(qrels: DataFrame, given: Mapping[str, str]) -> DataFrame:
    from pyspark.sql import functions as f

    return _named(qrels, "grade", given, "the judgments").withColumn("place", f.monotonically_increasing_id())


def _named(frame: DataFrame, number: str, given: Mapping[str, str], what: str) -> DataFrame:
    """Return the columns under the names of their roles; identifiers as text."""
    from pyspark.sql import functions as f

    kinds = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    try:
        columns = columns_of(frame.columns, number, given)
    except InputError as error:
        raise InputError(error.problem, source=what) from None
    chosen: list[Any] = []
    for role, name in columns.items():
        column = f.col("`" + name.replace("`", "``") + "`")
        if role in ("query", "document"):
            if kinds[name] not in NAMES:
                raise InputError(
                    f"{what}: the {role} column has type {kinds[name]}, expected text or whole numbers"
                )
            column = column.cast("string")
        chosen.append(column.alias(role))
    return frame.select(*chosen)


def _in_buckets(frame: DataFrame, parts: int) -> Any:
    from pyspark.sql import functions as f

    tasks = math.ceil(parts / BUCKETS_OF_A_TASK)
    bucket = f.expr(f"pmod(crc32(query), {parts})")
    return frame.withColumn("bucket", bucket).repartition(tasks, "bucket").groupBy("bucket")


PACKAGE = "unjudged."


@dataclass(frozen=True)
class Task:
    """Computation for every bucket. Measures travel by name, and users' own measures as functions."""

    runs: tuple[str, ...]
    measures: tuple[tuple[str, str, Mapping[str, Any], Any], ...]
    depth: int | None = None
    highest: int | None = None
    """The highest grade of all judgments, for bounds; without it there are none."""
    scale: tuple[float, ...] | None = None
    """All gains of the judgments, also of other buckets, if some grade is a fraction; for bounds."""

    @classmethod
    def of(cls, runs: Sequence[str], measures: Sequence[Measure], depth: int | None = None) -> Task:
        if depth is not None and depth < 1:
            raise UsageError(f"depth is {depth}, expected a whole number of at least 1")
        for asked in measures:
            if asked.traits.across_queries:
                raise UsageError(ONLY_EVALUATE)
            if "actual" in asked.given:
                raise UsageError(
                    f"{asked} needs further judgments, which engines do not distribute: use one machine"
                )
        packed = tuple((str(m), m.name, dict(m.given), _own_function(m)) for m in measures)
        return cls(tuple(runs), packed, depth)

    def score(self, run: pa.Table, qrels: pa.Table) -> pa.Table:
        """(run, query, measure, value) of every run and query of the judgments.

        `run` has the columns query, document, score and run (a number). `qrels` has query, document, grade,
        the columns of a sample if it is one, and place: the original order of the judgments.
        """
        qrels = qrels.sort_by("place").drop_columns("place")
        columns = dict(zip(qrels.column_names, qrels.columns, strict=True))
        table = matching.grouped(_table(columns, "the judgments"))
        judgments = Judgments.from_table(table, Layout(tuple(columns)))
        if self.scale is not None:
            judgments = _on_scale(judgments, np.array(self.scale))
        matched = self._match(run, judgments)
        ends = {} if self.highest is None else dict.fromkeys(("low", "high"), np.zeros(0))
        if not len(qrels):
            return _result([], [], [], {"value": np.zeros(0), **ends})
        rankings = JudgedRankings.from_matches(judgments, matched)
        if self.depth is not None:
            rankings = rankings.cut(self.depth)
        measures = [_measure(*packed) for packed in self.measures]
        values = {"value": np.stack([asked.compute(rankings) for asked in measures], axis=-1)}
        if self.highest is not None:
            limits = [_limits(asked.on(judgments), rankings, self.highest) for asked in measures]
            values |= {end: np.stack([own[k] for own in limits], axis=-1) for k, end in enumerate(ends)}
        names = [name for name, *_ in self.measures]
        return _result(self.runs, list(judgments.queries), names, values)

    def _match(self, run: pa.Table, judgments: Judgments) -> list[Matched]:
        """Each run on its own; invalid rows are refused, in other queries too."""
        run = run.sort_by("run") if len(self.runs) > 1 else run
        ends = np.searchsorted(run["run"].to_numpy(), np.arange(len(self.runs) + 1))
        matched = []
        for name, start, stop in zip(self.runs, ends, ends[1:], strict=False):
            rows = run.slice(start, stop - start)
            columns = {role: rows[role] for role in ("query", "document", "score")}
            table = matching.grouped(_table(columns, f"run {name!r}"))
            matched.append(matching.match(table, judgments.index))
        return matched


@dataclass(eq=False)
class _Rows(TabularBlock):
    """Rows of a bucket, whose numbers say nothing."""

    of: str = ""

    def error(self, row: int, problem: str) -> InputError:  # noqa: ARG002 (of any row)
        return InputError(f"a row of {self.of}: {problem}")


def _table(columns: Mapping[str, Any], of: str) -> Table:
    for column in columns.values():
        validate(column)
    return _Rows(columns, of=of).table({role: role for role in columns})


def _own_function(asked: Measure) -> Any:
    return None if asked.function.__module__.startswith(PACKAGE) else asked.function


def _measure(_: str, name: str, given: Mapping[str, Any], function: Any) -> Measure:
    known = MEASURES[name] if function is None else measure()(function)
    return known(**given)


def _on_scale(judgments: Judgments, scale: Floats) -> Judgments:
    """Return the judgments of a bucket with the scale of all."""
    grade = judgments.grade
    gain = grade.astype(float) if judgments.scale is None else judgments.scale[np.maximum(grade, 0)]
    places = np.where(grade < 0, grade, np.searchsorted(scale, gain)).astype(np.int32)
    return replace(judgments, grade=places, scale=scale)


def _limits(asked: Measure, rankings: JudgedRankings, highest: int) -> tuple[Floats, Floats]:
    """Return the bounds of each ranking; nothing for a measure that has none."""
    own = {**asked.parameters, **asked.given}.get("max_grade")
    top = own if isinstance(own, int) else max(asked.max_grade(rankings.judgments), highest)
    try:
        limits = bounds_of_rankings(asked, rankings, top=top)
    except UsageError:
        nothing = np.full(len(rankings), np.nan)
        return nothing, nothing
    return limits.low, limits.high


def _result(
    runs: Sequence[str], queries: Sequence[str], measures: Sequence[str], values: Mapping[str, Floats]
) -> pa.Table:
    arrow = pyarrow_module("an engine")
    columns = {
        "run": np.repeat(np.array(runs, object), len(queries) * len(measures)),
        "query": np.tile(np.repeat(np.array(queries, object), len(measures)), len(runs)),
        "measure": np.tile(np.array(measures, object), len(runs) * len(queries)),
    }
    texts = {name: arrow.array(column, arrow.string()) for name, column in columns.items()}
    numbers = {
        name: arrow.array(np.ravel(own), arrow.float64(), from_pandas=name != "value")
        for name, own in values.items()
    }
    return arrow.table({**texts, **numbers})
