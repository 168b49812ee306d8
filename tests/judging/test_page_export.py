"""Exports of the judging page: damage is found, and other files pass."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from unjudged import InputError
from unjudged.judging import Pool, merge, sample
from unjudged.judging.collecting.answers import read_answer_file

BODY = "# comment 1 a what?\n1 0 a 2\n# cannot-judge 1 b torn\n1 0 b -2\n1 0 c 0\n"


def export(body: str = BODY, judged: int = 2, documents: int = 3) -> bytes:
    head = f"# unjudged-answers 1 judged {judged} of {documents} crc32 {crc32(body.encode()):08x}\n"
    return (head + body).encode()


@pytest.mark.parametrize("data", [export(), export().replace(b"\n", b"\r\n"), BODY.encode()])
def test_whole_files_pass(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "ann.qrels").write_bytes(data)
    found = read_answer_file(tmp_path / "ann.qrels")
    assert found.comments == {("1", "a"): "what?", ("1", "b"): "torn"}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (export()[:-1], "ann.qrels:1: the checksum does not match: the file was cut, damaged or edited: exp"),
        (export()[:-8], "2 of 3 documents judged at export, 1 of 2 documents judged now"),
        (export().replace(b"1 0 a 2", b"1 0 a 1"), "delete its first line"),
        (export().replace(b"1 0 b -2\n", b""), "2 of 3 documents judged at export, 2 of 2"),
    ],
)
def test_a_cut_or_edited_export_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    (tmp_path / "ann.qrels").write_bytes(data)
    with pytest.raises(InputError, match=problem):
        read_answer_file(tmp_path / "ann.qrels")
    drawn = sample(Pool.of({"1": {"a": -1, "b": -1, "c": -1}}), "random", 1.0)
    with pytest.raises(InputError, match="checksum"):
        merge(drawn, {"ann": tmp_path / "ann.qrels"}, allow_missing=True)


def test_every_single_change_is_found(tmp_path: Path) -> None:
    whole = export()
    first = whole.index(b"\n") + 1
    for place in range(first, len(whole)):
        (tmp_path / "ann").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InputError):
            read_answer_file(tmp_path / "ann")
