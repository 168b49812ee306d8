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
WIDEST = {"AP": 0.0143, "RBP(p=0.8)": 0.0138}
"""Mean widths at 95 % of intervals whose scale was the root of the bounds' width."""


@pytest.fixture(scope="module")
def coverage() -> Any:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return import_module("calibrated_coverage")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def track(data: Path, coverage: Any) -> Any:
    return import_module("left_out_runs").tracks(data / "trec8")[0]


@pytest.fixture(scope="module")
def cases(track: Any, coverage: Any) -> Sequence[Any]:
    pooled = coverage.Pooled.read(track)
    assert (len(pooled.group), pooled.groups, int(pooled.unlike.sum())) == (71, 40, 9)
    made = []
    for group in range(pooled.groups):
        made += coverage.left_out_group(track, group, list(WIDEST))
    return [case for case in made if not case.unlike]


def of(cases: Sequence[Any], setting: str, measure: str, level: float) -> list[Any]:
    return [c for c in cases if (c.setting, c.measure, c.level) == (setting, measure, level)]


@pytest.mark.parametrize("measure", WIDEST)
@pytest.mark.parametrize(
    ("level", "limits"), {0.95: (0.93, 0.98), 0.9: (0.87, 0.94), 0.8: (0.76, 0.85)}.items()
)
def test_nested_coverage(
    cases: Sequence[Any], measure: str, level: float, limits: tuple[float, float]
) -> None:
    own = of(cases, "runs", measure, level)
    assert len(own) == 65  # six runs are unlike the others and get their bounds
    assert limits[0] <= np.mean([case.covered for case in own]) <= limits[1]
    if level == 0.95:
        assert np.mean([case.high - case.low for case in own]) <= WIDEST[measure]


def test_coverage_does_not_fall_with_what_is_unjudged(cases: Sequence[Any]) -> None:
    """At 90 % in the lower half, the middle and the top tenth by width of the bounds."""
    for first, last in ((0.0, 0.5), (0.5, 0.9), (0.9, 1.0)):
        part: list[Any] = []
        for measure in WIDEST:
            own = sorted(of(cases, "runs", measure, 0.9), key=lambda case: case.bounds_width)
            part += own[round(first * len(own)) : round(last * len(own))]
        assert np.mean([case.covered for case in part]) >= 0.87


@pytest.mark.parametrize("measure", WIDEST)
def test_intervals_grow_with_the_level_and_stay_within_the_bounds(cases: Sequence[Any], measure: str) -> None:
    widths = {
        level: np.array([c.high - c.low for c in of(cases, "runs", measure, level)])
        for level in (0.8, 0.9, 0.95)
    }
    assert (widths[0.8] <= widths[0.9] + 1e-12).all()
    assert (widths[0.9] <= widths[0.95] + 1e-12).all()
    runs = [case for case in cases if case.setting == "runs"]
    assert all(case.high - case.low <= case.bounds_width + 1e-12 for case in runs)


def test_manual_runs_are_recognised_or_hold(track: Any, coverage: Any) -> None:
    """Of the manual runs that automatic ones give an interval, nine in ten are inside it."""
    made = coverage.new_kind(track, list(WIDEST))
    with_interval = [case for case in made if not case.unlike]
    assert with_interval
    assert len(made) == 2 * 2 * 9
    assert np.mean([case.covered for case in with_interval]) >= 0.9
