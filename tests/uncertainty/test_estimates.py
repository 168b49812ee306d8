"""Intervals of means: what they hold, what they say of themselves."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from unjudged import UsageError, evaluate, sample
from unjudged.formats.readers.memory import table_of
from unjudged.measures.names import parse
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.intervals import drawn_values, given_interval, model_interval
from unjudged.uncertainty.park import unjudged_part

SCORES = evaluate(sample.qrels, {n: sample.runs[n] for n in ("fused", "dense")}, ["AP", "RBP(p=0.8)", "P@10"])


def test_every_kind_holds_its_own_value() -> None:
    for kind in ("bounds", "model", "queries", "both"):
        for row in SCORES.estimate(kind, draws=200):
            for estimate in row:
                assert estimate.low <= estimate.value <= estimate.high
                assert estimate.level == (1.0 if kind == "bounds" else 0.95)
                assert estimate.method
                assert estimate.of.startswith("mean ")


def test_bounds_hold_what_the_model_says() -> None:
    bounds, model = SCORES.estimate("bounds"), SCORES.estimate("model", q=0.5, draws=200)
    pairs = zip(chain(*bounds), chain(*model), strict=True)
    for wide, narrow in pairs:
        assert wide.low - 1e-12 <= narrow.low
        assert narrow.high <= wide.high + 1e-12


def test_same_seed_same_numbers() -> None:
    first, second = (SCORES.estimate("both", draws=50, seed=4)[0][0] for _ in range(2))
    assert first == second
    assert SCORES.estimate("both", draws=50, seed=5)[0][0] != first


def test_both_is_wider_than_either() -> None:
    model, queries, both = (
        SCORES.estimate(kind, draws=500)[1][0].width for kind in ("model", "queries", "both")
    )
    assert both > model
    assert both > 0.8 * queries


def test_random_completions_agree_with_the_exact_mean() -> None:
    """RBP both ways: exact, and by completions; four standard errors."""
    (measure,) = parse("RBP(p=0.8)")
    rankings = SCORES.rankings.run(1)
    part = unjudged_part(rankings, measure, 0.3)
    values, _ = drawn_values(measure, rankings, 0.3, draws=2000, seed=1)
    exact = part.value + part.mean
    assert np.all(np.abs(values.mean(axis=0) - exact) < 4.5 * np.sqrt(part.variance / 2000) + 1e-12)
    np.testing.assert_allclose(values.var(axis=0), part.variance, rtol=0.25, atol=1e-12)


def test_intervals_of_ap_cover_as_often_as_they_say() -> None:
    """Truths drawn from the model itself, 400 times, 30 queries."""
    (measure,) = parse("AP")
    rankings = SCORES.rankings.run(1)
    interval = model_interval(measure, rankings, 0.3, draws=1000, seed=10)
    truths, _ = drawn_values(measure, rankings, 0.3, draws=400, seed=11)
    covered = np.mean((interval.low <= truths.mean(axis=1)) & (truths.mean(axis=1) <= interval.high))
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize(
    "options", [{"interval": "often"}, {"interval": "model", "q": 2.0}, {"interval": "queries", "level": 1.0}]
)
def test_refusals(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        SCORES.estimate(**options)  # type: ignore[arg-type]


def test_one_query_has_no_spread() -> None:
    scores = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    assert str(scores.estimate("queries")[0][0]) == "1.0000 [1.0000, 1.0000]"


def test_given_probabilities() -> None:
    """One unjudged document at the top, relevant with probability 0.25: P@1 is 1 a quarter of the time."""
    judgments = Judgments.of({"q": {"x": 1}, "r": {"x": 1}})
    run = table_of({"q": {"u": 2.0, "x": 1.0}, "r": {"x": 2.0}}, "score")
    given = table_of({"q": {"u": 0.25, "z": 0.5}}, "score")
    (measure,) = parse("P@1")
    found = given_interval(measure, judgments, run, given, draws=4000)
    assert found.value == pytest.approx((1 + 0.25) / 2, abs=0.015)
    assert (found.low, found.high) == (0.5, 1.0)
    certain = given_interval(measure, judgments, run, table_of({"q": {"u": 1.0}}, "score"), draws=10)
    assert certain.value == certain.low == 1.0
    with pytest.raises(UsageError, match="the probability of document 'u' is 2"):
        given_interval(measure, judgments, run, table_of({"q": {"u": 2.0}}, "score"))


def test_the_urn_as_a_model() -> None:
    from unjudged.uncertainty import urn
    from unjudged.uncertainty.prevalence import relevance

    by_rank = urn.relevance_by_rank(100, 0.2, 0.3)
    assert by_rank.sum() == pytest.approx(20.0)
    assert np.all(np.diff(by_rank) < 0)
    assert urn.relevance_by_rank(50, 0.2, 1.0) == pytest.approx(np.full(50, 0.2))
    model = relevance(SCORES.rankings.run(0), "urn")
    assert "urn of 40 with q = 0." in model.assumption
    chances = model.at(np.zeros(40, np.int64), np.arange(1, 41))
    assert np.all((chances > 0) & (chances < 1))
    assert chances[0] > chances[-1]
