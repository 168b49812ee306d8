"""A measure added from outside the package: one decorated function, and everything else follows."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
import pytest

import unjudged
from unjudged import MEASURES, JudgedRankings, Measure, UsageError, compare, evaluate, measure, sample
from unjudged.base.segments import Floats
from unjudged.diagnosis.explaining import page
from unjudged.evidence.bounds.value_bounds import bounds
from unjudged.measures.kernel.names import parse


def _weight(rank: Floats, cutoff: float = inf, **_: Any) -> Floats:
    return 0.5**rank * (rank <= cutoff)


@pytest.fixture
def halving() -> Iterator[Measure]:
    @measure(pointwise=True, weight=_weight, trec_eval="halving", aliases=("Halves",))
    def Halving(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
        """Half for a relevant document at rank 1, a quarter at rank 2, and so on; unjudged ones add 0."""
        hits = r.relevant(rel, cutoff)
        return hits.total(0.5**hits.rank)

    yield Halving
    del MEASURES["Halving"]


def test_it_is_written_like_any_other(halving: Measure) -> None:
    assert parse("Halving(rel=2)@10") == [halving(rel=2) @ 10]
    assert parse("halving") == parse("Halves") == [halving]
    assert "Halving" in dir(unjudged)
    assert getattr(unjudged, "Halving") is halving  # noqa: B009 (defined when the test runs)
    assert page(halving).startswith("Halving(rel=1)[@cutoff]\n\nHalf for a relevant document")


def test_names_are_parsed_again_when_the_registry_changes() -> None:
    def registered(factor: float) -> Measure:
        @measure()
        def Constant(r: JudgedRankings) -> Floats:
            """The same for every ranking."""
            return np.full(len(r), factor)

        return Constant

    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    for factor in (0.25, 0.5):
        registered(factor)
        assert evaluate(qrels, run, ["AP", "Constant"]).values.tolist() == [[[1.0, factor]]]
    MEASURES.pop("Constant")
    with pytest.raises(UsageError, match="no measure is called 'Constant'"):
        evaluate(qrels, run, ["AP", "Constant"])


def test_it_evaluates_with_every_policy(halving: Measure) -> None:
    ranking = JudgedRankings.spelled("1 U 0 2")
    assert halving.compute(ranking) == [0.5 + 0.0625]
    assert (halving(rel=2) @ 3).compute(ranking) == [0.0]
    assert halving(unjudged="condensed").compute(ranking) == [0.5 + 0.125]
    scores = evaluate(sample.qrels, sample.runs, ["AP", "Halving@10"])
    assert scores.cube.measures[1] == halving @ 10
    assert 0 < scores.value("Halving@10", run="fused") < 1


def test_bounds_and_comparisons_follow_from_its_traits(halving: Measure) -> None:
    limits = bounds(halving, JudgedRankings.spelled("1 U 0 2"))
    assert (limits.low.tolist(), limits.high.tolist(), limits.exact) == ([0.5625], [0.8125], True)
    found = compare(sample.qrels, {name: sample.runs[name] for name in ("reranked", "fused")}, "Halving")
    assert found["low"] <= found["difference"] <= found["high"]


def test_a_baseline_needs_gains_or_binary_judgments() -> None:
    @measure(chance=lambda documents, relevant: relevant / documents)
    def Share(r: JudgedRankings) -> Floats:
        return r.where(r.labels > 0).counts / np.maximum(r.retrieved, 1)

    try:
        assert Share(chance=4).compute(JudgedRankings.spelled("1 0 0 0")) == [0.0]
        with pytest.raises(UsageError, match="for judgments of 0 and 1, these are graded"):
            Share(chance=4).compute(JudgedRankings.spelled("2 0 0 0"))
    finally:
        del MEASURES["Share"]
