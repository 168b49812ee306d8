"""The same evaluation on Spark. Here the cluster is this machine; yours is where your session points."""

import os
import sys

from pyspark.sql import SparkSession

from unjudged import evaluate, sample
from unjudged.engines import spark

os.environ["PYSPARK_PYTHON"] = sys.executable
session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()

names = "query_id string, Q0 string, doc_id string, rank int, score double, tag string"
runs = {
    name: session.read.csv(str(sample.runs[name]), sep=" ", schema=names) for name in ("reranked", "dense")
}
qrels = session.read.csv(
    str(sample.qrels), sep=" ", schema="query_id string, Q0 string, doc_id string, relevance int"
)

values = spark.evaluate(qrels, runs, ["AP", "nDCG@10"]).cache()
for row in sorted(spark.means(values).collect()):
    print(row["run"], row["measure"], f"{row['value']:.4f}")

here = evaluate(sample.qrels, {name: sample.runs[name] for name in runs}, ["AP", "nDCG@10"])
same = {tuple(row)[:3]: row["value"] for row in values.collect()} == {
    tuple(row)[:3]: row.value for row in here
}
print("the same as on one machine, to the last bit:", same)
session.stop()

# Prints:
# dense AP 0.2057
# dense nDCG@10 0.2374
# reranked AP 0.4374
# reranked nDCG@10 0.4485
# the same as on one machine, to the last bit: True
