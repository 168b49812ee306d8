"""What intervals cost on TREC-8 after reading: `python benchmarks/intervals.py FOLDER` prints a row per task.

FOLDER holds qrels.trec8.gz and runs/. Each row has the wall and processor seconds of one call.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from unjudged import Evaluation, Judgments, evaluate
from unjudged.judging.next_documents import next_documents
from unjudged.rankings.runs import Run

MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)"]
HEAD = ["| 129 TREC-8 runs, after reading | s | processor s | at most |", "|---|---:|---:|---:|"]


def timed(task: str, call: Callable[[], object], bar: float) -> str:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return f"| {task} | {wall:.2f} | {cpu:.2f} | {bar:g} |"


def rows(folder: Path) -> list[str]:
    """The table, line by line."""
    qrels, runs = folder / "qrels.trec8.gz", sorted((folder / "runs").glob("*"))
    judgments = Judgments.read(qrels)
    scores, preference, cascade = (
        evaluate(judgments, list(runs), measures) for measures in (MEASURES, "Bpref", "ERR")
    )

    def estimates(found: Evaluation, interval: str) -> Callable[[], object]:
        return lambda: found.with_interval(interval)

    named = ", ".join(MEASURES)
    table = [
        timed(f"model intervals of {named}", estimates(scores, "model(prevalence=0.05)"), 5),
        timed(f"bounds of {named}", estimates(scores, "bounds"), 10),
        timed("bounds of Bpref", estimates(preference, "bounds"), 10),
        timed("bounds of ERR", estimates(cascade, "bounds"), 10),
    ]
    tables = {run.name: Run.read(run) for run in runs}
    table.append(
        timed(
            "100 documents to judge next",
            lambda: next_documents(judgments, tables, measure="RBP(p=0.8)"),
            3,
        )
    )
    return [*HEAD, *table]


if __name__ == "__main__":
    print("\n".join(rows(Path(sys.argv[1]))))
