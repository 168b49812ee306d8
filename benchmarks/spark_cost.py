"""What a row costs on local Spark: `python spark_cost.py FOLDER QUERIES...` prints docs/cluster.md's table.

For each number of queries a thousand rows each, made by `make_parts.py`, evaluated twice. Processor time and
memory are those of this process and of all that it started, Java and Python's workers, from /proc.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from make_parts import make
from pyspark.sql import SparkSession

from unjudged.engines import spark

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


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
