"""Intervals of means by every method: by enumeration, as a table, as frames, and methods of your own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, product
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats
from scipy.optimize import brentq

from unjudged import Estimate, Estimates, UsageError, evaluate, sample
from unjudged.base.choices import IntervalName
from unjudged.cli.main import main
from unjudged.measures.kernel.estimand import ALL_JUDGED, BOTH, JUDGMENTS, QUERIES
from unjudged.uncertainty.intervals import INTERVALS, EstimateRows, IntervalRequest, interval_method
from unjudged.uncertainty.methods.query_intervals import mean_interval

RUNS = {name: sample.runs[name] for name in ("fused", "dense")}
SCORES = evaluate(sample.qrels, RUNS, ["AP", "RBP(p=0.8)", "P@10"])
GIVEN: dict[IntervalName, dict[str, Any]] = {
    "bounds": {},
    "queries": {},
    "model": {"prevalence": 0.2},
    "both": {"prevalence": 0.2},
}

QRELS = {"q": {"a": 1, "b": 0, "m": 1}, "r": {"a": 1, "c": -1}}
RUN = {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}, "r": {"c": 3.0, "z": 2.0, "a": 1.0}}
UNKNOWN = [("q", "x"), ("q", "y"), ("r", "c"), ("r", "z")]


@pytest.mark.parametrize("kind", GIVEN)
def test_every_method_holds_its_own_value(kind: IntervalName) -> None:
    of = {name: (method.queries, method.judgments) for name, method in INTERVALS.items()}
    uncertainty = {"queries": QUERIES, "both": BOTH, "bounds": JUDGMENTS, "model": JUDGMENTS}
    for row in SCORES.estimate(kind, draws=200, **GIVEN[kind]):
        for estimate in row:
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.confidence == (1.0 if kind == "bounds" else 0.95)
            assert (estimate.of.queries, estimate.of.judgments) == of[kind]
            assert estimate.uncertainty == uncertainty[kind]
            assert ("given prevalence 0.2" in estimate.method) == (kind in ("model", "both"))


def completed(name: str, chance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each completion its probability, its mean, and the values of both queries."""
    chances, values = [], []
    for ways in product([0, 1], repeat=len(UNKNOWN)):
        qrels = {query: dict(grades) for query, grades in QRELS.items()}
        for (query, document), grade in zip(UNKNOWN, ways, strict=True):
            qrels[query][document] = grade
        values.append(evaluate(qrels, RUN, name).values[0, :, 0])
        chances.append(float(np.prod(np.where(ways, chance, 1 - chance))))
    return np.array(chances), np.mean(values, axis=1), np.array(values)


@pytest.mark.parametrize("name", ["RBP(p=0.8)@3", "P@3", "AP", "nDCG@3", "RR", "Bpref", "ERR", "R@2"])
def test_model_intervals_are_quantiles_of_all_completions(name: str) -> None:
    chance, draws = 0.3, 4000
    chances, means, values = completed(name, chance)
    found = evaluate(QRELS, RUN, name).estimate("model", prevalence=chance, draws=draws, confidence=0.8)[0][0]
    deviation = np.sqrt(chances @ means**2 - (chances @ means) ** 2)
    assert abs(found.value - chances @ means) <= 4.5 * deviation / np.sqrt(draws) + 1e-12
    # Each end is a quantile: within Monte-Carlo error, a tenth lies below the one and above the other.
    margin = 4.5 * np.sqrt(0.1 * 0.9 / draws)
    assert chances[means < found.low - 1e-9].sum() <= 0.1 + margin
    assert chances[means <= found.low + 1e-9].sum() >= 0.1 - margin
    assert chances[means > found.high + 1e-9].sum() <= 0.1 + margin
    assert chances[means >= found.high - 1e-9].sum() >= 0.1 - margin
    low, high = (
        float(end[0]) for end in mean_interval((chances @ values)[None, :], (0.0, 1.0), confidence=0.8)
    )
    both = evaluate(QRELS, RUN, name).estimate("both", prevalence=chance, draws=draws, confidence=0.8)[0][0]
    far = 5 * stats.t.ppf(0.9, 1) * deviation / np.sqrt(draws) + 1e-9  # so many times an error of the values
    assert (both.low, both.high) == pytest.approx((low, high), abs=far)


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.95)", "RBP(p=0.5, max_grade=1)"])
def test_ranks_after_the_end_count_alike_in_residual_bounds_and_model(name: str) -> None:
    scores = evaluate(QRELS, RUN, [name, name.replace("RBP", "RBPResidual").replace(", max_grade=1", "")])
    bounds = scores.chosen(name).estimate("bounds")[0][0]
    model = scores.chosen(name).estimate("model", prevalence=1.0)[0][0]
    assert model.value == pytest.approx(bounds.high, abs=1e-11)
    assert model.value == pytest.approx(float(scores.means[0].sum()), abs=1e-11)


def test_intervals_for_other_queries_are_the_wider_of_two() -> None:
    """Student's limits, and those of which Hall's statistic has the quantiles of t, by bisection."""
    values = np.array([0.02, 0.1, 0.05, 0.3, 0.0, 0.07, 0.9, 0.11])
    n, mean, deviation = len(values), values.mean(), values.std(ddof=1)
    skewness = n / ((n - 1) * (n - 2)) * (((values - mean) / deviation) ** 3).sum()
    a, critical = skewness / (3 * np.sqrt(n)), stats.t.ppf(0.975, n - 1)

    def corrected(expected: float) -> float:
        t = np.sqrt(n) * (mean - expected) / deviation
        return float(((1 + a * t) ** 3 - 1) / (3 * a) + a / 2)

    low, high = mean_interval(values[None, :], (-9.0, 9.0), 0.95)
    half = critical * deviation / np.sqrt(n)
    assert low[0] == pytest.approx(mean - half)
    assert high[0] == pytest.approx(brentq(lambda end: corrected(end) + critical, mean, 9))
    assert high[0] > mean + half
    low, high = mean_interval(-values[None, :], (-9.0, 9.0), 0.95)
    assert high[0] == pytest.approx(half - mean)
    assert low[0] < -mean - half
    low, high = mean_interval(values[None, :], (0.0, 0.25), 0.95)
    assert (low[0], high[0]) == (0.0, 0.25)


def test_bounds_hold_what_the_model_says() -> None:
    for chance in (0.0, 0.5, 1.0):
        model = SCORES.estimate("model", prevalence=chance, draws=100)
        for wide, narrow in zip(chain(*SCORES.estimate("bounds")), chain(*model), strict=True):
            assert wide.low - 1e-12 <= narrow.low <= narrow.high <= wide.high + 1e-12


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second, other = (
        SCORES.estimate("model", prevalence=0.2, draws=50, seed=seed)[0][0] for seed in (4, 4, 5)
    )
    assert first == second != other


def test_runs_do_not_change_one_another() -> None:
    alone = evaluate(sample.qrels, {"dense": sample.runs["dense"]}, "AP")
    for kind, given in GIVEN.items():
        assert alone.estimate(kind, **given)[0][0] == SCORES.estimate(kind, **given)[1][0]


def test_the_default_measures_have_estimates() -> None:
    """Measures without bounds appear with their mean alone and a note."""
    scores = evaluate(sample.qrels, RUNS)
    for kind, given in GIVEN.items():
        found = scores.estimate(kind, **given)
        assert isinstance(found, Estimates)
        have = {measure: e.has_interval for measure, e in zip(found.measures, found[0], strict=True)}
        assert have["AP"]
        assert have["nDCG@10"]
        assert have["RBP(p=0.8)"]
        assert have["infAP"] == have["Judged@10"] == (kind == "queries")
        for estimate, mean in zip(found[1], scores.means[1], strict=True):
            if not estimate.has_interval:
                assert estimate.value == mean
                assert np.isnan([estimate.low, estimate.high]).all()
                assert str(estimate) == f"{mean:.4f}"
                assert estimate.method.startswith("no interval: ")
    shown = str(scores.estimate())
    assert "infAP: no interval: infAP has no bounds." in shown
    assert "Intervals for judgments: every completion of the judgments, exact." in shown


def test_it_is_an_error_if_no_measure_can_have_the_interval() -> None:
    with pytest.raises(UsageError, match="infAP has no bounds; these measures have"):
        evaluate(sample.qrels, RUNS, "infAP").estimate()
    with pytest.raises(UsageError, match="NumRet has no lowest or no highest value, so one query gives"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "NumRet").estimate("queries")
    with pytest.raises(UsageError, match="DCG has no highest value"):
        evaluate(sample.qrels, RUNS, "DCG").estimate("both", prevalence=0.1)
    with pytest.raises(UsageError, match="Judged describes the judgments"):
        evaluate(sample.qrels, RUNS, "Judged@10").estimate("model", prevalence=0.1)


def test_frames() -> None:
    scores = evaluate(sample.qrels, RUNS, ["AP", "Judged@10"])
    frame = scores.estimate().to_frame("pandas")
    assert list(frame.columns) == [
        "run",
        "measure",
        "value",
        "low",
        "high",
        "confidence",
        "method",
        "uncertainty",
        "queries",
        "judgments",
    ]
    assert frame["run"].tolist() == ["fused", "fused", "dense", "dense"]
    assert frame["value"].tolist() == scores.means.ravel().tolist()
    assert frame["low"].isna().tolist() == [False, True, False, True]
    means = scores.means_frame("polars")
    assert means.columns == ["run", "AP", "Judged@10"]
    assert means["AP"].to_list() == scores.means[:, 0].tolist()
    run = pandas.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})
    went_in = evaluate({"q": {"a": 1}}, run, "AP")
    assert isinstance(went_in.means_frame(), pandas.DataFrame)
    assert isinstance(went_in.estimate().to_frame(), pandas.DataFrame)
    with pytest.raises(UsageError, match="no frame went in"):
        scores.estimate().to_frame()


def test_a_table_of_estimates_is_a_sequence_of_rows() -> None:
    found = SCORES.estimate()
    assert len(found) == 2
    assert [len(row) for row in found] == [3, 3]
    assert found[:1] == [found[0]]
    assert str(found[-1][0].of) == "mean AP (these queries, all documents judged)"
    assert "<table" in found._repr_html_()


def test_counts_are_summed() -> None:
    scores = evaluate(sample.qrels, sample.runs["dense"], "NumRelRet")
    found = scores.estimate()[0][0]
    assert found.value == scores.means[0, 0] == found.low
    assert str(found.of).startswith("sum of NumRelRet ")
    assert found.high == int(found.high)


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    for kind, given in GIVEN.items():
        seen.clear()
        SCORES.estimate(kind, draws=20, on_progress=lambda *step: seen.append(step), **given)
        assert seen[-1] == (2, 2)


@pytest.fixture
def half() -> Iterator[None]:
    """An interval method from outside the package."""

    @interval_method("half", "half of the range", judgments=ALL_JUDGED)
    def half_intervals(request: IntervalRequest) -> EstimateRows:
        return [
            [
                Estimate(
                    float(values[:, k].mean()), 0.25, 0.75, request.confidence, "half", request.of(measure)
                )
                for k, measure in enumerate(request.measures)
            ]
            for values in request.values
        ]

    yield
    del INTERVALS["half"]


@pytest.mark.usefixtures("half")
def test_a_method_of_your_own(capsys: pytest.CaptureFixture[str]) -> None:
    found = SCORES.estimate("half", confidence=0.5)  # type: ignore[arg-type]
    assert (found[0][0].low, found[1][2].high, found[0][1].confidence) == (0.25, 0.75, 0.5)
    files = [str(sample.qrels), str(sample.runs["fused"])]
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *files, "-m", "AP", "--interval", "half", "--format", "json"])
    assert not ended.value.code
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["low"], row["high"], row["method"]) == (0.25, 0.75, "half")


def test_unknown_methods_and_levels() -> None:
    with pytest.raises(UsageError, match="interval is 'often', expected one of bounds"):
        SCORES.estimate("often")  # type: ignore[arg-type]
    for confidence in (0.0, 1.0, 1.5, float("nan")):
        with pytest.raises(UsageError, match="confidence is"):
            SCORES.estimate("queries", confidence=confidence)
    with pytest.raises(UsageError, match="needs a prevalence"):
        SCORES.estimate("model")
    for prevalence in (-0.1, 2.0, "often", [], [0.5, 7.0]):
        with pytest.raises(UsageError, match="prevalence is"):
            SCORES.estimate("model", prevalence=prevalence)  # type: ignore[arg-type]
