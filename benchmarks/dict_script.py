"""A script with pytrec_eval's calls, whoever has them: `python dict_script.py MODULE QRELS RUN`.

Prints the means, and the seconds that evaluating the dicts took once they were there.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module

MEASURES = {"map", "ndcg_cut_10", "bpref", "infAP"}


def main(module: str, qrels_path: str, run_path: str) -> None:
    pytrec_eval = import_module(module)
    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(run_path) as file:
        run = pytrec_eval.parse_run(file)
    start = time.perf_counter()
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    scores = evaluator.evaluate(run)
    seconds = time.perf_counter() - start
    means = {
        measure: pytrec_eval.compute_aggregated_measure(measure, [row[measure] for row in scores.values()])
        for measure in sorted(MEASURES)
    }
    print(json.dumps({"means": means, "evaluating": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
