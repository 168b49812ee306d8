"""The same task with the tools people have: `python peers.py TOOL QRELS RUN...` prints the means as JSON."""

from __future__ import annotations

import json
import sys

NAMES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "Bpref": "bpref", "infAP": "infAP"}


def with_pytrec_eval(qrels_path: str, run_paths: list[str]) -> list[dict[str, float]]:
    import pytrec_eval

    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10", "bpref", "infAP"})
    means = []
    for path in run_paths:
        with open(path, errors="surrogateescape") as file:
            scores = evaluator.evaluate(pytrec_eval.parse_run(file))
        means.append(
            {ours: sum(s[name] for s in scores.values()) / len(qrels) for ours, name in NAMES.items()}
        )
    return means


def with_ir_measures(qrels_path: str, run_paths: list[str]) -> list[dict[str, float]]:
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in NAMES]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels_path))
    found = [evaluator.calc_aggregate(ir_measures.read_trec_run(path)) for path in run_paths]
    return [{str(measure): value for measure, value in means.items()} for means in found]


if __name__ == "__main__":
    tools = {"pytrec_eval": with_pytrec_eval, "ir_measures": with_ir_measures}
    print(json.dumps(tools[sys.argv[1]](sys.argv[2], sys.argv[3:])))
