"""Rows in no order: the compiled matcher against its twin, which groups and sorts them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, evaluate
from unjudged.base.errors import DuplicateError
from unjudged.formats.readers import grouping
from unjudged.formats.scan import plain, plain_scattered
from unjudged.formats.tables import Ids, Matched, Scattered

scattered = pytest.importorskip("unjudged.formats.scan.compiled_scattered")
matching = pytest.importorskip("unjudged.formats.scan.compiled_matching")
pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

QUERIES = [b"1", b"2", b"10", "ü".encode(), b""]
NAMES = st.sampled_from([b"", b"a", b"b", b"aa", b"ab", b"a\0", b"\xff", b"document-1", b"x" * 40])
SCORES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1.5, float("inf"), 1e-300])
ROWS = st.lists(st.tuples(st.sampled_from(QUERIES), NAMES, SCORES), max_size=40)
JUDGED = st.dictionaries(st.sampled_from(QUERIES), st.lists(NAMES, unique=True), max_size=4)


def as_scattered(rows: list[tuple[bytes, bytes, float]]) -> Scattered:
    queries, documents, scores = zip(*rows, strict=True) if rows else ((), (), ())
    number, first = plain.number_names(Ids.of(queries))
    names = Ids.of([queries[row] for row in first])
    return Scattered(names, number, Ids.of(documents), np.array(scores, float).reshape(-1, 1))


def groups_of(judged: dict[bytes, list[bytes]]) -> tuple[Ids, Any, Ids]:
    starts = np.cumsum([0, *map(len, judged.values())])
    return Ids.of(judged), starts, Ids.of([name for names in judged.values() for name in names])


def matched(table: Scattered, judged: dict[bytes, list[bytes]], cuts: list[int]) -> Matched:
    spans = list(pairwise([0, *sorted(cut % (len(table.number) + 1) for cut in cuts), len(table.number)]))
    with ThreadPoolExecutor(len(spans)) as pool:
        found: Matched = scattered.match_scattered(
            table, matching.Index(*groups_of(judged)), spans, pool.map if len(cuts) % 2 else map
        )
    return found


def outcome(call: Callable[[], Matched]) -> Any:
    try:
        found = call()
    except DuplicateError as error:
        return error.first, error.second
    assert found.unjudged is None
    return [(array.dtype.name, array.tolist()) for array in found[:-1]]


@given(ROWS, JUDGED, st.lists(st.integers(0, 50), max_size=3))
def test_the_twins_agree(rows: Any, judged: Any, cuts: list[int]) -> None:
    table = as_scattered(rows)
    expected = outcome(
        lambda: plain_scattered.match_scattered(table, plain.Index(*groups_of(judged)), [], map)
    )
    assert outcome(lambda: matched(table, judged, cuts)) == expected


@given(st.permutations(range(60)), st.integers(1, 60), st.integers(1, 4))
def test_ranks_among_ties(order: list[int], hits: int, scores: int) -> None:
    """Ranks follow the tie rule, whichever documents are judged and however many have the same score."""
    names = [b"d%d" % i for i in order]
    table = as_scattered([(b"q", name, float(i % scores)) for i, name in zip(order, names, strict=True)])
    found = matched(table, {b"q": names[:hits]}, [20, 40])
    best = sorted(zip(table.numbers[:, 0], names, strict=True), reverse=True)
    ranks = {name: rank for rank, (_, name) in enumerate(best, 1)}
    by_rank = sorted((ranks[name], row) for row, name in enumerate(names[:hits]))
    assert list(zip(found.rank.tolist(), found.row.tolist(), strict=True)) == by_rank


SOUND = as_scattered([(b"1", b"a", 1.0), (b"2", b"b", 2.0), (b"1", b"b", 3.0)])
DAMAGED: dict[str, tuple[dict[str, Any], str]] = {
    "a number of no query": ({"number": np.array([0, 2, 0], np.int32)}, "changed while it was read"),
    "a negative number": ({"number": np.array([0, -1, 0], np.int32)}, "changed while it was read"),
    "too few numbers": ({"number": np.array([0], np.int32)}, "changed while it was read"),
    "no score": ({"numbers": np.array([[1.0], [np.nan], [2]])}, r"row 1 \(from 0\): the score is nan"),
    "offsets past the end": ({"documents": Ids(SOUND.documents.data, np.array([0, 1, 2, 9]))}, "damaged"),
    "offsets backwards": ({"documents": Ids(SOUND.documents.data, np.array([0, 2, 1, 3]))}, "damaged"),
    "negative offsets": ({"documents": Ids(SOUND.documents.data, np.array([-1, 1, 2, 3]))}, "damaged"),
    "queries past the end": ({"queries": Ids(SOUND.queries.data, np.array([0, 1, 7]))}, "damaged"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_rows_are_refused(damage: str) -> None:
    changed, problem = DAMAGED[damage]
    columns: dict[str, Any] = {**vars(SOUND), **changed}
    with pytest.raises(InputError, match=problem):
        matched(Scattered(**columns), {b"1": [b"a"]}, [1])


def test_more_counts_than_places() -> None:
    """Numbers that change between counting and placing are refused, not written past the end."""
    rows = scattered.Rows(SOUND, matching.Index(*groups_of({})))
    places = np.zeros(3, np.int64)
    with pytest.raises(InputError, match="changed while it was read"):
        rows.place((0, 3), places, np.array([1, 1, 1]))


@given(st.lists(st.sampled_from(QUERIES), max_size=30), st.integers(1, 5))
def test_numbering_does_not_depend_on_the_cores(names: list[bytes], number: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "cores", lambda: number)
        patch.setattr(grouping, "SMALLEST_PART", 2)
        distinct, numbers = grouping.numbered(Ids.of(names))
    assert distinct.tolist() == list(dict.fromkeys(names))
    assert [distinct.raw(code) for code in numbers.tolist()] == names


def test_a_frame_in_no_order() -> None:
    rng = np.random.default_rng(3)
    rows = [(f"q{q}", f"d{d}", float(d % 7)) for q in range(9) for d in range(50)]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    qrels = {f"q{q}": {f"d{d}": int(d % 3) for d in range(0, 60, 4)} for q in range(9)}
    expected = evaluate(qrels, frame, ["AP", "nDCG", "Bpref"])
    found = evaluate(qrels, frame.take(rng.permutation(len(frame))), ["AP", "nDCG", "Bpref"])
    assert [row.value for row in found.rows()] == [row.value for row in expected.rows()]
    twice = pandas.concat([frame, frame.iloc[7:8]]).sample(frac=1, random_state=2)
    with pytest.raises(InputError, match="'d7' of query 'q0'"):
        evaluate(qrels, twice, ["AP"])
