"""Inputs that would take too much time, memory or disk are refused, and the limits can be set."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from backports import zstd
from pyarrow import parquet

from unjudged import InputError, Judgments, Run, Scores, UnjudgedError, UsageError, evaluate, sample
from unjudged.data import matching
from unjudged.data.limits import limit
from unjudged.data.nested_dicts import table_of_mapping
from unjudged.data.scan import scanner
from unjudged.data.tables import Ids
from unjudged.data.values import ids_of, unplaced

QRELS = {"q": {"d0": 1, "d2": 1}}
COMPRESS: dict[str, Any] = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd.compress}
LINES = b"".join(b"%d Q0 d%d 1 %d t\n" % (i // 50, i, -i) for i in range(20_000))


@pytest.mark.parametrize("kind", COMPRESS)
def test_text_that_decompresses_to_too_much(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").write_bytes(COMPRESS[kind](LINES))
    assert evaluate({"0": {"d0": 1}}, tmp_path / "run", "AP").value("AP") == 1.0
    monkeypatch.setenv("UNJUDGED_MAX_DECOMPRESSED", "100K")
    with pytest.raises(InputError, match=r"run: takes more than 102,400 bytes once it is decompressed; set"):
        evaluate({"0": {"d0": 1}}, tmp_path / "run")
    with pytest.raises(InputError, match="UNJUDGED_MAX_DECOMPRESSED to allow more"):
        Run.read(tmp_path / "run")


def test_compressed_text_that_has_to_be_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b"".join(b"%d Q0 d%d 1 %d t\n" % (i // 50, i, -i) for i in range(200_000))
    (tmp_path / "run").write_bytes(gzip.compress(lines, 1))
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "4M")
    assert evaluate({"0": {"d0": 1}}, tmp_path / "run", "AP").value("AP") == 1.0
    with pytest.raises(InputError, match="run: takes more than 4,194,304 bytes in memory"):
        Run.read(tmp_path / "run")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["text", "csv", "parquet"])
def test_one_query_that_takes_too_much(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"d{i}" for i in range(200_000)]
    if kind == "text":
        (tmp_path / "run").write_text("".join(f"q Q0 {name} 1 1.5 t\n" for name in names))
    elif kind == "csv":
        (tmp_path / "run").write_text("qid,docno,score\n" + "".join(f"q,{name},1.5\n" for name in names))
    else:
        table = pyarrow.table({"qid": ["q"] * len(names), "docno": names, "score": [1.5] * len(names)})
        parquet.write_table(table, tmp_path / "run")
    assert evaluate(QRELS, tmp_path / "run", "NumRet").value("NumRet") == 200_000
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "2M")
    with pytest.raises(InputError, match="run: takes more than 2,097,152 bytes in memory"):
        evaluate(QRELS, tmp_path / "run")


@pytest.mark.thorough
def test_json_that_takes_too_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").write_bytes(zstd.compress(b'{"q": {"a": 1}' + b" " * 300_000_000 + b"}"))
    with pytest.raises(InputError, match="run: takes more than 4,294,967,296 bytes in memory"):
        evaluate(QRELS, tmp_path / "run")
    (tmp_path / "run").write_text(json.dumps({"q": {f"d{i}": i for i in range(10_000)}}))
    assert evaluate(QRELS, tmp_path / "run", "NumRet").value("NumRet") == 10_000
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "100k")
    with pytest.raises(InputError, match="run: takes more than 102,400 bytes in memory"):
        evaluate(QRELS, tmp_path / "run")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_table_of_scores_that_takes_too_much(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rows = tmp_path / f"scores.{kind}", [(f"q{i}", i % 7 / 8) for i in range(20_000)]
    if kind == "csv":
        path.write_text("query,AP\n" + "".join(f"{query},{value}\n" for query, value in rows))
    elif kind == "jsonl":
        path.write_text("".join(f'{{"query": "{query}", "AP": {value}}}\n' for query, value in rows))
    else:
        parquet.write_table(
            pyarrow.table(dict(zip(("query", "AP"), zip(*rows, strict=True), strict=True))), path
        )
    assert len(Scores.read(path).queries) == 20_000
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "1M")
    with pytest.raises(InputError, match=rf"scores.{kind}: takes more than 1,048,576 bytes in memory"):
        Scores.read(path)


def test_names_repeated_in_json_take_linear_time(tmp_path: Path) -> None:
    names = [f'"d{i}":1' for i in range(40_000)]
    (tmp_path / "run").write_text('{"q": {' + ",".join([*names, names[-1]]) + "}}")
    before = time.process_time()
    with pytest.raises(InputError, match="run: 'd39999' appears twice in one dictionary"):
        evaluate(QRELS, tmp_path / "run")
    assert time.process_time() - before < 3


def colliding(count: int) -> list[bytes]:
    """Names of 16 bytes that Arrow's hash maps to one value, made from its two multipliers."""
    first, second = 11400714785074694791, 14029467366897019727
    inverse, mask = pow(second, -1, 2**64), 2**64 - 1
    halves = ((x, inverse * ((x * first) & mask) & mask) for x in range(1, count + 1))
    return [x.to_bytes(8, "little") + y.to_bytes(8, "little") for x, y in halves]


def test_colliding_queries_take_linear_time(tmp_path: Path) -> None:
    names = colliding(40_000)
    data = {
        "qid": pyarrow.array(names * 2),
        "docno": ["a"] * 40_000 + ["b"] * 40_000,
        "score": [1.0] * 80_000,
    }
    parquet.write_table(pyarrow.table(data), tmp_path / "run")
    before = time.process_time()
    run = Run.read(tmp_path / "run")
    assert time.process_time() - before < 3
    assert run.queries.tolist() == names
    assert len(run.documents) == 80_000


@pytest.mark.thorough
@pytest.mark.parametrize("longest", [1, 7, 8, 20, 100])
def test_names_are_numbered_as_a_dict_would(longest: int) -> None:
    rng = np.random.default_rng(longest)
    texts = [bytes(rng.integers(0, 3, rng.integers(0, longest + 1)).tolist()) for _ in range(20_000)]
    seen: dict[bytes, int] = {}
    expected = [seen.setdefault(text, len(seen)) for text in texts]
    column = pyarrow.chunked_array([pyarrow.array(texts, pyarrow.large_binary())[3:]])
    names = ids_of(column, "query", unplaced)
    number, first = scanner.number_names(names)
    assert len(texts) - 3 == len(number)
    assert [names.raw(first[i]) for i in number.tolist()] == texts[3:]
    number, first = scanner.number_names(Ids.of(texts))
    assert number.tolist() == expected
    assert scanner.take_names(Ids.of(texts), first).tolist() == list(seen)


@pytest.mark.parametrize("kind", COMPRESS)
def test_members_of_a_compressed_file(kind: str, tmp_path: Path) -> None:
    half = LINES.index(b"\n200 ") + 1
    first, second = COMPRESS[kind](LINES[:half]), COMPRESS[kind](LINES[half:])
    (tmp_path / "run").write_bytes(first + (bytes(8) if kind != "zst" else b"") + second)
    assert len(Run.read(tmp_path / "run").documents) == 20_000
    for damaged in (b"junk" + second[4:], second[:-4], second[:30] + b"x" + second[31:], b"junk"):
        (tmp_path / "run").write_bytes(first + damaged)
        with pytest.raises(InputError, match="run: the compressed file is damaged or cut short"):
            Run.read(tmp_path / "run")
        with pytest.raises(InputError, match="run: the compressed file is damaged or cut short"):
            evaluate({"0": {"d0": 1}}, tmp_path / "run")


def test_endless_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            buffer[:] = (b"1 Q0 d 1 1 t\n" * (len(buffer) // 13 + 1))[: len(buffer)]
            return len(buffer)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("UNJUDGED_MAX_COPIED", "5M")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(InputError, match="standard input: takes more than 5,242,880 bytes, which have to be"):
        evaluate(QRELS, "-")
    assert list(tmp_path.iterdir()) == []


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNJUDGED_MAX_ROWS", "2")
    assert len(Run.read({"q": {"a": 1.0, "b": 2.0}}).documents) == 2
    frame = pyarrow.table({"qid": [1, 1, 1], "docno": [1, 2, 3], "rel": [1, 1, 1]})
    sources: list[Any] = [{"q": {"a": 1, "b": 2, "c": 1}}, [("q", d, 1) for d in "abc"], frame]
    for source in sources:
        with pytest.raises(InputError, match="judgments: takes more than 2 rows to hold at once"):
            Judgments.read(source)


def test_limits_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("x", "-1", "1.5", "8Q", " "):
        monkeypatch.setenv("UNJUDGED_MAX_MEMORY", text)
        with pytest.raises(UsageError, match="expected a whole number such as 500M or 8G"):
            limit("MEMORY")
    monkeypatch.setenv("UNJUDGED_MAX_ROWS", "4G")
    with pytest.raises(UsageError, match="expected at most 2147483647"):
        limit("ROWS")
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "8g")
    assert limit("MEMORY") == 8 << 30


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_copy_of_standard_input_is_removed(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unjudged", "evaluate", str(sample.qrels), "-"]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert running.stdin is not None
    running.stdin.write(LINES)
    running.stdin.flush()
    while not list(tmp_path.glob("unjudged-*/input")):
        assert running.poll() is None
        time.sleep(0.02)
    running.send_signal(number)
    assert running.wait(20) == -number
    running.stdin.close()
    assert list(tmp_path.iterdir()) == []


def test_threads_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(_: Any) -> None:
        raise RuntimeError("can't start new thread")

    table = pyarrow.table({"qid": ["q", "r", "q"], "docno": [1, 2, 3], "score": [1.0, 2.0, 3.0]})
    parquet.write_table(table, tmp_path / "run.parquet")
    rows = table_of_mapping({"q": {f"d{i}": float(i) for i in range(9)}, "r": {"a": 1.0}}, "score")
    monkeypatch.setattr("threading.Thread.start", refuse)
    monkeypatch.setattr(matching, "SMALLEST_PART", 2)
    monkeypatch.setattr("unjudged.data.frames.BLOCK", 2)
    monkeypatch.setattr("unjudged.data.frames.ROWS_AT_ONCE", 2)
    monkeypatch.setattr("unjudged.data.frames.LARGEST_PIECE", 0)
    monkeypatch.setattr(matching, "cores", lambda: 3)
    with pytest.raises(UnjudgedError, match="the system refuses to start a thread"):
        matching.match(rows, scanner.Index(rows.queries, rows.starts, rows.documents))
    for source in (sample.runs, table, tmp_path / "run.parquet"):
        with pytest.raises(UnjudgedError, match="the system refuses to start a thread"):
            evaluate(sample.qrels, source)


def test_one_small_file_needs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    together = evaluate(sample.qrels, sample.runs)
    monkeypatch.setattr("threading.Thread.start", lambda _: pytest.fail("a thread was started"))
    for name, file in sample.runs.items():
        alone = evaluate(sample.qrels, file)
        assert alone.means[0].tolist() == together.means[together.runs.index(name)].tolist()
