"""Plans against published sizes, scipy's noncentral t where it has a value, and simulated experiments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.conftest import examples
from tests.inference.test_significance import score_matrices
from unjudged import UsageError, plan_queries
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters
from unjudged.inference import pairs as effects
from unjudged.inference.pairs import Pairs, effect_size, outcomes, t_interval
from unjudged.inference.power import (
    LIMIT,
    power_of_t,
    queries_by_formula,
    queries_needed,
    smallest_effect,
    upper_limit,
)

PILOT = np.random.default_rng(6).normal(0.02, 0.1, 40)


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_the_sizes_of_textbooks(effect: float, queries: int) -> None:
    """Small, medium and large effects by Cohen, paired t, alpha 0.05, power 0.8."""
    assert queries_needed(1.0, effect, power=0.8, alpha=0.05) == queries


def test_the_normal_formula_by_hand() -> None:
    """(1.959964 + 0.841621)^2 0.1^2 / 0.02^2 = 196.2."""
    assert queries_by_formula(0.1, 0.02, power=0.8, alpha=0.05) == 197


@pytest.mark.parametrize("queries", [3, 5, 10, 30, 50, 100])
@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_power_is_that_of_the_noncentral_t(queries: int, effect: float, alpha: float) -> None:
    critical, centre = stats.t.isf(alpha / 2, queries - 1), np.sqrt(queries) * effect
    above = stats.nct.sf(critical, queries - 1, centre)
    below = stats.nct.cdf(-critical, queries - 1, centre)
    assert power_of_t(queries, effect, alpha) == pytest.approx(above + below, abs=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize(("queries", "effect", "alpha"), [(2, 3.0, 0.05), (5, 1.0, 0.001), (40, 0.5, 0.01)])
def test_power_is_what_simulated_experiments_have(queries: int, effect: float, alpha: float) -> None:
    rng, repeats = np.random.default_rng(12), 100_000
    drawn = rng.normal(effect, 1, (repeats, queries))
    share = float((stats.ttest_1samp(drawn, 0, axis=1).pvalue <= alpha).mean())
    power = power_of_t(queries, effect, alpha)
    assert abs(share - power) <= 5 * np.sqrt(power * (1 - power) / repeats)


@given(st.floats(0.01, 50), st.floats(0.3, 0.99), st.sampled_from([0.1, 0.05, 1e-3, 6e-6, 1e-9]))
def test_the_plan_is_the_smallest_that_suffices(effect: float, power: float, alpha: float) -> None:
    queries = queries_needed(1.0, effect, power=power, alpha=alpha)
    assert power_of_t(queries, effect, alpha) >= power
    assert queries == 2 or power_of_t(queries - 1, effect, alpha) < power
    assert smallest_effect(queries, power=power, alpha=alpha) <= effect * (1 + 1e-9)


@examples(30)
@given(st.integers(2, 10**9), st.floats(0, 1e4), st.sampled_from([0.5, 0.05, 1e-6, 1e-12]))
def test_power_is_a_probability(queries: int, effect: float, alpha: float) -> None:
    assert alpha * (1 - 1e-6) <= power_of_t(queries, effect, alpha) <= 1 + 1e-12


def test_a_plan_from_scores_and_from_differences() -> None:
    base = np.random.default_rng(1).random(40)
    one, other = plan_queries(PILOT, effect=0.03), plan_queries([base + PILOT, base], effect=0.03)
    assert one.deviation == pytest.approx(PILOT.std(ddof=1))
    assert (one.queries, one.queries_approximate, one.pilot_queries) == (
        other.queries,
        other.queries_approximate,
        40,
    )
    assert one.smallest_difference == pytest.approx(other.smallest_difference)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("shape", "queries"),
    [*(("normal", n) for n in (5, 15, 30, 50)), *(("exponential", n) for n in (15, 30, 50))],
)
def test_planned_experiments_have_the_power_that_was_promised(shape: str, queries: int) -> None:
    """It was .68, .76, .78 and .79 on average over Normal pilots, whose deviation is often too small."""
    rng, effect = np.random.default_rng(queries), 0.3
    draw = {"normal": rng.standard_normal, "exponential": rng.standard_exponential}[shape]
    plans = [plan_queries(draw(queries), effect).queries for _ in range(200)]
    assert np.mean([power_of_t(planned, effect, 0.05) for planned in plans]) >= 0.8


@pytest.mark.thorough
def test_the_limit_of_a_deviation_holds_as_often_as_it_says() -> None:
    drawn = np.random.default_rng(8).normal(0, 1, (20_000, 15)).std(axis=1, ddof=1)
    assert np.mean([upper_limit(one, 15) >= 1 for one in drawn]) == pytest.approx(LIMIT, abs=0.01)


def test_a_correction_takes_more_queries() -> None:
    scores = np.random.default_rng(2).random((5, 40))
    alone = plan_queries(scores, effect=0.1)
    holm = plan_queries(scores, effect=0.1, correction="holm")
    strict = plan_queries(scores, effect=0.1, alpha=0.05 / 10)
    assert holm.comparisons == 10
    assert holm.queries == strict.queries > alone.queries
    assert plan_queries(scores, effect=0.1, correction="holm", comparisons=1).queries == alone.queries
    assert plan_queries(scores, effect=0.1, correction="bh", baseline=2).comparisons == 4


def test_without_an_effect() -> None:
    found = plan_queries(PILOT)
    assert found.effect == found.smallest_difference
    assert found.queries in (40, 41)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"effect": 0}, "effect is 0, expected a difference above 0"),
        ({"effect": float("nan")}, "effect is nan"),
        ({"effect": 1e-7}, "more than 1,000,000,000 queries"),
        ({"power": 1.0}, "power is 1.0, expected a number between alpha and 1"),
        ({"alpha": 0}, "alpha is 0"),
        ({"alpha": 1e-13}, "alpha for each comparison is 1e-13, expected at least 1e-12"),
        ({"comparisons": 0}, "comparisons is 0"),
        ({"correction": "tukey"}, "tukey has no formula for planning, expected none, holm, bh, bonferroni"),
        ({"correction": "x"}, "correction is 'x'"),
        ({"scores": [0.1]}, "the pilot has one query"),
        ({"scores": [0.1, 0.1]}, "do not vary"),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan_queries(**{"scores": PILOT, "effect": 0.03, **given})


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
