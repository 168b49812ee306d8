"""All pairs of systems: `python significance.py QRELS RUN...` prints what tests and headlines take.

The matrix of AP by run and query is computed once; processor time, the best of three. "Headlines" is all that
`compare` does after reading: values, tests, Holm, bounds, flip and loss shares.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from unjudged import evaluate
from unjudged.base.segments import Floats
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.corrections import find_correction
from unjudged.inference.infer import Settings, decide, run_tests
from unjudged.inference.pairs import Pairs
from unjudged.inference.rows import pairs_of
from unjudged.inference.significance import p_values
from unjudged.inference.verdict import BETTER
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import name_runs

FEW, MANY = 1_000, 20_000
TESTS = {
    "paired t": ("t", "none", FEW),
    "paired t, Holm": ("t", "holm", FEW),
    f"randomization, {FEW:,} draws": ("randomization", "none", FEW),
    f"randomization, {MANY:,} draws": ("randomization", "none", MANY),
    f"bootstrap, {MANY:,} draws": ("bootstrap", "none", MANY),
    "Wilcoxon": ("wilcoxon", "none", FEW),
    f"randomised Tukey HSD, {MANY:,} draws": ("t", "tukey", MANY),
}
HEADLINES = ("RBP(p=0.8)", "RBP(p=0.95)", "nDCG@10", "AP")


def significant(scores: Floats, test: str, correction: str, draws: int) -> int:
    pairs, by = Pairs.of(scores), find_correction(correction)
    if by.joint:
        return int((by.function(pairs, draws=draws, seed=0) <= 0.05).sum())
    return int((by.function(p_values(pairs, test, draws=draws).p) <= 0.05).sum())


def better(shared: SharedRankings, name: str) -> int:
    """How many pairs have a better system."""
    measure, settings = parse_measure(name), Settings.of("t", "holm", 0.05, FEW, 0)
    scores = shared.per_run(measure.compute(shared.judged_rankings))
    contrast = RankingsEvidence(shared, measure, scores).contrast(*pairs_of(range(len(scores))))
    (columns,) = decide([run_tests(contrast, settings)], settings)
    return int((columns["headline"] == BETTER).sum())


def row(task: str, call: Callable[[], int]) -> str:
    took = []
    for _ in range(3):
        start = time.process_time()
        found = call()
        took.append(time.process_time() - start)
    return f"| {task} | {min(took):.2f} | {found:,} |"


def table(qrels: str, runs: list[str]) -> list[str]:
    """Rows of Markdown: task, processor seconds, how many pairs differ at 0.05."""
    scores = evaluate(qrels, runs, "AP").values[:, :, 0]
    systems, queries = scores.shape
    pairs = systems * (systems - 1) // 2
    head = f"| {pairs:,} pairs of {systems} runs, {queries} queries, AP | processor s | significant |"
    rows = [row(task, partial(significant, scores, *given)) for task, given in TESTS.items()]
    shared = SharedRankings.of(Judgments.read(qrels), name_runs(runs))
    rows += [row(f"headlines, {name}", partial(better, shared, name)) for name in HEADLINES]
    return [head, "|---|---:|---:|", *rows]


if __name__ == "__main__":
    print(*table(sys.argv[1], sys.argv[2:]), sep="\n")
