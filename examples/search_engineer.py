"""A search engineer: is the new retriever better, although people never judged most of what it finds?"""

from unjudged import compare, evaluate, judging, sample

runs = {name: sample.runs[name] for name in ("dense", "reranked")}

# %% Scores, and how much of the first ten documents was judged.
print(evaluate(sample.qrels, runs, ["nDCG@10", "P@10", "Judged@10"]))

# %% Who leads, and could other queries or further judgments say the opposite?
print(compare(sample.qrels, runs, "P@10"))

# %% What to judge to find out.
print(judging.next(sample.qrels, runs, n=3, measure="P@10").sentence())

# Prints:
# system    nDCG@10  could be       P@10  Judged@10
# reranked   0.4485  0.33 – 0.45  0.5067      100 %
# dense      0.2374  0.18 – 0.88  0.2600       32 %  !
# reranked is ahead of dense, but unjudged documents could reverse it: needs judging.
#
# P@10: 0.2600 -> 0.5067, difference +0.2467
# other queries  hold: +0.1969 to +0.2964 (95 %), p < 0.0001; reranked better on 28 of 30
# more judging   could flip it: if 36 % of dense's unjudged documents are relevant; 74 % of the judged ones are
# More judging could change what P@10 says of dense and reranked.
