"""Exports of the judging page: one that was cut is found, and other files pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged import InputError
from unjudged.judging import Merged, Pool, merge, sample

BODY = "1 0 a 2\n1 0 b -2\n1 0 c 0\n"
DRAWN = sample(Pool.of({"1": {"a": -1, "b": -1, "c": -1}}), "random", 1.0)


def export(body: str = BODY) -> bytes:
    return f"# unjudged-answers: 2 of 3 documents judged\n{body}".encode()


def merged(folder: Path, data: bytes) -> Merged:
    (folder / "ann.qrels").write_bytes(data)
    return merge(DRAWN, {"ann": folder / "ann.qrels"}, allow_missing=True)


@pytest.mark.parametrize("data", [export(), export().replace(b"\n", b"\r\n"), BODY.encode()])
def test_whole_files_pass(tmp_path: Path, data: bytes) -> None:
    assert merged(tmp_path, data).judgments.grade.tolist() == [2, -2, 0]


@pytest.mark.parametrize(
    ("data", "now"),
    [
        (export()[:-8], "1 of 2 documents judged"),
        (export().replace(b"1 0 b -2\n", b""), "2 of 2 documents judged"),
        (export().replace(b"1 0 a 2", b"1 0 a -1"), "1 of 3 documents judged"),
    ],
)
def test_a_cut_export_is_refused(tmp_path: Path, data: bytes, now: str) -> None:
    problem = "ann.qrels:1: the file was cut or edited: 2 of 3 documents judged at export, "
    with pytest.raises(InputError, match=f"{problem}{now} now: .*delete its first line"):
        merged(tmp_path, data)
