"""Coefficients of agreement: published examples, scikit-learn, and definitions document by document."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.agreement.coefficients import COEFFICIENTS, SharedLabels
from unjudged.rankings.judgments import Judgments

FOUR_OBSERVERS = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Reliability data of Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section D."""


def value(name: str, counts: object, grades: object) -> float:
    return float(COEFFICIENTS[name].function(np.array(counts, float), np.array(grades, float)))


def observers() -> SharedLabels:
    rows = [line.split() for line in FOUR_OBSERVERS.strip().splitlines()]
    sources = {
        f"observer {k}": Judgments.of({"q": {f"d{d}": int(g) for d, g in enumerate(row) if g != "."}})
        for k, row in enumerate(rows)
    }
    return SharedLabels.of(sources)


def test_alpha_of_four_observers_as_published() -> None:
    labels = observers()
    counts = labels.coincidences().sum(0)
    assert counts.sum() == pytest.approx(40)
    assert value("alpha", counts, labels.grades) == pytest.approx(0.743, abs=5e-4)
    assert value("ordinal_alpha", counts, labels.grades) == pytest.approx(0.815, abs=5e-4)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            [[-1, -1, 3, 0], [1, 2, -1, 2], [-1, 1, 1, -1]],
            (-0.15384615384615374, -0.43939393939393945),
        ),
        (
            [[-1, -1, -1, 3, -1, 0, 1], [0, -1, 3, 2, 1, 2, 3], [-1, 0, 3, 3, -1, 0, 0]],
            (0.14634146341463405, 0.4079254079254079),
        ),
        (
            [[2, 3, 1, 2, 2, 1, -1], [-1, 1, -1, 1, 1, 1, 1], [-1, -1, -1, -1, -1, -1, -1]],
            (-0.23529411764705888, -0.375),
        ),
    ],
)
def test_alpha_as_the_package_krippendorff(answers: list[list[int]], expected: tuple[float, float]) -> None:
    """Judges x documents, -1 where nothing was answered: nominal and ordinal alpha of krippendorff."""
    sources = {f"j{j}": {"q": {f"d{d}": g for d, g in enumerate(own)}} for j, own in enumerate(answers)}
    shared = SharedLabels.of({name: Judgments.of(own) for name, own in sources.items()})
    counts = shared.coincidences().sum(0)
    found = [value(name, counts, shared.grades) for name in ("alpha", "ordinal_alpha")]
    assert found == pytest.approx(expected, abs=1e-12)


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
    found = value("alpha", counts + counts.T, range(4))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_only_documents_of_two_sources_count() -> None:
    first = Judgments.of({"q1": {"a": 1, "b": 0, "c": -1}, "q2": {"a": 2}})
    second = Judgments.of({"q2": {"a": 1, "z": 1}, "q1": {"b": 0, "a": 1, "c": 1}})
    found = SharedLabels.of({"first": first, "second": second})
    assert len(found.query) == 3
    counts = dict(zip(found.queries, found.counts(0, 1), strict=True))
    assert counts["q1"].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert counts["q2"].tolist() == [[0, 0, 0], [0, 0, 0], [0, 1, 0]]
