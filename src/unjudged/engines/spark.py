"""Evaluation on Spark (classic, Connect or Sail): the same numbers as one machine, to the last bit.

Whole queries are assigned to buckets by a hash of their names. Runs and judgments are cogrouped by bucket,
and each bucket of a few hundred thousand rows is one call of the ordinary evaluation. No join runs in Spark,
so an unjudged document is never mistaken for one whose score is missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import InputError, UsageError
from unjudged.engines.bucket import Task
from unjudged.evaluation.evaluation import DEFAULT_MEASURES
from unjudged.formats.columns import NONE, columns_of
from unjudged.measures.kernel.averages import summarised
from unjudged.measures.kernel.names import MeasureLike, parse, parse_measures

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

ROWS_OF_A_CALL = 250_000
BUCKETS_OF_A_TASK = 2
NAMES = {"byte", "short", "integer", "long", "string", "varchar", "char"}
VALUES = "run string, query string, measure string, value double"
MEANS = "run string, measure string, value double"


def evaluate(
    qrels: DataFrame,
    runs: DataFrame | Mapping[str, DataFrame],
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    depth: int | None = None,
    buckets: int | None = None,
    run_columns: Mapping[str, str] = NONE,
    qrels_columns: Mapping[str, str] = NONE,
) -> DataFrame:
    """A lazy frame of (run, query, measure, value): every query of the judgments, for every run.

    `runs` is one frame or a mapping from names to frames. Columns are recognised by the names that
    ir_measures, PyTerrier and BEIR use, or named by role: `run_columns={"document": "url"}`. A null, a score
    or grade that is not a number, or a repeated document in a query fails the job, and the error says which.
    `buckets` is the number of calls; without it the rows of the runs are counted first, and each call gets
    about 250,000.

    Write or cache the frame before taking its `means`; otherwise Spark computes it twice.
    """
    named = dict(runs) if isinstance(runs, Mapping) else {"run": runs}
    if not named:
        raise UsageError("no run given, expected at least one")
    task = Task.of(list(named), parse_measures(measures), depth)
    rankings = _run_rows(named, run_columns)
    parts = buckets if buckets is not None else max(1, math.ceil(rankings.count() / ROWS_OF_A_CALL))
    if parts < 1:
        raise UsageError(f"buckets is {parts}, expected a whole number of at least 1")
    groups = [_in_buckets(frame, parts) for frame in (rankings, _judgment_rows(qrels, qrels_columns))]

    def score(run: pa.Table, qrels: pa.Table) -> pa.Table:
        return task.score(run.drop_columns("bucket"), qrels.drop_columns("bucket"))

    return groups[0].cogroup(groups[1]).applyInArrow(score, VALUES)


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
