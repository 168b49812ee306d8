"""statAP under samples of fixed size: over all samples of small pools, and simulated on larger ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from statistics import fmean

import numpy as np
import pytest

from unjudged import AP, JudgedRankings, UsageError, evaluate, statAP
from unjudged.judging.pooling import Pool
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
