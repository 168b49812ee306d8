"""Statistics of agreement against their definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.experiments import agreement

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
    found = agreement.tau_ap(np.array(estimate, float), np.array(actual, float))
    assert found == pytest.approx(float(exact), abs=1e-12)


@settings(deadline=None)  # the first example imports scipy.stats
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20, unique=True))
def test_the_same_order_agrees_wholly_and_the_opposite_not_at_all(values: list[int]) -> None:
    actual = np.array(values, float)
    for statistic in (agreement.tau, agreement.tau_ap, agreement.rho):
        assert statistic(2 * actual + 1, actual) == pytest.approx(1)
        assert statistic(-actual, actual) == pytest.approx(-1)
    assert agreement.rms(actual, actual) == 0
    assert agreement.bias(actual + 0.5, actual) == pytest.approx(0.5)
    assert agreement.rms(actual + 0.5, actual) == pytest.approx(0.5)


@settings(deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=12))
def test_tau_is_tau_b(pairs: list[tuple[int, int]]) -> None:
    def sign(x: int) -> int:
        return (x > 0) - (x < 0)

    found = agreement.tau(np.array([e for e, _ in pairs], float), np.array([a for _, a in pairs], float))
    both = [(sign(e - f), sign(a - b)) for (e, a) in pairs for (f, b) in pairs]
    untied = sum(x != 0 for x, _ in both) * sum(y != 0 for _, y in both)
    if untied == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(sum(x * y for x, y in both) / untied**0.5)
