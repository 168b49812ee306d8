"""Intervals of means: what they hold, what they say of themselves."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from unjudged import UsageError, evaluate, sample
from unjudged.measures.names import parse
from unjudged.uncertainty.expectation import drawn_values, model_interval
from unjudged.uncertainty.rank_biased import unjudged_part

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
    assert 0.93 <= covered <= 0.97 + 0.01


@pytest.mark.parametrize(
    "options", [{"interval": "often"}, {"interval": "model", "q": 2.0}, {"interval": "queries", "level": 1.0}]
)
def test_refusals(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        SCORES.estimate(**options)  # type: ignore[arg-type]


def test_one_query_has_no_spread() -> None:
    scores = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    assert str(scores.estimate("queries")[0][0]) == "1.0000 [1.0000, 1.0000]"
