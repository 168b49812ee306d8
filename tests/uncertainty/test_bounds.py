"""Bounds against every completion of small rankings."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.measures.test_properties import EVERY
from unjudged import JudgedRankings, Measure, UsageError, evaluate, sample
from unjudged.evaluation import judged_rankings
from unjudged.measures.names import parse
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.bounds import bounds
from unjudged.uncertainty.completions import Completions

BOUNDED = [measure for measure in EVERY if measure.traits.monotone]
BOUNDED += [parse(name)[0] for name in ("AP@3", "nDCG@3", "R@2", "AP(rel=2)", "Bpref(form='paper')")]
labels = st.lists(st.sampled_from(["0", "1", "U", "N"]), min_size=1, max_size=8)
graded = st.lists(st.sampled_from(["0", "1", "2", "U", "N"]), min_size=1, max_size=5)
missed = st.lists(st.sampled_from(["0", "1", "U"]), max_size=3)


def every_value(measure: Measure, ranking: JudgedRankings, more: int, top: int) -> list[float]:
    """The value of each completion, of the unseen documents too."""
    completions = Completions.of(ranking, more)
    unknown = int(completions.unknown.sum())
    ways = product(product(range(top + 1), repeat=unknown), product([-1, top], repeat=more))
    return [float(measure.compute(completions.complete(grades, unseen))[0]) for grades, unseen in ways]


def check(measure: Measure, ranking: JudgedRankings, more: int, top: int) -> None:
    found = bounds(measure, ranking, more=more, top=top)
    values = every_value(measure, ranking, more, top)
    assert found.low[0] == pytest.approx(min(values), abs=1e-12)
    high = found.high[0]
    if measure.name == "RBP":
        high -= 0.8 ** ranking.retrieved[0]  # the documents behind the end of the ranking
    assert high >= max(values) - 1e-12
    if found.exact:
        assert high == pytest.approx(max(values), abs=1e-12)


@pytest.mark.parametrize("measure", BOUNDED, ids=str)
@settings(max_examples=40, deadline=None)
@given(labels=labels, missed=missed, more=st.integers(0, 2))
def test_every_completion_of_binary_judgments(
    measure: Measure, labels: list[str], missed: list[str], more: int
) -> None:
    check(measure, JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "0"])), more, top=1)


@pytest.mark.parametrize("measure", BOUNDED, ids=str)
def test_all_4096_completions_of_twelve_unknown(measure: Measure) -> None:
    ranking = JudgedRankings.spelled("U N 1 N U 0 N U N 1 N N U N 0 N", missed="1 0")
    assert Completions.of(ranking).count.tolist() == [12]
    check(measure, ranking, 0, top=1)


@pytest.mark.parametrize(
    "name", ["nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "ERR", "AP(rel=2)", "RBP(rel=2)"]
)
@settings(max_examples=40, deadline=None)
@given(labels=graded, missed=missed)
def test_every_completion_of_graded_judgments(name: str, labels: list[str], missed: list[str]) -> None:
    (measure,) = parse(name)
    check(measure, JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "2"])), 0, top=2)


def test_many_rankings_at_once() -> None:
    """The bounds of a ranking are its own, whatever it is computed with."""
    judgments = Judgments.of(sample.qrels)
    rankings = judged_rankings(judgments, dict(sample.runs))
    together = bounds(parse("P@10")[0], rankings)
    start = 0
    for name, run in sample.runs.items():
        alone = bounds(parse("P@10")[0], judged_rankings(judgments, {name: run}))
        stop = start + len(judgments.queries)
        np.testing.assert_array_equal(together.low[start:stop], alone.low)
        np.testing.assert_array_equal(together.high[start:stop], alone.high)
        start = stop


def test_nothing_unknown_nothing_open() -> None:
    ranking = JudgedRankings.spelled("1 0 1", missed="1 0")
    for measure in BOUNDED:
        found = bounds(measure, ranking)
        tail = 0.8**3 if measure.name == "RBP" else 0.0
        assert found.high[0] - found.low[0] == pytest.approx(tail, abs=1e-12)


def test_refusals() -> None:
    ranking = JudgedRankings.spelled("1 U")
    with pytest.raises(UsageError, match="infAP has no bounds; these have: NumRelRet"):
        bounds(parse("infAP")[0], ranking)
    with pytest.raises(UsageError, match="more is -1"):
        bounds(parse("AP")[0], ranking, more=-1)
    with pytest.raises(UsageError, match="without unjudged"):
        bounds(parse("AP(unjudged='condensed')")[0], ranking)


def test_values_lie_within() -> None:
    scores = evaluate(sample.qrels, sample.runs["dense"], ["AP", "P@10", "RR", "nDCG@10"])
    rankings = judged_rankings(Judgments.of(sample.qrels), {"dense": sample.runs["dense"]})
    for k, measure in enumerate(scores.measures):
        found = bounds(measure, rankings, top=1)
        if measure.name != "nDCG":
            assert np.all(found.low <= scores.values[0, :, k] + 1e-12)
        assert np.all(scores.values[0, :, k] <= found.high + 1e-12)


def test_ap_in_one_pass_is_ap_one_by_one() -> None:
    from unjudged.uncertainty.average_precision import bounds_of_ap
    from unjudged.uncertainty.bounds import _over_counts

    rankings = judged_rankings(Judgments.of(sample.qrels), dict(sample.runs))
    for name, more in (("AP", 0), ("AP(rel=2)@7", 3)):
        (measure,) = parse(name)
        completions = Completions.of(rankings, more)
        quick = bounds_of_ap(completions, np.full(len(rankings), more), **measure.own)
        slow = _over_counts(measure, completions, 2)
        np.testing.assert_allclose(quick, slow, atol=1e-13)
