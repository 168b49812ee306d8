"""Sums over the documents of pairs of runs have the same bits, however many are taken at a time."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged.evidence import shared as module
from unjudged.evidence.shared import UnknownWeights


def weights(seed: int, runs: int, queries: int, depth: int) -> UnknownWeights:
    """Return weights of random rankings; some queries have no document."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 30, queries))])
    ranked = [
        (run, offsets[q] + rng.permutation(offsets[q + 1] - offsets[q])[:depth])
        for run in range(runs)
        for q in range(queries)
    ]
    row = np.concatenate([rows for _, rows in ranked]).astype(np.int32)
    run = np.concatenate([np.full(len(rows), run) for run, rows in ranked])
    return UnknownWeights(run, row, rng.random(len(row)), runs, offsets)


def one_by_one(given: UnknownWeights) -> list[list[float]]:
    """Return the sums as their definition has them, a document after the other in the order of each run."""
    of = [
        dict(zip(given.row[given.run == i].tolist(), given.weight[given.run == i].tolist(), strict=True))
        for i in range(given.runs)
    ]
    total = given.total().tolist()
    sums = [[0.0] * given.runs for _ in range(given.runs)]
    for i, own in enumerate(of):
        for j, other in enumerate(of):
            for row, weight in own.items():
                sums[i][j] += min(weight, other.get(row, 0.0))
    pairs = range(given.runs)
    return [[total[i] if i == j else (sums[i][j] + sums[j][i]) / 2 for j in pairs] for i in pairs]


@pytest.mark.parametrize("cells", [1, 64, 1 << 17])
@pytest.mark.parametrize(("runs", "queries", "depth"), [(1, 5, 4), (2, 40, 10), (6, 12, 20)])
def test_sums_of_the_smaller_weights(
    monkeypatch: pytest.MonkeyPatch, cells: int, runs: int, queries: int, depth: int
) -> None:
    monkeypatch.setattr(module, "CELLS_AT_ONCE", cells)
    for seed in range(3):
        given = weights(seed, runs, queries, depth)
        assert given.shared().tolist() == one_by_one(given)
