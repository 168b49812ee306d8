"""Prediction-powered means against ppi_py, and what they do with good and useless predictions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import InputError, UsageError, estimate_by_query, evaluate, prediction_powered, sample
from unjudged.measures.kernel.estimand import Estimand

pytest.importorskip("ppi_py")


def oracle(
    human: np.ndarray, predicted: np.ndarray, further: np.ndarray, alpha: float
) -> tuple[float, float, float, float]:
    """Estimate, ends of the interval and lambda, as ppi_py has them."""
    import ppi_py

    value = ppi_py.ppi_mean_pointestimate(human, predicted, further).item()
    low, high = ppi_py.ppi_mean_ci(human, predicted, further, alpha=alpha)
    weight = ppi_py.ppi._calc_lam_glm(
        (human - human.mean())[:, None],
        (predicted - human.mean())[:, None],
        (further - human.mean())[:, None],
        np.eye(1),
        clip=True,
    )
    return value, low.item(), high.item(), weight


@examples(60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 60),
    further=st.integers(2, 200),
    skill=st.floats(-1, 1),
    confidence=st.floats(0.5, 0.99),
)
def test_equals_ppi_py(seed: int, n: int, further: int, skill: float, confidence: float) -> None:
    rng = np.random.default_rng(seed)
    human = rng.random(n)
    predicted, more = skill * human + rng.random(n), rng.random(further)
    found = prediction_powered(human, predicted, more)
    value, low, high, weight = oracle(human, predicted, more, 1 - confidence)
    interval = found.interval(confidence, Estimand("AP"))
    assert found.weight == pytest.approx(weight, abs=1e-9)
    assert (interval.value, interval.low, interval.high) == pytest.approx((value, low, high), abs=1e-9)


def test_useless_predictions_have_no_weight() -> None:
    human = np.array([0.1, 0.5, 0.9, 0.3])
    constant = prediction_powered(human, np.full(4, 0.7), np.full(50, 0.7))
    assert constant.weight == 0
    assert (constant.value, constant.error) == pytest.approx((human.mean(), human.std() / 2))
    wrong_way = prediction_powered(human, 1 - human, np.linspace(0, 1, 50))
    assert wrong_way.weight == 0


def test_random_predictions_cost_little_and_perfect_ones_help_most() -> None:
    rng = np.random.default_rng(7)
    widths = {"none": [], "random": [], "perfect": []}  # type: dict[str, list[float]]
    for _ in range(300):
        human, more = rng.random(40), rng.random(4000)
        widths["none"].append(human.std() / np.sqrt(40))
        widths["random"].append(prediction_powered(human, rng.random(40), more).error)
        widths["perfect"].append(prediction_powered(human, human, more).error)
    mean = {name: np.mean(values) for name, values in widths.items()}
    assert mean["random"] <= 1.05 * mean["none"]
    assert mean["perfect"] <= 0.15 * mean["none"]


def test_coverage() -> None:
    """Independent queries, a biased judge: the interval holds the human mean as often as it should."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(1000):
        truth = rng.beta(2, 3, 460)
        judge = np.clip(truth + 0.2 + 0.1 * rng.standard_normal(460), 0, 1)
        interval = prediction_powered(truth[:60], judge[:60], judge[60:]).interval(0.95, Estimand("AP"))
        held += interval.low <= 0.4 <= interval.high
    assert 0.93 <= held / 1000 <= 0.97


def test_runs_on_the_sample_collection() -> None:
    """Human judgments of ten queries, predictions (here: the full judgments, raised) of all thirty."""
    from unjudged import Judgments

    whole = Judgments.of(sample.qrels)
    queries = list(whole.queries)
    names, grades = list(whole.documents), whole.grade.tolist()
    nested: dict[str, dict[str, int]] = {}
    for q, document, grade in zip(whole.query.tolist(), names, grades, strict=True):
        nested.setdefault(queries[q], {})[document] = grade
    human = {query: nested[query] for query in queries[:10]}
    runs = {name: sample.runs[name] for name in ("dense", "fused")}
    found = estimate_by_query(human, runs, Judgments.of(nested), "AP")
    ap = evaluate(nested, runs, "AP").values[:, :, 0]
    expected = prediction_powered(ap[0, :10], ap[0, :10], ap[0, 10:])
    assert found.mean("dense").value == pytest.approx(expected.value, abs=1e-12)
    pair = prediction_powered(*((ap[0] - ap[1])[part] for part in (slice(10), slice(10), slice(10, None))))
    assert found.difference("dense", "fused").value == pytest.approx(pair.value, abs=1e-12)
    assert "10 queries judged by people, 20 queries with predictions only" in str(found)


def test_refusals() -> None:
    people, run = (
        {"q1": {"d1": 1}, "q2": {"d1": 0}},
        {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}, "q3": {"d1": 1.0}},
    )
    with pytest.raises(InputError, match="expected further queries"):
        estimate_by_query(people, {"a": run}, {"q1": {"d1": 1.0}, "q2": {"d1": 0.0}})
    with pytest.raises(InputError, match="no query that people judged has predictions"):
        estimate_by_query(people, {"a": run}, {"q3": {"d1": 1.0}})
    with pytest.raises(UsageError, match="people judged 1 of the queries"):
        estimate_by_query(people, {"a": run}, {"q1": {"d1": 1.0}, "q3": {"d1": 0.0}}).mean("a")
    with pytest.raises(UsageError, match="no run is called 'b'"):
        estimate_by_query(people, {"a": run}, {q: {"d1": 1.0} for q in run}).mean("b")
