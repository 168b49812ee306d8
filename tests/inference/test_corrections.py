"""Corrections against statsmodels, against enumeration, and in worlds where half of the systems are equal."""

from __future__ import annotations

from itertools import permutations, product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pairs import all_pairs
from unjudged import Scores, compare
from unjudged.base.choices import CorrectionName
from unjudged.inference.corrections import CORRECTIONS
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import p_values

STATSMODELS = {"holm": "holm", "bh": "fdr_bh", "bonferroni": "bonferroni"}


@pytest.mark.parametrize("name", STATSMODELS)
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=40))
def test_adjusted_p_values_are_those_of_statsmodels(name: str, p: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    with patch("gc.collect"):  # multipletests collects the garbage of the whole process each time
        theirs = multitest.multipletests(p, method=STATSMODELS[name])[1]
    np.testing.assert_allclose(CORRECTIONS[name].function(np.array(p)), theirs, rtol=0, atol=1e-12)


def test_no_correction() -> None:
    assert CORRECTIONS["none"].function(np.array([0.2, 0.01])).tolist() == [0.2, 0.01]


def test_tukey_is_the_enumeration_of_all_permutations() -> None:
    """3 systems, 4 queries: 6^4 ways to permute the systems within the queries."""
    scores = np.array([[0.9, 0.6, 0.8, 0.7], [0.1, 0.5, 0.3, 0.6], [0.2, 0.6, 0.1, 0.3]])
    columns = [[np.array(order) for order in permutations(scores[:, q])] for q in range(4)]
    ranges = np.array([np.ptp(np.mean(way, axis=0)) for way in product(*columns)])
    pairs, draws = Pairs.of(scores), 20_000
    exact = (ranges[None] >= np.abs(pairs.difference)[:, None] - 1e-12).mean(axis=1)
    drawn = all_pairs(scores, correction="tukey", draws=draws).p_adjusted
    assert (np.abs(drawn - exact) <= 5 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws).all()
    assert exact.min() < 0.1


def test_tukey_of_two_systems_is_the_sign_flip_test() -> None:
    scores = np.random.default_rng(4).random((2, 10))
    exact = p_values(Pairs.of(scores), "randomization").p[0]
    drawn = all_pairs(scores, correction="tukey").p_adjusted[0]
    assert drawn == pytest.approx(exact, abs=5 * np.sqrt(exact / 20_000))


@pytest.mark.parametrize("name", CORRECTIONS)
def test_identical_systems(name: CorrectionName) -> None:
    scores = np.tile(np.random.default_rng(1).random(6), (3, 1))
    assert all_pairs(scores, correction=name, draws=50).p_adjusted.tolist() == [1, 1, 1]
    assert all_pairs(scores, correction=name, draws=50, baseline=1).p_adjusted.tolist() == [1, 1]


def family_wise_errors(name: CorrectionName, repeats: int, baseline: int | None = None) -> float:
    """How often any of the true null hypotheses is rejected at 5 %.

    Eight systems on 25 queries of different difficulty; half are equal, the others better by up to 0.3, and
    scores are skewed.
    """
    rng, errors = np.random.default_rng(31), 0
    true_means = np.array([0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 0.2, 0.3])
    for _ in range(repeats):
        difficulty = rng.beta(1, 3, 25)
        noise = (rng.exponential(size=(8, 25)) - 1) * 0.1
        scores = difficulty + noise + true_means[:, None]
        found = all_pairs(scores, correction=name, draws=400, baseline=baseline, seed=1)
        equal = true_means[found.pairs.first] == true_means[found.pairs.second]
        errors += bool((found.significant & equal).any())
    return errors / repeats


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["holm", "bonferroni", "tukey"])
def test_family_wise_error_when_half_of_the_systems_are_equal(name: CorrectionName) -> None:
    repeats = 600
    assert family_wise_errors(name, repeats) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.thorough
def test_family_wise_error_against_a_baseline() -> None:
    repeats = 600
    assert family_wise_errors("holm", repeats, baseline=0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_without_correction_errors_are_frequent() -> None:
    """The simulation has what it takes to fail."""
    assert family_wise_errors("none", 200) > 0.1


def test_too_few_draws_for_a_correction_are_told() -> None:
    scores = Scores.read(np.random.default_rng(0).random((8, 20)))
    assert compare(scores, test="bootstrap", draws=100).notes[-1].endswith("draw at least 560.")
    assert "draw at least" not in " ".join(compare(scores, test="bootstrap", draws=560).notes)
