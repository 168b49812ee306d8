"""The same run by every way in: `python ways_in.py QRELS RUN KIND` prints the seconds of one evaluation.

Making the frame or file is not counted, reading and matching it is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unjudged import Judgments, evaluate

COLUMNS = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]


def rows(run: str) -> Any:
    """The run as a PyArrow table."""
    import pyarrow as pa
    from pyarrow import csv

    texts = dict.fromkeys(("query_id", "doc_id"), pa.string())
    return csv.read_csv(
        run,
        csv.ReadOptions(column_names=COLUMNS),
        csv.ParseOptions(delimiter=" "),
        csv.ConvertOptions(column_types=texts, include_columns=["query_id", "doc_id", "score"]),
    )


def as_objects(run: str) -> Any:
    """Columns of Python's strings, as pandas 2 has them."""
    frame = rows(run).to_pandas()
    return frame.astype(dict.fromkeys(("query_id", "doc_id"), object))


def as_polars(run: str) -> Any:
    import polars

    return polars.from_arrow(rows(run))


def as_duckdb(run: str) -> Any:
    import duckdb

    return duckdb.from_arrow(rows(run))


def as_whole_numbers(run: str) -> Any:
    import pyarrow as pa

    kinds = {"query_id": pa.int64(), "doc_id": pa.int64(), "score": pa.float64()}
    return rows(run).cast(pa.schema(kinds))


def in_no_order(run: str) -> Any:
    import numpy as np

    table = rows(run)
    return table.take(np.random.default_rng(8).permutation(len(table)))


def as_objects_in_no_order(run: str) -> Any:
    return as_objects(run).sample(frac=1, random_state=8)


def as_parquet(run: str) -> Path:
    from pyarrow import parquet

    path = Path(run).with_suffix(".parquet")
    parquet.write_table(rows(run), path)
    return path


KINDS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "pandas": lambda run: rows(run).to_pandas(),
    "pandas, columns of objects": as_objects,
    "Polars": as_polars,
    "PyArrow": rows,
    "DuckDB": as_duckdb,
    "whole numbers": as_whole_numbers,
    "in no order": in_no_order,
    "columns of objects in no order": as_objects_in_no_order,
    "Parquet": as_parquet,
}


def seconds(judgments: Judgments, run: Any) -> float:
    start = time.perf_counter()
    evaluate(judgments, run, ["AP", "nDCG@10", "Bpref", "infAP"])
    return time.perf_counter() - start


if __name__ == "__main__":
    qrels, run, kind = sys.argv[1:]
    judgments, source = Judgments.read(qrels), KINDS[kind](run)
    print(min(seconds(judgments, source) for _ in range(5)))
