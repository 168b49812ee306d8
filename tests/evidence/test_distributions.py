"""Distributions against scipy, and against closed forms where scipy has fewer digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from unjudged.evidence.distributions import gamma_share, normal_share, student_quantile, upper_tail

FREEDOMS = st.integers(1, 300) | st.floats(1, 300) | st.sampled_from([1_000, 7_000])
SIZES = st.floats(0.001, 60) | st.floats(0.001, 1e6)


@given(FREEDOMS, st.lists(SIZES, min_size=1, max_size=9))
def test_tails_are_scipys(freedom: float, sizes: list[float]) -> None:
    t = np.array(sizes)
    theirs, digits = special.stdtr(freedom, -t), 1e-13 * max(1.0, freedom / 300)
    known = theirs > 1e-290
    np.testing.assert_allclose(upper_tail(freedom, t)[known], theirs[known], rtol=digits)
    np.testing.assert_allclose(upper_tail(freedom, -t), special.stdtr(freedom, t), rtol=1e-13)


@given(FREEDOMS, st.floats(1e-12, 0.49))
def test_quantiles_are_where_the_tail_is_that_share(freedom: float, tail: float) -> None:
    t = float(student_quantile(1 - tail, freedom))
    assert upper_tail(freedom, t) == pytest.approx(1 - (1 - tail), rel=1e-12)
    assert student_quantile(tail, freedom) == pytest.approx(special.stdtrit(freedom, tail), rel=1e-10)


@given(st.floats(0, 1e9))
def test_closed_forms(t: float) -> None:
    assert upper_tail(1, t) == pytest.approx(np.arctan2(1, t) / np.pi, rel=1e-13)
    assert upper_tail(2, t) == pytest.approx(1 / (2 + t**2 + t * np.sqrt(2 + t**2)), rel=1e-13)


@given(st.lists(st.floats(-37, 37), min_size=1), st.floats(0.5, 200), st.lists(SIZES, min_size=1))
def test_normal_and_gamma_shares_are_scipys(z: list[float], shape: float, x: list[float]) -> None:
    np.testing.assert_allclose(normal_share(z), special.ndtr(z), rtol=1e-12)
    np.testing.assert_allclose(gamma_share(shape, x), special.gammainc(shape, x), atol=1e-12)


def test_limits_and_rows() -> None:
    assert upper_tail(5, [-np.inf, 0.0, np.inf]).tolist() == [1, 0.5, 0]
    assert [float(student_quantile(share, 5)) for share in (0, 0.5, 1)] == [-np.inf, 0, np.inf]
    freedoms, t = np.array([3.5, 40.0, 900.0]), np.array([0.1, 2.0, 9.0])
    alone = [upper_tail(v, one) for v, one in zip(freedoms, t, strict=True)]
    np.testing.assert_allclose(upper_tail(freedoms, t), alone, rtol=1e-14)
