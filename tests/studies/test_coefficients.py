"""Coefficients of agreement: published examples, scikit-learn, and definitions document by document."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from unjudged import UsageError
from unjudged.studies import rank_overlap
from unjudged.studies.agreement import COEFFICIENTS, bias, rho, rms, tau, tau_ap
from unjudged.studies.auditing import coefficient_estimates


def value(name: str, counts: object, grades: object) -> float:
    return float(COEFFICIENTS[name].function(np.array(counts, float), np.array(grades, float)))


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [("0100000010", "1110010000", 0.095), ("001132224330", "101112224333", 0.692)],
)
def test_alpha_of_two_observers_as_published(first: str, second: str, published: float) -> None:
    """Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, sections A and B."""
    counts = np.zeros((5, 5))
    for a, b in zip(map(int, first), map(int, second), strict=True):
        counts[a, b] += 1
    assert value("alpha", counts, range(5)) == pytest.approx(published, abs=5e-4)


labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def table(pairs: list[tuple[int, int]]) -> np.ndarray:
    counts = np.zeros((4, 4))
    np.add.at(counts, tuple(np.array(pairs).T), 1)
    return counts


@given(labels)
def test_kappas_equal_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    a, b = np.array(pairs).T
    if len(set(a) | set(b)) < 2:
        return
    for name, weights in (("kappa", None), ("linear", "linear"), ("quadratic", "quadratic")):
        theirs = metrics.cohen_kappa_score(a, b, weights=weights, labels=range(4))
        assert value(name, table(pairs), range(4)) == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@given(labels)
def test_coefficients_by_their_definitions(pairs: list[tuple[int, int]]) -> None:
    counts, a, b = table(pairs), *np.array(pairs).T
    assert value("same", counts, range(4)) == pytest.approx((a == b).mean(), abs=1e-12)
    assert value("mae", counts, range(4)) == pytest.approx(np.abs(a - b).mean(), abs=1e-12)
    by_chance = sum((a == grade).mean() * (b == grade).mean() for grade in range(4))
    kappa = ((a == b).mean() - by_chance) / (1 - by_chance) if len({*a, *b}) > 1 else float("nan")
    assert value("kappa", counts, range(4)) == pytest.approx(kappa, abs=1e-12, nan_ok=True)
    values = [*a, *b]
    apart = [x != y for x, y in permutations(values, 2)]
    expected = 1 - (a != b).mean() / np.mean(apart) if any(apart) else float("nan")
    found = value("alpha", counts, range(4))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    many = [values.count(grade) for grade in range(4)]

    def apart_in_order(x: int, y: int) -> float:
        low, high = sorted((x, y))
        return float((sum(many[low : high + 1]) - (many[low] + many[high]) / 2) ** 2)

    observed = np.mean([apart_in_order(x, y) for x, y in pairs])
    by_chance = np.mean([apart_in_order(x, y) for x, y in permutations(values, 2)])
    expected = 1 - observed / by_chance if by_chance else float("nan")
    assert value("ordinal_alpha", counts, range(4)) == pytest.approx(expected, abs=1e-12, nan_ok=True)


GRADES = np.arange(3.0)


def tables(rng: np.random.Generator, queries: int, *, alike: bool = False) -> np.ndarray:
    """Count documents of each query by the grades of two judges, whose agreement differs by query."""
    sizes = np.full(queries, 30) if alike else rng.integers(5, 60, queries)
    found = []
    for size, same in zip(sizes, rng.beta(6, 3, queries), strict=True):
        chance = same * np.diag([0.5, 0.3, 0.2]) + (1 - same) * np.outer([0.5, 0.3, 0.2], [0.4, 0.3, 0.3])
        found.append(rng.multinomial(size, chance.ravel()).reshape(3, 3))
    return np.array(found, float)


@pytest.mark.parametrize("name", list(COEFFICIENTS))
@pytest.mark.parametrize("alike", [True, False])
def test_the_interval_is_its_formula(name: str, alike: bool) -> None:
    counts = tables(np.random.default_rng(1), 12, alike=alike)
    coefficient = COEFFICIENTS[name].function
    without = [float(coefficient(np.delete(counts, i, axis=0).sum(0), GRADES)) for i in range(12)]
    error = np.sqrt(11 / 12 * sum((v - np.mean(without)) ** 2 for v in without))
    sizes = counts.sum((1, 2))
    freedom = 11 if alike else sum(sizes**2) ** 2 / sum(sizes**4) - 1
    found = coefficient_estimates(counts, GRADES, 0.95)[name]
    value = float(coefficient(counts.sum(0), GRADES))
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.high - value == pytest.approx(t.ppf(0.975, freedom) * error, rel=1e-9)
    assert value - found.low == pytest.approx(t.ppf(0.975, freedom) * error, rel=1e-9)


def test_queries_without_shared_documents_do_not_count() -> None:
    counts = tables(np.random.default_rng(2), 12)
    empty = np.concatenate([counts, np.zeros((5, 3, 3))])
    for name, found in coefficient_estimates(empty, GRADES, 0.9).items():
        without = coefficient_estimates(counts, GRADES, 0.9)[name]
        assert (found.low, found.high, found.method) == (without.low, without.high, without.method)


def test_a_query_that_has_nearly_all_documents_leaves_one_degree_of_freedom() -> None:
    counts = tables(np.random.default_rng(3), 12)
    counts[0] *= 1000
    found = coefficient_estimates(counts, GRADES, 0.95)["mae"]
    assert found.has_interval
    assert found.high - found.low > 0.1


def test_one_query_and_queries_that_are_alike_have_no_interval() -> None:
    counts = np.broadcast_to(np.diag([3.0, 2.0, 1.0]), (4, 3, 3)).copy()
    assert "says nothing about others" in coefficient_estimates(counts[:1], GRADES, 0.95)["kappa"].method
    assert "are alike" in coefficient_estimates(counts, GRADES, 0.95)["kappa"].method


@pytest.mark.thorough
@pytest.mark.parametrize("queries", [8, 20])
def test_intervals_hold(queries: int) -> None:
    rng = np.random.default_rng(queries)
    found = [coefficient_estimates(tables(rng, queries), GRADES, 0.95) for _ in range(300)]
    for name in found[0]:
        own = [one[name] for one in found]
        truth = np.mean([e.value for e in own])
        assert 0.92 <= np.mean([e.low <= truth <= e.high for e in own]) <= 0.98, name


VALUES = st.integers(0, 4)


def tau_ap_of_order(order: tuple[int, ...], actual: list[int]) -> Fraction:
    """By the definition, for one order of the systems, best first."""
    total = Fraction(0)
    for i in range(1, len(order)):
        mine = actual[order[i]]
        right = sum(
            Fraction(1) if actual[j] > mine else Fraction(1, 2) * (actual[j] == mine) for j in order[:i]
        )
        total += Fraction(right, i)
    return Fraction(2, len(order) - 1) * total - 1


@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=5))
def test_tau_ap_is_the_mean_over_orders_of_the_tied(pairs: list[tuple[int, int]]) -> None:
    estimate, actual = [e for e, _ in pairs], [a for _, a in pairs]
    orders = [
        order
        for order in permutations(range(len(pairs)))
        if all(estimate[a] >= estimate[b] for a, b in zip(order, order[1:], strict=False))
    ]
    # A tie in the estimates is half right, however the actual values order the two: so it is, on average over
    # the orders, unless the actual values are tied too, when it is half right in every one of them.
    exact = sum(tau_ap_of_order(order, actual) for order in orders) / len(orders)
    found = tau_ap(np.array(estimate, float), np.array(actual, float))
    assert found == pytest.approx(float(exact), abs=1e-12)


IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.7454),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2504, 0.2692),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.6971, -0.5558),
    ),
]
"""Actual and estimated values, and the results of the package ircor for actual values without ties: without
ties in the estimates, and with those made by rounding these to one decimal."""


@pytest.mark.parametrize(("actual", "estimate", "printed"), IRCOR)
def test_values_of_ircor(actual: list[float], estimate: list[float], printed: tuple[float, ...]) -> None:
    x, y = np.array(actual), np.array(estimate)
    assert (tau_ap(y, x), tau_ap(y.round(1), x)) == pytest.approx(printed, abs=5e-5)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20, unique=True))
def test_the_same_order_agrees_wholly_and_the_opposite_not_at_all(values: list[int]) -> None:
    actual = np.array(values, float)
    for statistic in (tau, tau_ap, rho):
        assert statistic(2 * actual + 1, actual) == pytest.approx(1)
        assert statistic(-actual, actual) == pytest.approx(-1)
    assert rms(actual, actual) == 0
    assert bias(actual + 0.5, actual) == pytest.approx(0.5)
    assert rms(actual + 0.5, actual) == pytest.approx(0.5)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=12))
def test_tau_is_tau_b(pairs: list[tuple[int, int]]) -> None:
    def sign(x: int) -> int:
        return (x > 0) - (x < 0)

    found = tau(np.array([e for e, _ in pairs], float), np.array([a for _, a in pairs], float))
    both = [(sign(e - f), sign(a - b)) for (e, a) in pairs for (f, b) in pairs]
    untied = sum(x != 0 for x, _ in both) * sum(y != 0 for _, y in both)
    if untied == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(sum(x * y for x, y in both) / untied**0.5, abs=1e-12, rel=0)


@given(st.lists(st.tuples(VALUES, VALUES), max_size=12))
def test_tau_is_that_of_scipy_to_the_bit(pairs: list[tuple[int, int]]) -> None:
    estimate, actual = np.array([*pairs, (0, 0)], float)[:-1].T
    with pytest.MonkeyPatch.context() as patch:
        ours = tau(estimate, actual)
        patch.setattr("unjudged.studies.agreement.MANY", 1)
        assert repr(tau(estimate, actual)) == repr(ours)


def orders(ranking: list[tuple[int, ...]]) -> list[list[int]]:
    return [[i for group in way for i in group] for way in product(*(permutations(g) for g in ranking))]


def overlap_by_definition(x: list[int], y: list[int], p: float) -> float:
    """Agreement at each depth, and the last one for all depths below."""
    agreement = [len({*x[:d]} & {*y[:d]}) / d for d in range(1, len(x) + 1)]
    discount = [(1 - p) * p**d for d in range(len(x))]
    return sum(a * w for a, w in zip(agreement, discount, strict=True)) + agreement[-1] * p ** len(x)


@given(
    st.lists(st.integers(0, 2), min_size=5, max_size=5), st.lists(st.integers(0, 2), min_size=5, max_size=5)
)
def test_it_is_the_mean_over_all_orders_of_tied_systems(first: list[int], second: list[int]) -> None:
    both = [
        [tuple(i for i, one in enumerate(scores) if one == s) for s in sorted(set(scores), reverse=True)]
        for scores in (first, second)
    ]
    means = [overlap_by_definition(x, y, 0.8) for x in orders(both[0]) for y in orders(both[1])]
    found = rank_overlap(np.array(first, float), np.array(second, float), 0.8)
    assert found == pytest.approx(np.mean(means), abs=1e-12)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_without_ties_by_its_definition(x: list[int], y: list[int]) -> None:
    expected = overlap_by_definition(x, y, 0.9)
    first, second = (-np.argsort(order).astype(float) for order in (x, y))
    assert rank_overlap(first, second, 0.9) == pytest.approx(expected, abs=1e-12)


def test_a_persistence_is_a_probability() -> None:
    with pytest.raises(UsageError, match="p is 1"):
        rank_overlap(np.ones(2), np.ones(2), 1.0)
