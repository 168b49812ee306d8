"""Our measures in a PyTerrier experiment: what the unjudged leave open, beside the usual numbers."""

import pandas
import pyterrier

from unjudged import sample
from unjudged.compat.ir_measures import AP, RBPResidual, infAP


def read(path: str, names: list[str]) -> pandas.DataFrame:
    return pandas.read_csv(path, sep=r"\s+", names=names, dtype={"qid": str, "docno": str})


columns = ["qid", "Q0", "docno", "rank", "score", "tag"]
systems = {name: read(str(sample.runs[name]), columns) for name in ("reranked", "dense")}
qrels = read(str(sample.qrels), ["qid", "Q0", "docno", "label"])
topics = qrels[["qid"]].drop_duplicates().assign(query="")

measures = [pyterrier.measures.AP, infAP, AP(bound="high"), RBPResidual(p=0.8)]

table = pyterrier.Experiment(
    [pyterrier.Transformer.from_df(frame) for frame in systems.values()],
    topics,
    qrels,
    eval_metrics=measures,
    names=list(systems),
)
for row in table.to_dict("records"):
    print(row["name"])
    for measure in measures:
        print(f"  {measure!s:<27}{row[str(measure)]:.4f}")

# Prints:
# reranked
#   AP                         0.4374
#   unjudged_infAP             0.4654
#   unjudged_AP(bound='high')  0.6086
#   RBPResidual                0.0523
# dense
#   AP                         0.2057
#   unjudged_infAP             0.2337
#   unjudged_AP(bound='high')  0.8277
#   RBPResidual                0.6861
