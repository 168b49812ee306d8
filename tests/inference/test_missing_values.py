"""A value that a table lacks may be any in the measure's range: ends, headlines and gates allow for all."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.report.test_page import read
from unjudged import Scores, compare, compare_collections, evaluate, gate, report_page
from unjudged.base.errors import InputError
from unjudged.evidence.table import least_sure
from unjudged.inference.significance import careful

NAN = float("nan")
LOWER = {"lower": "cost", "range": (0.0, 4.0)}


def table(values: Any, measure: str = "nDCG@10", **given: Any) -> Scores:
    """Return the scores of systems a, b, ...; NaN where one is missing."""
    names = [chr(ord("a") + k) for k in range(len(values))]
    return Scores.read(np.asarray(values, float), measure, runs=names, **given)


def completed(values: np.ndarray, steps: list[float]) -> list[np.ndarray]:
    """Return every completion of the table with these values."""
    gaps = np.argwhere(np.isnan(values))
    made = []
    for chosen in product(steps, repeat=len(gaps)):
        made.append(values.copy())
        made[-1][tuple(gaps.T)] = chosen
    return made


@pytest.mark.parametrize(("measure", "top", "options"), [("nDCG@10", 1.0, {}), ("cost", 4.0, LOWER)])
def test_ends_are_those_of_all_completions(measure: str, top: float, options: dict[str, Any]) -> None:
    """Of 40 small tables, whose completions take the ends and three values between them: none is outside."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        gaps: list[bool]
        values = top * rng.random((3, 4))
        values[:, 1:][rng.random((3, 3)) < 0.3] = NAN
        every = np.array(completed(values, [0.0, 0.3 * top, 0.9 * top, top])).mean(axis=2)
        gaps = [any(map(np.isnan, row)) for row in values.tolist()]
        found = table(values, measure, **options)
        for row in evaluate(found, segments=None).rows["systems"]:
            own = every[:, ord(row["system"]) - ord("a")]
            if gaps[ord(row["system"]) - ord("a")]:
                assert (row["low"], row["high"]) == pytest.approx((own.min(), own.max()))
                assert row["mean"] == pytest.approx(own.max() if options else own.min())
            else:
                assert np.isnan(row.get("low", NAN))
        for row in compare(found).pairs:
            a, b = (ord(row[name]) - ord("a") for name in ("a", "b"))
            difference = every[:, a] - every[:, b]
            if gaps[a] or gaps[b]:
                assert (row["low"], row["high"]) == pytest.approx((difference.min(), difference.max()))
            else:
                assert np.isnan(row.get("low", NAN))
                assert row["more_judging"] == "unknown"


@examples(80)
@given(st.integers(0, 10**6), st.sampled_from([0.02, 0.1, 0.3]), st.integers(1, 5))
@example(118490, 0.02, 2)
def test_what_is_revealed_contradicts_nothing(seed: int, noise: float, gaps: int) -> None:
    """With the true values, at an end or between, a system that was better is ahead, and no pass is a fail.

    The test may hold no more, since Hall's correction for skewness is not largest at the ends.
    """
    rng = np.random.default_rng(seed)
    truth = np.clip(rng.random(14) * 0.5 + rng.normal([[0.0], [0.15]], noise, (2, 14)), 0, 1)
    values = truth.copy()
    cells = rng.choice(28, gaps, replace=False)
    values.flat[cells] = NAN
    known = compare(table(values))
    margin = float(rng.choice([0.0, 0.05]))
    passed = gate(table(values), "a", "b", margin=margin).outcome
    if known.headline != "better" and passed != "pass":
        return
    for chosen in [truth.flat[cells], *rng.random((3, gaps)), *rng.integers(0, 2, (6, gaps))]:
        truth.flat[cells] = chosen
        if known.headline == "better":
            revealed = compare(table(truth))
            assert revealed.ahead == known.better
            assert revealed.better in (known.better, None)
        if passed == "pass":
            assert gate(table(truth), "a", "b", margin=margin).outcome != "fail"
            assert truth[1].mean() - truth[0].mean() > -margin


@pytest.mark.parametrize(("gaps", "missed"), [(5, 0), (8, 0), (10, 0.2)])
def test_the_careful_test_is_least_sure_of_the_completion_that_is_taken(gaps: int, missed: float) -> None:
    """Of all completions by ends; of more than eight gaps in most tables."""
    rng = np.random.default_rng(5)
    low = rng.normal(0.3, 0.2, (40, gaps + 4))
    high = np.where(np.arange(gaps + 4) < gaps, low + 0.4 * rng.random(low.shape), low)
    raised = np.array([*product([False, True], repeat=gaps)])
    raised = np.pad(raised, ((0, 0), (0, 4)))
    found = careful(least_sure(low, high)).above
    leads = low.sum(axis=1) > 0
    worst = np.array([careful(np.where(raised, *ends)).above.max() for ends in zip(high, low, strict=True)])
    assert np.mean(worst[leads] > 1.0001 * found[leads]) <= missed
    assert (found[leads] <= 1.0001 * worst[leads]).all()
    assert np.array_equal(least_sure(low, high)[~leads], low[~leads])


def test_a_pair_without_gaps_is_as_if_no_other_system_had_any() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((3, 20))
    alone = compare(table(values[:2]), correction="none").pairs[0]
    values[2, 3] = NAN
    beside = compare(table(values), correction="none").pair("b", "a")
    assert alone.items() <= beside.items()


def test_words_name_missing_values() -> None:
    values = np.linspace(0.1, 0.5, 30) + np.array([[0.0], [0.1]])
    values[1, ::2] += 0.05
    values[0, 4] = values[1, 7] = values[1, 12] = NAN
    found = table(values)
    said = str(compare(found))
    assert "2 values are missing" not in said
    assert "3 values are missing: system 'a' on query 'q5'" in said
    assert "missing values could blur it: between" in said or "but missing values could" in said
    step = read(report_page(found).html)["measures"][0]["next"]
    assert step == ["find the missing values that matter most."]
    undecided = str(gate(found, "a", "b"))
    assert "missing values at their worst" in undecided
    for missing, words in (("zero", "Missing values count as 0."), ("drop", "3 queries left out")):
        chosen = compare(table(values, missing=missing))
        assert words in " ".join(chosen.notes)
        assert chosen["more_judging"] == "unknown"


def test_a_mean_over_collections_allows_for_missing_values() -> None:
    rng = np.random.default_rng(8)
    parts = [np.clip(rng.normal([[0.3], [0.4]], 0.05, (2, 12)), 0, 1) for _ in range(2)]
    whole = compare_collections({"one": table(parts[0]), "two": table(parts[1])})
    assert whole.pairs[0]["headline"] == "better"
    parts[0][1, :9] = NAN
    lacking = compare_collections({"one": table(parts[0]), "two": table(parts[1])}).pairs[0]
    assert lacking["headline"] in ("needs judging", "needs both")


def test_an_unknown_range_is_an_error_with_its_remedy() -> None:
    values = [[0.1, NAN, 0.3], [0.2, 0.3, 0.4]]
    with pytest.raises(
        InputError, match=r"1 value is missing: .*range of cost is unknown; --set \"scores.range"
    ):
        table(values, "cost")
    assert table(values, "cost", range=(0, 1)).values[0, 1, 0] == 0
