"""pandas in, pandas out."""

import pandas

from unjudged import evaluate

qrels = pandas.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d3"], "label": [1, 0, 2]})
run = pandas.DataFrame(
    {
        "qid": ["q1", "q1", "q1", "q2"],
        "docno": ["d2", "d1", "d7", "d3"],
        "score": [9.1, 8.4, 8.2, 3.0],
    }
)

scores = evaluate(qrels, {"mine": run}, ["AP", "nDCG@10", "Judged@10"])
table = scores.to_frame()
print(table.pivot(index="system", columns="measure", values="mean").round(4).to_string())

# Prints:
# measure    AP  Judged@10  nDCG@10
# system
# mine     0.75     0.8333   0.8155
