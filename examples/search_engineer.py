"""A search engineer: is the new retriever better, although people never judged most of what it finds?"""

from unjudged import compare, evaluate, judging, sample

runs = {name: sample.runs[name] for name in ("dense", "reranked")}

# %% Scores, and how much of the first ten documents was judged.
print(evaluate(sample.qrels, runs, ["nDCG@10", "P@10", "Judged@10"]))

# %% Bounds hold whatever the unjudged documents turn out to be.
print(evaluate(sample.qrels, runs, "P@10"))

# %% Who leads, and could other queries or further judgments say the opposite?
print(compare(sample.qrels, runs, "P@10"))

# %% What to judge to find out.
print(judging.next(sample.qrels, runs, budget=3, measure="P@10"))

# Prints:
# Scores(2 runs x 30 queries; means)
# run       nDCG@10    P@10  Judged@10
# dense      0.2374  0.2600     0.3200
# reranked   0.4485  0.5067     1.0000
# dense     0.2600 [0.2600, 0.9400]
# reranked  0.5067 [0.5067, 0.5067]
# reranked is ahead of dense, but unjudged documents could reverse it: needs judging.
#
# P@10: 0.2600 -> 0.5067, difference +0.2467
# other queries  hold: +0.1969 to +0.2964 (95%), p < 0.0001; reranked better on 28 of 30
# more judging   could flip it: if 36% of dense's unjudged documents are relevant; 74% of the judged ones are
# 3 documents to judge
# query  document      gain
# q01    d213      0.001667
# q01    d243      0.001667
# q01    d270      0.001667
#
# Together they narrow the interval of the mean P@10 by 0.005000.
# Estimates from samples will refuse these judgments: infAP, indAP, subAP, xinfAP,
# infNDCG, infP, statAP, statAPVariance, statRprec, statP.
