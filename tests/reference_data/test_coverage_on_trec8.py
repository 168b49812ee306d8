"""Calibrated intervals hold on TREC-8: every group left out of a pool from which the others calibrate."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPTS = Path(__file__).parent.parent.parent / "scripts" / "trust"
WIDEST = {"AP": 0.0171, "RBP(p=0.8)": 0.0176}
"""Mean widths at 95 % that the intervals must not exceed."""


@pytest.fixture(scope="module")
def coverage() -> Any:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return import_module("calibrated_coverage")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def cases(data: Path, coverage: Any) -> Sequence[Any]:
    pooled = coverage.Pooled.read(data / "trec8")
    assert (len(pooled.group), pooled.groups, int(pooled.manual.sum())) == (71, 40, 9)
    return [
        case
        for group in range(pooled.groups)
        for case in coverage.left_out_group(data / "trec8", group, list(WIDEST), "runs")
    ]


@pytest.mark.parametrize("measure", WIDEST)
@pytest.mark.parametrize(
    ("level", "least", "most"), [(0.95, 0.93, 0.98), (0.9, 0.87, 0.94), (0.8, 0.76, 0.85)]
)
def test_nested_coverage(cases: Sequence[Any], measure: str, level: float, least: float, most: float) -> None:
    own = [case for case in cases if case.measure == measure and case.level == level]
    assert len(own) == 69  # two runs have more unjudged documents than all others and get their bounds
    assert least <= np.mean([case.covered for case in own]) <= most
    if level == 0.95:
        assert np.mean([case.high - case.low for case in own]) <= WIDEST[measure]


@pytest.mark.parametrize("measure", WIDEST)
def test_intervals_grow_with_the_level_and_stay_within_the_bounds(cases: Sequence[Any], measure: str) -> None:
    widths = {
        level: np.array([c.high - c.low for c in cases if c.measure == measure and c.level == level])
        for level in (0.8, 0.9, 0.95)
    }
    assert (widths[0.8] <= widths[0.9] + 1e-12).all()
    assert (widths[0.9] <= widths[0.95] + 1e-12).all()
    assert all(case.high - case.low <= case.bounds_width + 1e-12 for case in cases)


def test_the_limit_is_seen(data: Path, coverage: Any) -> None:
    """What automatic runs teach does not hold for manual ones: the documentation says so."""
    found = coverage.automatic_to_manual(data / "trec8", list(WIDEST))
    assert np.mean([case.covered for case in found if case.level == 0.95]) < 0.7
