"""statAP under samples of fixed size: over all samples of small pools, and simulated on larger ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import AP, JudgedRankings, UsageError, evaluate, statAP, statAPVariance
from unjudged.judging.pooling import REST, Pool
from unjudged.measures.weighted import relevant_total
from unjudged.studies import simulate

COMPLETE = JudgedRankings.spelled("0 1 1 N 1 0 1 N 1", missed="1 0 1")
STRATUM = np.array([1, 1, 1, 1, 2, 2, 2, 2, 2, 2], np.int32)[: len(COMPLETE.judgments.grade)]


def samples(sizes: dict[int, int]) -> Iterator[JudgedRankings]:
    """Every sample with these numbers of documents of the two strata."""
    grade = COMPLETE.judgments.grade
    choices = [combinations(np.flatnonzero(s == STRATUM).tolist(), n) for s, n in sizes.items()]
    for parts in product(*choices):
        rows = [row for part in parts for row in part]
        grades = np.where(np.isin(np.arange(len(grade)), rows), grade, -1)
        judgments = replace(COMPLETE.judgments.with_grades(grades), stratum=STRATUM)
        yield COMPLETE.relabelled(judgments)


def total(pairs: str, rankings: JudgedRankings) -> float:
    """The sum that statAP divides by R."""
    return float((statAP(pairs=pairs).compute(rankings) * relevant_total(rankings, 1))[0])


@pytest.mark.parametrize("sizes", [{1: 2, 2: 2}, {1: 3, 2: 3}, {1: 4, 2: 2}, {1: 2, 2: 4}])
def test_the_sum_is_unbiased_over_all_samples(sizes: dict[int, int]) -> None:
    truth = float(AP.compute(COMPLETE)[0] * COMPLETE.known(1)[0])
    every = list(samples(sizes))
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


RANKS = st.lists(st.sampled_from(["0", "1", "U", "N"]), min_size=2, max_size=9)


@examples(150)
@given(RANKS, st.lists(st.sampled_from(["0", "1", "U"]), max_size=5), st.data())
def test_the_variance_is_the_jackknife(labels: list[str], missed: list[str], data: st.DataObject) -> None:
    """Each sampled document in turn becomes unjudged, and statAP is computed again."""
    rankings = JudgedRankings.spelled(" ".join(["1", *labels]), missed=" ".join(missed))
    grade = rankings.judgments.grade
    stratum = np.array(
        data.draw(st.lists(st.integers(1, 2), min_size=len(grade), max_size=len(grade))), np.int32
    )
    judgments = replace(rankings.judgments, stratum=stratum)
    measure, expected = statAP(pairs="joint"), 0.0
    for s in (1, 2):
        sampled = np.flatnonzero((stratum == s) & (grade >= 0))
        n, size = len(sampled), int((stratum == s).sum())
        if n == 1:  # its weight is dropped, and nothing can be said of the rest of its stratum
            left = _value_without(rankings, judgments.stratum, grade, int(sampled[0]))
            whole = measure.compute(rankings.relabelled(judgments))[0]
            expected += (1 - 1 / size) * (left - whole) ** 2
        elif n:
            values = []
            for row in sampled.tolist():
                less = grade.copy()
                less[row] = -1
                changed = replace(judgments, grade=less)
                values.append(measure.compute(rankings.relabelled(changed))[0])
            expected += (1 - n / size) * (n - 1) / n * np.sum((np.array(values) - np.mean(values)) ** 2)
    found = statAPVariance(pairs="joint").compute(rankings.relabelled(judgments))[0]
    assert found == pytest.approx(min(expected, 1), abs=1e-10)


def _value_without(rankings: JudgedRankings, stratum: object, grade: np.ndarray, row: int) -> float:
    less = grade.copy()
    less[row] = -1
    judgments = replace(rankings.judgments, grade=less, stratum=stratum)  # type: ignore[arg-type]
    return float(statAP(pairs="joint").compute(rankings.relabelled(judgments))[0])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("design", "lowest", "highest"), [("mixed", 0.9, 1.3), ("random", 0.9, 1.25), ("stratified", 0.85, 1.15)]
)
def test_the_estimated_deviation_is_that_over_samples(design: str, lowest: float, highest: float) -> None:
    queries, repeats = 20, 150
    made = simulate(4, queries, 400, prevalence=0.1, best=0.05, worst=0.5, seed=1)
    pool = Pool.of(made.judgments, made.runs)
    value, variance = statAP(pairs="joint"), statAPVariance(pairs="joint")
    means, variances = [], []
    for seed in range(repeats):
        judgments = {
            "mixed": lambda seed=seed: pool.mixed(8, seed=seed),
            "random": lambda seed=seed: pool.uniform(0.2, seed=seed, redraw=False),
            "stratified": lambda seed=seed: pool.stratified({5: 1.0, 50: 0.5, REST: 0.2}, seed=seed),
        }[design]()
        rankings = pool.rankings.relabelled(judgments)
        means.append(value.compute(rankings).reshape(-1, queries).mean(axis=1))
        variances.append(variance.compute(rankings).reshape(-1, queries).sum(axis=1) / queries**2)
    estimated = np.sqrt(np.mean(variances, axis=0))
    actual = np.std(means, axis=0, ddof=1)
    assert (lowest < estimated / actual).all()
    assert (estimated / actual < highest).all()


def test_the_default_is_the_script() -> None:
    for rankings in samples({1: 2, 2: 3}):
        assert statAP.compute(rankings) == statAP(pairs="independent").compute(rankings)


def test_probabilities_of_another_design_are_refused() -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "c": -1}}, {"q": {"a": 2.0, "b": 1.0}}
    judgments = Pool.of(qrels).judgments
    other = replace(judgments, probability=np.array([0.2, 0.7, 0.7]))
    with pytest.raises(UsageError, match="needs recorded strata with samples of fixed size"):
        evaluate(other, run, statAP(pairs="joint"))
    with pytest.raises(UsageError, match="pairs is 'other', expected 'independent' or 'joint'"):
        statAP(pairs="other")
