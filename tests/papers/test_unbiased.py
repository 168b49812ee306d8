"""What the papers say of their estimators, over all samples of small pools: enumerated, not simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, localcontext
from itertools import combinations, product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import (
    AP,
    NCP,
    RR,
    JudgedRankings,
    Judgments,
    UsageError,
    evaluate,
    indAP,
    infAP,
    statAP,
    subAP,
    xinfAP,
)
from unjudged.judging.pooling import Pool
from unjudged.measures.incomplete import inverse_of_sample
from unjudged.measures.weighted import relevant_total
from unjudged.studies import simulate

COMPLETE = JudgedRankings.spelled("0 1 N 1 0 N 1", missed="1 0 1")


def samples(size: int) -> list[Judgments]:
    """Every sample of so many documents of the pool that holds a relevant one."""
    grade = COMPLETE.judgments.grade
    chosen = [list(rows) for rows in combinations(range(len(grade)), size) if grade[list(rows)].any()]
    hidden = [np.where(np.isin(np.arange(len(grade)), rows), grade, -1) for rows in chosen]
    return [COMPLETE.judgments.with_grades(grades) for grades in hidden]


@pytest.mark.parametrize("size", range(1, 9))
def test_inferred_ap_with_actual_precisions_is_unbiased(size: int) -> None:
    """Yilmaz and Aslam (2008), figure 19: only the choice of documents is random."""
    measure = infAP(actual=COMPLETE.judgments)
    values = [measure.compute(COMPLETE.relabelled(sample))[0] for sample in samples(size)]
    assert fmean(values) == pytest.approx(AP.compute(COMPLETE)[0], abs=1e-14)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_the_estimated_number_of_relevant_documents_is_unbiased(share: float) -> None:
    """Horvitz and Thompson: over all draws where each document is taken with its own probability."""
    from dataclasses import replace

    grade = COMPLETE.judgments.grade
    probability = np.where(np.arange(len(grade)) % 2, share, 0.75)
    expected = 0.0
    for drawn in product([False, True], repeat=len(grade)):
        chance = np.prod(np.where(drawn, probability, 1 - probability))
        sample = replace(COMPLETE.judgments, grade=np.where(drawn, grade, -1), probability=probability)
        expected += chance * relevant_total(COMPLETE.relabelled(sample), 1)[0]
    assert expected == pytest.approx((grade >= 1).sum(), abs=1e-12)


@examples(200)
@given(collections(lowest=0))
def test_all_are_ap_when_the_pool_is_judged(collection: tuple[Qrels, RunDict]) -> None:
    scores = evaluate(*collection, [AP, indAP, subAP, infAP, xinfAP, "statAP"]).values[0]
    np.testing.assert_allclose(scores[:, 1:3], scores[:, [0, 0]], atol=1e-13)
    np.testing.assert_allclose(scores[:, 3:5], scores[:, [0, 0]], atol=2e-4)
    np.testing.assert_allclose(scores[:, 5], scores[:, 0], atol=1e-13)


@examples(200)
@given(collections())
def test_equalities_on_any_ranking(collection: tuple[Qrels, RunDict]) -> None:
    measures = [AP, NCP, RR, NCP(stop="first"), indAP, subAP(share=1.0), infAP(c=3.0), xinfAP]
    scores = evaluate(*collection, measures).values[0]
    np.testing.assert_array_equal(scores[:, 0], scores[:, 1])
    np.testing.assert_array_equal(scores[:, 2], scores[:, 3])
    np.testing.assert_allclose(scores[:, 4], scores[:, 5], atol=1e-15)
    np.testing.assert_allclose(scores[:, 6], scores[:, 7], atol=1e-14)


@pytest.mark.thorough
@pytest.mark.parametrize(("a", "n", "p"), [(1, 5000, 0.01), (40, 5000, 0.01), (7, 1000, 0.3), (3, 50, 0.999)])
def test_subcollection_precision_against_the_exact_sum(a: int, n: int, p: float) -> None:
    with localcontext(prec=100):  # the rational sum, to nearly a hundred digits, term after term
        q = Decimal(str(p))
        term, exact = (1 - q) ** n, Decimal(0)
        for i in range(n + 1):
            exact += term / (a + i)
            term *= q / (1 - q) * (n - i) / (i + 1)
    value = inverse_of_sample(np.array([a]), np.array([n]), np.array([p]))[0]
    assert value == pytest.approx(float(exact), rel=1e-13)


def test_the_seeded_subcollection_averages_to_the_expectation() -> None:
    """Two thousand seeds: the mean within four standard errors of the expectation."""
    ranking = JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1 N N N 1", missed="1 1 0 0")
    values = [subAP(share=0.4, seed=seed).compute(ranking)[0] for seed in range(2000)]
    expected = subAP(share=0.4).compute(ranking)[0]
    assert abs(fmean(values) - expected) < 4 * np.std(values) / np.sqrt(len(values))
    assert subAP(seed=1).compute(ranking) == subAP(seed=1).compute(ranking)


def test_complete_judgments_from_a_file_or_a_dict() -> None:
    qrels = {"q": {"a": 1, "b": -1, "c": 1}}
    complete = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    run = {"q": {"b": 3.0, "a": 2.0, "x": 1.0}}
    assert evaluate(qrels, run, infAP(actual=complete)).values.item() == pytest.approx(0.5)
    with pytest.raises(Exception, match="document 'b' of query 'q' is not in the complete judgments"):
        evaluate(qrels, run, infAP(actual={"q": {"a": 1}}))


@examples(50)
@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=6))
def test_a_function_and_a_table_of_users_say_the_same(weights: list[float]) -> None:
    ranking = JudgedRankings.spelled("1 0 1 1 N 1", missed="1 1")
    table = NCP(stop=tuple(weights))
    function = NCP(stop=lambda i: np.array([*weights, *[0.0] * 10])[i - 1])
    np.testing.assert_allclose(table.compute(ranking), function.compute(ranking), rtol=1e-14)


def test_the_inverse_of_many_samples_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    a, n, p = rng.integers(1, 60, 500), rng.integers(0, 900, 500), rng.uniform(0.01, 1, 500)
    together = inverse_of_sample(a, n, p).tolist()
    for i in range(0, 500, 7):
        assert inverse_of_sample(a[i : i + 1], n[i : i + 1], p[i : i + 1]).tolist() == together[i : i + 1]
    monkeypatch.setattr("unjudged.measures.incomplete.BLOCK", 16)
    assert inverse_of_sample(a, n, p).tolist() == together


WITH_STRATA = JudgedRankings.spelled("0 1 1 N 1 0 1 N 1", missed="1 0 1")
STRATUM = np.array([1, 1, 1, 1, 2, 2, 2, 2, 2, 2], np.int32)[: len(WITH_STRATA.judgments.grade)]


def samples_of_strata(sizes: dict[int, int]) -> Iterator[JudgedRankings]:
    """Every sample with these numbers of documents of the two strata."""
    grade = WITH_STRATA.judgments.grade
    choices = [combinations(np.flatnonzero(s == STRATUM).tolist(), n) for s, n in sizes.items()]
    for parts in product(*choices):
        rows = [row for part in parts for row in part]
        grades = np.where(np.isin(np.arange(len(grade)), rows), grade, -1)
        judgments = replace(WITH_STRATA.judgments.with_grades(grades), stratum=STRATUM)
        yield WITH_STRATA.relabelled(judgments)


def total(pairs: str, rankings: JudgedRankings) -> float:
    """The sum that statAP divides by R."""
    return float((statAP(pairs=pairs).compute(rankings) * relevant_total(rankings, 1))[0])


@pytest.mark.parametrize("sizes", [{1: 2, 2: 2}, {1: 3, 2: 3}, {1: 4, 2: 2}, {1: 2, 2: 4}])
def test_the_sum_is_unbiased_over_all_samples(sizes: dict[int, int]) -> None:
    truth = float(AP.compute(WITH_STRATA)[0] * WITH_STRATA.known(1)[0])
    every = list(samples_of_strata(sizes))
    assert fmean(total("joint", one) for one in every) == pytest.approx(truth, rel=1e-12)
    assert fmean(total("independent", one) for one in every) < truth - 1e-3


@pytest.mark.thorough
@pytest.mark.parametrize(("drawn", "pool"), [(5, 50), (10, 200), (75, 1500)])
def test_how_much_the_script_misses(drawn: int, pool: int) -> None:
    """One document in five is relevant, one stratum; the product overstates the probability of every pair."""
    queries = max(12, 2000 // pool)
    made = simulate(1, queries, pool, prevalence=0.2, best=0.1, worst=0.1, seed=4)
    whole = Pool.of(made.judgments, made.runs)
    truth = AP.compute(whole.rankings) * whole.rankings.known(1)
    sums = {"independent": np.zeros(queries), "joint": np.zeros(queries)}
    for seed in range(600):
        rankings = whole.rankings.relabelled(whole.uniform(drawn / pool, seed=seed, redraw=False))
        for pairs in sums:
            sums[pairs] += statAP(pairs=pairs).compute(rankings) * relevant_total(rankings, 1) / 600
    script, joint = (float((found / truth).mean()) for found in sums.values())
    assert joint == pytest.approx(1, abs=0.015)
    overstated = (drawn - 1) * pool / (drawn * (pool - 1))
    assert overstated - 0.015 < script < 1 - (1 - overstated) / 2


def test_the_default_is_the_script() -> None:
    for rankings in samples_of_strata({1: 2, 2: 3}):
        assert statAP.compute(rankings) == statAP(pairs="independent").compute(rankings)


def test_probabilities_of_another_design_are_refused() -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "c": -1}}, {"q": {"a": 2.0, "b": 1.0}}
    judgments = Pool.of(qrels).judgments
    other = replace(judgments, probability=np.array([0.2, 0.7, 0.7]))
    with pytest.raises(UsageError, match="needs recorded strata with samples of fixed size"):
        evaluate(other, run, statAP(pairs="joint"))
    with pytest.raises(UsageError, match="pairs is 'other', expected 'independent' or 'joint'"):
        statAP(pairs="other")
