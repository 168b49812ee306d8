"""What intervals and comparisons cost on TREC-8 after reading: `python benchmarks/after_reading.py FOLDER`.

FOLDER holds qrels.trec8.gz and runs/. Of tests and headlines the best of three counts. "Headlines" is all
that `compare` does then: values, tests, Holm, bounds, flip and loss shares.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from unjudged import evaluate
from unjudged.base.segments import Floats
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.corrections import find_correction
from unjudged.inference.pair_tests import Settings, decide, run_tests
from unjudged.inference.pairs import Pairs, pairs_of
from unjudged.inference.significance import p_values
from unjudged.inference.verdict import BETTER
from unjudged.judging.next_documents import next_documents
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run, name_runs

MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)"]
HEADLINES = (*MEASURES, "RBP(p=0.95)")
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


def row(task: str, call: Callable[[], object], repeats: int = 3) -> str:
    """Time a call; a number that it returns is the last cell."""
    walls, processor = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        found = call()
        walls.append(time.perf_counter() - wall)
        processor.append(time.process_time() - cpu)
    counted = f"{found:,}" if isinstance(found, int) else ""
    return f"| {task} | {min(walls):.2f} | {min(processor):.2f} | {counted} |"


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


def table(folder: Path) -> list[str]:
    """Rows of Markdown: task, seconds, processor seconds, and how many pairs differ, or have a winner."""
    qrels, runs = Judgments.read(folder / "qrels.trec8.gz"), sorted((folder / "runs").glob("*"))
    named, tables = ", ".join(MEASURES), {run.name: Run.read(run) for run in runs}
    several, bpref, err = (evaluate(qrels, list(runs), asked) for asked in (MEASURES, "Bpref", "ERR"))
    rows = [
        row(f"model intervals of {named}", lambda: several.with_interval("model(prevalence=0.05)"), 1),
        row(f"bounds of {named}", lambda: several.with_interval("bounds"), 1),
        row("bounds of Bpref", lambda: bpref.with_interval("bounds"), 1),
        row("bounds of ERR", lambda: err.with_interval("bounds"), 1),
        row("100 documents to judge", lambda: next_documents(qrels, tables, measure="RBP(p=0.8)"), 1),
    ]
    shared, scores = SharedRankings.of(qrels, name_runs(runs)), several.values[:, :, 0]
    rows += [
        row(f"all pairs by AP, {task}", partial(significant, scores, *how)) for task, how in TESTS.items()
    ]
    rows += [row(f"headlines, {name}", partial(better, shared, name)) for name in HEADLINES]
    return ["| 129 TREC-8 runs, after reading | s | processor s | pairs |", "|---|---:|---:|---:|", *rows]


if __name__ == "__main__":
    print(*table(Path(sys.argv[1])), sep="\n")
