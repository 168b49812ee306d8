"""The prevalence at which a difference changes its sign: by the closed form, and by completions."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged import compare, sample
from unjudged.comparison.reversals import expected_difference, prevalence_at_flip
from unjudged.uncertainty.shared import SharedRankings, two_of

RUNS = {name: sample.runs[name] for name in ("reranked", "dense", "fused")}


def unjudged_weights(shared: SharedRankings, weight: np.ndarray) -> np.ndarray:
    """What the unjudged documents of each run weigh on average over queries, rank by rank."""
    r = shared.rankings
    run = r.ranking // len(shared.queries)
    own = np.where(r.labels < 0, weight[np.minimum(r.rank, len(weight)) - 1], 0)
    return np.bincount(run, own, len(shared.runs)) / len(shared.queries)


@pytest.mark.parametrize(
    ("measure", "weight"),
    [("RBP(p=0.8)", 0.2 * 0.8 ** np.arange(2000)), ("P@10", np.r_[np.full(10, 0.1), 0.0])],
)
def test_sums_by_the_closed_form(measure: str, weight: np.ndarray) -> None:
    """At the flip the expected difference, difference + q (W_a - W_b), is 0."""
    found = compare(sample.qrels, RUNS, measure)
    total = dict(zip(found.runs, unjudged_weights(found.shared, weight), strict=True))
    flips = 0
    for pair in (found.pair(a, b) for a in RUNS for b in RUNS if a < b):
        slope = total[pair.a] - total[pair.b]
        if pair.flip is not None:
            flips += 1
            assert pair.difference.value + pair.flip * slope == pytest.approx(0, abs=1e-12)
        else:
            assert pair.difference.value * (pair.difference.value + slope) > 0
    assert flips


def test_sums_by_completions() -> None:
    found = compare(sample.qrels, RUNS)
    pair = found.pair("reranked", "dense")
    assert pair.flip is not None
    completions = two_of(found.shared, 0, 1).completions(0.0)
    for prevalence, sign in ((0.8 * pair.flip, 1), (min(1.2 * pair.flip, 1), -1)):
        assert np.sign(expected_difference(completions, found.result().measure, prevalence)) == sign


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_other_measures_have_the_other_sign_on_the_other_side(measure: str) -> None:
    """200 completions with a seed of their own, a fifth below and above the flip."""
    found = compare(sample.qrels, RUNS, measure)
    pair = found.pair("reranked", "dense")
    assert pair.flip is not None
    for prevalence, sign in ((0.8 * pair.flip, 1), (1.2 * pair.flip, -1)):
        completions = found.shared.completions(prevalence, seed=77)
        (values,) = completions.values([found.result().measure], 200)
        means = found.shared.per_run(values).mean(axis=(0, 2))
        assert np.sign(means[0] - means[1]) == sign


def test_no_flip() -> None:
    found = compare(sample.qrels, RUNS)
    assert found.pair("reranked", "fused").flip is None
    assert prevalence_at_flip(found.shared, found.result().measure, 0, 1, 0.0) is None
    qrels = {"q": {"x": 1, "y": 0}}
    one, two = {"q": {"x": 2.0, "u": 1.0}}, {"q": {"y": 2.0, "u": 1.0}}
    assert compare(qrels, {"one": one, "two": two}, "AP").pair().flip is None


def test_the_lowest_grade_does_not_decide_a_graded_comparison() -> None:
    """Relevant documents are mostly of grade 3. `two` finds unjudged ones, and with their grades it wins.

    If completed documents had the lowest relevant grade, `one` would win at any prevalence.
    """
    queries = [f"q{i}" for i in range(12)]
    qrels = {q: {"x": 1, "y": 3, "z": 3, "w": 0} for q in queries}
    one = {q: {"x": 3.0, "w": 2.0} for q in queries}
    two = {q: {"u": 3.0, "w": 2.0} for q in queries}
    found = compare(qrels, {"one": one, "two": two}, "nDCG(dcg='exp-log2')@2").pair()
    assert found.ahead == "one"
    assert found.flip is not None
    # A relevant u has grade 3 with probability 2/3: it is worth (2/3) 7 + (1/3) 1 = 5 times x.
    assert found.flip == pytest.approx(1 / 5, abs=0.08)
