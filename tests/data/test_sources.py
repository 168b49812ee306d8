"""The same rankings however they are written, packed or cut."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.data.test_compressed import COMPRESS
from unjudged import Evaluation, Judgments, Run, evaluate, sample
from unjudged.data import streams as sources
from unjudged.data import trec

MEASURES = ["AP", "nDCG@10", "Bpref", "infAP", "NumRet"]
RUN_BYTES = sample.runs["boolean"].read_bytes()
QRELS_BYTES = sample.qrels.read_bytes()


@pytest.fixture(scope="module")
def expected() -> Evaluation:
    return evaluate(sample.qrels, sample.runs["boolean"], MEASURES)


def reordered(data: bytes) -> bytes:
    """Lines by rank and not by query, so that no query's lines stand together."""
    lines = [(line.split()[3], line) for line in data.splitlines()]
    return b"\n".join(line for _, line in sorted(lines)) + b"\n"


VARIANTS: dict[str, Callable[[bytes], bytes]] = {
    **COMPRESS,
    "two gz members": lambda data: gzip.compress(data[:5000]) + gzip.compress(data[5000:]),
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "tabs": lambda data: data.replace(b" ", b"\t \v"),
    "comments": lambda data: b"# made by hand\n\n" + data.replace(b"\nq02", b"\n  # next\nq02", 1),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "no last newline": lambda data: data.rstrip(b"\n"),
    "queries apart": reordered,
    "shuffled": lambda data: b"\n".join(
        np.random.default_rng(1).permutation(np.array(data.splitlines(), object)).tolist()
    ),
    "more columns": lambda data: data.replace(b"boolean\n", b"boolean and more of it\n"),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_writing_of_a_run(variant: str, expected: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(VARIANTS[variant](RUN_BYTES))
    for run in (path, Run.read(path)):
        np.testing.assert_array_equal(evaluate(sample.qrels, run, MEASURES).values, expected.values)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v not in ("queries apart", "more columns")])
def test_any_writing_of_qrels(variant: str, expected: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(VARIANTS[variant](QRELS_BYTES))
    scores = evaluate(path, sample.runs["boolean"], MEASURES)
    assert sorted(scores.queries) == sorted(expected.queries)
    for measure in MEASURES:
        for query in expected.queries:
            assert scores.value(measure, query=query) == expected.value(measure, query=query)


@pytest.mark.parametrize("smallest", [1, 500, 20_000])
def test_pieces(smallest: int, expected: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "SMALLEST_PIECE", smallest)
    monkeypatch.setattr(trec, "cores", lambda: 7)
    parts = sources.pieces(sample.runs["boolean"], 7)
    assert len(parts) == (1 if smallest == 20_000 else 7)
    scores = evaluate(sample.qrels, sample.runs["boolean"], MEASURES)
    np.testing.assert_array_equal(scores.values, expected.values)


def test_line_numbers_of_later_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "SMALLEST_PIECE", 1)
    monkeypatch.setattr(trec, "cores", lambda: 4)
    lines = RUN_BYTES.splitlines()
    lines[1100] = lines[1100].replace(b"boolean", b"")
    path = tmp_path / "run"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(Exception, match=f"{path}:1101: expected 6 columns"):
        evaluate(sample.qrels, path, MEASURES)


def test_standard_input(expected: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (RUN_BYTES, gzip.compress(RUN_BYTES), reordered(RUN_BYTES)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        scores = evaluate(sample.qrels, "-", MEASURES)
        np.testing.assert_array_equal(scores.values, expected.values)


def test_ids_that_are_not_utf8(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(b"q\xe9 0 d\xff 1\nq\xe9 0 \xe2\x82\xac 0\n")
    run.write_bytes(b"q\xe9 Q0 d\xff 1 2 t\nq\xe9 Q0 \xe2\x82\xac 2 1 t\n")
    scores = evaluate(qrels, run, ["AP"])
    assert scores.queries == ["q\udce9"]
    assert scores.value("AP") == 1.0
    judgments = Judgments.read(qrels)
    assert judgments.documents.tolist() == [b"d\xff", "€".encode()]
    assert list(judgments.documents) == ["d\udcff", "€"]


def test_states_are_kept() -> None:
    judgments = Judgments.read({"q": {"a": 2, "b": 0, "c": -1, "d": -7}})
    assert judgments.grade.tolist() == [2, 0, -1, -7]
    assert judgments.count(0).tolist() == [2]
    assert judgments.count(-np.inf, 0).tolist() == [2]
