"""Intervals of means by every method: by enumeration, as a table, as frames, and methods of your own."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from scipy import stats
from scipy.optimize import brentq

from tests.intervals import intervals
from unjudged import Collection, UsageError, evaluate, sample
from unjudged.evidence.mean_intervals import mean_interval
from unjudged.judging import Pool

RUNS = {name: sample.runs[name] for name in ("fused", "dense")}
SCORES = evaluate(sample.qrels, RUNS, ["AP", "RBP(p=0.8)", "P@10"])
GIVEN: dict[str, dict[str, Any]] = {
    "bounds": {},
    "queries": {},
    "model": {"prevalence": 0.2},
}

QRELS = {"q": {"a": 1, "b": 0, "m": 1}, "r": {"a": 1, "c": -1}}
RUN = {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}, "r": {"c": 3.0, "z": 2.0, "a": 1.0}}
UNKNOWN = [("q", "x"), ("q", "y"), ("r", "c"), ("r", "z")]


@pytest.mark.parametrize("kind", GIVEN)
def test_every_method_holds_its_own_value(kind: str) -> None:
    for row in intervals(SCORES, kind, **GIVEN[kind]):
        for estimate in row:
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.confidence == (1.0 if kind == "bounds" else 0.95)
            assert ("given prevalence 0.2" in estimate.method) == (kind == "model")


def completed(name: str, chance: float) -> tuple[np.ndarray, np.ndarray]:
    """Of each completion its probability and its mean."""
    chances, values = [], []
    for ways in product([0, 1], repeat=len(UNKNOWN)):
        qrels = {query: dict(grades) for query, grades in QRELS.items()}
        for (query, document), grade in zip(UNKNOWN, ways, strict=True):
            qrels[query][document] = grade
        values.append(evaluate(qrels, RUN, name).values[0, :, 0])
        chances.append(float(np.prod(np.where(ways, chance, 1 - chance))))
    return np.array(chances), np.mean(values, axis=1)


@pytest.mark.parametrize("name", ["RBP(p=0.8)@3", "P@3", "AP", "nDCG@3", "RR", "Bpref", "ERR", "R@2"])
def test_model_intervals_are_quantiles_of_all_completions(name: str) -> None:
    chance, draws = 0.3, 4000
    chances, means = completed(name, chance)
    found = intervals(evaluate(QRELS, RUN, name), "model", prevalence=chance, draws=draws, confidence=0.8)[0][
        0
    ]
    deviation = np.sqrt(chances @ means**2 - (chances @ means) ** 2)
    assert abs(found.value - chances @ means) <= 4.5 * deviation / np.sqrt(draws) + 1e-12
    # Each end is a quantile: within Monte-Carlo error, a tenth lies below the one and above the other.
    margin = 4.5 * np.sqrt(0.1 * 0.9 / draws)
    assert chances[means < found.low - 1e-9].sum() <= 0.1 + margin
    assert chances[means <= found.low + 1e-9].sum() >= 0.1 - margin
    assert chances[means > found.high + 1e-9].sum() <= 0.1 + margin
    assert chances[means >= found.high - 1e-9].sum() >= 0.1 - margin


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.95)", "RBP(p=0.5, max_grade=1)"])
def test_ranks_after_the_end_count_alike_in_residual_bounds_and_model(name: str) -> None:
    residual = evaluate(QRELS, RUN, name.replace("RBP", "RBPResidual").replace(", max_grade=1", ""))
    scores = evaluate(QRELS, RUN, name)
    bounds = intervals(scores, "bounds")[0][0]
    model = intervals(scores, "model", prevalence=1.0)[0][0]
    assert model.value == pytest.approx(bounds.high, abs=1e-11)
    assert model.value == pytest.approx(float(scores.means.sum() + residual.means.sum()), abs=1e-11)


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


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second, other = (
        intervals(SCORES, "model", prevalence=0.2, draws=50, seed=seed)[0][0] for seed in (4, 4, 5)
    )
    assert first == second != other


def test_runs_do_not_change_one_another() -> None:
    alone = evaluate(sample.qrels, {"dense": sample.runs["dense"]}, "AP")
    for kind, given in GIVEN.items():
        assert intervals(alone, kind, **given)[0][0] == intervals(SCORES, kind, **given)[1][0]


def test_measures_without_an_interval_have_their_mean_and_a_note() -> None:
    scores = evaluate(sample.qrels, RUNS)
    for kind, given in GIVEN.items():
        found = intervals(scores, kind, **given)
        assert [one.has_interval for one in found[0]] == [True, True, kind == "queries"]
        for estimate, mean in zip(found[1], scores.means[1], strict=True):
            if not estimate.has_interval:
                assert estimate.value == mean
                assert np.isnan([estimate.low, estimate.high]).all()
                assert estimate.method.startswith("no interval: ")
    assert {
        "Judged@10: no interval: Judged has no bounds.",
        (
            "Intervals: every completion of the judgments, exact; documents that neither the pool nor "
            "the run has count as not relevant."
        ),
    } <= set(scores.with_interval("bounds").notes)


def test_it_is_an_error_if_no_measure_can_have_the_interval() -> None:
    with pytest.raises(UsageError, match="infAP has no bounds; these measures have"):
        intervals(evaluate(sample.qrels, RUNS, "infAP"))
    with pytest.raises(UsageError, match="NumRet has no lowest or no highest value, so one query gives"):
        intervals(evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "NumRet"), "queries")
    with pytest.raises(UsageError, match="Judged describes the judgments"):
        intervals(evaluate(sample.qrels, RUNS, "Judged@10"), "model", prevalence=0.1)


def test_frames() -> None:
    scores = evaluate(sample.qrels, RUNS, ["AP", "Judged@10"], interval="bounds")
    frame = scores.to_frame("pandas")
    known = ["measure", "system", "mean", "low", "high", "confidence", "method", "judged_share", "queries"]
    assert list(frame.columns) == known
    assert frame["system"].tolist() == ["fused", "dense", "fused", "dense"]
    assert frame["mean"].tolist() == scores.means.T.ravel().tolist()
    assert frame["low"].isna().tolist() == [False, False, True, True]
    by_query = scores.as_view("queries").to_frame("polars")
    assert by_query["value"].to_list() == np.moveaxis(scores.values, 2, 0).ravel().tolist()
    run = polars.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})
    assert isinstance(evaluate({"q": {"a": 1}}, run, "AP").to_frame(), polars.DataFrame)
    assert isinstance(scores.to_frame(), pandas.DataFrame)


def test_rows_by_name() -> None:
    one, several = evaluate(sample.qrels, RUNS, "AP"), evaluate(sample.qrels, RUNS, ["AP", "P@10"])
    assert one["dense"]["mean"] == several["dense"]["AP"]["mean"] == several.row("dense", "map")["mean"]
    with pytest.raises(UsageError, match="no system is called 'x'"):
        one["x"]
    with pytest.raises(UsageError, match="say which measure: one of AP, P@10"):
        several.row("dense")


def test_segments_have_every_interval() -> None:
    """A segment has the interval of an evaluation of its queries alone, and `all` that of all queries."""
    half = {f"q{k:02}": "even" if k % 2 == 0 else "odd" for k in range(1, 31)}
    everything = [line.split() for line in sample.qrels.read_text().splitlines()]
    qrels: dict[str, dict[str, int]] = {}
    for query, _, document, grade in everything:
        qrels.setdefault(query, {})[document] = int(grade)
    even = {query: own for query, own in qrels.items() if half[query] == "even"}
    for kind, given in (*GIVEN.items(), ("sampling", {})):
        asked = f"{kind}({', '.join(f'{name}={value}' for name, value in given.items())})"
        drawn = Pool.of(qrels, sample.runs).uniform(0.5, seed=1) if kind == "sampling" else qrels
        some = drawn if kind == "sampling" else even
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            how = "sample" if kind == "sampling" else None
            source, part = Collection(drawn, RUNS, how=how), Collection(some, RUNS, how=how)
            rows = evaluate(source, measures="P@10", interval=asked, segments=half).rows["segments"]
            alone = evaluate(part, measures="P@10", interval=asked)
        segment = "all" if kind == "sampling" else "even"
        for row in (row for row in rows if row["segment"] == segment):
            known = alone[row["system"]].items()
            expected = {name: own for name, own in known if isinstance(own, float) and name != "judged_share"}
            assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-12)


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    for kind, given in GIVEN.items():
        seen.clear()
        asked = f"{kind}({', '.join(f'{name}={value}' for name, value in given.items())})"
        evaluate(sample.qrels, RUNS, "AP", interval=asked, on_progress=lambda *step: seen.append(step))
        assert seen[-1:] == ([(2, 2)] if kind == "model" else [])


def test_a_prevalence_is_a_probability() -> None:
    for prevalence in (-0.1, 2.0, "often", [], [0.5, 7.0]):
        with pytest.raises(UsageError, match="prevalence is"):
            intervals(SCORES, "model", prevalence=prevalence)
