"""What `make_parts.py` made, on local Spark: `python spark_task.py FOLDER` prints seconds and means."""

from __future__ import annotations

import json
import os
import sys
import time

from pyspark.sql import SparkSession

from unjudged.engines import spark

MEASURES = ["AP", "nDCG@10"]


def main(folder: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    start = time.perf_counter()
    run, qrels = (session.read.parquet(f"{folder}/{name}") for name in ("run", "qrels"))
    values = spark.evaluate(qrels, run, MEASURES).cache()
    means = {row["measure"]: row["value"] for row in spark.means(values).collect()}
    seconds = time.perf_counter() - start
    session.stop()
    print(json.dumps({"seconds": seconds, "means": means}))


if __name__ == "__main__":
    main(sys.argv[1])
