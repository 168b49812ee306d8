"""TREC-8 as the papers used it: 129 submitted runs, the depth-100 pool judged."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pages import table

from unjudged.base.threads import cores
from unjudged.judging.pooling import Pool
from unjudged.studies import Experiment

SEED, REPEATS, WORKERS = 2008, 10, cores()


def pool(description: str) -> Pool:
    """The pool in the folder named on the command line, which has qrels.trec8.gz and runs/."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    if not (data / "qrels.trec8.gz").exists():
        parser.exit(1, f"{data}: has no qrels.trec8.gz; name the folder by make papers DATA=FOLDER\n")
    return Pool.of(data / "qrels.trec8.gz", sorted((data / "runs").glob("*.gz")))


def statistics(
    found: Experiment, measures: Sequence[str], levels: Sequence[float], against: str | None = None
) -> str:
    """tau, rho and RMS error of each measure at some levels, averaged over the samples, as a table."""
    names = [found.source.design.level.show(level) for level in levels]
    head = ["measure", *(f"{what}, {name}" for what in ("tau", "rho", "RMS") for name in names)]
    rows = [
        [
            measure,
            *(
                f"{found.find(statistic, measure, level, against)['mean']:.4f}"
                for statistic in ("tau", "rho", "rms")
                for level in levels
            ),
        ]
        for measure in measures
    ]
    return table(head, rows)
