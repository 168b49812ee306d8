"""Bounds that know the depth of the pool: documents that every run has below it are nonrelevant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.intervals import intervals
from tests.report.test_page import said
from unjudged import Collection, Judgments, compare, evaluate, sample
from unjudged.rankings.origin import Origin
from unjudged.report.report_page import report_page

# At depth 2: u is at rank 1 of `a`, v at rank 3 of both, w (-1 in the pool) at rank 3 of `b` alone.
QRELS = {"q": {"x": 1, "y": 0, "w": -1}}
RUNS = {
    "a": {"q": {"x": 9.0, "u": 8.0, "v": 7.0, "t": 6.0}},
    "b": {"q": {"y": 9.0, "x": 8.0, "v": 7.0, "w": 6.0, "u": 5.0}},
}


def test_bounds_of_one_run_by_hand() -> None:
    """P@4 of a: x is relevant and u open; v and t are below rank 2 in every run. Of b only w is open."""
    found = intervals(evaluate(QRELS, RUNS, "P@4", pool_depth=2), "bounds")
    assert [(e.value, e.low, e.high) for (e,) in found] == [(0.25, 0.25, 0.5), (0.25, 0.25, 0.5)]
    assert "every run has below rank 2, the pool's depth, count as nonrelevant" in found[0][0].method
    open_ended = intervals(evaluate(QRELS, RUNS, "P@4"), "bounds")
    assert [(e.low, e.high) for (e,) in open_ended] == [(0.25, 1.0), (0.25, 0.75)]


def test_average_precision_by_hand() -> None:
    """a: x, u: 1 with u relevant, (1 + 0) / 2 with w and not u. b: y x v w u: 1/2 with w and without it."""
    (a,), (b,) = intervals(evaluate(QRELS, RUNS, "AP", pool_depth=2), "bounds")
    assert (a.value, a.low, a.high) == (1.0, 0.5, 1.0)
    assert (b.value, b.low, b.high) == (0.5, 0.5, 0.5)


def test_differences_by_every_completion_of_what_is_open() -> None:
    """Only u and w are open: P@4 of a minus b is 0 + u/4 - w/4."""
    near, wide = compare(QRELS, RUNS, "P@4", pool_depth=2), compare(QRELS, RUNS, "P@4")
    row = near.pair("a", "b")
    assert (row["difference"], row["low"], row["high"]) == (0.0, -0.25, 0.25)
    assert (wide.pair("a", "b")["low"], wide.pair("a", "b")["high"]) == (-0.25, 0.5)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.95)", "Bpref", "P@10"])
def test_values_stay_and_bounds_are_inside(measure: str) -> None:
    three = {name: sample.runs[name] for name in ("dense", "fused", "reranked")}
    wide, near = (compare(sample.qrels, three, measure, pool_depth=d) for d in (None, 20))
    for one, other in zip(wide.pairs, near.pairs, strict=True):
        assert [one[name] for name in ("p", "difference", "mean_a")] == [
            other[name] for name in ("p", "difference", "mean_a")
        ]
        assert one["low"] - 1e-12 <= other["low"] <= other["difference"] + 1e-12
        assert other["difference"] - 1e-12 <= other["high"] <= one["high"] + 1e-12
    runs = [intervals(evaluate(sample.qrels, three, measure, pool_depth=d), "bounds") for d in (None, 20)]
    for (open_ended,), (closed,) in zip(*runs, strict=True):
        assert open_ended.low - 1e-12 <= closed.low <= closed.value <= closed.high <= open_ended.high + 1e-12
    assert "Bounds: documents that every run has below rank 20" in " ".join(near.notes)


def test_a_pool_that_records_its_depth_need_not_be_told() -> None:
    recorded = Judgments.read({"q": {"x": 1, "y": 0}})
    told = compare(recorded, RUNS, "AP", pool_depth=2).pair()
    known = replace(recorded, origin=Origin("pool", 2))
    assert compare(known, RUNS, "AP").pair() == pytest.approx(told, nan_ok=True)
    assert intervals(evaluate(known, RUNS, "AP"), "bounds")[0][0].method.endswith("count as nonrelevant")
    sampled = replace(recorded, origin=Origin("uniform sample", 2))
    assert "below rank" not in intervals(evaluate(sampled, RUNS, "AP"), "bounds")[0][0].method


def test_the_page_says_it_and_shows_documents_as_unjudged() -> None:
    for runs in ({"a": RUNS["a"]}, RUNS):
        page = report_page(Collection(QRELS, runs, how="pool", depth=2), None, ["AP"]).html
        assert "below rank 2, the pool's depth, count as nonrelevant" in said(page)
        assert "2 documents, " in said(page)
