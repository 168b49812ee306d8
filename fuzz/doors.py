"""The ways in which a file's bytes are read: as a run, as judgments, and as a run that is kept."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.oracle import Outcome, agreed, outcome
from unjudged import Judgments, Run, evaluate
from unjudged.data.scan import scanner

MEASURES = ("AP", "infAP", "nDCG@10", "RBP(p=0.8)", "Judged@10", "NumRet")
GRADES = {
    "1": {"a": 1, "b": 0, "c": -1, "d": 2},
    "2": {"a": 0, "e": 1, "é": 1},
    "10": {"document-0123456789": 1, "b": 1},
}
MOST_TWICE = 1 << 19  # bytes; the plain scanner takes long for more
SCORES = {query: {document: float(i // 2) for i, document in enumerate(ids)} for query, ids in GRADES.items()}


@cache
def folder() -> Path:
    """A folder of this process, in memory where that can be had."""
    shared = Path("/dev/shm")
    made = tempfile.TemporaryDirectory(prefix="unjudged-fuzz-", dir=shared if shared.is_dir() else None)
    _KEPT.append(made)
    return Path(made.name)


_KEPT: list[Any] = []


def judged() -> Judgments:
    """The same judgments every time, indexed once by each of the two scanners."""
    kind = scanner.Index.__module__
    if kind not in _JUDGED:
        _JUDGED[kind] = Judgments.read(GRADES)
    return _JUDGED[kind]


_JUDGED: dict[str, Judgments] = {}


def scores_of(qrels: Any, runs: Any) -> dict[str, Any]:
    """What an evaluation gives, as plain values."""
    found = evaluate(qrels, runs, MEASURES)
    return {"values": found.values, "queries": list(found.queries), "missing": found.missing}


def file_outcomes(data: bytes, *, messages: bool, size: int | None = None) -> Iterator[Outcome]:
    """The outcome of every way to read a file that holds `data`, or `size` bytes once it is decompressed."""
    path = folder() / "input"
    path.write_bytes(data)
    doors: list[Callable[[], Any]] = [
        lambda: scores_of(judged(), {"run": path}),
        lambda: scores_of(path, SCORES),
        lambda: Run.read(path),
        lambda: scores_of(judged(), path),
        lambda: evaluate(path, SCORES, ("nDCG@10", "AP(rel=0.5)")).values,
    ]
    large = (len(data) if size is None else size) > MOST_TWICE
    for door in doors:
        yield outcome(door) if large else agreed(door, messages=messages)
