"""Records what commit 705eafce answered in `make parity`: `python -m tests.parity.record build/parity`.

All answers about some small collections and the sample, and few and short ones about TREC-8 and DL-2019.
"""

from __future__ import annotations

import json
import lzma
import platform
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from math import fsum
from pathlib import Path
from zlib import crc32

import numpy as np

from tests.parity.collections import Case, read_cases
from tests.parity.compare import source_of
from tests.parity.questions import Question, questions_of
from tests.parity.rows import Key, Rows, Value, read_rows

RECORDED = Path(__file__).with_name("recorded")
KEPT = (" 1", "numbers")
"""The small collections that are recorded: the first of each kind."""
OF_DATA = ("values", "compare", "segments", "interval queries", "interval sampling", "calibrated")
ONE_OF = 3
"""Of TREC-8 and DL-2019 one of so many measures and of pairs is recorded."""


def is_recorded(case: Case) -> bool:
    """Whether answers about a collection are recorded."""
    return case.kind != "sampled" and (source_of_case(case) != "small" or case.name.endswith(KEPT))


def source_of_case(case: Case) -> str:
    return source_of(Key(case.name, "", "", "", "", ""))


def recorded_questions(case: Case) -> Iterator[Question]:
    """Yield the questions whose answers are recorded."""
    if not is_recorded(case):
        return
    own = source_of_case(case) in ("small", "sample")
    for question in questions_of(case):
        if own or (question.label in OF_DATA and crc32(question.measure.encode()) % ONE_OF == 0):
            yield question


def summarised(rows: Rows) -> Rows:
    """Return rows of TREC-8 and DL-2019 in short: some pairs, and the lengths and sums of lists."""
    found: Rows = {}
    for key, value in rows.items():
        if source_of(key) in ("small", "sample"):
            found[key] = value
        elif not key.b or crc32(f"{key.a} {key.b}".encode()) % ONE_OF == 0:
            found[key] = _short(value)
    return found


def _short(value: Value) -> Value:
    if isinstance(value, list) and len(value) > 3 and all(isinstance(item, int | float) for item in value):
        return [len(value), fsum(value)]
    return value


def machine() -> list[str]:
    """Return what the last bit of logarithms and sums depends on."""
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    return [platform.system(), np.__version__, *sorted(name for name, has in features.items() if has)]


def record(folder: Path) -> None:
    """Write the recorded collections and answers from those that `make parity` left in a folder."""
    (kept,) = folder.glob("old-*.jsonl")
    cases = read_cases(folder / "collections")
    asked = {
        (case.name, question.label, question.measure)
        for case in cases
        for question in recorded_questions(case)
    }
    with kept.open(encoding="utf-8") as lines:
        old = read_rows(lines)
    chosen = {k: v for k, v in old.items() if (k.collection, k.field.partition(".")[0], k.measure) in asked}
    rows = sorted(summarised(chosen).items(), key=lambda row: (row[0].field, row[0]))
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / "machine.json").write_text(json.dumps(machine()) + "\n")
    _pack("answers", (json.dumps([*key, value]) for key, value in rows))
    own = [case.name for case in cases if is_recorded(case) and source_of_case(case) in ("small", "sample")]
    files = (file for name in own for file in sorted((folder / "collections" / name).iterdir()))
    _pack("collections", (json.dumps([file.parent.name, file.name, file.read_text()]) for file in files))


def _pack(name: str, lines: Iterable[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    (RECORDED / f"{name}.jsonl.xz").write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def unpack(name: str) -> list[str]:
    """Return the lines of a recorded file."""
    return lzma.decompress((RECORDED / f"{name}.jsonl.xz").read_bytes()).decode().splitlines()


if __name__ == "__main__":
    record(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/parity"))
