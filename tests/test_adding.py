"""CONTRIBUTING.md's list: one of each is added from outside the package and used as if it were built in."""

from __future__ import annotations

import numpy as np

from unjudged import JudgedRankings, Judgments, Pool, compare, evaluate, experiment, measure, sample
from unjudged.comparison.testing.corrections import correction
from unjudged.comparison.testing.significance import significance_test
from unjudged.judging.designs import design
from unjudged.measures.registry import Measure, bounds_of
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.bounding.bounds import Bounds, bounds
from unjudged.uncertainty.estimate import JUDGMENTS, Estimate
from unjudged.uncertainty.intervals import IntervalRequest, interval_method

PAIR = {name: sample.runs[name] for name in ("reranked", "fused")}


def test_a_measure_and_its_bounds() -> None:
    @measure(pointwise=True)
    def FirstIsRelevant(r: JudgedRankings, *, rel: int = 1) -> Floats:
        """1 if the first document is relevant."""
        return r.relevant(rel, 1).counts.astype(float)

    scores = evaluate(sample.qrels, sample.runs, "FirstIsRelevant(rel=2)")
    assert 0 < scores.value("FirstIsRelevant(rel=2)", run="fused") < 1
    estimate = scores.estimate("bounds")[-1][0]
    assert estimate.low < estimate.high

    @bounds_of(FirstIsRelevant)
    def all_or_nothing(_: Measure, r: JudgedRankings, __: Integers, ___: int) -> Bounds:
        return Bounds(np.zeros(len(r)), np.ones(len(r)), exact=False)

    assert bounds(FirstIsRelevant, scores.rankings).high.tolist() == [1.0] * len(scores.rankings)


def test_an_interval_method() -> None:
    @interval_method("half", "nothing in particular", uncertainty=JUDGMENTS)
    def half(request: IntervalRequest) -> list[list[Estimate]]:
        return [
            [Estimate(0.5, 0.25, 0.75, request.confidence, "half", str(m)) for m in request.measures]
            for _ in request.runs
        ]

    estimates = evaluate(sample.qrels, PAIR, ["AP", "RR"]).estimate("half", confidence=0.9)
    assert str(estimates[1][1]) == "0.5000 [0.2500, 0.7500]"


def test_a_test_and_a_correction() -> None:
    @significance_test("always sure")
    def sure(differences: Floats, **_: object) -> Floats:
        return np.full(len(differences), 0.001)

    @correction("twice as careful")
    def double(p: Floats) -> Floats:
        return np.minimum(2 * p, 1)

    pair = compare(sample.qrels, PAIR, test="sure", correction="double").pair("reranked", "fused")
    assert (pair.p, pair.p_adjusted, pair.verdict) == (0.001, 0.002, "clear")


def test_a_design() -> None:
    @design(level="share", axis="share of the top (%)", levels=(0.5,), runs=True)
    def top_heavy(pool: Pool, level: float, seed: int) -> Judgments:
        return pool.stratified({10: level}, seed=seed)

    found = experiment(sample.qrels, sample.runs, design="top_heavy", measures=["AP"], repeats=2)
    assert {row.level for row in found.agreement} == {0.5}
