"""Intervals of coefficients by leaving out queries: the formula written out, and simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from unjudged.studies.agreement import COEFFICIENTS
from unjudged.studies.auditing import coefficient_estimates

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
