"""Rows in no order in tables: the twins agree, ranks follow the tie rule, damaged rows are refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, evaluate
from unjudged.base.threads import Threads
from unjudged.data.matching import DocumentTwice, match_ungrouped
from unjudged.data.scan.plain import matcher as plain
from unjudged.data.scan.plain import unordered_rows as plain_ungrouped
from unjudged.data.tables import Ids, Matched, Table

compiled = pytest.importorskip("unjudged.data.scan.compiled.native")
pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

QUERIES = [b"1", b"2", b"10", "ü".encode(), b""]
NAMES = st.sampled_from([b"", b"a", b"b", b"aa", b"ab", b"a\0", b"\xff", b"document-1", b"x" * 40])
SCORES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1.5, float("inf"), 1e-300])
ROWS = st.lists(st.tuples(st.sampled_from(QUERIES), NAMES, SCORES), max_size=40)
JUDGED = st.dictionaries(st.sampled_from(QUERIES), st.lists(NAMES, unique=True), max_size=4)


def as_table(rows: list[tuple[bytes, bytes, float]]) -> Table:
    """A group for each row."""
    queries, documents, scores = zip(*rows, strict=True) if rows else ((), (), ())
    numbers = np.array(scores, float).reshape(-1, 1)
    return Table(Ids.of(queries), np.arange(len(rows) + 1), Ids.of(documents), numbers, np.zeros(0, np.int64))


def groups_of(judged: dict[bytes, list[bytes]]) -> tuple[Ids, Any, Ids]:
    starts = np.cumsum([0, *map(len, judged.values())])
    return Ids.of(judged), starts, Ids.of([name for names in judged.values() for name in names])


def matched(table: Table, judged: dict[bytes, list[bytes]], cuts: list[int], twin: Any = compiled) -> Matched:
    rows = len(table.documents)
    spans = list(pairwise([0, *sorted(cut % (rows + 1) for cut in cuts), rows]))
    index = (plain if twin is plain_ungrouped else compiled).Index(*groups_of(judged))

    def read(first: int, most: int) -> list[Any]:
        kept = [twin.UnorderedRows(first, most) for _ in spans]
        for own, span in zip(kept, spans, strict=True):
            own.add(table.span(*span))
        return kept

    with pytest.MonkeyPatch.context() as patch, Threads(3) as pool:
        for name in ("PARTS", "GroupedRows"):
            patch.setattr(f"unjudged.data.scan.scanner.{name}", getattr(twin, name))
        patch.setattr("unjudged.data.matching.SMALLEST_SHARE", 2)
        return match_ungrouped(read, index, pool, 3)


def outcome(call: Callable[[], Matched]) -> Any:
    try:
        found = call()
    except DocumentTwice as error:
        return error.query, error.document
    assert found.unjudged is None
    arrays = [*found[:5], *(found.ties or ())]
    return [(array.dtype.name, array.tolist()) for array in arrays]


@given(ROWS, JUDGED, st.lists(st.integers(0, 50), max_size=3))
def test_the_twins_agree(rows: Any, judged: Any, cuts: list[int]) -> None:
    table = as_table(rows)
    expected = outcome(lambda: matched(table, judged, [], plain_ungrouped))
    assert outcome(lambda: matched(table, judged, cuts)) == expected


@given(st.permutations(range(60)), st.integers(1, 60), st.integers(1, 4))
def test_ranks_among_ties(order: list[int], hits: int, scores: int) -> None:
    """Ranks follow the tie rule, whichever documents are judged and however many have the same score."""
    names = [b"d%d" % i for i in order]
    table = as_table([(b"q", name, float(i % scores)) for i, name in zip(order, names, strict=True)])
    found = matched(table, {b"q": names[:hits]}, [20, 40])
    best = sorted(zip(table.numbers[:, 0], names, strict=True), reverse=True)
    ranks = {name: rank for rank, (_, name) in enumerate(best, 1)}
    by_rank = sorted((ranks[name], row) for row, name in enumerate(names[:hits]))
    assert list(zip(found.rank.tolist(), found.row.tolist(), strict=True)) == by_rank


SOUND = as_table([(b"1", b"a", 1.0), (b"2", b"b", 2.0), (b"1", b"b", 3.0)])
DAMAGED: dict[str, tuple[dict[str, Any], str]] = {
    "a group of no row": ({"starts": np.array([0, 1, 2, 4])}, "damaged"),
    "groups backwards": ({"starts": np.array([0, 2, 1, 3])}, "damaged"),
    "too few groups": ({"starts": np.array([0, 3])}, "damaged"),
    "no score": ({"numbers": np.array([[1.0], [np.nan], [2]])}, r"row 1 \(from 0\): the score is nan"),
    "offsets past the end": ({"documents": Ids(SOUND.documents.data, np.array([0, 1, 2, 9]))}, "damaged"),
    "offsets backwards": ({"documents": Ids(SOUND.documents.data, np.array([0, 2, 1, 3]))}, "damaged"),
    "negative offsets": ({"documents": Ids(SOUND.documents.data, np.array([-1, 1, 2, 3]))}, "damaged"),
    "queries past the end": ({"queries": Ids(SOUND.queries.data, np.array([0, 1, 2, 7]))}, "damaged"),
}


@pytest.mark.parametrize("twin", [compiled, plain_ungrouped])
@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_rows_are_refused(damage: str, twin: Any) -> None:
    changed, problem = DAMAGED[damage]
    columns: dict[str, Any] = {**vars(SOUND), **changed}
    with pytest.raises(InputError, match=problem):
        twin.UnorderedRows(0, 1 << 20).add(Table(**columns))


@given(st.lists(NAMES, max_size=20), st.data())
def test_names_are_taken(names: list[bytes], data: st.DataObject) -> None:
    places = st.lists(st.integers(0, max(0, len(names) - 1)), max_size=30 if names else 0)
    rows = np.array(data.draw(places), np.int64)
    for twin in (compiled, plain):
        assert twin.take_names(Ids.of(names), rows).tolist() == [names[row] for row in rows]


def test_a_frame_in_no_order() -> None:
    rng = np.random.default_rng(3)
    rows = [(f"q{q}", f"d{d}", float(d % 7)) for q in range(9) for d in range(50)]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    qrels = {f"q{q}": {f"d{d}": int(d % 3) for d in range(0, 60, 4)} for q in range(9)}
    expected = evaluate(qrels, frame, ["AP", "nDCG", "Bpref"])
    found = evaluate(qrels, frame.take(rng.permutation(len(frame))), ["AP", "nDCG", "Bpref"])
    assert [row.value for row in found] == [row.value for row in expected]
    twice = pandas.concat([frame, frame.iloc[7:8]]).sample(frac=1, random_state=2)
    with pytest.raises(InputError, match="'d7' of query 'q0'"):
        evaluate(qrels, twice, ["AP"])
