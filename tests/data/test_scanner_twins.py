"""The compiled scanner against its plain-Python twin: same results, same errors, on any bytes."""

from __future__ import annotations

import io
import locale
import math
from collections import Counter, OrderedDict, UserDict, defaultdict
from functools import partial
from typing import Any

import numpy as np
import pytest
from fuzz.kinds.text import Pieces
from fuzz.oracle import outcome
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged.base.errors import InputError
from unjudged.data.columns import LONGEST_LINE, QRELS, RUN, ZSCORES, Layout
from unjudged.data.nested_dicts import scores_by_document, table_of_rankings
from unjudged.data.scan.plain import matcher as plain
from unjudged.data.scan.plain import text as plain_text
from unjudged.data.tables import Ids, Table

compiled = pytest.importorskip("unjudged.data.scan.compiled.native", reason="nothing was compiled")


words = st.one_of(
    st.sampled_from([b"q1", b"q2", b"d1", b"d2", b"d3", b"Q0", b"0", b"1", b"-1", b"0.5", b"1e3", b"#"]),
    st.binary(max_size=4),
    st.from_regex(rb"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{0,4})?", fullmatch=True),
    st.sampled_from(
        [b"nan", b"inf", b"-inf", b"0x10", b"1_0", b"1e400", b"1e-400", b"2147483648", b"\xff\xfe"]
    ),
)
spaces = st.sampled_from([b" ", b"\t", b"  ", b"\v", b"\f", b" \r "])
ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" \n", b""])


@st.composite
def likely_lines(draw: st.DrawFn) -> bytes:
    """Lines that are right except for an occasional field."""
    query = draw(st.sampled_from([b"1", b"2", b"10"]))
    document = draw(st.sampled_from([b"a", b"b", b"c", b"aa", b"document-0123456789-0123456789"]))
    score = draw(st.one_of(st.sampled_from([b"3", b"2", b"1", b"-0", b"0.0"]), words))
    fields = [query, b"Q0", document, b"1", score, b"tag"]
    fields = fields[: draw(st.sampled_from([6, 6, 6, 6, 6, 5, 4, 1]))] + draw(st.lists(words, max_size=1))
    return draw(spaces).join(fields) + draw(ends)


@st.composite
def any_lines(draw: st.DrawFn) -> bytes:
    return draw(spaces).join(draw(st.lists(words, max_size=8))) + draw(ends)


texts = st.one_of(
    st.lists(likely_lines(), max_size=12).map(b"".join),
    st.lists(st.one_of(likely_lines(), any_lines()), max_size=12).map(b"".join),
    st.binary(max_size=200),
)
SINGLE = Layout(RUN.columns, RUN.open_ended, single=True)
LAYOUTS = [RUN, QRELS, SINGLE, ZSCORES, Layout(("query", "iteration", "document", "score", "grade"))]


@examples(300)
@given(texts, st.sampled_from(LAYOUTS), st.integers(1, 40))
@example(b"1 Q0 a 1 2 t\n1 Q0 a 1 x t\n", RUN, 7)
@example(b"\xef\xbb\xbf1 Q0 a 1 2 t\n\xef\xbb\xbf1 Q0 a 1 2 t\n", RUN, 2)
@example(b"\xef\xbb\xbf# 1 Q0 a 1 2 t\n", RUN, 2)
@example(b"\xef\xbb\xbf", RUN, 2)
@example(b"1 Q0 a 1 2 t\n1 Q0 a 1 3 t\n1 Q0 b 1 x t\n", RUN, 7)
def test_reading_a_table(data: bytes, layout: Layout, size: int) -> None:
    expected = outcome(lambda: plain_text.read_table(Pieces(data, size), layout))
    assert outcome(lambda: compiled.read_table(Pieces(data, size), layout)) == expected


@examples(300)
@given(texts, st.integers(1, 40))
@example(b"1 Q0 a 1 2 t\n1 Q0 a 1 x t\n", 7)
@example(b"1 Q0 a 1 2 t\n1 Q0 a 1 3 t\n1 Q0 b 1 x t\n", 7)
@example(b"1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n1 Q0 aa 1 1 t\n", 7)
@example(b"1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n1 x\n", 7)
@example(b"1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n2 Q0 b 1 1 t\n1 Q0 a 1 1 t\n", 7)
@example(b"1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n1 Q0 a 1 1 t\n2 Q0 b x 1 t\n", 40)
@example(b"3 Q0 a 1 1 t\n2 Q0 b 1 1 t\n3 Q0 a 1 1 t\n2 Q0 b x 1 t\n", 40)
def test_scanning_a_run(data: bytes, size: int) -> None:
    judged = Ids.of([b"1", b"2", b""]), np.array([0, 2, 4, 4]), Ids.of([b"a", b"b", b"aa", b"a"])

    expected = outcome(lambda: plain_text.scan_run(Pieces(data, size), plain.Index(*judged), RUN))
    assert outcome(lambda: compiled.scan_run(Pieces(data, size), compiled.Index(*judged), RUN)) == expected


@st.composite
def tables(draw: st.DrawFn) -> Table:
    sizes = draw(st.lists(st.integers(0, 6), max_size=5))
    names = st.text(alphabet="ab\0é", max_size=18)
    count = sum(sizes)
    documents = draw(st.lists(names, min_size=count, max_size=count))
    scores = draw(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, -3.5]), min_size=count, max_size=count))
    queries = Ids.of([f"q{i % 3}" for i in range(len(sizes))])
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return Table(queries, starts, Ids.of(documents), np.array(scores, float)[:, None], np.zeros(0, np.int64))


@examples(300)
@given(tables(), tables())
def test_matching_tables(judged: Table, run: Table) -> None:
    arguments = judged.queries, judged.starts, judged.documents

    def matched(module: Any) -> Any:
        return module.match_table(run, module.Index(*arguments))

    assert outcome(lambda: matched(compiled)) == outcome(lambda: matched(plain))
    assert outcome(lambda: compiled.best_first(run)) == outcome(lambda: plain.best_first(run))


def as_bytes(name: str) -> bytes:
    lone = any(0xD800 <= ord(c) < 0xDC80 for c in name)
    return name.encode("utf-8", "surrogatepass" if lone else "surrogateescape")


class Text(str):
    """A string that is not a plain one."""


names = st.one_of(
    st.text(alphabet="abé\udcff", max_size=3),
    st.text(alphabet="aé\udcc3\udca9\ud800", max_size=3),
    st.text(alphabet="ab", max_size=2).map(Text),
    st.text(alphabet="ab", max_size=2).map(np.str_),
)
number = st.one_of(
    st.sampled_from(
        [0.0, -0.0, 1, 2.0, True, 16777216.0, 16777217, math.inf, 1e300, np.float32(1), np.float64(2), 10**18]
    ),
    st.sampled_from([1, 2.0, 3, math.nan, None, "1", b"1", 10**400, [1], 1 + 2j, np.int64(3)]),
    st.floats(allow_nan=False, width=32),
)
rankings = st.dictionaries(names, number, max_size=9)
kinds = st.sampled_from(
    [dict, dict, OrderedDict, Counter, UserDict, lambda d: defaultdict(float, d), lambda d: list(d.items())]
)


@examples(400)
@given(
    st.dictionaries(st.sampled_from("pqr"), st.tuples(kinds, rankings), max_size=3),
    st.lists(st.lists(names, unique_by=as_bytes, max_size=8), min_size=2, max_size=2),
)
def test_matching_dicts(run: dict[str, Any], judged: list[list[str]]) -> None:
    """Dicts that are matched without a table hold what a table of them does."""
    starts = np.array([0, len(judged[0]), len(judged[0]) + len(judged[1])])
    made = {query: kind(ranking) for query, (kind, ranking) in run.items()}
    documents = [*judged[0], *judged[1]]
    found = compiled.match_dicts(made, {"p": 1, "q": 0}, documents, starts, 2**31 - 1, True)
    if found is not None:
        index = plain.Index(Ids.of(["q", "p"]), starts, Ids.of(map(as_bytes, documents)))
        scores = {query: scores_by_document(query, ranking) for query, ranking in made.items()}
        assert outcome(lambda: found) == outcome(lambda: plain.match_table(table_of_rankings(scores), index))


@pytest.mark.parametrize("starts", [[0, 1, 3], [0, 2, 3], [0, 1, 99], [-1, 1, 2], [0, 1]])
def test_judged_documents_that_do_not_fit(starts: list[int]) -> None:
    with pytest.raises(InputError, match="changed"):
        compiled.match_dicts({"p": {"a": 1}}, {"p": 0}, ["a", "b"], np.array(starts), 9)


@examples(200)
@given(tables(), st.booleans())
def test_dicts_of_rows(table: Table, whole: bool) -> None:
    assert compiled.nested_rows(table, whole) == plain.nested_rows(table, whole)


@examples(200)
@given(st.lists(st.binary(max_size=40), max_size=60), st.integers(0, 5))
def test_numbering_names(names: list[bytes], skipped: int) -> None:
    ids = Ids.of(names * 2)
    ids = Ids(ids.data, ids.offsets[min(skipped, len(names)) :])
    assert outcome(lambda: compiled.number_names(ids)) == outcome(lambda: plain.number_names(ids))


def test_numbering_many_names() -> None:
    """The hash table grows several times, and some names come back after that."""
    rng = np.random.default_rng(1)
    ids = Ids.of([str(n) for n in rng.integers(0, 60_000, 100_000)])
    assert outcome(lambda: compiled.number_names(ids)) == outcome(lambda: plain.number_names(ids))
    damaged = Ids(ids.data, ids.offsets[::-1])
    with pytest.raises(InputError, match="damaged, or it changed"):
        compiled.number_names(damaged)


@examples(200)
@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 5)), max_size=8), max_size=4))
def test_numbering_documents_of_queries(tables: list[list[tuple[int, int]]]) -> None:
    """Tables are numbered one after another; documents that are there twice and wrong rows are refused."""
    ids = Ids.of(["d", "e", "", "f", "e"])
    twins = [module.DocumentNumbers() for module in (compiled, plain)]
    for rows in tables:
        query, row = np.array(rows, np.int64).reshape(-1, 2).T
        one, other = (outcome(partial(twin.add, ids, query, row)) for twin in twins)
        assert one == other
        if one[0] != "result":
            return


def test_numbering_many_documents() -> None:
    """The hash table grows several times, and some documents come back after that."""
    rng, ids = np.random.default_rng(1), Ids.of(map(str, range(30_000)))
    twins = [module.DocumentNumbers() for module in (compiled, plain)]
    for _ in range(3):
        query, row = rng.integers(0, 2, 20_000), rng.permutation(30_000)[:20_000]
        one, other = (outcome(partial(twin.add, ids, query, row)) for twin in twins)
        assert one == other
    damaged = Ids(ids.data, ids.offsets[::-1])
    for twin in twins:
        with pytest.raises(InputError, match="damaged, or it changed"):
            twin.add(damaged, query, row)
        with pytest.raises(InputError, match="the data changed"):
            twin.add(ids, query, row[1:])


def test_many_documents_of_one_score() -> None:
    """Each document takes a number of steps that grows with the logarithm of the number of ties."""
    documents = [f"d{i}" for i in range(20_000)]
    run = {"q": dict.fromkeys(documents, 1.0)}
    found = compiled.match_dicts(run, {"q": 0}, documents, np.array([0, len(documents)]), 20_000)
    assert found.rank.tolist() == list(range(1, len(documents) + 1))
    assert [documents[row] for row in found.row] == sorted(documents, reverse=True)


@pytest.mark.parametrize("length", [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, 2 * LONGEST_LINE])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n1 Q0 b 1 1 t\n"])
def test_longest_line(length: int, end: bytes) -> None:
    line = b"1 Q0 a 1 1 "
    data = line + b"t" * (length - len(line)) + end
    found = outcome(lambda: compiled.read_table(io.BytesIO(data), RUN))
    assert found == outcome(lambda: plain_text.read_table(io.BytesIO(data), RUN))
    assert ("longer than" in str(found)) == (length > LONGEST_LINE)


@examples(500)
@given(st.floats(-1e300, 1e300), st.integers(0, 25))
def test_every_score_is_the_nearest_double(value: float, digits: int) -> None:
    for text in (repr(value), f"{value:.{digits}e}", f"{value:.{min(digits, 20)}f}"):
        table, _ = compiled.read_table(io.BytesIO(f"1 Q0 a 1 {text} t".encode()), RUN)
        assert table.numbers[0, 0] == float(text)


def test_a_comma_locale_changes_nothing() -> None:
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        locale.setlocale(locale.LC_NUMERIC, "de_DE.UTF-8")
    except locale.Error:
        pytest.skip("this machine has no such locale")
    try:
        table, _ = compiled.read_table(io.BytesIO(b"1 Q0 a 1 0.12345678901234567890123 t"), RUN)
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)
    assert table.numbers[0, 0] == 0.12345678901234567890123
