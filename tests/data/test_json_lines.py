"""JSON lines read at once give what they give one by one."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import UnjudgedError, evaluate
from unjudged.data import text_tables

NAMES = st.sampled_from(["a", "b", "c", "ü", "\ud800", "\udc80", "", "x" * 40])
VALUES = st.one_of(NAMES, st.integers(-3, 3), st.floats(), st.booleans(), st.none(), st.lists(st.integers()))
LINES = st.one_of(
    st.fixed_dictionaries({"qid": NAMES, "docno": NAMES, "score": st.floats(-9, 9)}).map(json.dumps),
    st.fixed_dictionaries({"qid": st.integers(1, 3), "docno": st.integers(), "score": VALUES}).map(
        json.dumps
    ),
    st.dictionaries(st.sampled_from(["qid", "docno", "score", "rank"]), VALUES).map(json.dumps),
    st.sampled_from(["", "[]", "{}", '[["qid", "a"], ["docno", "b"], ["score", 1]]', "{", '"}', "1", "],["]),
)
GOOD = '{"qid": "a", "docno": "b", "score": 1}'


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=8), st.sampled_from([2, 1 << 14]))
@example(['{"qid": "a", "docno": "b", "score": 1}, {"qid": "a", "docno": "c", "score": 1}'], 9)
@example(['{"qid": "a", "docno": "b", "score": 1, "x": [{}', "{}]}", "1,2,3"], 9)
@example(['{"qid": "a", "qid": "a", "docno": "b", "score": 1}'], 9)
@example(['{"docno": "c", "score": 2, "qid": "a"}'], 9)
@example(['{"qid": "a", "docno": "c", "score": 1e999}'], 9)
@example(['{"qid": "a", "docno": "c", "score": ' + "9" * 5000 + "}"], 9)
@example(['{"qid": 1, "docno": "c", "score": true}'], 9)
def test_at_once_or_one_by_one(tmp_path: Path, lines: list[str], block: int) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([GOOD, GOOD.replace('"b"', '"d"'), *lines]), encoding="utf-8", errors="replace")

    def outcome() -> Any:
        try:
            return evaluate({"a": {"b": 1, "c": 1}, "1": {"2": 1}}, path, "AP").values.tolist()
        except UnjudgedError as error:
            return type(error), str(error)

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(text_tables, "BLOCK", block)
        at_once = outcome()
        patch.setattr(text_tables, "_columns_at_once", lambda *_: None)
        assert at_once == outcome()


@given(text=st.text("ab\r\n\u2028\x0b", max_size=40), characters=st.integers(1, 9))
def test_lines_are_those_of_python_wherever_pieces_end(text: str, characters: int) -> None:
    with tempfile.NamedTemporaryFile("w", newline="", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        with patch.object(text_tables, "CHARACTERS", characters):
            found = [*text_tables.lines_of(file.name)]
    assert found == [*io.StringIO(text, newline="")]
