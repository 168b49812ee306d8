"""Records the answers to all questions, or asks them again and says which answers differ."""

from __future__ import annotations

import json
import lzma
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from math import cos, fsum, isclose, isfinite, isnan
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from tests.parity.collections import RECORDED, Case, read_cases, unpack
from tests.parity.questions import questions_of
from unjudged import Judgments, QueryPlan, UnjudgedError
from unjudged.base.threads import cores

LONGEST = 60
"""Of more numbers in a column their count, sum and weighted sum are recorded."""
CLOSE = 1e-12
Answers = dict[str, Any]
"""Columns by collection, question, view and name."""


def ask(folder: Path, names: set[str]) -> Answers:
    """Ask all questions about some of the collections of a folder, in several processes."""
    cases = sorted(
        (case for case in read_cases(folder) if case.name in names), key=lambda case: -len(case.runs)
    )
    with ProcessPoolExecutor(cores(), get_context("spawn")) as pool:
        parts = (map if len(cases) < cores() else pool.map)(answers, cases)
        return {name: column for part in parts for name, column in part.items()}


def answers(case: Case) -> Answers:
    """Return the columns of every answer about a collection; a refusal is an answer too."""
    found: Answers = {}
    for question, asked in questions_of(case):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                columns = dict(columns_of(asked()))
            except UnjudgedError:
                columns = {"refused": True}
        found |= {f"{case.name}: {question}: {name}": column for name, column in columns.items()}
    return found


def columns_of(found: Any) -> Iterator[tuple[str, Any]]:
    """Yield the columns of an answer that have numbers, or names and words."""
    if isinstance(judgments := getattr(found, "judgments", found), Judgments):
        yield "judgments", summarised(sorted(_judged(judgments)))
    for view, rows in _views(found).items():
        table = rows if isinstance(rows, Mapping) else _columns(rows)
        for name, cells in table.items():
            column = json.loads(json.dumps(list(cells), default=_plain))
            if not any(isinstance(value, str) and " " in value for value in column):
                yield f"{view}.{name}", summarised(column)


def _views(found: Any) -> Mapping[str, Any]:
    if isinstance(found, QueryPlan):
        return {"plan": [asdict(found)]}
    rows: Mapping[str, Any] = found if isinstance(found, Mapping) else getattr(found, "rows", {})
    return rows


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _judged(judgments: Judgments) -> Iterator[list[Any]]:
    """Yield the judged documents with grade, stratum and probability."""
    columns = [one for one in (judgments.grade, judgments.stratum, judgments.probability) if one is not None]
    for row in (judgments.grade >= 0).nonzero()[0].tolist():
        yield [*judgments.pooled.names(np.array([row]))[0], *(column[row].item() for column in columns)]


def summarised(column: list[Any]) -> Any:
    """Return a short column, or what tells a long one from others: its count, sum, weighted sum and words."""
    if len(column) <= LONGEST:
        return column
    numbers = [value for value in column if isinstance(value, int | float) and isfinite(value)]
    words = [value for value in column if not isinstance(value, int | float)]
    weighted = fsum(value * cos(place) for place, value in enumerate(numbers))
    digest = crc32(json.dumps(words).encode())
    return [len(column), len(numbers), fsum(numbers), weighted, digest]


def differences(old: Answers, new: Answers) -> list[str]:
    """Return a line for every recorded column that is another now, or is not there any more."""
    told = {name: new.get(name, "no answer") for name in old}
    return [f"{name}: {old[name]} -> {told[name]}" for name in old if not are_close(old[name], told[name])]


def are_close(old: Any, new: Any) -> bool:
    """Whether two columns are the same, numbers to a rounding error."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(are_close, old, new))
    if type(old) is float and type(new) in (int, float):
        return isclose(old, new, rel_tol=CLOSE, abs_tol=CLOSE) or (isnan(old) and isnan(new))
    return bool(old == new)


def read() -> Answers:
    """Return the recorded answers."""
    return dict(map(json.loads, unpack("answers")))


def write(found: Answers) -> None:
    """Record answers."""
    lines = "".join(f"{json.dumps(item)}\n" for item in sorted(found.items()))
    (RECORDED / "answers.jsonl.xz").write_bytes(lzma.compress(lines.encode(), preset=9))


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
