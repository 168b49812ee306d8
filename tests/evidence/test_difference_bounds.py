"""Bounds of differences, against every completion of small collections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given

from tests.conftest import examples
from tests.evidence.completions import Several, depths, every_completion, evidence_of
from tests.evidence.small_collections import several_runs
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.measures.kernel.registry import MEASURES

SUMS = ["RBP(p=0.8)", "RBP(p=0.5, rel=2)@3", "P@3", "P(rel=2)@2", "DCG", "DCG@3", "DCG(dcg='exp-log2')@2"]
SUMS += ["RBP(p=0.5, max_grade=2)"]
QUOTIENTS = ["nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "AP", "AP(rel=2)@3", "R", "R@2", "SetR"]
OTHERS = [
    *("RBP(p=0.5, gains={1: 0.9, 2: 0.3})", "NumRelRet@2", "GMAP", "yaAP", "RelP@3", "Rprec"),
    *("RprecMult@2", "RR", "RR(rel=2)@3"),
    *("Success@2", "ERR(max_grade=2)", "ERR(max_grade=2)@2", "BinG", "IPrec@0.5", "IAP", "Bpref", "Bpref10"),
    *("GMBpref", "SetP", "SetF", "SetRelP", "SetAP", "NCP", "nDCG(gains={1: 1, 2: 10})@3"),
]
EVERY = [*SUMS, *QUOTIENTS, *OTHERS]
ONE_BELOW_THE_DEPTH: Several = (
    {"q": {"d0": 1, "d1": 1, "d2": 0}},
    {"one": {"q": {"d2": 2.0, "d1": 1.0}}, "two": {"q": {"d0": 3.0, "d1": 2.0, "d3": 1.0}}},
)
"""If d3 is judged and not relevant, Bpref counts one more such document in both runs."""
TWO_BELOW_THE_DEPTH: Several = (
    {"q": {"d0": 0, "d1": 1, "d2": 1, "d3": 1}},
    {"one": {"q": {"d4": 3.0, "d1": 2.0, "d5": 1.0}}, "two": {"q": {"d0": 1.0}}},
)
"""If d5 stays unjudged, a nonrelevant d4 costs Bpref more."""


def pair_of(evidence: RankingsEvidence, a: int = 0, b: int = 1) -> Contrast:
    found = evidence.contrast(np.array([a]), np.array([b]), by_query=True)
    assert found.missing == ""
    return found


def ends_of(contrast: Contrast) -> tuple[Floats, Floats]:
    assert contrast.ends_by_query is not None
    return contrast.ends_by_query.low[0], contrast.ends_by_query.high[0]


def test_every_measure_with_bounds_is_tried() -> None:
    tried = {name.split("(")[0].split("@")[0] for name in EVERY}
    evidence = evidence_of(({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}}), "AP")
    bounded = {name for name, measure in MEASURES.items() if not replace(evidence, measure=measure).missing}
    by_subtopic = {name for name, measure in MEASURES.items() if "diversity" in measure.function.__module__}
    assert bounded - by_subtopic == tried


@pytest.mark.parametrize("name", EVERY)
@examples(30)
@example(collection=ONE_BELOW_THE_DEPTH, depth=1)
@example(collection=TWO_BELOW_THE_DEPTH, depth=1)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_no_completion_is_outside(name: str, collection: Several, depth: int | None) -> None:
    """Nor is the difference as judged; the bounds of the mean are the means of those by query."""
    evidence = evidence_of(collection, name, depth)
    contrast = pair_of(evidence)
    low, high = ends_of(contrast)
    for closed in (-1, 0) if depth else (-1,):
        for query, one in enumerate(every_completion(evidence, 0, 1, closed)):
            assert low[query] <= one.differences.min() + 1e-12
            assert high[query] >= one.differences.max() - 1e-12
    assert (low <= contrast.values[0]).all()
    assert (contrast.values[0] <= high).all()
    assert contrast.ends is not None
    np.testing.assert_allclose([end[0] for end in contrast.ends], [low.mean(), high.mean()], atol=1e-15)


@pytest.mark.parametrize("name", SUMS)
@examples(40)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_sums_are_reached(name: str, collection: Several, depth: int | None) -> None:
    evidence = evidence_of(collection, name, depth)
    low, high = ends_of(pair_of(evidence))
    found = every_completion(evidence, 0, 1)
    np.testing.assert_allclose(low, [one.differences.min() for one in found], atol=1e-12)
    np.testing.assert_allclose(high, [one.differences.max() for one in found], atol=1e-12)


@pytest.mark.parametrize("name", EVERY)
@examples(12)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_a_pair_is_the_same_alone_turned_and_among_others(
    name: str, collection: Several, depth: int | None
) -> None:
    """A third run changes nothing, swapping two negates, and all pairs at once are the pairs alone."""
    qrels, runs = collection
    evidence, pairs = evidence_of(collection, name, depth), [(0, 1), (0, 2), (1, 2), (1, 0), (2, 1)]
    alone = [ends_of(pair_of(evidence, a, b)) for a, b in pairs]
    two = evidence_of((qrels, {run: runs[run] for run in ("one", "two")}), name, depth)
    np.testing.assert_allclose(ends_of(pair_of(two)), alone[0], atol=1e-14)
    for (low, high), (least, most) in ((alone[0], alone[3]), (alone[2], alone[4])):
        np.testing.assert_allclose([low, high], [-most, -least], atol=1e-15)
    every = evidence.contrast(*np.array(pairs).T, by_query=True)
    assert every.ends_by_query is not None
    for k, (low, high) in enumerate(alone):
        np.testing.assert_allclose(every.ends_by_query.low[k], low, atol=1e-14)
        np.testing.assert_allclose(every.ends_by_query.high[k], high, atol=1e-14)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RBP(p=0.8)", "Rprec"])
def test_equal_rankings_stay_equal(name: str) -> None:
    """Whatever is judged, two runs that rank the same documents alike have the same score."""
    ranking = {"q": {"d0": 3.0, "d1": 2.0, "d2": 1.0}}
    evidence = evidence_of(({"q": {"d1": 1, "x": -1}}, {"a": ranking, "b": dict(ranking)}), name)
    low, high = ends_of(pair_of(evidence))
    assert (low.tolist(), high.tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize("name", EVERY)
@examples(20)
@example(collection=TWO_BELOW_THE_DEPTH, depth=1)
@given(collection=several_runs(highest=2), depth=depths)
def test_no_completion_of_a_system_is_outside(name: str, collection: Several, depth: int | None) -> None:
    """The range of a system is of its own documents and the pool."""
    evidence = evidence_of(collection, name, depth)
    low, high = ends_of(pair_of(evidence, 0, -1))
    for closed in (-1, 0) if depth else (-1,):
        for query, one in enumerate(every_completion(evidence, 0, 0, closed)):
            assert low[query] <= one.first.min() + 1e-12
            assert high[query] >= one.first.max() - 1e-12
