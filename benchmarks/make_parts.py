"""Makes a run and qrels as a cluster has them, always the same: `python make_parts.py FOLDER`.

Five million rows and their judgments in no order, in sixteen Parquet files and four; and as text, in order.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

JUDGED = 40


def make(folder: Path, queries: int = 5000, depth: int = 1000, seed: int = 9) -> Path:
    target = folder / f"parts-{queries}x{depth}"
    if target.exists():
        return target
    unfinished = folder / f"{target.name}.part"
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), depth)
    document = rng.integers(0, 8_000_000, queries)[query] + np.tile(np.arange(depth) * 97, queries)
    score = np.round(rng.gamma(9.0, 2.0, len(query)), 2)
    judged = np.sort(
        np.concatenate([q * depth + rng.choice(depth, JUDGED, replace=False) for q in range(queries)])
    )
    _write(unfinished / "run", 16, rng, query, document, score=score)
    grade = rng.choice([-1, 0, 0, 1, 2], len(judged))
    _write(unfinished / "qrels", 4, rng, query[judged], document[judged], relevance=grade)
    best, zeros = np.lexsort((-score, query)), np.zeros(len(query), np.int64)
    ids, numbers = [query[best], zeros, document[best]], [zeros, score[best], zeros]
    _write_text(unfinished / "run.txt", [*ids, *numbers])
    _write_text(unfinished / "qrels.txt", [query[judged], zeros[judged], document[judged], grade])
    unfinished.rename(target)
    return target


def _write_text(path: Path, columns: list[np.ndarray]) -> None:
    """The same as TREC text, in order."""
    plain = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    csv.write_csv(pa.table(dict(zip("abcdef", columns, strict=False))), path, plain)


def _write(
    folder: Path,
    files: int,
    rng: np.random.Generator,
    query: np.ndarray,
    document: np.ndarray,
    **number: np.ndarray,
) -> None:
    folder.mkdir(parents=True)
    for i, rows in enumerate(np.array_split(rng.permutation(len(query)), files)):
        ids = {"query_id": query[rows], "doc_id": document[rows]}
        texts = {name: pa.array(numbers).cast(pa.string()) for name, numbers in ids.items()}
        numbers = {name: values[rows] for name, values in number.items()}
        parquet.write_table(pa.table({**texts, **numbers}), folder / f"part-{i:02}.parquet")


if __name__ == "__main__":
    make(Path(sys.argv[1]), *map(int, sys.argv[2:]))
