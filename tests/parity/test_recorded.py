"""What commit 705eafce answered is still the answer; `make parity` asks all of the questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.collections import write_cases
from tests.parity.compare import Change, alike, compare
from tests.parity.recorded import check
from tests.parity.rows import Key


@pytest.mark.thorough
def test_recorded_answers(tmp_path: Path) -> None:
    write_cases(tmp_path)
    result = check(tmp_path, whole=False)
    assert not result.wrong, "\n".join(result.problems)
    assert result.equal > 1000


def key(field: str, measure: str = "AP") -> Key:
    return Key("pool 1", "", measure, "r0", "", field)


def test_every_difference_must_be_listed() -> None:
    old = {key("values.mean"): 0.5, key("interval bounds.value"): 0.25, key("gate.outcome"): "pass"}
    new = {key("values.mean"): 0.5 + 1e-16 * 2, key("interval bounds.value"): 0.25 + 1e-13, key("new.p"): 1}
    found = compare(old, new, [])
    assert (found.equal, found.wrong) == (1, 3)
    listed = [
        Change("rounding", field="values.mean", measure="AP|P@5", counts={"small": 1}),
        Change("gone", field="gate.*", counts={"small": 1}),
        Change("new", field="new.*", counts={"small": 2}),
    ]
    found = compare(old, new, listed)
    assert (found.equal, found.deliberate, found.wrong) == (1, 3, 0)
    (stale,) = compare(old, new, listed, counted=["small"]).problems
    assert stale == "listed change new.* of * in *: small = 1 occur, 2 listed"


def test_which_values_are_alike() -> None:
    assert alike([0.1, None, "a", float("nan")], [0.1 + 1e-14, None, "a", float("nan")])
    assert not alike([0.1], [0.1 + 1e-14], exact=True)
    assert not alike([0.1], [0.1, 0.2])
    assert not alike(1, True)
    assert not alike(0.1, None)
    assert alike(1e9, 1e9 + 1e-4)
    assert alike("bits 1", "bits 2")
    assert not alike("bits 1", "bits 2", exact=True)
