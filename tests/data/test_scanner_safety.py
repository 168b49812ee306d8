"""No data may crash the scanner, make its answer depend on the number of cores, or fail in silence."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.oracle import outcome
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.data.test_scanner_twins import likely_lines, tables
from unjudged import Judgments, evaluate
from unjudged.base.errors import InputError, UnjudgedError
from unjudged.data import matching, streams, trec
from unjudged.data.columns import QRELS, RUN
from unjudged.data.matching import grouped
from unjudged.data.scan import checks, scanner
from unjudged.data.scan.plain import matcher as plain
from unjudged.data.tables import Ids, Table

pytestmark = pytest.mark.thorough

TABLE = Table(
    Ids.of(["p", "q"]),
    np.array([0, 2, 3], np.int64),
    Ids.of(["a", "b", "a"]),
    np.array([[2.0], [1.0], [1.0]]),
    np.zeros(0, np.int64),
)


def with_offsets(*offsets: int) -> Ids:
    return Ids(TABLE.documents.data, np.array(offsets, np.int64))


DAMAGED = {
    "offsets that run backwards": replace(TABLE, documents=with_offsets(0, 2, 1, 3)),
    "negative offsets": replace(TABLE, documents=with_offsets(-1, 1, 2, 3)),
    "offsets past the end": replace(TABLE, documents=with_offsets(0, 1, 2, 1 << 40)),
    "queries past the end": replace(TABLE, queries=Ids(TABLE.queries.data, np.array([0, 1, 99]))),
    "groups that run backwards": replace(TABLE, starts=np.array([0, 3, 2])),
    "groups before the first row": replace(TABLE, starts=np.array([-5, 2, 3])),
    "groups after the last row": replace(TABLE, starts=np.array([0, 2, 99])),
    "too few groups": replace(TABLE, starts=np.array([0, 3])),
    "too few documents": replace(TABLE, documents=with_offsets(0, 1, 2)),
    "no offsets": replace(TABLE, documents=Ids(TABLE.documents.data, np.zeros(0, np.int64))),
}
DAMAGED_NUMBERS = {
    "too few numbers": replace(TABLE, numbers=TABLE.numbers[:2]),
    "no numbers": replace(TABLE, numbers=np.zeros((3, 0))),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_judgments_are_refused(damage: str) -> None:
    table = DAMAGED[damage]
    for module in (scanner, plain):
        with pytest.raises(InputError, match="damaged, or it changed"):
            module.Index(table.queries, table.starts, table.documents)


@pytest.mark.parametrize("damage", [*DAMAGED, *DAMAGED_NUMBERS])
def test_damaged_tables_are_refused(damage: str) -> None:
    table = {**DAMAGED, **DAMAGED_NUMBERS}[damage]
    judged = TABLE.queries, TABLE.starts, TABLE.documents
    calls: list[Callable[[], Any]] = [
        lambda: scanner.match_table(table, scanner.Index(*judged)),
        lambda: plain.match_table(table, plain.Index(*judged)),
        lambda: scanner.best_first(table),
        lambda: plain.best_first(table),
        lambda: scanner.UnorderedRows(1 << 20).add(table),
        lambda: plain.UnorderedRows(1 << 20).add(table),
        lambda: scanner.nested_rows(table, False),
        lambda: plain.nested_rows(table, False),
    ]
    for call in calls:
        with pytest.raises(InputError, match="damaged, or it changed"):
            call()


@examples(400)
@given(
    st.lists(st.integers(-2, 7), max_size=5),
    st.lists(st.integers(-2, 9), max_size=7),
    st.lists(st.integers(-2, 4), max_size=5),
    st.integers(0, 6),
)
def test_any_offsets_give_the_same_with_both_twins(
    starts: list[int], documents: list[int], queries: list[int], numbers: int
) -> None:
    table = Table(
        Ids(np.frombuffer(b"pqr", np.uint8), np.array(queries, np.int64)),
        np.array(starts, np.int64),
        Ids(np.frombuffer(b"abcabca", np.uint8), np.array(documents, np.int64)),
        np.arange(numbers, dtype=float)[:, None],
        np.zeros(0, np.int64),
    )
    judged = table.queries, table.starts, table.documents

    def both(call: Callable[[Any], Any]) -> None:
        assert outcome(lambda: call(scanner)) == outcome(lambda: call(plain))

    both(lambda module: module.match_table(table, module.Index(TABLE.queries, TABLE.starts, TABLE.documents)))
    both(lambda module: module.match_table(TABLE, module.Index(*judged)))
    both(lambda module: module.best_first(table))


def test_a_score_that_is_nan_never_reaches_a_sort() -> None:
    table = replace(TABLE, numbers=np.array([[1.0], [np.nan], [1.0]]))
    judged = TABLE.queries, TABLE.starts, TABLE.documents
    for module in (scanner, plain):
        with pytest.raises(InputError, match=r"row 1 \(from 0\): the score is nan"):
            module.match_table(table, module.Index(*judged))
        with pytest.raises(InputError, match=r"row 1 \(from 0\): the score is nan"):
            module.best_first(table)
    for rows in (scanner.UnorderedRows(1 << 20), plain.UnorderedRows(1 << 20)):
        with pytest.raises(InputError, match=r"row 1 \(from 0\): the score is nan"):
            rows.add(table)
    assert scanner.best_first(table.span(1, 2)).tolist() == plain.best_first(table.span(1, 2)).tolist() == [2]


def test_more_rows_than_32_bits_can_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MOST_ROWS", 2)
    for module in (scanner, plain):
        with pytest.raises(InputError, match="too many rows, expected at most 2"):
            module.Index(TABLE.queries, TABLE.starts, TABLE.documents)
        with pytest.raises(InputError, match="too many rows, expected at most 2"):
            module.best_first(TABLE)


class Lying(Mapping[str, int]):
    """A mapping whose length is wrong."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[str]:
        return iter(["a", "b"])

    def __getitem__(self, key: str) -> int:
        return {"a": 1, "b": 0}[key]


@pytest.mark.parametrize("length", [3, 1000, 1 << 40])
def test_a_mapping_whose_length_is_wrong(length: int) -> None:
    with pytest.raises(UnjudgedError):
        Judgments.read({"p": Lying(length), "q": {"a": 1}})
    with pytest.raises(UnjudgedError):
        evaluate({"p": {"a": 1}}, {"p": Lying(length), "q": {"a": 1}}, ["AP"])


def test_a_stream_that_claims_more_than_it_was_asked_for() -> None:
    class Stream(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            return len(buffer) + 1

    if scanner.KIND_OF_SCANNER == "compiled":
        with pytest.raises(ValueError, match="readinto returned"):
            scanner.read_table(Stream(), RUN)


# The same answer on any number of cores.

JUDGED, _ = scanner.read_table(io.BytesIO(b"1 0 a 1\n1 0 b 0\n2 0 a 1\n\xef\xbb\xbf2 0 b 1\n"), QRELS)

interruptions = st.sampled_from([b"# 1 Q0 a 1 1 t\n", b"\n", b" \t# x\n", b"\xef\xbb\xbf", b"  \n"])
files = st.lists(st.one_of(likely_lines(), likely_lines(), interruptions), min_size=4, max_size=24)


def scanned(path: Path, cores: int) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "SMALLEST_PIECE", 1)
        patch.setattr(trec, "cores", lambda: cores)
        patch.setattr(matching, "cores", lambda: cores)
        with streams.name_file_in_errors(path):
            return outcome(lambda: trec.scan_run(path, matching.index(grouped(JUDGED))))


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files.map(b"".join))
@example(b"1 Q0 a 1 3 t\n1 Q0 b 1 2 t\n" + b"\xef\xbb\xbf2 Q0 b 1 1 t\n2 Q0 a 1 2 t\n")
@example(b"3 Q0 a 1 3 t\n3 Q0 b 1 2 t\n# 3 goes on\n3 Q0 a 1 1 t\n")
@example(b"3 Q0 a 1 3 t\n3 Q0 b 1 2 t\n\n3 Q0 a 1 1 t\n1 Q0 a 1 1 t\n")
def test_the_same_answer_on_any_number_of_cores(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "run"
    path.write_bytes(data)
    one = scanned(path, 1)
    for cores in (2, 3, 7):
        assert scanned(path, cores) == one


@examples(300)
@given(tables(), st.integers(0, 2), st.integers(0, 5))
@example(replace(TABLE, queries=Ids.of(["p", "q", "r"]), starts=np.array([0, 2, 3, 3])), 0, 3)
def test_a_table_gives_the_same_on_any_number_of_cores(table: Table, first: int, last: int) -> None:
    groups = len(table.queries)
    part = table.span(min(first, groups), max(min(first, groups), min(last, groups)))

    def matched(cores: int) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(matching, "SMALLEST_PART", 1)
            patch.setattr(matching, "cores", lambda: cores)
            return outcome(lambda: matching.match(part, matching.index(TABLE)))

    assert matched(2) == matched(3) == matched(8) == matched(1)


# Threads, failing memory and failing imports, each in a process of its own.


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="CPython itself crashes if it cannot start a generator expression"
)
def test_every_allocation_may_fail() -> None:
    pytest.importorskip("_testcapi", reason="this Python cannot make allocations fail")
    said = run("from fuzz.allocations import main; main()").splitlines()[1:]
    assert all(int(line.split()[-1]) > 1 for line in said)
    assert len(said) > 20


def test_a_broken_import_is_not_taken_for_a_missing_compiler() -> None:
    pytest.importorskip("unjudged.data.scan.compiled.native", reason="nothing was compiled")
    code = (
        "import sys; sys.modules['unjudged.data.scan.checks'] = None\n"
        "try:\n"
        "    from unjudged.data.scan import scanner\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error.name)\n"
    )
    assert run(code) == "unjudged.data.scan.checks\n"
