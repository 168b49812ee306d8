"""Coefficients of agreement: published examples, scikit-learn, and definitions document by document."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.studies.agreement import COEFFICIENTS


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
