"""p values against scipy, against every sign flip, and under a null hypothesis that is true."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.conftest import examples
from unjudged import UsageError
from unjudged.base.notes import note
from unjudged.base.segments import Floats
from unjudged.inference import significance
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import (
    TESTS,
    careful,
    level_of_one_look,
    over_time,
    p_values,
    significance_test,
)


@st.composite
def score_matrices(draw: st.DrawFn, least: int = 1, most: int = 30) -> Floats:
    """Values on a grid of eighths, which floating point subtracts exactly: ties, zeros, equal systems."""
    systems, queries = draw(st.integers(2, 5)), draw(st.integers(least, most))
    cells = st.lists(st.integers(0, 8), min_size=queries, max_size=queries)
    return np.array([draw(cells) for _ in range(systems)]) / 8


def defined(pairs: Pairs) -> list[tuple[int, Floats, Floats]]:
    """The pairs for which scipy has a p value."""
    rows = [(pairs.scores[i], pairs.scores[j]) for i, j in zip(pairs.first, pairs.second, strict=True)]
    return [(k, a, b) for k, (a, b) in enumerate(rows) if np.ptp(a - b) > 0]


@given(score_matrices())
def test_t_is_scipys(scores: Floats) -> None:
    pairs = Pairs.of(scores)
    p = p_values(pairs, "t").p
    for k, a, b in defined(pairs):
        assert p[k] == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-12)


@given(score_matrices(least=14) | score_matrices(least=2, most=5))  # scipy is slow between
def test_wilcoxon_is_scipys(scores: Floats) -> None:
    pairs = Pairs.of(scores)
    p = p_values(pairs, "wilcoxon").p
    for k, a, b in defined(pairs):
        assert p[k] == pytest.approx(stats.wilcoxon(a, b).pvalue, abs=1e-12)


@pytest.mark.parametrize("queries", [9, 14, 50, 51, 80])
def test_t_and_wilcoxon_where_few_values_are_equal(queries: int) -> None:
    rng = np.random.default_rng(queries)
    scores = np.rint(rng.beta(1, 3, (7, queries)) * 2**20) / 2**20
    scores[1, :4] = scores[0, :4]  # zeros
    scores[2, :4] = scores[0, :4] + 0.25  # ties
    pairs = Pairs.of(scores)
    for name, oracle in (("t", stats.ttest_rel), ("wilcoxon", stats.wilcoxon)):
        ours = p_values(pairs, name).p
        theirs = [oracle(a, b).pvalue for _, a, b in defined(pairs)]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_wilcoxon_takes_equal_differences_as_equal() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 have different last bits."""
    rng = np.random.default_rng(3)
    tenths = rng.integers(0, 11, (2, 20))
    assert len(np.unique(np.abs(tenths[0] / 10 - tenths[1] / 10))) > len(
        np.unique(np.abs(tenths[0] - tenths[1]))
    )
    exact = stats.wilcoxon(tenths[0], tenths[1]).pvalue
    assert p_values(Pairs.of(tenths / 10), "wilcoxon").p[0] == pytest.approx(exact, abs=1e-12)


def every_sign_flip(differences: Floats) -> float:
    means = [abs(np.mean(differences * signs)) for signs in product((-1, 1), repeat=len(differences))]
    return float(np.mean(np.array(means) >= abs(differences.mean()) - 1e-12))


@given(score_matrices(most=8))
@examples(40)
def test_randomization_on_few_queries_is_the_enumeration(scores: Floats) -> None:
    pairs = Pairs.of(scores)
    found = p_values(pairs, "randomization").p
    for p, i, j in zip(found, pairs.first, pairs.second, strict=True):
        assert p == pytest.approx(every_sign_flip(scores[i] - scores[j]), abs=1e-12)


def test_randomization_by_random_flips_approaches_the_enumeration() -> None:
    """With fewer draws than flips: within five standard errors, and by the formula (1 + #) / (B + 1)."""
    rng = np.random.default_rng(11)
    pairs, draws = Pairs.of(rng.integers(0, 5, (6, 12)) / 4), 4000
    drawn = p_values(pairs, "randomization", draws=draws).p
    exact = p_values(pairs, "randomization", draws=2**12).p
    assert (np.abs(drawn - exact) <= 5 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws).all()
    np.testing.assert_allclose(drawn * (draws + 1), np.rint(drawn * (draws + 1)), atol=1e-6)


def test_a_p_value_does_not_depend_on_the_other_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on which other pairs there are nor on the blocks in which pairs and draws are computed."""
    scores = np.random.default_rng(5).random((6, 16))
    whole = {name: p_values(Pairs.of(scores), name, draws=500).p for name in TESTS}
    monkeypatch.setattr("unjudged.inference.pairs.CELLS", 64)
    monkeypatch.setattr(significance, "CELLS", 64)
    for name, p in whole.items():
        np.testing.assert_array_equal(p_values(Pairs.of(scores), name, draws=500).p, p)
        assert p_values(Pairs.of(scores[:2]), name, draws=500).p[0] == p[0]


WORLDS = {
    "Normal": lambda rng, shape: rng.normal(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_t(4, size=shape),
    "mostly ties": lambda rng, shape: rng.normal(size=shape) * (rng.random(shape) < 0.5),
}


@pytest.mark.thorough
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("test", ["t", "randomization", "wilcoxon", "bootstrap"])
def test_p_is_uniform_when_nothing_differs(test: str, world: str) -> None:
    """2,000 pairs of equal systems on 30 queries: as many p values below each level as there should be.

    Five standard errors, and half a percentage point for what is not exact: t and the bootstrap are for large
    samples where differences are not Normal.
    """
    rng = np.random.default_rng(17)
    differences = WORLDS[world](rng, (2000, 30))
    pairs = Pairs(np.vstack([np.zeros(30), differences]), np.arange(1, 2001), np.zeros(2000, int))
    p = p_values(pairs, test, draws=2000).p
    for level in (0.01, 0.05, 0.1, 0.25, 0.5, 0.75):
        share = float((p <= level).mean())
        assert abs(share - level) <= 5 * np.sqrt(level * (1 - level) / 2000) + 0.005, (level, share)


@pytest.mark.thorough
@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("queries", [5, 10])
def test_skewed_differences_on_few_queries(test: str, queries: int) -> None:
    """The hardest case for a test of means: no more false alarms than the paired t test has."""
    rng = np.random.default_rng(23)
    differences = rng.exponential(size=(3000, queries)) - 1
    pairs = Pairs(np.vstack([np.zeros(queries), differences]), np.arange(1, 3001), np.zeros(3000, int))
    false = float((p_values(pairs, test, draws=1000).p <= 0.05).mean())
    assert false <= float((p_values(pairs, "t").p <= 0.05).mean()) + 0.01


@pytest.mark.thorough
def test_skewed_differences_as_the_documentation_has_them() -> None:
    """docs/comparing.md, "Which test?"."""
    rng = np.random.default_rng(0)
    differences = rng.exponential(size=(20_000, 20)) - 1
    pairs = Pairs(np.vstack([np.zeros(20), differences]), np.arange(1, 20_001), np.zeros(20_000, int))
    documented = {"t": 0.08, "randomization": 0.08, "wilcoxon": 0.13, "bootstrap": 0.06}
    shares = {test: float((p_values(pairs, test, draws=1000).p <= 0.05).mean()) for test in documented}
    assert shares == pytest.approx(documented, abs=0.007)


@pytest.mark.thorough
def test_looking_often() -> None:
    """100 looks from 30 to 900 queries at equal systems: t errs in a quarter of the paths, not this test."""
    walks = np.random.default_rng(46).normal(size=(1000, 900))
    walks[500:] = np.random.default_rng(47).exponential(size=(500, 900)) - 1
    ever = {test: np.zeros(len(walks), bool) for test in ("t", "sequential")}
    for queries in np.unique(np.geomspace(30, 900, 100).round().astype(int)).tolist():
        once = careful(walks[:, :queries]).both
        ever["t"] |= once <= 0.05
        ever["sequential"] |= over_time(once, queries) <= 0.05
        assert ((once <= level_of_one_look(0.05)) == (over_time(once, queries) <= 0.05)).all()
    assert ever["t"].mean() > 0.25
    assert ever["sequential"].mean() <= 0.05
    assert (over_time(np.array([1e-300, 0.0]), 29) == 1).all()


def test_a_difference_is_found() -> None:
    rng = np.random.default_rng(2)
    pairs = Pairs.of(np.vstack([rng.random(50), rng.random(50) + 0.5]))
    assert all(p_values(pairs, test).p[0] < 0.001 for test in TESTS)


@pytest.mark.parametrize("test", list(TESTS))
def test_cases_without_variance(test: str) -> None:
    one = p_values(Pairs.of([[0.5], [0.7], [0.5]]), test)
    assert one.p.tolist() == [1, 1, 1]
    assert one.notes[0] == "One query says nothing about other queries: every p is 1."
    zero = p_values(Pairs.of(np.zeros((3, 4))), test)
    assert zero.p.tolist() == [1, 1, 1]
    assert "3 of 3 pairs score the same" in zero.notes[0]
    shifted = p_values(Pairs.of([[0.1, 0.2, 0.4, 0.7, 0.9], [0.2, 0.3, 0.5, 0.8, 1.0]]), test)
    if test not in ("bootstrap", "sequential"):
        assert shifted.p[0] == pytest.approx(2 / 2**5)
    assert 0 < shifted.p[0] <= 1
    assert (
        test in ("randomization", "wilcoxon", "sequential") or "differ by the same amount" in shifted.notes[0]
    )


@given(score_matrices(), st.sampled_from(list(TESTS)))
@examples(60)
def test_never_nan_and_symmetric(scores: Floats, test: str) -> None:
    p = p_values(Pairs.of(scores), test, draws=50).p
    assert ((p > 0) & (p <= 1)).all()
    np.testing.assert_allclose(p_values(Pairs.of(-scores), test, draws=50).p, p)


def test_notes_of_resampling() -> None:
    scores = np.random.default_rng(0).random((2, 20))
    assert "p is at least 1/101." in p_values(Pairs.of(scores), "bootstrap", draws=100).notes[0]
    assert "All 256 sign flips" in p_values(Pairs.of(scores[:, :8]), "randomization").notes[0]


def test_a_test_of_ones_own_that_is_broken() -> None:
    @significance_test("broken")
    def broken(differences: Floats, **_: object) -> Floats:
        return np.full(len(differences), np.nan)

    with pytest.raises(UsageError, match="test broken returned a p value outside 0 to 1"):
        p_values(Pairs.of([[0.1, 0.2], [0.3, 0.5]]), "broken")


def test_refusals() -> None:
    pairs = Pairs.of([[0.1, 0.2], [0.3, 0.5]])
    with pytest.raises(
        UsageError, match="test is 'z', expected one of t, randomization, wilcoxon, bootstrap"
    ):
        p_values(pairs, "z")
    with pytest.raises(UsageError, match="draws is 0"):
        p_values(pairs, "bootstrap", draws=0)
    with pytest.raises(UsageError, match=r"shape \(1, 2\)"):
        Pairs.of([[0.1, 0.2]])
    with pytest.raises(UsageError, match="system 1 on query 0 is nan"):
        Pairs.of([[0.1, 0.2], [float("nan"), 0.5]])
    with pytest.raises(UsageError, match="baseline is system 2, expected one of 0 to 1"):
        Pairs.of([[0.1, 0.2], [0.3, 0.5]], baseline=2)


def test_notes_count_pairs_in_the_singular_and_the_plural() -> None:
    """`1 of 3 pairs score the same`, without a full stop."""
    apart = np.linspace(0.1, 0.9, 12)
    one = Pairs.of([apart, apart, apart[::-1] ** 2])
    assert p_values(one).notes == ("1 of 3 pairs scores the same on every query: p is 1.",)
    all_three = Pairs.of([apart] * 3)
    assert p_values(all_three).notes == ("3 of 3 pairs score the same on every query: p is 1.",)
    shifted = Pairs.of([apart, apart + 0.25, apart[::-1] ** 2])
    said = "1 of 3 pairs differs by the same amount on every query: p is 2^-11."
    assert p_values(shifted).notes == (said, note("alike"))
