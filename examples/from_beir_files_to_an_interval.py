"""From files as BEIR has them to a score with its interval, step by step."""

# %% The files: judgments with a header, `query-id corpus-id score`, and a run as a JSON dictionary.
import json
import tempfile
from pathlib import Path

from unjudged import Judgments, Run, sample

folder = Path(tempfile.mkdtemp())
judged = Judgments.read(sample.qrels)
pairs = zip([judged.queries[q] for q in judged.query], judged.documents, judged.grade, strict=True)
lines = [f"{query}\t{document}\t{grade}" for query, document, grade in pairs if grade >= 0]
(folder / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines]) + "\n")

run = Run.read(sample.runs["dense"])
rankings = {
    query: dict(
        zip(run.ranking(query), run.scores[run.offsets[i] : run.offsets[i + 1]].tolist(), strict=True)
    )
    for i, query in enumerate(run.queries)
}
(folder / "dense.json").write_text(json.dumps(rankings))

# %% The numbers that everybody prints. Only the note says that two thirds of the top ten were never judged.
from unjudged import evaluate

scores = evaluate(folder / "test.tsv", folder / "dense.json", ["nDCG@10", "RBP(p=0.8)", "Judged@10"])
print(scores)

# %% What the unjudged leave open: the interval holds whatever they turn out to be.
ndcg, rbp = evaluate(folder / "test.tsv", folder / "dense.json", ["nDCG@10", "RBP(p=0.8)"]).estimate(
    "bounds"
)[0]
print("nDCG@10", ndcg)
print("RBP    ", rbp)

# %% What follows from an assumption: each unjudged document is relevant with probability 0.1.
(given,) = evaluate(folder / "test.tsv", folder / "dense.json", "RBP(p=0.8)").estimate(
    "model", prevalence=0.1
)[0]
print("RBP    ", given, given.method)

# Prints:
# Scores(1 run x 30 queries; means)
# run    nDCG@10  RBP(p=0.8)  Judged@10
# dense   0.2374      0.2634     0.3200
#
# Only 32% of the documents in the first 10 of the runs are judged, and the others
# count as nonrelevant: bounds (--interval bounds) show what that leaves open. If
# the labels were drawn at random, say how (--sampled uniformly).
# nDCG@10 0.2374 [0.1765, 0.8823]
# RBP     0.2634 [0.2634, 0.9495]
# RBP     0.3320 [0.3024, 0.3615] given prevalence 0.1; Normal
