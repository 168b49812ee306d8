"""Statistics of agreement, and rank-biased overlap, against their definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import UsageError
from unjudged.studies import rank_overlap
from unjudged.studies.agreement import bias, rho, rms, tau, tau_ap

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
