"""All pairs of systems: `python significance.py QRELS RUN...` prints ours beside ranx, if it is installed.

The matrix of AP by run and query is computed once. Each task then runs in a process of its own and reports
its processor time, imports and compilation left out. What ranx does is the part of its `compare` that tests.
"Headlines" is all that `compare` does after reading: values, tests, Holm, bounds, flip and loss shares.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from unjudged import compare_pairs, evaluate
from unjudged.evaluation.collection import name_runs
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.infer import Settings, decide, run_tests
from unjudged.inference.verdict import BETTER
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments

FEW, MANY = 1_000, 20_000
LIMIT = 100  # seconds


def ranx_tests(scores: Floats, test: str) -> int:
    from ranx.statistical_tests import compute_statistical_significance

    names = [str(i) for i in range(len(scores))]
    found = compute_statistical_significance(
        names, {name: {"map": row} for name, row in zip(names, scores, strict=True)}, test, FEW, 0.05
    )
    pairs = [frozenset((a, b)) for i, a in enumerate(names) for b in names[:i]]
    return sum(bool(found[pair]["map"]["significant"]) for pair in pairs)


def ours(scores: Floats, test: str, correction: str, draws: int) -> int:
    return int(compare_pairs(scores, test=test, correction=correction, draws=draws).significant.sum())  # type: ignore[arg-type]


TASKS: dict[str, tuple[str, str, Callable[[Floats], int]]] = {
    "t": ("paired t", "unjudged", lambda a: ours(a, "t", "none", FEW)),
    "t-ranx": ("", "ranx", lambda a: ranx_tests(a, "student")),
    "holm": ("paired t, Holm", "unjudged", lambda a: ours(a, "t", "holm", FEW)),
    "flip": (f"randomization, {FEW:,} draws", "unjudged", lambda a: ours(a, "randomization", "none", FEW)),
    "flip-ranx": ("", "ranx", lambda a: ranx_tests(a, "fisher")),
    "flips": (f"randomization, {MANY:,} draws", "unjudged", lambda a: ours(a, "randomization", "none", MANY)),
    "boot": (f"bootstrap, {MANY:,} draws", "unjudged", lambda a: ours(a, "bootstrap", "none", MANY)),
    "rank": ("Wilcoxon", "unjudged", lambda a: ours(a, "wilcoxon", "none", FEW)),
    "tukey": (f"randomised Tukey HSD, {MANY:,} draws", "unjudged", lambda a: ours(a, "t", "tukey", MANY)),
    "tukey-ranx": ("one-way Tukey HSD, ignores queries", "ranx", lambda a: ranx_tests(a, "tukey")),
}


HEADLINES = ("RBP(p=0.8)", "RBP(p=0.95)", "nDCG@10", "AP")


def timed(task: str, file: str, qrels: str, runs: list[str]) -> tuple[float, int]:
    if task in HEADLINES:
        return timed_headlines(task, qrels, runs)
    scores, run = np.load(file), TASKS[task][2]
    run(scores[:3])
    start = time.process_time()
    found = run(scores)
    return time.process_time() - start, found


def timed_headlines(name: str, qrels: str, runs: list[str]) -> tuple[float, int]:
    """The time after reading, and how many pairs have a better system."""
    (measure,) = parse_measures(name)
    shared = SharedRankings.of(Judgments.of(qrels), name_runs(runs))
    settings = Settings.of("t", "holm", 0.05, FEW, 0)
    compare_pairs(np.random.default_rng(0).random((3, 5)))
    start = time.process_time()
    scores = shared.per_run(measure.compute(shared.judged_rankings))
    contrast = RankingsEvidence(shared, measure, scores).contrast(*np.triu_indices(len(scores), 1))
    (columns,) = decide([run_tests(contrast, settings)], settings)
    return time.process_time() - start, int((columns["headline"] == BETTER).sum())


def table(qrels: str, runs: list[str]) -> list[str]:
    """Rows of Markdown: task, tool, processor seconds, how many pairs differ at 0.05."""
    scores = evaluate(qrels, runs, "AP").values[:, :, 0]
    systems, queries = scores.shape
    pairs = systems * (systems - 1) // 2
    rows = [
        f"| {pairs:,} pairs of {systems} runs, {queries} queries, AP | tool | processor s | significant |",
        "|---|---|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.npy"
        np.save(file, scores)
        labels = {name: (task, tool) for name, (task, tool, _) in TASKS.items()}
        labels |= {name: (f"headlines, {name}", "unjudged") for name in HEADLINES}
        for name, (task, tool) in labels.items():
            if tool == "ranx" and importlib.util.find_spec("ranx") is None:
                rows.append(f"| {task} | ranx is not installed: pip install ranx | | |")
                continue
            command = [sys.executable, __file__, "--task", name, str(file), qrels, *runs]
            try:
                done = subprocess.run(command, capture_output=True, check=True, timeout=LIMIT)
            except subprocess.TimeoutExpired:
                rows.append(f"| {task} | {tool} | more than {LIMIT} | |")
                continue
            seconds, found = json.loads(done.stdout)
            rows.append(f"| {task} | {tool} | {seconds:.2f} | {found:,} |")
    return rows


if __name__ == "__main__":
    if sys.argv[1] == "--task":
        task, file, qrels, *runs = sys.argv[2:]
        print(json.dumps(timed(task, file, qrels, runs)))
    else:
        print("\n".join(table(sys.argv[1], sys.argv[2:])))
