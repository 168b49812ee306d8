"""The differences by query: their means, their order, and the pair the other way round."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged import compare, sample

PAIR = {name: sample.runs[name] for name in ("reranked", "dense")}


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "nDCG@10"])
def test_the_sample(measure: str) -> None:
    comparison = compare(sample.qrels, PAIR, measure)
    queries = comparison.by_query().rows["queries"]
    for name in ("difference", "low", "high"):
        assert np.mean([one[name] for one in queries]) == pytest.approx(comparison[name])
    gaps = [one["difference"] for one in queries]
    assert [one["value_a"] - one["value_b"] for one in queries] == pytest.approx(gaps, abs=1e-12)
    assert [abs(gap) for gap in gaps] == sorted(map(abs, gaps), reverse=True)


def test_queries_of_a_pair_the_other_way_round() -> None:
    comparison = compare(sample.qrels, PAIR)
    one, other = comparison.by_query("reranked", "dense"), comparison.by_query("dense", "reranked")
    for row, turned in zip(one.rows["queries"], other.rows["queries"], strict=True):
        assert row["query"] == turned["query"]
        assert (row["value_a"], row["value_b"]) == (turned["value_b"], turned["value_a"])
        assert (row["low"], row["high"]) == pytest.approx((-turned["high"], -turned["low"]), abs=1e-15)
