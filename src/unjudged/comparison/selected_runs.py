"""Some of the runs of rankings, over the same pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unjudged.rankings.judged import JudgedRankings
from unjudged.uncertainty.shared import SharedRankings


def rankings_of(rankings: JudgedRankings, runs: Sequence[int]) -> JudgedRankings:
    """The rankings of these runs, in this order; the pool keeps the documents of the others."""
    parts = [rankings.run(run) for run in runs]
    return replace(
        rankings,
        rank=np.concatenate([part.rank for part in parts]),
        row=np.concatenate([part.row for part in parts]),
        offsets=np.concatenate([[0], np.cumsum(np.concatenate([part.counts for part in parts]))]),
        retrieved=np.concatenate([part.retrieved for part in parts]),
        query=np.concatenate([part.query for part in parts]),
        element=None,
    )


def two_of(shared: SharedRankings, a: int, b: int) -> SharedRankings:
    """Two runs alone, over the pool of all."""
    runs = [shared.runs[a], shared.runs[b]]
    return replace(shared, rankings=rankings_of(shared.rankings, [a, b]), runs=runs)
