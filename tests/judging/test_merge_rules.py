"""Rules for conflicts against plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError
from unjudged.judging import Pool
from unjudged.judging.drawn_sample import draw
from unjudged.judging.merging import RULES, merge

POOL = Pool.of({"q1": dict.fromkeys("ab", -1), "q2": dict.fromkeys("xy", -1)})
ALL = draw(POOL, "random", 1.0)


def most_frequent(grades: list[int]) -> int:
    (first, votes), *others = Counter(grades).most_common()
    return -1 if others and others[0][1] == votes else first


PLAIN: dict[str, Callable[[list[int]], int]] = {
    "error": lambda _: -1,
    "majority": most_frequent,
    "highest": max,
    "last": lambda grades: grades[-1],
}


@given(st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=1, max_size=8))
def test_rules_are_those_of_plain_python(columns: list[list[int]]) -> None:
    table = np.array([column for column in columns if max(column) >= 0], np.int32).reshape(-1, 4).T
    for name, plain in PLAIN.items():
        found = RULES.find(name)(table).tolist()
        assert found == [plain([g for g in column if g >= 0]) for column in table.T.tolist()], name
    assert set(RULES) == set(PLAIN)


def test_a_tie_of_the_majority_is_an_error() -> None:
    rest = {"q1": {"b": 0}, "q2": {"x": 1, "y": 0}}
    files = {"ann": {**rest, "q1": {"a": 2, "b": 0}}, "bob": {"q1": {"a": 0, "b": 1}}, "cy": {"q1": {"b": 1}}}
    with pytest.raises(InputError, match="1 document judged with different grades: q1 a"):
        merge(ALL, files, conflicts="majority")
    found = merge(ALL, {**files, "dee": {"q1": {"a": 2}}}, conflicts="majority")
    assert found.judgments.grade.tolist() == [2, 1, 1, 0]
    assert found.conflicts == [("q1", "a"), ("q1", "b")]
    assert "settled by the rule 'majority'" in found.notes()[0]
