"""A search engineer: is the new retriever better, although people never judged most of what it finds?"""

from unjudged import compare, evaluate, judging, sample

runs = {name: sample.runs[name] for name in ("reranked", "dense")}

# %% Scores, and how much of the first ten documents was judged.
print(evaluate(sample.qrels, runs, ["nDCG@10", "P@10", "Judged@10"]))

# %% Bounds hold whatever the unjudged documents turn out to be.
for name, (estimate,) in zip(runs, evaluate(sample.qrels, runs, "P@10").estimate("bounds"), strict=True):
    print(f"{name:9}", estimate)

# %% Who leads, and could other queries or further judgments say the opposite?
print(compare(sample.qrels, runs, "P@10").pair("reranked", "dense").conclusion().replace(". ", ".\n"))

# %% What to judge to find out.
print(judging.next(sample.qrels, runs, budget=3, measure="P@10", settle=True))

# Prints:
# Scores(2 runs x 30 queries; means)
# run       nDCG@10    P@10  Judged@10
# reranked   0.4485  0.5067     1.0000
# dense      0.2374  0.2600     0.3200
# reranked  0.5067 [0.5067, 0.5067]
# dense     0.2600 [0.2600, 0.9400]
# reranked is ahead of dense by more than the choice of queries explains, but missing judgments could undo it.
# Judge more documents first (`unjudged next`).
# 3 documents to judge
# query  document      gain
# q11    d138      0.001667
# q01    d292      0.001667
# q29    d077      0.001667
#
# The order of reranked and dense is open by P@10.
# reranked leads dense by +0.2467 as judged (paired t test over queries: p <
# 0.0001); with every document judged it would be between -0.4333 and +0.2467.
# Estimates from samples will refuse these judgments: infAP, indAP, subAP, xinfAP,
# infNDCG, infP, statAP, statAPVariance, statRprec, statP.
