"""A lazy Polars query in, Polars out: what is not asked for is never read."""

import polars

from unjudged import evaluate, sample

names = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
run = polars.scan_csv(sample.runs["fused"], separator=" ", has_header=False, new_columns=names)
best = run.filter(polars.col("rank") <= 10)

scores = evaluate(sample.qrels, {"fused": run, "its first ten": best}, ["AP", "R@10"])
for row in scores.to_frame().iter_rows(named=True):
    print(row["system"], row["measure"], round(row["mean"], 4))

# Prints:
# fused AP 0.3321
# its first ten AP 0.1994
# fused R@10 0.35
# its first ten R@10 0.35
