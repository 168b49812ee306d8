"""The random-sampling experiment of Yilmaz and Aslam (2008): `python experiment.py TOOL QRELS RUN...`.

17 levels x 10 samples of the judgments, every run and topic. `unjudged` does it whole, with six measures on
all cores; `pytrec_eval` is looped over the same samples for the three of them that it has. Prints, as JSON,
the seconds from when everything is read, and the mean over runs of each sample's map, infAP and bpref.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from unjudged import experiment
from unjudged.base.threads import cores
from unjudged.judging import Pool
from unjudged.studies.experimenting import DEFAULT_MEASURES

REPEATS = 10
SHARES = [p / 100 for p in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)]
NAMES = {"AP": "map", "infAP": "infAP", "Bpref": "bpref"}


def with_unjudged(qrels: str, runs: list[str]) -> tuple[float, list[list[float]]]:
    pool = Pool.of(qrels, [Path(run) for run in runs])
    start = time.perf_counter()
    found = experiment(pool, levels=SHARES, repeats=REPEATS, workers=cores())
    seconds = time.perf_counter() - start
    columns = [DEFAULT_MEASURES.index(name) for name in NAMES]
    return seconds, found.source.means[:, :, :, columns].mean(axis=2).reshape(-1, len(NAMES)).tolist()


def with_pytrec_eval(qrels: str, runs: list[str]) -> tuple[float, list[list[float]]]:
    import pytrec_eval

    pool = Pool.of(qrels)
    queries, documents = list(pool.judgments.queries), list(pool.judgments.documents)
    rankings = []
    for run in runs:
        with open(run, errors="surrogateescape") as file:
            rankings.append(pytrec_eval.parse_run(file))
    seconds, means = 0.0, []
    for share in SHARES:
        for seed in range(REPEATS):
            drawn = pool.uniform(share, seed=seed)
            sample: dict[str, dict[str, int]] = {query: {} for query in queries}
            for q, document, grade in zip(drawn.query.tolist(), documents, drawn.grade.tolist(), strict=True):
                sample[queries[q]][document] = grade
            start = time.perf_counter()
            evaluator = pytrec_eval.RelevanceEvaluator(sample, set(NAMES.values()))
            every = [evaluator.evaluate(ranking) for ranking in rankings]
            rows = [
                [sum(scores[name] for scores in run.values()) / len(queries) for name in NAMES.values()]
                for run in every
            ]
            seconds += time.perf_counter() - start
            means.append(np.mean(rows, axis=0).tolist())
    return seconds, means


if __name__ == "__main__":
    tools = {"unjudged": with_unjudged, "pytrec_eval": with_pytrec_eval}
    print(json.dumps(tools[sys.argv[1]](sys.argv[2], sys.argv[3:])))
