"""How far an interval reaches if one looks often: against the literature, and against simulated looks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from unjudged.evidence.drawn.by_design import boundary, reach


@pytest.mark.parametrize("looks", [3, 10, 40])
def test_no_look_of_all_misses_more_often_than_promised(looks: int) -> None:
    """20,000 walks: equal shares miss less than 5 %, the sequence too, and looks for one much more."""
    steps = np.random.default_rng(looks).normal(size=(20_000, looks))
    count = np.arange(1, looks + 1)
    z = np.abs(np.cumsum(steps, axis=1)) / np.sqrt(count)
    each = float(reach(np.array([1e9]), 0.05, looks)[0])
    reaches = np.full(looks, 1.96), np.full(looks, each), boundary(count.astype(float), looks / 2)
    once, declared, undeclared = (float((z > far).any(axis=1).mean()) for far in reaches)
    assert declared < 0.05
    assert once > 2 * declared
    assert undeclared < 0.05


def test_reach_is_students() -> None:
    freedom = np.array([4.0, 30.0, 1e6])
    assert reach(freedom, 0.05) == pytest.approx(stats.t.isf(0.025, freedom))
    assert reach(freedom, 0.05, looks=5) == pytest.approx(stats.t.isf(0.005, freedom))
    at = np.array([20.0, 50.0, 90.0])
    without = reach(freedom, 0.05, information=at, expected=50.0)
    assert without == pytest.approx(stats.t.isf(0.025, freedom) / stats.norm.isf(0.025) * boundary(at, 50.0))
    least = boundary(np.linspace(5, 500, 397), 50.0)
    assert 5 + 1.25 * int(np.argmin(least / np.sqrt(np.linspace(5, 500, 397)))) > 50
