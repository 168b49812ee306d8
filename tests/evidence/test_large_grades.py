"""The largest grade that fits costs no more memory than any other."""

from __future__ import annotations

import tracemalloc

import pytest

from tests.intervals import intervals
from unjudged import evaluate

LARGEST = 2**31 - 1


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG", "DCG@10"])
def test_grade_2147483647_does_not_exhaust_memory_in_bounds(measure: str) -> None:
    """A table with an entry per grade would have two thousand million of them."""
    qrels = {f"q{i}": {"a": LARGEST, "b": 1, "c": 0, "u": -1} for i in range(3)}
    run = {query: {"u": 3.0, "b": 2.0, "x": 1.0, "a": 0.5} for query in qrels}
    tracemalloc.start()
    try:
        scores = evaluate(qrels, run, measure)
        estimate = intervals(scores, "bounds")[0][0]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    assert 0 < estimate.low <= scores.value(measure) <= estimate.high
    if measure.startswith("nDCG"):
        assert estimate.high <= 1
