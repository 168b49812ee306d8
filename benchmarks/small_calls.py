"""Dicts and small calls beside pytrec_eval, and what starting takes: `python small_calls.py`.

Prints tables of processor time, the best of many repeats: our calls in one process with pytrec_eval's, then
commands and imports, each in a process of its own.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytrec_eval as theirs
from make_run import make

from unjudged import evaluate
from unjudged.compat import pytrec_eval as ours

OURS, THEIRS = ["AP", "nDCG@10"], {"map", "ndcg_cut_10"}
JUDGED, ONE_BY_ONE = 25, "--one-by-one"

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def collection(queries: int, depth: int) -> tuple[Qrels, Run]:
    """Rankings of which some documents are judged, as are some that were not retrieved."""
    rng = np.random.default_rng(8)
    qrels: Qrels = {}
    run: Run = {}
    for q in range(queries):
        documents = [f"D{number:07d}" for number in rng.choice(10**7, depth + JUDGED, replace=False)]
        scores = np.sort(rng.gamma(9.0, 2.0, depth))[::-1].tolist()
        run[f"q{q}"] = dict(zip(documents[:depth], scores, strict=True))
        judged = rng.choice(depth + JUDGED, min(JUDGED, depth), replace=False)
        qrels[f"q{q}"] = {documents[i]: int(rng.choice([0, 0, 1, 2])) for i in judged}
    return qrels, run


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Processor time of a call: of nine runs of so many repeats, the best."""
    return min(_timed(lambda: [call() for _ in range(repeats)]) for _ in range(9)) / repeats


def theirs_whole(qrels: Qrels, run: Run) -> object:
    return theirs.RelevanceEvaluator(qrels, THEIRS).evaluate(run)


def calls() -> list[str]:
    rows = ["| dicts | tool | s of processor | time / ours |", "|---|---|---:|---:|"]
    for queries, depth, repeats in ((50, 1000, 5), (1000, 100, 2), (1, 100, 300), (1, 10, 300)):
        qrels, run = collection(queries, depth)
        kept, their_kept = (tool.RelevanceEvaluator(qrels, THEIRS) for tool in (ours, theirs))
        pairs: dict[str, tuple[tuple[str, Callable[[], object]], ...]] = {
            "evaluate": (
                ("unjudged", partial(evaluate, qrels, run, OURS)),
                ("pytrec_eval", partial(theirs_whole, qrels, run)),
            ),
            "evaluator made": (
                ("unjudged.compat.pytrec_eval", partial(ours.RelevanceEvaluator, qrels, THEIRS)),
                ("pytrec_eval", partial(theirs.RelevanceEvaluator, qrels, THEIRS)),
            ),
            "evaluator kept": (
                ("unjudged.compat.pytrec_eval", partial(kept.evaluate, run)),
                ("pytrec_eval", partial(their_kept.evaluate, run)),
            ),
        }
        for what, tools in pairs.items():
            took = {tool: seconds(call, repeats) for tool, call in tools}
            own = next(iter(took.values()))
            for tool, s in took.items():
                task = f"{queries} x {depth}, {what}" if s == own else ""
                rows.append(f"| {task} | {tool} | {s:.6f} | {s / own:.2f}x |")
    return rows


DEPTHS, TOOLS, SEEDS = (10, 100, 1000), ("unjudged", "unjudged, means read", "ir_measures"), range(5)


def one_by_one() -> list[str]:
    """One query per call, as in a loop over queries or a test suite, beside ir_measures.

    How long ir_measures takes depends on the seed of Python's hashes, so there are several processes.
    It returns means; ours are computed when they are read.
    """
    rows = ["| calls of one query each | tool | s of processor | time / ours |", "|---|---|---:|---:|"]
    found = []
    for seed in SEEDS:
        words, own = [sys.executable, __file__, ONE_BY_ONE], {**os.environ, "PYTHONHASHSEED": str(seed)}
        found.append(json.loads(subprocess.run(words, check=True, capture_output=True, env=own).stdout))
    middle = np.median(found, axis=0).tolist()
    for i, (depth, tool) in enumerate(product(DEPTHS, TOOLS)):
        task = f"1,000 x {depth} documents" if tool == TOOLS[0] else ""
        ends = f"{min(took[i] for took in found):.3f} to {max(took[i] for took in found):.3f}"
        ratio = middle[i] / middle[i - i % len(TOOLS)]
        rows.append(f"| {task} | {tool} ({ends} by hash seed) | {middle[i]:.3f} | {ratio:.2f}x |")
    return rows


def alternately() -> list[float]:
    """Seconds of 1,000 calls by depth and tool: the best of 150 turns of 50 calls each, taken in turn.

    A result is dropped before the next call.
    """
    import ir_measures

    measures, best = [ir_measures.parse_measure(name) for name in OURS], []
    warnings.simplefilter("ignore")  # some of these queries have nothing that is judged
    for depth in DEPTHS:
        qrels, run = collection(50, depth)
        each = [({query: qrels[query]}, {query: run[query]}) for query in qrels]
        calls: tuple[Callable[[Qrels, Run], object], ...] = (
            lambda q, r: evaluate(q, r, OURS),
            lambda q, r: evaluate(q, r, OURS).means,
            lambda q, r: ir_measures.calc_aggregate(measures, q, r),
        )
        turns = [[_timed(partial(_call_each, call, each)) for call in calls] for _ in range(150)]
        best += [min(tool) * 1000 / len(each) for tool in zip(*turns, strict=True)]
    return best


def _call_each(call: Callable[[Qrels, Run], object], each: list[tuple[Qrels, Run]]) -> None:
    for qrels, run in each:
        call(qrels, run)


def _timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def started(words: list[str]) -> float:
    """Processor time of a process: of nine, the best."""
    found = []
    for _ in range(9):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def commands() -> list[str]:
    python = [sys.executable, "-c"]
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = map(str, make(Path(folder), 50))
        measures = [word for measure in OURS for word in ("-m", measure)]
        cases = {
            "`python -c pass`": [*python, "pass"],
            "`import numpy`": [*python, "import numpy"],
            "`import unjudged`": [*python, "import unjudged"],
            "`unjudged --version`": [sys.executable, "-m", "unjudged", "--version"],
            "`unjudged --help`": [sys.executable, "-m", "unjudged", "--help"],
            "`unjudged evaluate`, 50 x 1000": [
                *(sys.executable, "-m", "unjudged", "evaluate", qrels, run),
                *(*measures, "--format", "jsonl"),
            ],
        }
        os.environ.pop("PYTHONUNBUFFERED", None)
        took = {case: started(words) for case, words in cases.items()}
    rows = ["| start | s of processor | time / `import numpy` |", "|---|---:|---:|"]
    return rows + [f"| {case} | {s:.3f} | {s / took['`import numpy`']:.2f}x |" for case, s in took.items()]


if __name__ == "__main__":
    if sys.argv[1:] == [ONE_BY_ONE]:
        print(json.dumps(alternately()))
    else:
        print(*calls(), "", *one_by_one(), "", *commands(), sep="\n")
