"""Spot checks: exact on small pools, and on TREC-8's manual runs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from unjudged import Calibration, InputError, Judgments, UsageError, evaluate
from unjudged.judging.collecting.merging import merge
from unjudged.measures.kernel.estimand import JUDGMENTS
from unjudged.measures.kernel.names import parse_measure
from unjudged.predictions import spot_check, spot_check_design
from unjudged.predictions.run_checks import FirstOrder, checked_sum, prevalence_at

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d5": 2}}
RUN = {"q1": {"d1": 9.0, "d3": 8.0, "d4": 7.0}, "q2": {"d6": 9.0, "d5": 8.0, "d7": 7.0}}
FULL = {"q1": {"d1": 1, "d2": 0, "d3": 1, "d4": 0}, "q2": {"d5": 2, "d6": 0, "d7": 1}}
PREVALENCE = (0.3, 0.2, 0.1)


def test_the_mean_over_all_samples_is_the_truth() -> None:
    weight, m = np.array([0.2, 0.16, 0.1, 0.05]), np.array([0.9, 0.0, 0.3, 1.0])
    pi, gain = np.array([0.8, 0.5, 0.2, 0.05]), np.array([0.0, 1.0, 0.5, 0.0])
    mean = 0.0
    for choice in product((False, True), repeat=4):
        drawn = np.array(choice)
        mean += float(np.prod(np.where(drawn, pi, 1 - pi))) * checked_sum(weight, m, pi, drawn, gain)[0]
    assert mean == pytest.approx(weight @ gain)


def test_the_variance_by_hand() -> None:
    """One of two drawn is relevant: p = (1 + 1) / (2 + 2)."""
    weight, m, pi = np.array([0.5, 0.25, 0.125]), np.array([0.2, 0.2, 0.1]), np.array([0.5, 0.25, 0.2])
    _, variance = checked_sum(weight, m, pi, np.array([True, True, False]), np.array([1.0, 0.0, 1.0]))
    parts = [
        (0.5 / 0.5) * 0.25 * (0.5 * 0.64 + 0.5 * 0.04),
        (0.75 / 0.25) * 0.0625 * (0.5 * 0.64 + 0.5 * 0.04),
        (0.8 / 0.2) * 0.015625 * (0.5 * 0.81 + 0.5 * 0.01),
    ]
    assert variance == pytest.approx(sum(parts))


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P@3", "DCG@3", "nDCG@3"])
def test_from_the_design_to_the_interval(measure: str) -> None:
    """When everything is judged the spot check is the exact score; else it is the formula."""
    whole = spot_check_design(QRELS, RUN, PREVALENCE, measure, budget=100)
    assert sorted(whole.to_judge()) == [("q1", "d3"), ("q1", "d4"), ("q2", "d6"), ("q2", "d7")]
    found = spot_check(merge(whole, {"people": FULL}).judgments, RUN, PREVALENCE, measure, name="mine")
    exact = evaluate(FULL, RUN, measure).means.item()
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == pytest.approx((exact,) * 3)
    values = []
    for seed in range(40):
        design = spot_check_design(QRELS, RUN, PREVALENCE, measure, budget=2, seed=seed)
        values.append(
            spot_check(merge(design, {"people": FULL}).judgments, RUN, PREVALENCE, measure).estimate
        )
        assert values[-1].low <= values[-1].value <= values[-1].high
    assert np.mean([value.low <= exact <= value.high for value in values]) >= 0.9


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P@3", "DCG@3"])
def test_intervals_stay_inside_what_is_possible(measure: str) -> None:
    """Low was below, and high above, what any judgments of the rest could give."""
    outside = 0
    for seed in range(60):
        design = spot_check_design(QRELS, RUN, PREVALENCE, measure, budget=2, seed=seed)
        checked = merge(design, {"them": FULL}).judgments
        found = spot_check(checked, RUN, PREVALENCE, measure).estimate
        waiting = checked.grade < 0
        least, most = (
            evaluate(checked.with_grades(np.where(waiting, g, checked.grade)), RUN, measure).means.item()
            for g in (0, 1 if measure != "DCG@3" else 2)
        )
        assert least - 1e-12 <= found.low <= found.value <= found.high <= most + 1e-12
        outside += found.low == pytest.approx(least) or found.high == pytest.approx(most)
    assert outside > 0


def test_ndcg_changes_with_a_gain_as_its_definition_does() -> None:
    """Where the expected gains are 0, one relevant document changes nDCG by nearly its first-order change."""
    measure, query = parse_measure("nDCG@4"), np.array([0] * 30)
    gain, known = np.array([1.0] * 20 + [0.0] * 10), np.arange(30) != 25
    weight = np.zeros((1, 30))
    weight[0, [0, 25, 1, 22]] = 1 / np.log2(np.arange(2, 6))
    near = FirstOrder.of(measure, weight, np.zeros((1, 30)), gain, known=known, query=query)
    best = float((1 / np.log2(np.arange(2, 6))).sum())
    assert near.value[0, 0] == pytest.approx((1 + 1 / np.log2(4)) / best)
    assert near.change[0, 25] == pytest.approx(1 / np.log2(3) / best)  # the ideal has four documents already
    two = np.where(np.arange(30) < 2, 1.0, 0.0)
    few = FirstOrder.of(measure, weight, np.zeros((1, 30)), two, known=known, query=query)
    dcg, ideal = 1 + 1 / np.log2(4), 1 + 1 / np.log2(3)
    assert few.change[0, 25] == pytest.approx((1 / np.log2(3) - dcg / ideal / np.log2(4)) / ideal)


@pytest.mark.parametrize("seed", range(8))
def test_ndcg_stays_inside_its_bounds(seed: int) -> None:
    design = spot_check_design(QRELS, RUN, PREVALENCE, "nDCG@3", budget=2, seed=seed)
    checked = merge(design, {"them": FULL}).judgments
    found = spot_check(checked, RUN, PREVALENCE, "nDCG@3").estimate
    bounds = evaluate(checked, RUN, "nDCG@3").estimate("bounds")[0][0]
    assert bounds.low - 1e-12 <= found.low <= found.value <= found.high <= bounds.high + 1e-12
    with pytest.raises(UsageError, match="needs a cutoff"):
        spot_check_design(QRELS, RUN, PREVALENCE, "nDCG", budget=2)


def test_documents_drawn_with_certainty_count() -> None:
    whole = spot_check_design(QRELS, RUN, PREVALENCE, "P@3", budget=100)
    found = spot_check(merge(whole, {"them": FULL}).judgments, RUN, PREVALENCE, "P@3", before=QRELS)
    assert (found.judged, found.unjudged, found.relevant) == (4, 4, 2.0)
    assert found.estimate.method == "spot check of 4 random judgments"


@pytest.mark.thorough
def test_several_runs_share_a_check() -> None:
    """Over many samples each run's estimate is right on average, and holds as often as it should."""
    rng = np.random.default_rng(4)
    full = {f"q{i}": {f"d{j}": int(rng.random() < 0.3) for j in range(30)} for i in range(12)}
    qrels = {q: dict(list(docs.items())[:8]) for q, docs in full.items()}
    runs = {
        name: {q: {d: float(rng.random()) for d in list(docs)[start:]} for q, docs in full.items()}
        for name, start in (("a", 0), ("b", 5))
    }
    exact = evaluate(full, runs, "P@10").means[:, 0]
    values, held = [], []
    for seed in range(200):
        design = spot_check_design(qrels, runs, PREVALENCE, "P@10", budget=40, seed=seed)
        found = spot_check(merge(design, {"them": full}).judgments, runs, PREVALENCE, "P@10")
        assert [check.run for check in found.checks] == ["a", "b"]
        values.append([check.estimate.value for check in found.checks])
        both = zip(found.checks, exact, strict=True)
        held.append([check.estimate.low <= x <= check.estimate.high for check, x in both])
    assert (np.mean(held, axis=0) >= 0.92).all()
    assert np.mean(values, axis=0) == pytest.approx(
        exact, abs=3.5 * np.std(values, axis=0).max() / np.sqrt(200)
    )
    with pytest.raises(UsageError, match="2 runs were checked: choose one of `checks`"):
        _ = found.estimate
    one = spot_check_design(QRELS, RUN, PREVALENCE, "P@3", budget=2, seed=3)
    alone = spot_check_design(QRELS, {"a": RUN, "b": RUN}, PREVALENCE, "P@3", budget=2, seed=3)
    np.testing.assert_allclose(one.probability, alone.probability)


def test_what_it_prints() -> None:
    design = spot_check_design(QRELS, RUN, PREVALENCE, "P@3", budget=2, seed=3)
    found = spot_check(merge(design, {"people": FULL}).judgments, RUN, PREVALENCE, "P@3", name="mine")
    row = str(found).splitlines()[1].split()
    assert row[:2] == ["mine", "P@3"]
    assert row[-3:] == ["4", str(found.judged), f"{found.relevant:g}"]
    assert (found.judged, found.estimate.method) == (1, "spot check of 1 random judgment")
    assert found.estimate.uncertainty == JUDGMENTS


def test_the_prevalence_of_a_calibration() -> None:
    calibration = Calibration(2, 2, 2, 100, "runs", PREVALENCE, (), (), {})
    by_calibration = spot_check_design(QRELS, RUN, calibration, "P@3", budget=2)
    given = spot_check_design(QRELS, RUN, PREVALENCE, "P@3", budget=2)
    np.testing.assert_array_equal(by_calibration.probability, given.probability)


def test_bands() -> None:
    ranks = np.arange(1, 18)
    expected = [0, 1, 2, 2, *[3] * 4, *[4] * 8, 5]
    np.testing.assert_array_equal(
        prevalence_at(ranks, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]), np.array(expected) / 10
    )


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="expected numbers from 0 to 1"):
        prevalence_at([1], [0.5, 1.5])
    with pytest.raises(InputError, match="nothing to check"):
        spot_check_design(FULL, RUN, PREVALENCE)
    with pytest.raises(InputError, match="no recorded probabilities"):
        spot_check(Judgments.of(FULL), RUN, PREVALENCE)
    with pytest.raises(UsageError, match="cannot be estimated by document"):
        spot_check_design(QRELS, RUN, PREVALENCE, "AP")
