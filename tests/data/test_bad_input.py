"""What is said of input that cannot be used: file, line, value, and what was expected."""

from __future__ import annotations

import gzip
import os
import random
import sys
from pathlib import Path

import pytest

from unjudged import InputError, Judgments, Run, evaluate
from unjudged.base.errors import UnjudgedError

QRELS = b"1 0 a 1\n1 0 b 0\n"
RUN_COLUMNS = "6 columns (query iteration document rank score tag)"
QRELS_COLUMNS = "4 columns (query iteration document grade)"
WHOLE = "a whole number from -2147483648 to 2147483647"

BAD_RUNS = {
    b"1 Q0 a 1 2 t\n1 Q0 b 2 1\n": f":2: expected {RUN_COLUMNS}, found 5",
    b"1 Q0 a 1 two t\n": ":1: the score is 'two', expected a finite number",
    b"1 Q0 a 1 nan t\n": ":1: the score is 'nan', expected a finite number",
    b"1 Q0 a 1 -inf t\n": ":1: the score is '-inf', expected a finite number",
    b"1 Q0 a 1 1e999 t\n": ":1: the score is '1e999', expected a finite number",
    b"1 Q0 a 1 1,5 t\n": ":1: the score is '1,5', expected a finite number",
    b"1 Q0 a 1 \xff\x1b[0m t\n": r":1: the score is '\\xff\x1b[0m', expected a finite number",
    b"# a\n\n1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n": (
        ":5: document 'a' of query '1' is already on line 3; each document may appear only once per query"
    ),
    b"1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 3 1 t\n": (
        ":3: document 'a' of query '1' is already on line 1; each document may appear only once per query"
    ),
    b"1 0 a 1\n": (
        f":1: expected {RUN_COLUMNS}, found 4; is it a file of judgments? Judgments come before runs"
    ),
    b"": f": no data, expected lines of {RUN_COLUMNS}",
    b"# only a comment\n\n": f": no data, expected lines of {RUN_COLUMNS}",
    b"7 Q0 a 1 2 t\n": ": no query in common with the judgments, which have queries such as '1'",
    b"x" * 3_000_000: ":1: longer than 1,048,576 bytes, expected lines of text; is it a binary file?",
}
BAD_QRELS = {
    b"1 0 a 1\n1 0 b\n": f":2: expected {QRELS_COLUMNS}, found 3",
    b"1 0 a b 1 1\n": f":1: expected {QRELS_COLUMNS}, found 6; is it a run? Judgments come before runs",
    b"1 0 a 3000000000\n": f":1: the grade is '3000000000', expected {WHOLE}",
    b"1 0 a 1\n2 0 a 1\n1 0 a 0\n": (
        ":3: document 'a' of query '1' is already on line 1; each document may appear only once per query"
    ),
    b"": f": no data, expected lines of {QRELS_COLUMNS}",
}


@pytest.mark.parametrize("data", BAD_RUNS)
def test_bad_run(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        evaluate({"1": {"a": 1}}, path)
    assert str(error.value) == f"{path}{BAD_RUNS[data]}"


@pytest.mark.parametrize("data", BAD_QRELS)
def test_bad_qrels(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.qrels"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        Judgments.read(path)
    assert str(error.value) == f"{path}{BAD_QRELS[data]}"


BAD_MEMORY = [
    ({"q": {"d": "x"}}, "document 'd' of query 'q': the grade is 'x', expected " + WHOLE),
    ({"q": {"d": None}}, "document 'd' of query 'q': the grade is missing, expected " + WHOLE),
    ({"q": {7.5: 1}}, "the document is a float ('7.5'), expected text or a whole number"),
    ({7.5: {"d": 1}}, "the query is a float ('7.5'), expected text or a whole number"),
    ({"q": {True: 1}}, "the document is a bool ('True'), expected text or a whole number"),
    ({"q": "d"}, "query 'q' holds a str, expected a mapping of documents to a grade each"),
    ({}, "no rows, expected at least one"),
    ([("q", "d")], "row 0 (from 0) has 2 fields, expected (query, document, grade)"),
    ([("q", "d", 1), ("p", "d", 1), ("q", "d", 0)], "document 'd' of query 'q' appears twice"),
    ({"q": {"\ud800": 1}}, r"document '\ud800' cannot be written as UTF-8"),
]


@pytest.mark.parametrize(("data", "problem"), BAD_MEMORY)
def test_bad_data_in_memory(data: object, problem: str) -> None:
    with pytest.raises(InputError) as error:
        Judgments.read(data)  # type: ignore[arg-type]
    assert str(error.value).startswith(f"judgments: {problem}")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such file"):
        Judgments.read(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"a folder without files that end in \.parquet.*give their names"):
        Judgments.read(tmp_path)


def test_a_folder_of_text_files_does_not_need_pyarrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said that Parquet needs pyarrow, where there was no Parquet."""
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 t\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="a folder without files that end in"):
        evaluate({"1": {"a": 1}}, tmp_path)


@pytest.mark.parametrize("kept", [5, 17, 200, 4000])
def test_compressed_file_cut_short(kept: int, tmp_path: Path) -> None:
    lines = "".join(f"1 Q0 d{i * i} 1 {-i} t\n" for i in range(2000))
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(lines.encode())[:kept])
    with pytest.raises(InputError, match="cut short"):
        evaluate({"1": {"d0": 1}}, path)


def test_compressed_file_damaged(tmp_path: Path) -> None:
    import lzma

    data = bytearray(lzma.compress(os.urandom(5000)))
    data[2000] ^= 255
    path = tmp_path / "damaged.xz"
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="damaged"):
        evaluate({"1": {"d0": 1}}, path)


@pytest.mark.thorough
def test_five_million_random_bytes(tmp_path: Path) -> None:
    path = tmp_path / "noise"
    rng = random.Random(5)
    for alphabet in (bytes(range(256)), b" \n\t\r#0123456789.e-aq"):
        path.write_bytes(bytes(rng.choices(alphabet, k=5_000_000)))
        for read in (Judgments.read, Run.read, lambda p: evaluate({"1": {"a": 1}}, p)):
            with pytest.raises(UnjudgedError):
                read(path)


def test_a_line_of_100_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "endless"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    with pytest.raises(InputError, match="endless:1: longer than"):
        evaluate({"1": {"a": 1}}, path)
