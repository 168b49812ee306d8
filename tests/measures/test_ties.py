"""Expected values over the orders of tied documents equal those of all orders, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.oracles.tied_orders import case, every_order, variants
from unjudged import UsageError, evaluate
from unjudged.evidence import tied_scores
from unjudged.evidence.tied_scores import ends_of_orders, expected_values
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.rankings.judged import JudgedRankings

CASES = 40


def ends(measure: Measure, r: JudgedRankings, depth: int | None = None) -> tuple[float, float]:
    """The ends of the values in the two orders; those of the value if nothing is tied."""
    values = measure.compute(r if depth is None else r.cut(depth)).reshape(1, 1, 1)
    low, high = ends_of_orders([measure], r, values, depth=depth) or (values, values)
    return float(low[0, 0, 0]), float(high[0, 0, 0])


def check(measures: list[Measure], seed: int, *, sampled: bool) -> None:
    r = case(np.random.default_rng(seed), sampled=sampled)
    orders = every_order(r)
    found, errors = expected_values(measures, r)
    assert not errors.any()
    for k, measure in enumerate(measures):
        every = measure.compute(orders)
        assert abs(found[0, k] - every.mean()) < 1e-12, (measure, seed, found[0, k], every.mean())
        low, high = ends(measure, r)
        assert every.min() - 1e-12 <= low <= high <= every.max() + 1e-12, (measure, seed)
        traits = measure.traits_up_to(measure.max_grade(r.judgments))
        if traits.monotone or traits.ungraded:
            assert np.abs([low - every.min(), high - every.max()]).max() < 1e-12, (measure, seed)


def orderly() -> list[Measure]:
    return [measure for measure in variants() if not measure.traits.across_queries]


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_every_measure_equals_enumeration(part: int) -> None:
    for seed in range(part * CASES, (part + 1) * CASES):
        check(orderly(), seed, sampled=False)


def test_estimates_from_strata_equal_enumeration() -> None:
    names = ("xinfAP", "infNDCG", "statAP", "statAPVariance", "statRprec", "AP")
    measures = [MEASURES[name] for name in names] + [MEASURES["infP"](cutoff=2), MEASURES["statP"](cutoff=2)]
    for seed in range(CASES):
        check(measures, seed, sampled=True)


@pytest.mark.thorough
def test_a_depth_cuts_after_the_documents_are_in_order() -> None:
    measures = orderly()
    for seed in range(CASES // 2):
        r = case(np.random.default_rng(seed), sampled=False)
        orders = every_order(r)
        found, _ = expected_values(measures, r, depth=2)
        for k, measure in enumerate(measures):
            every = measure.compute(orders.cut(2))
            assert abs(found[0, k] - every.mean()) < 1e-12, measure
            low, high = ends(measure, r, depth=2)
            assert every.min() - 1e-12 <= low <= high <= every.max() + 1e-12, measure


@pytest.mark.thorough
def test_drawn_orders_are_near_the_expected_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """With enumeration switched off, values are within five standard errors of all orders."""
    rng = np.random.default_rng(4)
    measures = [MEASURES["AP"], MEASURES["nDCG"](cutoff=3)]
    for _ in range(20):
        r = case(rng, sampled=False)
        exact, _ = expected_values(measures, r)
        with monkeypatch.context() as patch:
            patch.setattr(tied_scores, "MOST", 0)
            drawn, error = expected_values(measures, r, seed=1)
        assert (np.abs(drawn - exact) <= 5 * error + 1e-12).all()


def test_a_value_does_not_depend_on_other_rankings() -> None:
    """Orders are drawn for each ranking by itself, from what is tied in it."""
    documents = range(40)
    qrels = {q: {f"d{d}": (d * q) % 3 for d in documents} for q in range(1, 6)}
    runs = {
        name: {q: {f"d{d}": float(d * (q + k) % 4) for d in documents} for q in range(1, 6)}
        for k, name in enumerate(("a", "b"))
    }
    both = evaluate(qrels, runs, ["AP", "P@5"], ties="expected")
    assert "AP: orders of some rankings were drawn at random" in both.notes[1]
    for k, name in enumerate(runs):
        alone = evaluate(qrels, {name: runs[name]}, "AP", ties="expected")
        assert alone.values[0, :, 0].tolist() == both.values[k, :, 0].tolist()
    for q in qrels:
        one = evaluate({q: qrels[q]}, {"a": {q: runs["a"][q]}}, "AP", ties="expected")
        assert one.values[0, 0, 0] == both.values[0, q - 1, 0]
    other = evaluate(qrels, runs, "AP", ties="expected", seed=1)
    assert 0 < np.abs(other.values[..., 0] - both.values[..., 0]).max() < 0.05


def test_what_is_of_one_order_is_refused() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    for measure in (MEASURES["Hole"](cutoff=2), MEASURES["infAP"](actual=qrels)):
        with pytest.raises(UsageError, match="of one order of tied documents"):
            evaluate(qrels, run, measure, ties="expected")


def test_nothing_tied_is_the_default_to_the_bit() -> None:
    r = replace(case(np.random.default_rng(5), sampled=False), ties=None)
    for measure in variants():
        assert expected_values([measure], r)[0].tobytes() == measure.compute(r).tobytes()
