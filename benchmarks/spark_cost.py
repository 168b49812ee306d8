"""What a row costs on local Spark: `python spark_cost.py FOLDER QUERIES...` prints docs/cluster.md's table.

For each number of queries a thousand rows each, in no order, and their judgments, evaluated twice. Processor
time and memory are those of this process and of all that it started, Java and Python's workers, from /proc.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import SparkSession

from unjudged.engines import spark

DEPTH, JUDGED = 1000, 40
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def make(folder: Path, queries: int) -> Path:
    """Write a run in sixteen Parquet files and its judgments in four, always the same."""
    target = folder / f"parts-{queries}x{DEPTH}"
    if target.exists():
        return target
    unfinished, rng = folder / f"{target.name}.part", np.random.default_rng(9)
    query = np.repeat(np.arange(queries), DEPTH)
    document = rng.integers(0, 8_000_000, queries)[query] + np.tile(np.arange(DEPTH) * 97, queries)
    score = np.round(rng.gamma(9.0, 2.0, len(query)), 2)
    judged = np.concatenate([q * DEPTH + rng.choice(DEPTH, JUDGED, replace=False) for q in range(queries)])
    grade = rng.choice([-1, 0, 0, 1, 2], len(judged))
    whole = pa.table({"query_id": query.astype(str), "doc_id": document.astype(str), "score": score})
    some = whole.select(["query_id", "doc_id"]).take(judged).append_column("relevance", pa.array(grade))
    for name, files, rows in (("run", 16, whole), ("qrels", 4, some)):
        (unfinished / name).mkdir(parents=True)
        for i, part in enumerate(np.array_split(rng.permutation(len(rows)), files)):
            parquet.write_table(rows.take(part), unfinished / name / f"part-{i:02}.parquet")
    unfinished.rename(target)
    return target


def tree() -> tuple[float, float]:
    """Processor seconds and resident megabytes of this process and its descendants."""
    parent, seconds, megabytes = {}, {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended in the meantime
            continue
        pid = int(stat.parent.name)
        parent[pid] = int(fields[1])
        seconds[pid] = sum(map(int, fields[11:15])) / TICKS
        megabytes[pid] = int(fields[21]) * PAGE / 2**20
    mine, before = {os.getpid()}, 0
    while len(mine) > before:
        before = len(mine)
        mine |= {pid for pid, above in parent.items() if above in mine}
    return sum(seconds[pid] for pid in mine), sum(megabytes[pid] for pid in mine)


def main(folder: Path, sizes: list[int]) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    peak = [0.0]

    def watch() -> None:
        while True:
            peak[0] = max(peak[0], tree()[1])
            time.sleep(0.5)

    with tempfile.TemporaryDirectory() as local:
        os.environ["SPARK_LOCAL_DIRS"] = local
        builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g")
        session = builder.config("spark.ui.enabled", False).getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        threading.Thread(target=watch, daemon=True).start()
        print("| rows | s | processor s | microseconds a row | shuffled MB | peak MB |")
        print("|---:|---:|---:|---:|---:|---:|")
        for queries in [size for size in sizes for _ in range(2)]:
            parts = make(folder, queries)
            run, qrels = (session.read.parquet(f"{parts}/{name}") for name in ("run", "qrels"))
            rows, cpu, start = run.count(), tree()[0], time.perf_counter()
            before = _megabytes(local)
            values = spark.evaluate(qrels, run, ["AP", "nDCG@10"]).cache()
            spark.means(values).collect()
            wall, cpu = time.perf_counter() - start, tree()[0] - cpu
            numbers = f"{cpu:.1f} | {cpu / rows * 1e6:.1f} | {_megabytes(local) - before:.0f} | {peak[0]:.0f}"
            print(f"| {rows:,} | {wall:.1f} | {numbers} |", flush=True)
            values.unpersist()
        session.stop()


def _megabytes(folder: str) -> float:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 2**20


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(number) for number in sys.argv[2:]])
