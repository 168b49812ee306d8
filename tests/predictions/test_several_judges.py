"""Several judges together, by query."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unjudged import Judgments, Run, UsageError
from unjudged.predictions import (
    Judges,
    Predictions,
    combined_scores,
    estimate_by_query,
    prediction_powered,
)

Scores = dict[str, dict[str, float]]

RNG = np.random.default_rng(5)
QUERIES = [f"q{i:02d}" for i in range(30)]
DOCUMENTS = [f"d{j:02d}" for j in range(20)]
RELEVANT = RNG.random((30, 20)) < 0.3
TRUTH = {
    q: dict(zip(DOCUMENTS, row, strict=True))
    for q, row in zip(QUERIES, RELEVANT.astype(int).tolist(), strict=True)
}
RUNS = {
    name: Run.read({q: dict(zip(DOCUMENTS, RNG.random(20).tolist(), strict=True)) for q in QUERIES})
    for name in ("a", "b")
}


def judge(noise: float, seed: int) -> Scores:
    """Scores that follow the truth as closely as the noise lets them."""
    score = RELEVANT + noise * np.random.default_rng(seed).standard_normal(RELEVANT.shape)
    return {q: dict(zip(DOCUMENTS, row, strict=True)) for q, row in zip(QUERIES, score.tolist(), strict=True)}


def test_by_query_the_scores_are_combined_before_they_are_powered() -> None:
    rng = np.random.default_rng(3)
    human = rng.random(20)
    predicted = np.stack([human + 0.1 * rng.standard_normal(20), rng.random(20)])
    further = rng.random((2, 40))
    fold = np.arange(20) % 10
    found = combined_scores(human, predicted, further, fold)
    assert found.weights[0] > 0.8
    assert found.weights.sum() == pytest.approx(1)
    again = combined_scores(human, predicted[::-1], further[::-1], fold)
    np.testing.assert_allclose(again.predicted, found.predicted, atol=1e-12)
    few = combined_scores(human[:5], predicted[:, :5], further, fold[:5])
    np.testing.assert_allclose(few.predicted, predicted[:, :5].mean(axis=0))
    one = combined_scores(human, predicted[:1], further[:1], fold)
    alone = prediction_powered(human, predicted[0], further[0])
    assert prediction_powered(human, one.predicted, one.further) == alone


def test_estimates_by_query_of_several_judges() -> None:
    people = {q: TRUTH[q] for q in QUERIES[:15]}
    judges = {"one": Predictions.of(judge(0.3, 1)), "two": Predictions.of(judge(1.0, 2))}
    found = estimate_by_query(people, RUNS, judges, "AP", threshold=0.5)
    assert found.predicted.shape == (2, 2, 15)
    assert found.further.shape == (2, 2, 15)
    assert "Weights of the judges for AP: a: one" in found.notes()[1]
    one = estimate_by_query(people, RUNS, judges["one"], "AP", threshold=0.5)
    same = estimate_by_query(people, RUNS, {"one": judges["one"]}, "AP", threshold=0.5)
    assert one.powered("a") == same.powered("a")
    assert one.powered("a", "b") == same.powered("a", "b")


def test_only_queries_that_every_judge_knows_count() -> None:
    people = {q: TRUTH[q] for q in QUERIES[:15]}
    two = judge(1.0, 2)
    short = {q: two[q] for q in QUERIES[5:25]}
    judges = Judges.of({"one": judge(0.3, 1), "two": short})
    found = estimate_by_query(people, RUNS, judges, "AP", threshold=0.5)
    assert (found.human.shape[1], found.further.shape[2], found.without_predictions) == (10, 10, 5)


def test_what_judges_are() -> None:
    model = judge(1.0, 1)
    assert Judges.of(model).names == ["predictions"]
    assert Judges.of({"m": model}).names == ["m"]
    both: dict[str, Any] = {"m": Judgments.read(TRUTH), "n": Run.read(model)}
    assert Judges.of(both).names == ["m", "n"]
    assert Judges.of(Judges.of(model)).names == ["predictions"]
    with pytest.raises(UsageError, match="or of several by name"):
        Judges.of([])
