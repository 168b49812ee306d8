"""Calibration against scikit-learn's isotonic regression, and cross-fitting by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Judgments
from unjudged.predictions.calibrated_gains import Curve, cross_fitted, folds_of

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


def test_a_fold_is_calibrated_by_the_others_alone() -> None:
    rng = np.random.default_rng(1)
    score, gain, fold = rng.random(60), rng.integers(0, 2, 60).astype(float), rng.integers(0, 4, 60)
    drawn, pi = rng.random(60) < 0.6, rng.uniform(0.2, 1, 60)
    found = cross_fitted(score, gain, drawn, pi, fold)
    for k in range(4):
        others = drawn & (fold != k)
        curve = Curve.fitted(score[others], gain[others], 1 / pi[others])
        np.testing.assert_array_equal(found[fold == k], curve(score[fold == k]))
        changed = np.where(fold == k, 1 - gain, gain)
        again = cross_fitted(score, changed, drawn, pi, fold)
        np.testing.assert_array_equal(again[fold == k], found[fold == k])


def test_folds_do_not_depend_on_the_order_of_the_file() -> None:
    nested = {f"q{i}": {f"d{j}": 0 for j in range(3)} for i in range(25)}
    turned = {q: dict(reversed(nested[q].items())) for q in reversed(nested)}
    few = {q: nested[q] for q in list(nested)[:4]}
    for there, back in ((nested, turned), (few, {q: turned[q] for q in reversed(few)})):
        pair = []
        for source in (there, back):
            judgments = Judgments.read(source)
            names = [
                (judgments.queries[q], d) for q, d in zip(judgments.query, judgments.documents, strict=True)
            ]
            pair.append(dict(zip(names, folds_of(judgments).tolist(), strict=True)))
        assert pair[0] == pair[1]
    by_query = folds_of(Judgments.read(nested)).reshape(25, 3)
    assert (by_query == by_query[:, :1]).all()
    assert sorted(np.bincount(by_query[:, 0])) == [2] * 5 + [3] * 5
    assert len(set(folds_of(Judgments.read(few)).tolist())) > 4
