"""Expected values and ranges over the orders of tied documents equal those of all orders, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.oracles.tied_orders import case, every_order, variants
from unjudged.measures.kernel.measure import EXPECTED
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.ties import expected as expecting
from unjudged.measures.ties.expected import expected_values
from unjudged.measures.ties.extremes import tie_range

CASES = 40


def check(measures: list[Measure], seed: int, *, sampled: bool) -> None:
    r = case(np.random.default_rng(seed), sampled=sampled)
    orders = every_order(r)
    for measure in measures:
        every = measure.compute(orders)
        found = expected_values(measure, r)
        assert not found.sampled
        assert abs(found.values[0] - every.mean()) < 1e-12, (measure, seed, found.values, every.mean())
        limits = tie_range(measure, r)
        assert limits.exact, measure
        ends = limits.low[0] - every.min(), limits.high[0] - every.max()
        assert np.abs(ends).max() < 1e-12, (measure, seed, ends, every)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_every_measure_equals_enumeration(part: int) -> None:
    for seed in range(part * CASES, (part + 1) * CASES):
        check(variants(), seed, sampled=False)


def test_estimates_from_strata_equal_enumeration() -> None:
    names = ("xinfAP", "infNDCG", "statAP", "statAPVariance", "statRprec", "AP")
    measures = [MEASURES[name] for name in names] + [MEASURES["infP"](cutoff=2), MEASURES["statP"](cutoff=2)]
    for seed in range(CASES):
        check(measures, seed, sampled=True)


@pytest.mark.thorough
def test_a_depth_cuts_after_the_documents_are_in_order() -> None:
    measures = [m for m in variants() if m.name != "Hole"]
    for seed in range(CASES // 2):
        r = case(np.random.default_rng(seed), sampled=False)
        orders = every_order(r)
        for measure in measures:
            every = measure.compute(orders.cut(2))
            assert abs(expected_values(measure, r, depth=2).values[0] - every.mean()) < 1e-12, measure
            limits = tie_range(measure, r, depth=2)
            assert limits.low[0] - 1e-12 <= every.min(), measure
            assert every.max() <= limits.high[0] + 1e-12, measure


@pytest.mark.thorough
def test_drawn_orders_are_near_the_expected_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the closed form and enumeration switched off, AP is within five standard errors of it."""
    rng = np.random.default_rng(4)
    far = 0
    for _ in range(20):
        r = case(rng, sampled=False)
        exact = expected_values(MEASURES["AP"], r).values[0]
        with monkeypatch.context() as patch:
            patch.setattr(expecting, "MOST", 0)
            patch.delitem(EXPECTED, "AP")
            drawn = expected_values(MEASURES["AP"], r, seed=1)
        far += abs(drawn.values[0] - exact) > 5 * drawn.error[0] + 1e-12
    assert far == 0


def test_nothing_tied_is_the_default_to_the_bit() -> None:
    r = replace(case(np.random.default_rng(5), sampled=False), ties=None)
    for measure in variants():
        assert expected_values(measure, r).values.tobytes() == measure.compute(r).tobytes()
