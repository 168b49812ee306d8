"""An organiser: draw a sample of a pool, have it judged, score everybody, and check a late run."""

from unjudged import Judgments, evaluate, judging, sample
from unjudged.predictions import design_for_predictions, estimate_by_document

pooled = {name: path for name, path in sample.runs.items() if name != "dense"}

# %% People, played here by the judgments of the sample collection.
known = Judgments.read(sample.qrels)
people = {query: {} for query in known.queries}
for number, document, grade in zip(known.query, known.documents, known.grade.tolist(), strict=True):
    people[known.queries[number]][document] = max(grade, 0)

# %% Judge the first five documents of every run, and two fifths of the rest of the pool.
drawn = judging.sample(judging.pool(pooled, 10), "stratified", 0.4, seed=1, top=5)
judged = judging.merge(drawn, {"people": people}).judgments
print(len(drawn.to_judge()), "documents to judge")
print(evaluate(judged, pooled, "xinfAP"))

# %% A late run was not pooled: people judge a few of its documents, drawn at random.
late = {"dense": sample.runs["dense"]}
check = design_for_predictions(late, 40, None, "P@10", qrels=sample.qrels)
answers = {query: {} for query in known.queries}
for query, document in check.to_judge():
    answers[query][document] = int(document.endswith("0"))
merged = judging.merge(check, {"people": answers}).judgments
# Its own scores say which documents are likely to be relevant; the answers say how likely.
print(estimate_by_document(merged, late, sample.runs["dense"], "P@10"))
print("bounds", evaluate(sample.qrels, late, "P@10").estimate("bounds")[0][0])

# Prints:
# 868 documents to judge
# Scores(5 runs x 30 queries; means)
# run       xinfAP
# boolean   0.0979
# lexical   0.2311
# expanded  0.2839
# fused     0.3557
# reranked  0.4601
#
# expanded has no ranking for 1 query of 30: q17. Each counts as empty.
# Documents have the same score, and other orders of them change means by more
# than 0.001: xinfAP of boolean from 0.0911 to 0.1049. ties='expected' (--ties
# expected) has the mean over all orders.
# run    measure  estimate     these queries     other queries
# dense  P@10       0.3938  [0.3008, 0.4868]  [0.2879, 0.4997]
#
# 95% intervals: had people judged another sample, or had there been other
# queries.
# P@10 by document: Poisson sample of 1622 human judgments, calibrated
# predictions.
# Documents that count for P@10 and have no prediction: 0.
# bounds 0.2600 [0.2600, 0.9400]
