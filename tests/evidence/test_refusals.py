"""Measures that cannot have an interval, and odd cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tests.intervals import intervals
from unjudged import InputError, UsageError, evaluate
from unjudged.base.segments import Floats
from unjudged.evidence.unjudged_sums import Uncertain
from unjudged.measures.kernel.names import parse
from unjudged.studies import expected

QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "y": 1.0}}
MODEL: dict[str, Any] = {"draws": 2, "prevalence": 0.5}
GIVEN: dict[str, Any] = {"bounds": {}, "model": MODEL}


@pytest.mark.parametrize(
    "name", ["P(chance=10)@2", "RBP(chance=220)", "RBP(unjudged='condensed')", "infAP", "statAP"]
)
@pytest.mark.parametrize("interval", GIVEN)
def test_policies_and_estimates_are_refused(name: str, interval: str) -> None:
    with pytest.raises(UsageError, match=r"without|estimates|no bounds"):
        intervals(evaluate(QRELS, RUN, name), interval, **GIVEN[interval])


@pytest.mark.parametrize("name", ["GMAP", "GMBpref"])
def test_models_are_of_arithmetic_means(name: str) -> None:
    with pytest.raises(UsageError, match="this interval is of arithmetic means"):
        intervals(evaluate(QRELS, RUN, name), "model", **MODEL)


@pytest.mark.parametrize("interval", GIVEN)
def test_a_scale_that_new_grades_would_move_is_refused(interval: str) -> None:
    with pytest.raises(UsageError, match="a new grade would move the scale"):
        intervals(evaluate(QRELS, RUN, "RBP(scale='query')"), interval, **GIVEN[interval])


def test_graded_rbp_is_the_same_both_ways() -> None:
    """The unjudged document, and all after the end of the ranking, get the grade of the only relevant one."""
    scores = evaluate({"q": {"a": 4}}, {"q": {"a": 2.0, "u": 1.0}}, "RBP(max_grade=4)")
    assert intervals(scores, "model", prevalence=1.0, draws=5)[0][0].value == pytest.approx(1.0)


def distribution(weight: Floats, chance: Floats) -> tuple[Floats, Floats]:
    found = Uncertain(weight, chance).exact
    assert found is not None
    return found


def test_weights_of_nothing() -> None:
    """Everything that counts is judged, and much below it is not."""
    support, probability = distribution(np.zeros(60), np.full(60, 0.5))
    assert float(support @ probability) == 0.0
    support, probability = distribution(np.zeros(0), np.zeros(0))
    assert support.tolist() == [0.0]


def test_many_equal_weights_are_binomial() -> None:
    support, probability = distribution(np.full(900, 0.01), np.full(900, 0.02))
    expected = binom.pmf(np.arange(900), 900, 0.02)
    assert probability == pytest.approx(expected[np.round(support * 100).astype(int)], abs=1e-14)
    assert probability.sum() == pytest.approx(1.0, abs=1e-12)


def test_too_many_values_are_rounded_to_a_lattice() -> None:
    """The mean is kept, and the variance and the share below a value nearly so."""
    found = Uncertain(0.2 * 0.8 ** np.arange(3000.0), np.full(3000, 0.3))
    values, probability = found.distribution
    assert found.exact is None
    assert values @ probability == pytest.approx(found.mean, abs=1e-12)
    assert values**2 @ probability - found.mean**2 == pytest.approx(found.variance, rel=1e-3)
    drawn = (np.random.default_rng(3).random((100_000, 60)) < 0.3) @ found.weight[:60]
    for share in (0.025, 0.5, 0.975):
        assert found.quantile(share) == pytest.approx(np.quantile(drawn, share), abs=5e-3)


def test_large_collections_have_a_baseline() -> None:
    harmonic = np.log(8_841_823) + 0.5772156649015329 + 0.5 / 8_841_823
    assert expected("RR", 8_841_823, 1) == pytest.approx(harmonic / 8_841_823, rel=1e-9)
    assert expected("RR", 10**9, 1) == pytest.approx((np.log(1e9) + 0.5772156649015329) / 1e9, rel=1e-9)
    assert expected("RR", 1000, 30) == pytest.approx(expected("RR@1000", 1000, 30), rel=1e-13)
    with pytest.raises(UsageError, match="expected a cutoff of at most 100000000"):
        expected("Success@999999999", 10**9, 1)


@pytest.mark.parametrize("name", ["nDCG(gains={[]: 1})", f"RBP(p=1{'0' * 400})", "ERR(max_grade=60)"])
def test_odd_parameters(name: str) -> None:
    with pytest.raises(UsageError):
        parse(name)


def test_odd_values() -> None:
    with pytest.raises(UsageError, match="too high for exponential gains"):
        evaluate({"q": {"a": 1100}}, RUN, "nDCG(dcg='exp-log2')")
    assert evaluate(QRELS, RUN, "AP", depth=10**12).values.item() == 1.0
    with pytest.raises(InputError, match="document 'e' of query 'q': the score is 'abc'"):
        evaluate(QRELS, {"q": {"d": np.float32(1), "e": "abc"}}, "AP")
