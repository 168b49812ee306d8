"""Top-k arrays as faiss gives them, beside tools people have: `python arrays.py QRELS RUN`.

Prints a table of seconds in one process, best of several. Making the arrays and reading the judgments are not
counted, and neither is looking up the labels that torchmetrics and scikit-learn need. These two see the
retrieved documents alone, so their values differ.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from ways_in import rows

from unjudged import Judgments, Run, evaluate

MEASURES = ["AP", "nDCG@10", "Bpref", "infAP"]


def arrays(run: str) -> tuple[Any, Any, list[str]]:
    """Row numbers, scores in single precision as indexes give them, and the names of the queries."""
    table = rows(run)
    queries = table["query_id"].to_pylist()
    depth = queries.count(queries[0])
    documents, scores = (table[name].to_numpy().reshape(-1, depth) for name in ("doc_id", "score"))
    return documents.astype(np.int64), scores.astype(np.float32), queries[::depth]


def seconds(call: Callable[[], object], repeats: int) -> float:
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return min(took)


def with_pytrec_eval(qrels: dict[str, dict[str, int]], given: tuple[Any, Any, list[str]]) -> object:
    """Through dicts, the only way in."""
    import pytrec_eval

    documents, scores, queries = given
    run = {
        query: dict(zip(map(str, own), values, strict=True))
        for query, own, values in zip(queries, documents.tolist(), scores.tolist(), strict=True)
    }
    return pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10", "bpref", "infAP"}).evaluate(run)


def with_torchmetrics(labels: Any, scores: Any) -> list[float]:
    import torch
    from torchmetrics.retrieval import RetrievalMAP, RetrievalNormalizedDCG

    index = torch.arange(len(labels)).repeat_interleave(labels.shape[1])
    flat, grades = torch.from_numpy(scores).flatten(), torch.from_numpy(labels).flatten()
    average, gain = RetrievalMAP(), RetrievalNormalizedDCG(top_k=10)
    return [float(average(flat, grades > 0, indexes=index)), float(gain(flat, grades, indexes=index))]


def with_scikit_learn(labels: Any, scores: Any) -> object:
    from sklearn.metrics import ndcg_score

    return ndcg_score(labels, scores, k=10)


def main(qrels_path: str, run_path: str) -> None:
    judgments, (documents, scores, queries) = Judgments.read(qrels_path), arrays(run_path)
    qrels: dict[str, dict[str, int]] = {query: {} for query in judgments.queries}
    pairs = judgments.pooled.names(np.arange(len(judgments.grade)))
    for (query, document), grade in zip(pairs, judgments.grade.tolist(), strict=True):
        qrels[query][document] = grade
    labels = np.array(
        [
            [max(qrels[q].get(str(d), 0), 0) for d in own]
            for q, own in zip(queries, documents.tolist(), strict=True)
        ]
    )
    names = [str(number) for number in range(int(documents.max()) + 1)]
    given = documents, scores, queries

    def ours(**more: Any) -> object:
        return evaluate(judgments, Run.from_arrays(documents, scores, queries=queries, **more), MEASURES)

    cases: list[tuple[str, str, int, Callable[[], object]]] = [
        ("", "unjudged, the same as a file", 5, lambda: evaluate(judgments, run_path, MEASURES)),
        ("", "unjudged, arrays", 5, ours),
        ("", f"unjudged, arrays and {len(names):,} names", 3, lambda: ours(names=names)),
        ("pytrec_eval", "pytrec_eval through dicts", 1, lambda: with_pytrec_eval(qrels, given)),
        ("torchmetrics", "torchmetrics, 2 of 4 measures", 1, lambda: with_torchmetrics(labels, scores)),
        ("sklearn", "scikit-learn, nDCG@10 alone", 1, lambda: with_scikit_learn(labels, scores)),
    ]
    print(
        f"| {documents.shape[0]:,} x {documents.shape[1]:,} as arrays | s | time / file |",
        "|---|---:|---:|",
        sep="\n",
    )
    first = 0.0
    for module, case, repeats, call in cases:
        if module and find_spec(module) is None:
            print(f"| {case} is not installed: pip install {module.replace('sklearn', 'scikit-learn')} | | |")
            continue
        took = seconds(call, repeats)
        first = first or took
        print(f"| {case} | {took:.2f} | {took / first:.2f}x |")


if __name__ == "__main__":
    main(*sys.argv[1:])
