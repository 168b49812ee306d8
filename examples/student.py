"""A student: which of six systems is best, by several measures, and which differences may be claimed?"""

from unjudged import compare, evaluate, sample

# %% The table of the thesis.
print(evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10", "P@10", "RBP(p=0.8)"]))

# %% All pairs, corrected for their number: a claim needs the headline `better`.
comparison = compare(sample.qrels, sample.runs, "nDCG@10")
for pair in comparison.pairs:
    if pair["better"]:
        print(f"{pair['better']} is better: {pair['a']} minus {pair['b']}, {pair['difference']:+.4f}")

# %% What the others need before anything is claimed of them.
for pair in comparison.pairs:
    if not pair["better"]:
        print(f"{pair['a']} and {pair['b']}: {pair['headline']}")

# Prints:
# system        AP  could be     nDCG@10    P@10  RBP(p=0.8)
# reranked  0.4374  0.22 – 0.61   0.4485  0.5067      0.4889
# fused     0.3321  0.16 – 0.52   0.3525  0.3967      0.3883
# expanded  0.2736  0.14 – 0.47   0.3151  0.3367      0.3323
# lexical   0.2272  0.11 – 0.44   0.2761  0.2733      0.2836
# dense     0.2057  0.09 – 0.83   0.2374  0.2600      0.2634
# boolean   0.0939  0.05 – 0.35   0.1097  0.1400      0.1359
#
# 2 notes (missing queries, tied means): see .notes
# lexical is better: lexical minus boolean, +0.1663
# expanded is better: expanded minus boolean, +0.2054
# fused is better: fused minus boolean, +0.2428
# reranked is better: reranked minus boolean, +0.3388
# dense is better: dense minus boolean, +0.1277
# reranked is better: reranked minus lexical, +0.1724
# reranked is better: reranked minus expanded, +0.1333
# expanded and lexical: needs queries
# fused and lexical: needs queries
# dense and lexical: needs both
# fused and expanded: needs queries
# dense and expanded: needs both
# reranked and fused: needs queries
# dense and fused: needs judging
# dense and reranked: needs judging
