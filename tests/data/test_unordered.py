"""Runs whose queries do not stand together: the same results and errors as with all lines in one table."""

from __future__ import annotations

import gzip
import io
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.oracle import COMPILED, PLAIN, outcome
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.data.test_scanner_twins import tables
from unjudged import InputError, evaluate, sample
from unjudged.base.errors import DuplicateError
from unjudged.data import matching, streams, trec
from unjudged.data.columns import QRELS, RUN, Layout
from unjudged.data.matching import DocumentTwice, grouped, match_ungrouped
from unjudged.data.scan import scanner
from unjudged.data.scan.plain import matcher as plain
from unjudged.data.scan.plain import text as plain_text
from unjudged.data.tables import Ids, Table

SINGLE = Layout(RUN.columns, RUN.open_ended, single=True)
JUDGED, _ = plain_text.read_table(
    io.BytesIO(b"1 0 a 1\n1 0 b 0\n1 0 document-0123456789 1\n2 0 a 1\n2 0 aa 1\n2 0 c 0\n10 0 b 1\n"), QRELS
)
queries = st.sampled_from([b"1", b"2", b"10", b"x", b"a-long-query-name"])
documents = st.sampled_from([b"a", b"aa", b"b", b"c", b"d", b"e", b"f", b"document-0123456789"])
scores = st.sampled_from(b"1 1.0 2 -0 0 16777216 16777217 0.1 0.10000000149".split())


@st.composite
def shuffled_lines(draw: st.DrawFn) -> list[bytes]:
    """Lines in any order, most of them right, with many ties, most without a document twice."""
    unique = draw(st.sampled_from([True, True, True, True, False]))
    pairs = draw(st.lists(st.tuples(queries, documents), max_size=24, unique=unique))
    lines = [b"%s Q0 %s 1 %s t\n" % (query, document, draw(scores)) for query, document in pairs]
    other = [b"# 1 Q0 a 1 1 t\n", b"\n", b"\xef\xbb\xbf1 Q0 a 1 1 t\n", b"1\tQ0 zz 1 1\r\n"]
    other += [b"1 Q0 a 1 x t\n", b"2 Q0\n", b"2 Q0 a 1 1e400 t\n"]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(other)))
    return lines


def in_one_table(path: Path, layout: Layout) -> Any:
    """The definition: the first error of a line or of neighbouring lines, then that of all lines by query."""
    data = path.read_bytes()
    nothing = plain.Index(Ids.of([]), np.zeros(1, np.int64), Ids.of([]))
    with streams.name_file_in_errors(path):
        plain_text.scan_run(io.BytesIO(data), nothing, layout)
        table, _ = plain_text.read_table(io.BytesIO(data), layout)
        if not len(table.lines):
            raise InputError(f"no data, expected lines of {layout.describe()}")
        known = [name for name in table.queries.tolist() if name in JUDGED.queries.tolist()]
        table = grouped(table) if len(known) > len(set(known)) else table
        matched = matching.match(table, matching.index(JUDGED))
    names = table.queries.tolist()
    first = np.array([names.index(name) == group for group, name in enumerate(names)])
    assert (np.diff(matched.ends)[~first] == 0).all()  # of a query that is not judged
    ends = np.append(0, np.cumsum(np.diff(matched.ends)[first]))
    return matched._replace(query=matched.query[first], retrieved=matched.retrieved[first], ends=ends)


@contextmanager
def settings_are(names: dict[str, Any], cores: int, memory: int | None = None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in names.items():
            patch.setattr(scanner, name, value)
        for module in (trec, matching):
            patch.setattr(module, "cores", lambda: cores)
        patch.setattr(streams, "SMALLEST_PIECE", 1)
        patch.setattr(matching, "SMALLEST_SHARE", 1)
        if memory is not None:
            patch.setenv("UNJUDGED_MAX_MEMORY", str(memory))
        yield


def scanned(path: Path, layout: Layout) -> Any:
    with streams.name_file_in_errors(path):
        return trec.scan_run(path, matching.index(JUDGED), layout)


@examples(400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shuffled_lines().map(b"".join), st.sampled_from([RUN, SINGLE]))
@example(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 b 1 1 t\n2 Q0 a 1 1 t\n1 Q0 a 1 1 t\n", RUN)
@example(b"2 Q0 a 1 1 t\n1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n", RUN)
@example(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 b 1 1 t\n2 Q0 c 1 1 t\n2 Q0 c 1 1 t\n1 Q0 a 1 1 t\n", RUN)
@example(b"x Q0 a 1 1 t\n2 Q0 a 1 1 t\nx Q0 a 1 1 t\n", RUN)
@example(b"x Q0 a 1 1 t\n2 Q0 a 1 1 t\nx Q0 a 1 1 t\n2 Q0 b 1 1 t\n", RUN)
@example(b"\xef\xbb\xbf1 Q0 \xef\xbb\xbf 1 1 t\n2 Q0 a 1 1 t\n1 Q0 \xef\xbb\xbf 1 1 t\n", RUN)
@example(b"\xef\xbb\xbf\n1 Q0 \xef\xbb\xbf 1 1 t\n2 Q0 a 1 1 t\n1 Q0 \xef\xbb\xbf 1 1 t\n", RUN)
def test_any_order_gives_what_one_table_gives(tmp_path: Path, data: bytes, layout: Layout) -> None:
    path = tmp_path / "run"
    path.write_bytes(data)
    expected = outcome(lambda: in_one_table(path, layout))
    for names, cores in ((PLAIN, 1), (COMPILED, 1), (COMPILED, 2), (COMPILED, 7), (PLAIN, 3)):
        with settings_are(names, cores):
            assert outcome(lambda: scanned(path, layout)) == expected


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shuffled_lines(), st.data())
def test_pieces_may_end_after_any_line(tmp_path: Path, lines: list[bytes], data: st.DataObject) -> None:
    """Except before a byte order mark."""
    path = tmp_path / "run"
    path.write_bytes(b"".join(lines))
    ends = np.cumsum([0, *map(len, lines)]).tolist()
    places = [end for end, line in zip(ends[1:-1], lines[1:], strict=False) if not line.startswith(b"\xef")]
    cuts = [[place] for place in places]
    if places:
        cuts.append(sorted(data.draw(st.sets(st.sampled_from(places), min_size=1, max_size=5))))
    expected = outcome(lambda: in_one_table(path, RUN))
    for inner in cuts:
        parts = list(zip([0, *inner], [*inner, None], strict=True))
        with settings_are(COMPILED, 2), pytest.MonkeyPatch.context() as patch:
            patch.setattr(matching, "pieces", lambda *_, parts=parts: parts)
            assert outcome(lambda: scanned(path, RUN)) == expected


def rows_of(text: bytes) -> list[bytes]:
    lines = text.splitlines(keepends=True)
    random.Random(7).shuffle(lines)
    return lines


@pytest.mark.parametrize("name", sample.runs)
def test_shuffled_lines_give_the_same_bits(name: str, tmp_path: Path) -> None:
    shuffled = b"".join(rows_of(sample.runs[name].read_bytes()))
    (tmp_path / name).write_bytes(shuffled)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(shuffled))
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(shuffled,))
    writer.start()
    ordered = evaluate(sample.qrels, sample.runs[name]).values.tobytes()
    for file in ("pipe", name, f"{name}.gz"):
        assert evaluate(sample.qrels, tmp_path / file).values.tobytes() == ordered
    writer.join()


LARGE = [b"q%d Q0 d%d 1 %d t\n" % (q, d, (q * 31 + d * 17) % 50) for q in range(200) for d in range(1500)]
GRADES = {f"q{q}": {f"d{d}": d % 3 for d in range(0, 40, 3)} for q in range(200)}


@pytest.mark.parametrize("cores", [1, 3])
def test_rows_that_do_not_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    (tmp_path / "ordered").write_bytes(b"".join(LARGE))
    (tmp_path / "run").write_bytes(b"".join(rows_of(b"".join(LARGE))))
    monkeypatch.setattr(streams, "SMALLEST_PIECE", 1000)
    monkeypatch.setattr(matching, "cores", lambda: cores)
    ordered = evaluate(GRADES, tmp_path / "ordered").values.tobytes()
    assert evaluate(GRADES, tmp_path / "run").values.tobytes() == ordered
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "2200K")
    assert evaluate(GRADES, tmp_path / "ordered").values.tobytes() == ordered
    with pytest.raises(InputError, match="run: takes more than 2,252,800 bytes in memory; set UNJUDGED_MAX"):
        evaluate(GRADES, tmp_path / "run")


def test_the_first_query_with_a_document_twice_is_named(tmp_path: Path) -> None:
    lines = rows_of(b"".join(LARGE))
    again = [lines[100], lines[40_000], lines[170_000]]
    order = list(dict.fromkeys(line.split()[0] for line in lines))
    chosen = min(range(3), key=lambda k: order.index(again[k].split()[0]))
    line, first = len(lines) + 1 + chosen, lines.index(again[chosen]) + 1
    lines += again
    (tmp_path / "run").write_bytes(b"".join(lines))
    with pytest.raises(InputError, match=f"run:{line}: document .* of query .* is already on line {first};"):
        evaluate(GRADES, tmp_path / "run")
    (tmp_path / "run").write_bytes(b"".join([*lines, b"q1 Q0 a 1 x t\n"]))
    with pytest.raises(InputError, match=f"run:{len(lines) + 1}: the score is 'x'"):
        evaluate(GRADES, tmp_path / "run")


@examples(300)
@given(st.lists(tables(), min_size=1, max_size=4), tables())
def test_tables_in_pieces(pieces: list[Table], judged: Table) -> None:
    """Both twins match rows that come as tables as they match one table of all rows."""

    def matched(names: dict[str, Any]) -> Any:
        with settings_are(names, 3):
            keep = [partial(keep_table, piece) for piece in pieces]
            index = scanner.Index(judged.queries, judged.starts, judged.documents)
            try:
                return match_ungrouped(keep, index)
            except DocumentTwice as error:
                return error.query, error.document

    def at_once() -> Any:
        index = plain.Index(judged.queries, judged.starts, judged.documents)
        table = grouped(Table.joined(pieces))
        try:
            return plain.match_table(table, index)
        except DuplicateError as error:
            return table.query_of(error.second), table.documents.raw(error.second)

    expected = outcome(at_once)
    assert outcome(lambda: matched(PLAIN)) == expected
    assert outcome(lambda: matched(COMPILED)) == expected


def keep_table(table: Table, rows: Any) -> None:
    rows.add(table)


@given(st.permutations(range(60)), st.integers(1, 60), st.integers(1, 4))
def test_ranks_among_ties(order: list[int], hits: int, scores: int) -> None:
    """Ranks follow the tie rule, whichever documents are judged and however many have the same score."""
    names = [b"d%d" % i for i in order]
    numbers = np.array([[float(i % scores)] for i in order])
    table = Table(Ids.of([b"q"] * 60), np.arange(61), Ids.of(names), numbers, np.zeros(0, np.int64))
    index = scanner.Index(Ids.of([b"q"]), np.array([0, hits]), Ids.of(names[:hits]))
    with settings_are({}, 3):
        keep = [partial(keep_table, table.span(*part)) for part in ((0, 20), (20, 40), (40, 60))]
        found = match_ungrouped(keep, index)
    best = sorted(zip(numbers[:, 0], names, strict=True), reverse=True)
    ranks = {name: rank for rank, (_, name) in enumerate(best, 1)}
    by_rank = sorted((ranks[name], row) for row, name in enumerate(names[:hits]))
    assert list(zip(found.rank.tolist(), found.row.tolist(), strict=True)) == by_rank


def processor_seconds(call: Callable[[], Any]) -> float:
    before = time.process_time()
    call()
    return time.process_time() - before


def test_many_queries_and_many_ties_take_linear_time(tmp_path: Path) -> None:
    if scanner.KIND_OF_SCANNER != "compiled":
        pytest.skip("plain Python takes long")
    names = [b"%d" % i for i in range(60_000)]
    lines = [b"%s Q0 %s 1 1 t\n" % (query, document) for document in (b"a", b"b") for query in names]
    (tmp_path / "many").write_bytes(b"".join(lines))
    assert processor_seconds(lambda: evaluate({"1": {"a": 1}}, tmp_path / "many", "AP")) < 3
    lines = [b"%d Q0 d%d 1 1 t\n" % (i % 2, i) for i in range(120_000)]
    (tmp_path / "ties").write_bytes(b"".join(lines))
    judged = {"0": {f"d{i}": 1 for i in range(0, 120_000, 2)}}
    assert processor_seconds(lambda: evaluate(judged, tmp_path / "ties", "AP")) < 4
