"""Arguments of a kind that nobody expects are refused with a message, whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unjudged as u
from tests.intervals import intervals
from unjudged import UnjudgedError, UsageError, sample
from unjudged.base.choices import Choices
from unjudged.report.experiment_figures import curves, scatter

QRELS, RUN = {"q": {"d": 1}}, {"q": {"d": 1.0}}
RUNS: dict[str, Any] = {"a": RUN, "b": RUN}
SCORES = u.evaluate(QRELS, RUNS, "AP")
EXPERIMENT = u.experiment(sample.qrels, sample.runs, levels=[0.5], repeats=2, measures=["AP"])

STRANGE = [
    5,
    3.5,
    True,
    object(),
    len,
    b"x",
    type,
    range(3),
    iter([]),
    np.zeros((2, 2)),
    [None],
    [object()],
    [[]],
]

SOURCES: dict[str, Callable[[Any], object]] = {
    "judgments of evaluate": lambda x: u.evaluate(x, RUN, "AP"),
    "runs of evaluate": lambda x: u.evaluate(QRELS, x, "AP"),
    "a named run of evaluate": lambda x: u.evaluate(QRELS, {"a": x}, "AP"),
    "measures of evaluate": lambda x: u.evaluate(QRELS, RUN, x),
    "judgments of compare": lambda x: u.compare(x, RUNS, "AP"),
    "runs of compare": lambda x: u.compare(QRELS, x, "AP"),
    "measures of compare": lambda x: u.compare(QRELS, RUNS, x),
    "Judgments": u.Judgments.read,
    "Run": u.Run.read,
    "judgments of experiment": lambda x: u.experiment(x, RUNS),
    "runs of experiment": lambda x: u.experiment(QRELS, x),
    "runs of a report": lambda x: u.report_page(QRELS, x),
}
OPTIONS: dict[str, Callable[[Any], object]] = {
    "test": lambda x: u.compare(QRELS, RUNS, "AP", test=x),
    "correction": lambda x: u.compare(QRELS, RUNS, "AP", correction=x),
    "design": lambda x: u.experiment(QRELS, RUNS, x),
    "levels": lambda x: u.experiment(QRELS, RUNS, levels=x),
    "groups": lambda x: u.calibrate(QRELS, RUNS, x),
    "interval": SCORES.with_interval,
    "statistics of a figure": lambda x: curves(EXPERIMENT, statistics=x),
    "run of a value": lambda x: SCORES.value("AP", run=x),
}


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@pytest.mark.parametrize("place", [*SOURCES, *OPTIONS])
def test_objects_of_unknown_kind(place: str) -> None:
    call = {**SOURCES, **OPTIONS}[place]
    named = place in SOURCES and place not in ("measures of evaluate", "measures of compare")
    for value in [*STRANGE, *([None] if named else [])]:
        with pytest.raises(UnjudgedError) as error:
            call(value)
        assert "expected" in str(error.value) or "give" in str(error.value) or "there are" in str(error.value)
        assert len(str(error.value)) < 500


@pytest.mark.parametrize("value", [None, "0.5", 0, 1, 95, object(), [0.5], float("nan")])
def test_levels_of_significance_and_confidence(value: Any) -> None:
    if value is not None:  # as described, or 0.05
        with pytest.raises(UsageError, match=r"alpha is .*expected a number between 0 and 1, such as 0.05"):
            u.compare(QRELS, RUNS, "AP", alpha=value)
    if not isinstance(value, float) and type(value) is not object:  # which cannot be written
        with pytest.raises(UsageError, match=r"confidence is .*expected a number between 0 and 1, such as"):
            intervals(SCORES, "queries", confidence=value)


SEEDS: dict[str, Callable[[Any], object]] = {
    "compare": lambda x: u.compare(QRELS, RUNS, "AP", seed=x),
    "evaluate": lambda x: u.evaluate(QRELS, RUNS, "AP", interval="queries", seed=x),
    "report_page": lambda x: u.report_page(QRELS, RUNS, "AP", seed=x),
    "next": lambda x: u.judging.next(QRELS, RUNS, n=1, measure="AP", seed=x),
}


@pytest.mark.parametrize("place", SEEDS)
@pytest.mark.parametrize("value", [-1, 1.5, "2", None, object(), [1], b"x", float("nan")])
def test_seeds(place: str, value: Any) -> None:
    with pytest.raises(UsageError, match=r"seed is .*, expected a whole number of at least 0"):
        SEEDS[place](value)


@pytest.mark.parametrize("value", [0, -1, 1.5, "2", object(), [1], b"x"])
@pytest.mark.parametrize("name", ["depth", "pool_depth"])
def test_depths(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"^{name} is .*, expected a whole number of at least 1"):
        u.compare(QRELS, RUNS, "AP", **{name: value})


@pytest.mark.parametrize("runs", [np.zeros((2, 3)), {"a": np.zeros((2, 3), int)}, [np.zeros((2, 3))]])
def test_arrays_have_a_way_of_their_own(runs: Any) -> None:
    with pytest.raises(UsageError, match=r"is an array, expected names .*: Run\.from_arrays"):
        u.evaluate(QRELS, runs)


def test_unknown_statistics_in_figures() -> None:
    expected = "statistic is 'nope', expected one of tau, tau_ap, rho, rms, bias, rbo"
    draws: list[Callable[[], object]] = [
        lambda: curves(EXPERIMENT, statistics=["tau", "nope"]),
        lambda: EXPERIMENT.find("nope", "AP", 0.5),
    ]
    for draw in draws:
        with pytest.raises(UsageError) as error:
            draw()
        assert str(error.value) == expected
    with pytest.raises(UsageError, match="the experiment has no P@10; it has: AP"):
        scatter(EXPERIMENT, measures=["P@10"])


def test_a_sample_estimate_needs_a_random_sample() -> None:
    """On a depth pool statAP's RMS error was 12.6, where scores are at most 1."""
    with pytest.raises(UsageError, match="statAP needs the probability that each document was drawn"):
        u.experiment(sample.qrels, sample.runs, "pool", measures=["statAP"])


def test_a_registry_lists_what_it_has() -> None:
    colours = Choices("colour", red=1)
    assert colours.add("green", 2) == colours.find("green") == 2
    with pytest.raises(UsageError, match="colour is 'blue', expected one of red, green"):
        colours.find("blue")
