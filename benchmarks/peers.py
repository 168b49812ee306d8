"""The same task with the tools people have: `python peers.py TOOL QRELS RUN...`.

Prints the means as JSON, and the seconds that evaluating took once everything was read.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any

NAMES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "Bpref": "bpref", "infAP": "infAP"}
Means = list[dict[str, float]]


def with_pytrec_eval(tool: str, qrels_path: str, run_paths: list[str]) -> tuple[Means, float]:
    """Evaluate with pytrec_eval, or with what has its calls."""
    pytrec_eval = import_module(tool)
    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    means: Means = []
    seconds, evaluator = 0.0, None
    for path in run_paths:
        with open(path, errors="surrogateescape") as file:
            run = pytrec_eval.parse_run(file)
        start = time.perf_counter()
        evaluator = evaluator or pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()))
        scores: dict[str, Any] = evaluator.evaluate(run)
        seconds += time.perf_counter() - start
        means.append(
            {ours: sum(s[name] for s in scores.values()) / len(qrels) for ours, name in NAMES.items()}
        )
    return means, seconds


def with_ir_measures(tool: str, qrels_path: str, run_paths: list[str]) -> tuple[Means, float]:
    ir_measures = import_module(tool)
    measures = [ir_measures.parse_measure(name) for name in NAMES]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels_path))
    start = time.perf_counter()
    found = [evaluator.calc_aggregate(ir_measures.read_trec_run(path)) for path in run_paths]
    means = [{str(measure): value for measure, value in means.items()} for means in found]
    return means, time.perf_counter() - start


if __name__ == "__main__":
    tool, qrels, *runs = sys.argv[1:]
    with_tool = with_ir_measures if tool == "ir_measures" else with_pytrec_eval
    means, seconds = with_tool(tool, qrels, runs)
    print(json.dumps({"means": means, "evaluating": seconds}))
