"""Rank-biased overlap by its definition."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import UsageError
from unjudged.studies import rank_overlap


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
