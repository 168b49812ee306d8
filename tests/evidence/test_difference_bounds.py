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


def pair_of(collection: Several, name: str, depth: int | None = None, a: int = 0, b: int = 1) -> Contrast:
    found = evidence_of(collection, name, depth).contrast(np.array([a]), np.array([b]), by_query=True)
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
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_no_completion_is_outside(name: str, collection: Several, depth: int | None) -> None:
    """Nor is the difference as judged; the bounds of the mean are the means of those by query."""
    contrast = pair_of(collection, name, depth)
    low, high = ends_of(contrast)
    evidence = evidence_of(collection, name, depth)
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
    low, high = ends_of(pair_of(collection, name, depth))
    found = every_completion(evidence_of(collection, name, depth), 0, 1)
    np.testing.assert_allclose(low, [one.differences.min() for one in found], atol=1e-12)
    np.testing.assert_allclose(high, [one.differences.max() for one in found], atol=1e-12)


@pytest.mark.parametrize("name", EVERY)
@examples(12)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_a_third_run_changes_nothing(name: str, collection: Several, depth: int | None) -> None:
    qrels, runs = collection
    alone = pair_of((qrels, {name: runs[name] for name in ("one", "two")}), name, depth)
    beside = pair_of(collection, name, depth)
    np.testing.assert_allclose(ends_of(alone), ends_of(beside), atol=1e-14)


@pytest.mark.parametrize("name", EVERY)
@examples(12)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_swapping_two_systems_negates(name: str, collection: Several, depth: int | None) -> None:
    low, high = ends_of(pair_of(collection, name, depth))
    least, most = ends_of(pair_of(collection, name, depth, 1, 0))
    np.testing.assert_allclose([low, high], [-most, -least], atol=1e-15)


@pytest.mark.parametrize("name", EVERY)
@examples(12)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_all_pairs_at_once_are_the_pairs_alone(name: str, collection: Several, depth: int | None) -> None:
    first, second = np.array([0, 0, 1, 2, 2]), np.array([1, 2, 2, 0, 1])
    every = evidence_of(collection, name, depth).contrast(first, second, by_query=True)
    assert every.ends_by_query is not None
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        low, high = ends_of(pair_of(collection, name, depth, a, b))
        np.testing.assert_allclose(every.ends_by_query.low[k], low, atol=1e-14)
        np.testing.assert_allclose(every.ends_by_query.high[k], high, atol=1e-14)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RBP(p=0.8)", "Rprec"])
def test_equal_rankings_stay_equal(name: str) -> None:
    """Whatever is judged, two runs that rank the same documents alike have the same score."""
    ranking = {"q": {"d0": 3.0, "d1": 2.0, "d2": 1.0}}
    low, high = ends_of(pair_of(({"q": {"d1": 1, "x": -1}}, {"a": ranking, "b": dict(ranking)}), name))
    assert (low.tolist(), high.tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize("name", EVERY)
@examples(20)
@given(collection=several_runs(highest=2), depth=depths)
def test_no_completion_of_a_system_is_outside(name: str, collection: Several, depth: int | None) -> None:
    """The range of a system is of its own documents and the pool."""
    evidence = evidence_of(collection, name, depth)
    alone = evidence.contrast(np.array([0]), np.array([-1]), by_query=True)
    low, high = ends_of(alone)
    for closed in (-1, 0) if depth else (-1,):
        for query, one in enumerate(every_completion(evidence, 0, 0, closed)):
            assert low[query] <= one.first.min() + 1e-12
            assert high[query] >= one.first.max() - 1e-12
