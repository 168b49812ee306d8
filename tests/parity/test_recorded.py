"""Recorded answers come again; `make parity` asks about every collection."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import pytest

from tests.parity.collections import write_cases
from tests.parity.recorded import ask, differences, read, summarised

FEW = {"sample", "numbers", "pool 1", "strata 2", "by query 2"}


@pytest.mark.thorough
def test_recorded_answers(tmp_path: Path) -> None:
    write_cases(tmp_path)
    old = {name: column for name, column in read().items() if name.partition(":")[0] in FEW}
    assert len(old) > 10_000
    assert not differences(old, ask(tmp_path, FEW))


def test_what_differs() -> None:
    """Only what was recorded must come again, floats to a rounding error."""
    old = {"a": [0.1, None, "x", nan, 1e9, 1], "b": [0.1], "c": True, "d": [1, 2], "e": [inf]}
    same = {**old, "a": [0.1 + 1e-14, None, "x", nan, 1e9 + 1e-4, 1], "new": 1}
    assert differences(old, same) == []
    for name, other in (
        *(("a", [0.1, None, "y", nan, 1e9, 1]), ("b", [0.1 + 1e-11]), ("b", [0.1, 0.2]), ("b", [None])),
        *(("c", "no answer"), ("d", [1, 3]), ("d", [2, 1]), ("e", [1e300])),
    ):
        assert differences(old, {**same, name: other}) == [f"{name}: {old[name]} -> {other}"]


def test_long_columns_are_told_apart() -> None:
    """By their count, sum, weighted sum and words."""
    column = [0.1 * k for k in range(100)] + [None, "x"]
    for other in (
        column[1:],
        [column[1], column[0], *column[2:]],
        [*column[:-1], "y"],
        [*column[:-2], "x", None],
    ):
        assert differences({"a": summarised(column)}, {"a": summarised(other)})
