"""Small files, such as groups and saved experiments: damaged, too large, or with senseless content."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.data.test_compressed import COMPRESS
from unjudged import Calibration, InputError, calibrate, sample
from unjudged.data.streams import read_small, read_small_text
from unjudged.data.values import number_in_file, whole_in_file
from unjudged.judging.judging_page import Text, read_documents, read_queries
from unjudged.questions.calibrating import read_groups
from unjudged.rankings.sample_file import read_sample

READERS: dict[str, Callable[[Path], Any]] = {
    "groups": read_groups,
    "calibration": Calibration.load,
    "design": read_sample,
    "texts": lambda file: read_documents(file, {"d1"}),
    "topics": lambda file: read_queries(file, {"q1"}),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_file(tmp_path: Path, reader: str, kind: str) -> None:
    """A file that is cut short, and one of which some bytes were changed."""
    whole = COMPRESS[kind](os.urandom(3000).hex().encode())
    changed = bytearray(whole)
    changed[len(whole) // 2 :] = os.urandom(len(whole) - len(whole) // 2)
    file = tmp_path / f"file.json.{kind}"
    for damaged in (whole[: len(whole) // 2], bytes(changed)):
        file.write_bytes(damaged)
        with pytest.raises(
            InputError, match=rf"file.json.{kind}: the compressed file is damaged or cut short"
        ):
            READERS[reader](file)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_not_there(tmp_path: Path, reader: str) -> None:
    with pytest.raises(InputError, match="nowhere: no such file"):
        READERS[reader](tmp_path / "nowhere")
    with pytest.raises(
        InputError, match=r"cannot be read: Is a directory|a folder without files that end in"
    ):
        READERS[reader](tmp_path)


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_files_are_read(tmp_path: Path, kind: str) -> None:
    compress = COMPRESS[kind]
    (tmp_path / "groups").write_bytes(compress(b"\xef\xbb\xbfa x\nb\xff y\n"))
    assert read_groups(tmp_path / "groups") == {"a": "x", "b\udcff": "y"}
    learnt = calibrate(sample.qrels, sample.runs, {run: run[:2] for run in sample.runs}, "P@5")
    learnt.save(tmp_path / "learnt")
    (tmp_path / "learnt").write_bytes(compress((tmp_path / "learnt").read_bytes()))
    assert Calibration.load(tmp_path / "learnt") == learnt
    (tmp_path / "texts").write_bytes(compress(b'{"doc_id": "d1", "text": "words"}\n'))
    assert read_documents(tmp_path / "texts", {"d1"}) == {"d1": Text("", "words")}


def test_pipes_are_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a x\n")
    os.close(writing)
    assert read_groups(f"/dev/fd/{reading}") == {"a": "x"}
    os.close(reading)


def test_limits_and_encodings(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(gzip.compress(bytes(1001)))
    assert read_small(file, "less", 1001) == bytes(1001)
    with pytest.raises(InputError, match=r"file: larger than 0 MB, expected less"):
        read_small(file, "less", 1000)
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"file: not UTF-8 text, expected words"):
        read_small_text(file, "words")


@pytest.mark.parametrize("value", [True, None, "1", [1], float("nan"), float("inf"), 10**400, -1, 1.5])
def test_numbers(value: object) -> None:
    with pytest.raises(InputError, match=r"the share is .*, expected a number from 0 to 1"):
        number_in_file("the share", value, 0, 1)
    with pytest.raises(InputError, match=r"the count is .*, expected a whole number from 2 to 9"):
        whole_in_file("the count", value, 2, 9)


@pytest.mark.parametrize("text", ["", "x", "1e999", "9" * 5000, b"\xff", "0x1"])
def test_numbers_as_text(text: str | bytes) -> None:
    assert number_in_file("the share", "1e-3", text=True) == 1e-3
    assert whole_in_file("the count", b"12", text=True) == 12
    with pytest.raises(InputError, match=r"the share is .*, expected a finite number"):
        number_in_file("the share", text, text=True)
    with pytest.raises(InputError, match=r"the count is .*, expected a whole number"):
        whole_in_file("the count", text, text=True)


def test_a_calibration_is_saved_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = calibrate(sample.qrels, sample.runs, {run: run[:2] for run in sample.runs}, "P@5")
    file = tmp_path / "learnt.json"
    learnt.save(file)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        learnt.save(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["learnt.json"]
