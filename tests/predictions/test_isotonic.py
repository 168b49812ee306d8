"""Curves against scikit-learn's isotonic regression, and weights of judges against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged.evidence.drawn.grades import Curve, joined

sklearn = pytest.importorskip("sklearn.isotonic")


@examples(80)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 80), levels=st.integers(1, 30))
def test_the_curve_is_isotonic_regression_drawn_to_the_mean(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    score, gain = rng.integers(0, levels, n).astype(float), rng.integers(0, 2, n).astype(float)
    weight = rng.uniform(1, 20, n)
    oracle = sklearn.IsotonicRegression(out_of_bounds="clip").fit(score, gain, weight)
    at = np.linspace(-1, levels + 1, 57)
    count = weight.sum() ** 2 / (weight**2).sum()
    mean = np.average(gain, weights=weight)
    expected = (count * oracle.predict(at) + mean) / (count + 1)
    np.testing.assert_allclose(Curve.fitted(score, gain, weight)(at), expected, atol=1e-12)


def test_documents_without_a_score_have_their_own_share() -> None:
    score = np.array([1.0, 2.0, np.nan, np.nan, np.nan])
    gain = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    curve = Curve.fitted(score, gain, np.ones(5))
    assert curve(np.array([np.nan])).item() == pytest.approx((2 + 0.6) / 4)
    nothing = Curve.fitted(np.full(2, np.nan), np.array([1.0, 0.0]), np.ones(2))
    np.testing.assert_allclose(nothing(np.array([5.0, np.nan])), 0.5)
    assert Curve.fitted(np.zeros(0), np.zeros(0), np.zeros(0))(np.array([3.0, np.nan])).tolist() == [0, 0]


def test_weights_of_judges_are_least_squares_without_negative_ones() -> None:
    rng = np.random.default_rng(1)
    value, weight = rng.integers(0, 2, 80).astype(float), rng.uniform(1, 5, 80)
    judges = [value + s * rng.standard_normal(80) for s in (0.5, 1.0)] + [-value]
    found = scipy.optimize.nnls(np.sqrt(weight)[:, None] * np.array(judges).T, np.sqrt(weight) * value)[0]
    np.testing.assert_allclose(joined(judges, value, weight), found / found.sum(), atol=1e-12)
    assert joined(judges, value, weight)[2] == 0
    assert joined(judges[:1], value, weight).tolist() == [1.0]
    np.testing.assert_allclose(joined([-value, -2 * value], value, weight), 0.5)
