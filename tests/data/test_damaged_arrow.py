"""Damaged Arrow data, in files and in memory, is refused; it never ends the process or changes a value."""

from __future__ import annotations

import ctypes
import io
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import ipc, parquet

from unjudged import InputError, Judgments, Run, UnjudgedError, evaluate

QRELS = {"q": {"d0": 1, "d2": 1}}
SCORES = [3.0, 2.0, 1.0]


Damaged = tuple[pyarrow.Array, Callable[[], None]]
"""A column, and what damages its memory once Arrow has looked at it."""


def texts(offsets: list[int], kind: Any = None) -> Damaged:
    kind = kind or pyarrow.string()
    ends = np.array([0, 2, 4, 6], np.int64 if str(kind).startswith("large") else np.int32)
    column = pyarrow.Array.from_buffers(
        kind, 3, [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"d0d1d2")]
    )
    return column, lambda: ends.__setitem__(slice(None), offsets)


def views(length: int, buffer: int, offset: int) -> Damaged:
    """The second document becomes a view that points anywhere."""
    column = pyarrow.array(["d0", "a document with a long name", "d2"], pyarrow.string_view())
    memory = (ctypes.c_char * 48).from_address(column.buffers()[1].address)
    data = np.frombuffer(memoryview(memory).cast("B"), np.int32).reshape(3, 4)
    return column, lambda: data.__setitem__((1, [0, 2, 3]), [length, buffer, offset])


def codes(indices: list[int], names: list[str | None]) -> Damaged:
    good = np.array([0, 1, 2], np.int32)
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array(good), pyarrow.array(names))
    return column, lambda: good.__setitem__(slice(None), indices)


DAMAGED: dict[str, Callable[[], Damaged]] = {
    "offsets that run backwards": lambda: texts([0, 4, 2, 6]),
    "negative offsets": lambda: texts([-2, 2, 4, 6]),
    "offsets after the end": lambda: texts([0, 2, 4, 1 << 30]),
    "wide offsets after the end": lambda: texts([0, 2, 4, 1 << 50], pyarrow.large_string()),
    "a view after the end": lambda: views(20, 0, 1 << 20),
    "a view of no buffer": lambda: views(20, 7, 0),
    "codes after the end": lambda: codes([0, 1, 9], ["d0", "d1", "d2"]),
    "negative codes": lambda: codes([0, -5, 2], ["d0", "d1", "d2"]),
    "a null among the categories": lambda: codes([0, 1, 2], ["d0", None, "d2"]),
}


@pytest.mark.parametrize("place", ["file", "stream", "memory", "batch", "query"])
@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_columns(damage: str, place: str, tmp_path: Path) -> None:
    column, do_damage = DAMAGED[damage]()
    queries, documents = pyarrow.array(["q", "q", "q"]), pyarrow.array(["d0", "d1", "d2"])
    queries, documents = (column, documents) if place == "query" else (queries, column)
    table = pyarrow.table({"qid": queries, "docno": documents, "score": SCORES})
    do_damage()
    source: Any = table
    if place in ("file", "stream"):
        source = tmp_path / "run.arrow"
        with (ipc.new_file if place == "file" else ipc.new_stream)(source, table.schema) as writer:
            writer.write_table(table)
    elif place == "batch":
        source = table.to_reader()
    with pytest.raises(InputError) as error:
        evaluate(QRELS, {"mine": source}, "AP")
    assert error.value.source == (str(source) if place in ("file", "stream") else "run 'mine'")


def test_text_that_is_not_utf8_is_kept_as_bytes() -> None:
    documents = pyarrow.array([b"d0", b"\xff\xfe", b"d2"]).view(pyarrow.string())
    run = Run.read(pyarrow.table({"qid": ["q"] * 3, "docno": documents, "score": SCORES}))
    assert run.documents.tolist() == [b"d0", b"\xff\xfe", b"d2"]


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    table = pyarrow.table({"qid": ["q"], "docno": ["d0"], "score": [1.0], "anything": [1]})
    with ipc.new_file(tmp_path / "run", table.schema) as writer:
        writer.write_table(table)
    data = (tmp_path / "run").read_bytes()
    (tmp_path / "run").write_bytes(data.replace(b"anything", b"any\xff\xfe\xfd\xfcg"))
    with pytest.raises(InputError, match="run: cannot be read as a Parquet or Arrow file"):
        evaluate(QRELS, tmp_path / "run")


def test_a_file_cut_short_while_it_is_read(tmp_path: Path) -> None:
    table = pyarrow.table(
        {"qid": [f"q{i // 100}" for i in range(200_000)], "docno": [f"d{i}" for i in range(200_000)]}
    ).append_column("score", pyarrow.array(np.arange(200_000.0)))
    for kind in (ipc.new_file, ipc.new_stream):
        with kind(tmp_path / "run", table.schema) as writer:
            writer.write_table(table, max_chunksize=10_000)
        code = f"""
import os
from unjudged import InputError, evaluate
from unjudged.data import frames as columnar
convert = columnar.validate
def cut_and_convert(*arguments, **options):
    os.truncate({str(tmp_path / "run")!r}, 9000)
    return convert(*arguments, **options)
columnar.validate = cut_and_convert
try:
    evaluate({{"q0": {{"d0": 1}}}}, {str(tmp_path / "run")!r})
except InputError as error:
    print(error.source)
"""
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (found.returncode, found.stdout.strip()) == (0, str(tmp_path / "run")), found.stderr


def written(table: pyarrow.Table) -> list[bytes]:
    files = []
    for new in (ipc.new_file, ipc.new_stream):
        target = io.BytesIO()
        with new(target, table.schema) as writer:
            writer.write_table(table, max_chunksize=17)
        files.append(target.getvalue())
    target = io.BytesIO()
    parquet.write_table(table, target, row_group_size=20)
    return [*files, target.getvalue()]


def test_files_with_changed_bytes(tmp_path: Path) -> None:
    names = {"qid": [f"q{i // 12}" for i in range(48)], "docno": [f"d{i % 12}" for i in range(48)]}
    plain = pyarrow.table({**names, "score": [float(i * 7 % 5) for i in range(48)]})
    category = plain.set_column(1, "docno", plain["docno"].dictionary_encode())
    files, rng = [*written(plain), *written(category)], random.Random(4)
    path = tmp_path / "run"
    for _ in range(400):
        data = bytearray(rng.choice(files))
        for _ in range(rng.choice([1, 2, 4])):
            at = rng.randrange(8, len(data) - 8)
            wide = rng.choice([0, 5, 2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1]).to_bytes(8, "little")
            data[at : at + 4] = wide[: rng.choice([1, 4])].ljust(4, bytes([data[at]]))
        path.write_bytes(data)
        for read in (
            Run.read,
            lambda p: Judgments.read(p, grade="score"),
            lambda p: evaluate(QRELS, p, "AP"),
        ):
            try:
                read(path)
            except UnjudgedError as error:
                assert os.fspath(path) in str(error)
