"""Dicts and small calls beside pytrec_eval, and what starting takes: `python small_calls.py`.

Prints tables of processor time, the best of many repeats: our calls in one process with pytrec_eval's, then
commands and imports, each in a process of its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytrec_eval as theirs
from make_run import make

from unjudged import evaluate
from unjudged.compat import pytrec_eval as ours

OURS, THEIRS = ["AP", "nDCG@10"], {"map", "ndcg_cut_10"}
JUDGED = 25

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
            "`import pytrec_eval`": [*python, "import pytrec_eval"],
            "`import ir_measures`": [*python, "import ir_measures"],
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
    print(*calls(), "", *commands(), sep="\n")
