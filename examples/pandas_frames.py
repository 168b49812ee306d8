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
print(table.pivot(index="query", columns="measure", values="value").round(4).to_string())

# Prints:
# measure   AP  Judged@10  nDCG@10
# query
# q1       0.5     0.6667   0.6309
# q2       1.0     1.0000   1.0000
