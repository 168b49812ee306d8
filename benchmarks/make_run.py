"""Makes a large run and its qrels, always the same: `python make_run.py FOLDER [QUERIES] [DEPTH]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

JUDGED, POOLED_UNJUDGED = 10, 5


def make(folder: Path, queries: int = 6980, depth: int = 1000, seed: int = 8) -> tuple[Path, Path]:
    """A run with ids and scores of the length users have, and some 19 pooled documents a query."""
    folder.mkdir(parents=True, exist_ok=True)
    qrels_path, run_path = folder / f"{queries}x{depth}.qrels", folder / f"{queries}x{depth}.run"
    if run_path.exists():
        return qrels_path, run_path
    rng = np.random.default_rng(seed)
    query_ids = np.sort(rng.choice(1_200_000, queries, replace=False))
    unfinished = run_path.with_suffix(".part")
    with unfinished.open("w") as run, qrels_path.open("w") as qrels:
        for query in query_ids.tolist():
            documents = rng.choice(8_841_823, depth + 5, replace=False)
            scores = np.sort(rng.gamma(9.0, 2.0, depth))[::-1]
            lines = zip(documents[:depth].tolist(), scores.tolist(), strict=True)
            run.writelines(f"{query} Q0 {d} {k} {s:.6f} bm25\n" for k, (d, s) in enumerate(lines, 1))
            near = np.minimum(rng.geometric(0.02, JUDGED + POOLED_UNJUDGED), depth) - 1
            pooled = np.unique(np.concatenate([documents[near], documents[depth:]]))
            grades = rng.choice([-1, 0, 0, 1, 2], len(pooled))
            qrels.writelines(
                f"{query} 0 {d} {g}\n" for d, g in zip(pooled.tolist(), grades.tolist(), strict=True)
            )
    unfinished.rename(run_path)
    return qrels_path, run_path


if __name__ == "__main__":
    make(Path(sys.argv[1]), *map(int, sys.argv[2:]))
