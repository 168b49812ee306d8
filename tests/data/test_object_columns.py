"""Columns of Python objects: strings by the scanner, compiled or not, anything else by Arrow."""

from __future__ import annotations

import sys
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, evaluate
from unjudged.data.scan.plain import matcher as plain_objects

compiled = pytest.importorskip("unjudged.data.scan.compiled.native")
pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

OBJECTS = st.one_of(
    st.text(),
    st.text(alphabet="ab"),
    st.sampled_from(["", "é", "\ud800", "x" * 300, None, 1, b"a", 1.5, np.str_("a"), float("nan")]),
)


@given(st.one_of(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]))), st.lists(OBJECTS)))
def test_the_twins_agree(objects: list[Any]) -> None:
    column = np.empty(len(objects), object)
    column[:] = objects
    expected, found = plain_objects.ids_of_strings(column), compiled.ids_of_strings(column)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.tolist() == expected.tolist() == [text.encode() for text in objects]


@given(
    st.one_of(st.lists(st.sampled_from(["", "a", "b", "ab", "é", "x" * 300])), st.lists(OBJECTS)),
    st.booleans(),
)
def test_stretches_of_equal_strings(objects: list[Any], copied: bool) -> None:
    column = np.empty(len(objects), object)
    column[:] = [(o + "!")[:-1] if copied and type(o) is str else o for o in objects]
    expected, found = plain_objects.stretches_of_strings(column), compiled.stretches_of_strings(column)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        stretches = [(text, len(list(equal))) for text, equal in groupby(objects)]
        assert [(objects[start], stop - start) for start, stop in pairwise(found.tolist())] == stretches
        assert found.tolist() == expected.tolist()
        assert found[-1] == len(objects)


def test_columns_that_are_not_contiguous_or_not_filled() -> None:
    column = np.array([["a", "b"], ["c", "d"], ["e", "é"]], object)
    for part in (column[:, 1], column[::-1, 0], column[:0, 0]):
        assert compiled.ids_of_strings(part).tolist() == [text.encode() for text in part]
    assert compiled.ids_of_strings(np.empty(3, object)) is None
    assert compiled.stretches_of_strings(np.empty(3, object)) is None


def test_the_strings_are_neither_kept_nor_changed() -> None:
    text = "a long string" * 2
    before, size = sys.getrefcount(text), sys.getsizeof(text)
    ids = compiled.ids_of_strings(np.array([text, "é" * 50], object))
    assert ids.raw(0) == text.encode()
    assert (sys.getrefcount(text), sys.getsizeof(text)) == (before, size)


@pytest.mark.parametrize("scores", [[3.0, 2.0, 1.0], ["3", "2.0", "1e0"], [3, 2.0, np.float32(1)]])
def test_a_frame_of_objects(scores: list[Any]) -> None:
    columns = {"query_id": ["1", "1", "é"], "doc_id": ["a", "ü", "c"], "score": scores}
    frame = pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in columns.items()})
    qrels = {"1": {"a": 0, "ü": 1}, "é": {"c": 2}}
    run = {"1": {"a": 3.0, "ü": 2.0}, "é": {"c": 1.0}}
    for rows in (frame, frame.iloc[[2, 0, 1]], frame.iloc[[0, 2, 1]].set_index("score", drop=False)):
        assert evaluate(qrels, rows, ["AP", "RR"]).values.tolist() == [
            value.tolist() for value in evaluate(qrels, run, ["AP", "RR"]).values
        ]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, r"row 1 \(from 0\): the document is null, expected a value in every row"),
        ("\ud800", "cannot be written as UTF-8"),
        (["a"], "the document is a list .*, expected text or a whole number"),
        (7.5, "the document is a float .'7.5'., expected text or a whole number"),
    ],
)
def test_what_is_not_text(value: Any, problem: str) -> None:
    frame = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    frame = frame.astype({"query_id": object, "doc_id": object})
    frame["doc_id"] = pandas.Series(["a", value], dtype=object)
    with pytest.raises(InputError, match=problem):
        evaluate({"1": {"a": 1}}, frame, ["AP"])


@pytest.mark.parametrize(
    ("wrong", "row"), [({2: "x"}, "row 2 .*score is"), ({1: "x", 2: "x"}, "row 1 .*score")]
)
def test_the_first_wrong_row_is_named_whichever_column_it_is_in(wrong: dict[int, str], row: str) -> None:
    documents: list[Any] = ["a", "b", "c", {}]
    scores = [wrong.get(place, 1.0) for place in range(4)]
    rows = {"qid": ["1"] * 4, "docno": documents, "score": scores}
    frame = pandas.DataFrame({name: pandas.Series(own, dtype=object) for name, own in rows.items()})
    with pytest.raises(InputError, match=row):
        evaluate({"1": {"a": 1}}, frame)
