"""Bestgen (2015): the random baseline, against enumeration, the paper's tables and its own procedure."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from random_rankings import (
    difference_from_prevalence,
    expected_ap,
    expected_ap_by_summation,
)

from unjudged import UsageError, evaluate
from unjudged.measures.kernel.names import parse
from unjudged.studies import expected, p_of_random_ranking, variance_of_ap
from unjudged.studies.random_rankings import random_aps

pytestmark = pytest.mark.thorough


def every_ap(documents: int, relevant: int) -> list[Fraction]:
    """AP of every placement of the relevant documents."""
    return [
        sum((Fraction(i, k) for i, k in enumerate(places, 1)), Fraction(0)) / relevant
        for places in combinations(range(1, documents + 1), relevant)
    ]


SMALL = [(n, r) for n in range(1, 10) for r in range(1, n + 1)]


@pytest.mark.parametrize(("documents", "relevant"), SMALL)
def test_mean_and_variance_equal_enumeration(documents: int, relevant: int) -> None:
    values = every_ap(documents, relevant)
    mean = sum(values, Fraction(0)) / len(values)
    assert expected_ap(documents, relevant, exact=True) == mean
    assert expected_ap(documents, relevant) == pytest.approx(float(mean), rel=1e-14)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    assert variance_of_ap(documents, relevant) == pytest.approx(float(variance), abs=1e-14)


def test_table_1() -> None:
    """N = 5, R = 2: ten rankings, expected AP 0.593."""
    values = sorted(map(float, every_ap(5, 2)), reverse=True)
    printed = [1.00, 0.83, 0.75, 0.70, 0.58, 0.50, 0.45, 0.42, 0.37, 0.33]
    assert [round(value + 1e-9, 2) for value in values] == printed
    assert expected_ap(5, 2) == 0.5925


def test_table_2() -> None:
    """The contributions of each place, i/n times the probability that the i-th relevant document is there."""
    from scipy.stats import hypergeom

    printed = {(1, 1): 0.400, (1, 2): 0.150, (1, 3): 0.067, (1, 4): 0.025}
    printed |= {(2, 2): 0.100, (2, 3): 0.134, (2, 4): 0.150, (2, 5): 0.160}
    total = 0.0
    for (i, n), contribution in printed.items():
        value = hypergeom.pmf(i, 5, 2, n) * (i / n) ** 2
        assert value == pytest.approx(contribution, abs=8e-4)  # printed from rounded factors
        total += value
    assert total / 2 == pytest.approx(0.5925)


def test_the_function_of_the_paper() -> None:
    assert expected_ap(10, 4) == pytest.approx(0.5285978836, abs=5e-11)
    for documents, relevant in [(10, 4), (100, 10), (300, 150)]:
        assert expected_ap_by_summation(documents, relevant) == pytest.approx(
            expected_ap(documents, relevant)
        )


def test_figure_1() -> None:
    """The difference from R/N falls with N and is below 0.01 from N = 600 on."""
    for share in (0.01, 0.05, 0.1, 0.3, 0.5, 0.9):
        sizes = [100, 200, 400, 600, 1000]
        differences = [difference_from_prevalence(n, round(share * n)) for n in sizes]
        assert differences == sorted(differences, reverse=True)
        assert differences[3] < 0.01 + 1e-3 * (share < 0.05)


def test_very_large_collections() -> None:
    """To 1e-12 of the harmonic number summed to forty digits."""
    from decimal import Decimal, localcontext

    with localcontext(prec=40):
        n = Decimal(10) ** 9
        h = n.ln() + Decimal("0.5772156649015328606065120900824024310421") + 1 / (2 * n) - 1 / (12 * n * n)
        exact = (h + (Decimal(1000) - 1) / (n - 1) * (n - h)) / n
    assert expected_ap(10**9, 1000) == pytest.approx(float(exact), rel=1e-12)


PLACES = [(n, r) for n in (1, 2, 5, 7) for r in range(n + 1)]


@pytest.mark.parametrize(
    "name", ["AP@3", "P@2", "P@9", "R@3", "RR", "RR@2", "Success@3", "RBP(p=0.7)", "nDCG", "nDCG@3"]
)
@pytest.mark.parametrize(("documents", "relevant"), PLACES)
def test_every_baseline_equals_enumeration(name: str, documents: int, relevant: int) -> None:
    names = [f"d{i}" for i in range(documents)]
    run = {"q": {name: -float(i) for i, name in enumerate(names)}}
    values = []
    for chosen in combinations(names, relevant):
        qrels = {"q": {d: int(d in chosen) for d in names}}
        values.append(evaluate(qrels, run, name).value(name))
    assert expected(name, documents, relevant) == pytest.approx(np.mean(values), abs=1e-13)


def test_chance_corrected_score() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1, "c": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"x": 2.0, "c": 1.0}}
    scores = evaluate(qrels, run, ["AP", "AP(chance=10)"])
    for j, relevant in enumerate((1, 2)):
        chance = float(expected_ap(10, relevant))
        wanted = (scores.values[0, j, 0] - chance) / (1 - chance)
        assert scores.values[0, j, 1] == pytest.approx(wanted, abs=1e-15)
    with pytest.raises(UsageError, match="Bpref has no random baseline"):
        evaluate(qrels, run, "Bpref(chance=10)")
    with pytest.raises(UsageError, match="2 relevant of 1 documents"):
        evaluate(qrels, run, "AP(chance=1)")
    assert evaluate({"q": {"a": 1}}, run, "nDCG(chance=9)").value("nDCG(chance=9)") == 1.0
    for name in (
        "RBP(max_grade=4, chance=9)",
        "nDCG(gains={0: 0.5}, chance=9)",
        "RBP(scale='query', chance=9)",
    ):
        with pytest.raises(UsageError, match="random baseline is for gains of 0 and 1"):
            evaluate(qrels, run, name)
    assert str(parse("AP(chance=10)@5")[0]) == "AP(chance=10)@5"


def test_random_rankings_have_the_expected_mean_and_variance() -> None:
    """Four standard errors, twenty thousand rankings."""
    values = random_aps(50, 6, 20_000, np.random.default_rng(7))
    spread = np.sqrt(variance_of_ap(50, 6))
    assert abs(values.mean() - expected_ap(50, 6)) < 4 * spread / np.sqrt(len(values))
    assert values.std() == pytest.approx(spread, rel=0.03)


def test_p_of_random_ranking() -> None:
    values = random_aps(40, 5, 60, np.random.default_rng(1))
    relevant = np.full(60, 5)
    assert 0.05 < p_of_random_ranking(values, 40, relevant) < 0.95
    assert p_of_random_ranking(values + 0.2, 40, relevant) < 1e-6
    assert 0.02 < p_of_random_ranking(values[:10], 40, relevant[:10]) < 0.98
    assert p_of_random_ranking(np.ones(5), 40, relevant[:5]) == pytest.approx(1 / 10_001)


@pytest.mark.parametrize(("documents", "relevant"), [(0, 0), (5, 6), (5, -1)])
def test_impossible_numbers(documents: int, relevant: int) -> None:
    for function in (expected_ap, variance_of_ap):
        with pytest.raises(UsageError, match="expected at least one document"):
            function(documents, relevant)
