"""A lazy Polars query in, Polars out: what is not asked for is never read."""

import polars

from unjudged import evaluate, sample

names = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
run = polars.scan_csv(sample.runs["fused"], separator=" ", has_header=False, new_columns=names)
best = run.filter(polars.col("rank") <= 10)

scores = evaluate(sample.qrels, {"fused": run, "its first ten": best}, ["AP", "R@10"])
means = (
    scores.to_frame().group_by("run", "measure", maintain_order=True).agg(polars.col("value").mean().round(4))
)
for run_name, measure, value in means.iter_rows():
    print(run_name, measure, value)

# Prints:
# fused AP 0.3321
# fused R@10 0.35
# its first ten AP 0.1994
# its first ten R@10 0.35
