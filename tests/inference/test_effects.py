"""Wins and losses, intervals and effect sizes: by hand, by leaving out, by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.inference.test_significance import score_matrices
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters
from unjudged.inference import pairs as effects
from unjudged.inference.pairs import Pairs, effect_size, outcomes, t_interval


def against_zero(differences: Floats) -> Pairs:
    """Each row of differences as a pair of its own."""
    count, queries = differences.shape
    return Pairs(np.vstack([np.zeros(queries), differences]), np.arange(1, count + 1), np.zeros(count, int))


def test_wins_ties_losses() -> None:
    found = outcomes(Pairs.of([[0.3, 0.5, 0.1, 0.9, 0.2], [0.1 + 0.2, 0.2, 0.4, 0.8, 0.1], [0, 0, 0, 0, 0]]))
    assert [column.tolist() for column in found.values()] == [[3, 5, 5], [1, 0, 0], [1, 0, 0]]


@given(score_matrices())
def test_outcomes_add_up_and_turn_round(scores: Floats) -> None:
    found, turned = outcomes(Pairs.of(scores)), outcomes(Pairs.of(-scores))
    assert (sum(found.values()) == scores.shape[1]).all()
    assert found["wins"].tolist() == turned["losses"].tolist()


@given(score_matrices(least=2))
def test_t_interval_is_scipys_and_agrees_with_the_test(scores: Floats) -> None:
    pairs = Pairs.of(scores)
    found = t_interval(pairs, 0.9)
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        if np.ptp(scores[i] - scores[j]) == 0:
            assert (found.low[k], found.high[k]) == (-np.inf, np.inf)
            continue
        theirs = stats.ttest_rel(scores[i], scores[j]).confidence_interval(0.9)
        assert (found.low[k], found.high[k]) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_one_query_has_no_interval() -> None:
    pairs = Pairs.of([[0.5], [0.2]])
    assert [float(x[0]) for x in t_interval(pairs)] == [0.3, -np.inf, np.inf]
    assert [float(x[0]) for x in effect_size(pairs)] == [np.inf, -np.inf, np.inf]


def test_effects_without_variance() -> None:
    pairs = Pairs.of([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.7, 0.7, 0.7]])
    found = effect_size(pairs)
    assert found.value.tolist() == [0, -np.inf, -np.inf]
    assert np.isfinite(found.low[0])
    assert found.low[1:].tolist() == [-np.inf, -np.inf]
    assert found.high[1:].tolist() == [np.inf, np.inf]


def test_all_but_one_difference_equal() -> None:
    """Without that query there is no variance left: nothing can be said, and nothing is NaN."""
    found = effect_size(against_zero(np.array([[0.1, 0.1, 0.1, 0.4], [0.0, 0.0, 0.0, 0.4]])))
    assert (found.low[0], found.high[0]) == (-np.inf, np.inf)
    assert np.isfinite([found.low[1], found.high[1]]).all()


@pytest.mark.parametrize("names", ["abcdefghijk", "aaabbcddddd"])
def test_the_jackknife_is_what_leaving_out_gives(names: str) -> None:
    differences = np.random.default_rng(8).exponential(size=(7, 11)) - 0.5
    parts = [[k for k, own in enumerate(names) if own == name] for name in sorted(set(names))]
    rows = [[np.delete(row, part) for part in parts] for row in differences]
    without = np.array([[left.mean() / left.std(ddof=1) for left in row] for row in rows])
    gaps = without - without.mean(axis=1, keepdims=True)
    expected = np.sqrt((len(parts) - 1) / len(parts) * (gaps**2).sum(axis=1))
    pairs = replace(against_zero(differences), clusters=Clusters.of(names))
    np.testing.assert_allclose(effects._jackknife(pairs, differences.std(axis=1, ddof=1)), expected)


WORLDS = {
    "Normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
    "heavy tails": lambda rng, shape: rng.standard_t(5, size=shape) / np.sqrt(5 / 3),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("queries", [10, 25, 50])
@pytest.mark.parametrize("effect", [0.0, 0.2, 0.5])
def test_effect_intervals_hold(world: str, queries: int, effect: float) -> None:
    """4,000 samples: a 95 % interval holds the effect in at least 94 %, and five standard errors of luck."""
    rng = np.random.default_rng(41)
    found = effect_size(against_zero(WORLDS[world](rng, (4000, queries)) + effect))
    held = float(((found.low <= effect) & (effect <= found.high)).mean())
    assert held >= 0.94 - 5 * np.sqrt(0.06 * 0.94 / 4000), held


@pytest.mark.parametrize("world", WORLDS)
def test_t_intervals_hold(world: str) -> None:
    rng = np.random.default_rng(43)
    found = t_interval(against_zero(WORLDS[world](rng, (4000, 50)) + 0.3))
    held = float(((found.low <= 0.3) & (found.high >= 0.3)).mean())
    assert held >= 0.94 - 5 * np.sqrt(0.06 * 0.94 / 4000), held
