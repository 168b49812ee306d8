"""The random baseline of graded gains, against the mean over every order of small collections."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from unjudged import MEASURES, JudgedRankings, Measure, UsageError, evaluate
from unjudged.measures.kernel.names import parse

NAMES = [
    "RBP",
    "RBP(rel=2)@3",
    "RBP(max_grade=4)",
    "RBP(max_grade=4, p=0.5)@2",
    "RBP(max_grade=4, gains={1: 0.3}, rel=1)",
    "RBP(gains={1: 0.3, 2: 0.1})",
    "RBP(scale='query')",
    "RBP(scale='query', gains={2: 0.5})@3",
    "nDCG",
    "nDCG@2",
    "nDCG(dcg='exp-log2')@3",
    "nDCG(gains={0: 0.5})",
    "nDCG(gains={0: 0.5})@2",
    "nDCG(gains={1: 5, 2: 1, 4: 0})@4",
    "nDCG(gains={1: 0, 2: 1, 4: 1})",
]
GRADES = ["4 2 1 0", "4 2 1 0 N", "1 1 0 N N", "2 2 0 U N", "0 U N N", "0 0 1 1 0"]


def value(measure: Measure, words: tuple[str, ...]) -> float:
    return float(measure.compute(JudgedRankings.spelled(" ".join(words)))[0])


@pytest.mark.thorough
@pytest.mark.parametrize("grades", GRADES)
@pytest.mark.parametrize("name", NAMES)
def test_the_baseline_is_the_mean_over_all_orders(name: str, grades: str) -> None:
    (measure,), words = parse(name), grades.split()
    by_enumeration = np.mean([value(measure, order) for order in permutations(words)])
    expected = measure.expected(JudgedRankings.spelled(grades), len(words))
    assert expected == pytest.approx([by_enumeration], abs=1e-12)
    corrected = value(measure(chance=len(words)), tuple(words))
    if by_enumeration < 1 - 1e-9:
        truth = (value(measure, tuple(words)) - by_enumeration) / (1 - by_enumeration)
        assert corrected == pytest.approx(truth, abs=1e-12)


def test_worked_example_of_graded_gains() -> None:
    """(0.312 - 1.75/4 (1 - 0.8^4)) / (1 - ...): gains 1, 0.5, 0.25, 0."""
    expected = 1.75 / 4 * (1 - 0.8**4)
    found = MEASURES["RBP"](max_grade=4, chance=4).compute(JudgedRankings.spelled("4 2 1 0"))
    assert found == pytest.approx([(0.312 - expected) / (1 - expected)], abs=1e-15)
    assert found == pytest.approx([0.0724], abs=5e-5)


def test_documents_missed_by_the_ranking_count_too() -> None:
    for name in ("RBP(max_grade=4)", "nDCG(gains={0: 0.5})"):
        (measure,) = parse(name)
        short = JudgedRankings.spelled("4 0", missed="2 1")
        whole = JudgedRankings.spelled("4 2 1 0")
        assert measure.expected(short, 6) == pytest.approx(measure.expected(whole, 6), abs=1e-15)


def test_counts_alone_do_not_tell_the_baseline_of_graded_gains() -> None:
    for name in ("RBP(max_grade=4)", "RBP(gains={1: 0.3})", "nDCG(gains={0: 0.5})", "RBP(scale='query')"):
        (measure,) = parse(name)
        with pytest.raises(UsageError, match="depends on the grades of each query: evaluate it with chance="):
            measure.by_chance(100, 5)
    assert parse("RBP(scale='none')")[0].by_chance(100, 5) == MEASURES["RBP"].by_chance(100, 5)


def test_a_collection_smaller_than_its_relevant_documents() -> None:
    with pytest.raises(UsageError, match="3 relevant of 2 documents"):
        evaluate({"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 1.0}}, "nDCG(chance=2)")
