"""Several judges together: the definition, one judge as before, unbiasedness, and intervals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from numpy.typing import NDArray

from unjudged import Judgments, Run, UsageError, compare, evaluate
from unjudged.predictions import (
    Judges,
    Predictions,
    estimate_by_document,
    estimate_by_query,
    estimate_with_predictions,
    prediction_powered,
)
from unjudged.predictions.calibrated_gains import Curve, combined, combined_scores, cross_fitted

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


def sampled(rate: float, seed: int) -> Judgments:
    """A Poisson sample of the judgments."""
    whole = Judgments.read(TRUTH)
    drawn = np.random.default_rng(seed).random(len(whole.grade)) < rate
    grade = np.where(drawn, whole.grade, -1).astype(np.int32)
    return replace(whole, grade=grade, probability=np.full(len(grade), rate))


def drawn_rows(rows: int) -> tuple[list[NDArray[np.float64]], NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(1)
    gain = rng.integers(0, 2, rows).astype(float)
    return [gain + s * rng.standard_normal(rows) for s in (0.5, 1.0)], gain, rng.random(rows) < 0.7


def test_weights_come_from_curves_that_saw_neither_fold() -> None:
    """Written out: for each fold, curves by all pairs of folds, then least squares by scipy."""
    scores, gain, drawn = drawn_rows(80)
    rng = np.random.default_rng(2)
    fold, pi = rng.integers(0, 4, 80), rng.uniform(0.2, 1, 80)
    found = combined(scores, gain, drawn, pi, fold)
    for k in range(4):
        design, target = [], []
        for row in np.flatnonzero(drawn & (fold != k)):
            rest = drawn & (fold != k) & (fold != fold[row])
            curves = [Curve.fitted(score[rest], gain[rest], 1 / pi[rest]) for score in scores]
            values = [curve(score[[row]]).item() for curve, score in zip(curves, scores, strict=True)]
            design.append(np.sqrt(1 / pi[row]) * np.array(values))
            target.append(np.sqrt(1 / pi[row]) * gain[row])
        weights = scipy.optimize.nnls(np.array(design), np.array(target))[0]
        np.testing.assert_allclose(found.weights[:, k], weights, atol=1e-12)
        own = [cross_fitted(score, gain, drawn, pi, fold)[fold == k] for score in scores]
        np.testing.assert_allclose(found.expected[fold == k], weights @ np.array(own), atol=1e-12)


def test_a_fold_does_not_see_its_own_judgments() -> None:
    scores, gain, drawn = drawn_rows(60)
    fold = np.arange(60) % 5
    before = combined(scores, gain, drawn, np.full(60, 0.5), fold)
    for k in range(5):
        after = combined(scores, np.where(fold == k, 1 - gain, gain), drawn, np.full(60, 0.5), fold)
        np.testing.assert_array_equal(before.expected[fold == k], after.expected[fold == k])


def test_one_judge_is_as_before() -> None:
    scores, gain, drawn = drawn_rows(60)
    fold = np.arange(60) % 5
    pi = np.full(60, 0.7)
    np.testing.assert_array_equal(
        combined(scores[:1], gain, drawn, pi, fold).expected, cross_fitted(scores[0], gain, drawn, pi, fold)
    )
    people, model = sampled(0.3, 1), judge(0.5, 1)
    alone = estimate_by_document(people, RUNS, model, "P@5")
    named = estimate_by_document(people, RUNS, {"model": model}, "P@5")
    assert alone.mean("a") == named.mean("a")
    assert alone.notes() == named.notes()


def test_estimates_are_unbiased_over_every_sample() -> None:
    """All Poisson samples of two queries in two folds, with two judges."""
    gain = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    scores = [np.array([0.9, 0.2, 0.4, 0.1, 0.8, 0.5]), np.array([5.0, 1.0, 7.0, 9.0, 2.0, 1.0])]
    fold, pi = np.array([0, 0, 1, 1, 2, 2]), np.array([0.5, 0.4, 0.7, 0.3, 0.9, 0.6])
    mean = 0.0
    for choice in product((False, True), repeat=6):
        drawn = np.array(choice)
        expected = combined(scores, gain, drawn, pi, fold).expected
        estimate = expected.sum() + ((gain - expected) / pi)[drawn].sum()
        mean += float(np.prod(np.where(drawn, pi, 1 - pi))) * estimate
    assert mean == pytest.approx(gain.sum(), abs=1e-12)


@pytest.mark.thorough
def test_a_useless_judge_does_no_harm_and_a_good_one_counts() -> None:
    """Over 100 samples: a good judge with a random one is as precise as the good one alone."""
    good, useless = judge(0.4, 1), judge(1e6, 2)
    truth = evaluate(TRUTH, RUNS, "P@5").means[:, 0]
    errors: dict[str, list[float]] = {"good": [], "useless": [], "both": []}
    weights = []
    for seed in range(100):
        people = sampled(0.25, seed)
        ways: dict[str, Any] = {"good": good, "useless": useless, "both": {"good": good, "useless": useless}}
        for way, judges in ways.items():
            found = estimate_by_document(people, RUNS, judges, "P@5")
            errors[way] += (found.per_query.mean(axis=1) - truth).tolist()
        weights.append([found.judges["good"], found.judges["useless"]])
    rmse = {way: float(np.sqrt(np.mean(np.square(each)))) for way, each in errors.items()}
    assert rmse["both"] <= 1.05 * rmse["good"]
    assert rmse["good"] < 0.85 * rmse["useless"]
    assert np.mean(weights, axis=0)[0] > 0.8


@pytest.mark.thorough
def test_two_judges_are_better_than_either_and_intervals_hold() -> None:
    judges = {"one": judge(0.7, 1), "two": judge(0.7, 2)}
    truth = float(evaluate(TRUTH, RUNS, "P@5").means[0, 0] - evaluate(TRUTH, RUNS, "P@5").means[1, 0])
    errors: dict[str, list[float]] = {"one": [], "two": [], "both": []}
    held = []
    for seed in range(200):
        people = sampled(0.3, seed)
        ways: dict[str, Any] = {**judges, "both": judges}
        for way, own in ways.items():
            found = estimate_by_document(people, RUNS, own, "P@5").mean("a", "b")
            errors[way].append(found.value - truth)
        held.append(found.low <= truth <= found.high)
    rmse = {way: float(np.sqrt(np.mean(np.square(each)))) for way, each in errors.items()}
    assert rmse["both"] < min(rmse["one"], rmse["two"])
    assert 0.92 <= np.mean(held) <= 0.98


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
    assert one.mean("a") == same.mean("a")
    assert one.mean("a", "b") == same.mean("a", "b")


def test_only_queries_that_every_judge_knows_count() -> None:
    people = {q: TRUTH[q] for q in QUERIES[:15]}
    two = judge(1.0, 2)
    short = {q: two[q] for q in QUERIES[5:25]}
    judges = Judges.of({"one": judge(0.3, 1), "two": short})
    found = estimate_by_query(people, RUNS, judges, "AP", threshold=0.5)
    assert (found.human.shape[1], found.further.shape[2], found.without_predictions) == (10, 10, 5)


def test_a_comparison_takes_several_judges() -> None:
    judges = {"one": judge(0.4, 1), "two": judge(0.6, 2)}
    estimates = estimate_with_predictions(sampled(0.4, 3), RUNS, judges, "P@5")
    found = compare(sampled(0.4, 3), RUNS, "P@5", predictions=judges)
    row, gap = found.pair("a", "b"), estimates[0].mean("a", "b")
    assert [row[name] for name in ("difference", "estimate_low", "estimate_high")] == pytest.approx(
        [gap.value, gap.low, gap.high], abs=1e-12
    )
    assert any(note.startswith("Weights of the judges for P@5: one 0.") for note in found.notes)


def test_what_judges_are() -> None:
    model = judge(1.0, 1)
    assert Judges.of(model).names == ["predictions"]
    assert Judges.of({"m": model}).names == ["m"]
    both: dict[str, Any] = {"m": Judgments.read(TRUTH), "n": Run.read(model)}
    assert Judges.of(both).names == ["m", "n"]
    assert Judges.of(Judges.of(model)).names == ["predictions"]
    with pytest.raises(UsageError, match="or of several by name"):
        Judges.of([])
