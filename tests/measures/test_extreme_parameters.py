"""Parameters and judgments at the edge of what numbers hold: a finite value, or an error that says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unjudged import MEASURES, InputError, Judgments, UsageError, evaluate

QRELS = {"q": {"a": 1, "b": 0, "c": 2}, "r": {"a": 1}}
RUN = {"q": {"a": 2.0, "b": 1.0, "x": 0.5}, "r": {"b": 1.0}}
HUGE = 10**400

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("infAP", {"actual": 1}, "expected complete judgments"),
    ("SetF", {"beta": 1e308}, "a number above 0 and below 1e100"),
    ("SetF", {"beta": HUGE}, "a number above 0"),
    ("Utility", {"documents": 1e20}, r"a whole number from 0 to 2\^53"),
    ("Utility", {"documents": 10**20}, r"a whole number from 0 to 2\^53"),
    ("AP", {"rel": HUGE}, "a whole number of at least 1"),
    ("AP", {"rel": 2**31}, "a whole number of at least 1"),
    ("AP", {"cutoff": HUGE}, "a whole number of at least 1"),
    ("AP", {"chance": HUGE}, "a whole number of at least 1"),
    ("nDCG", {"gains": {HUGE: 1}}, "gains of at least 0 by grade"),
    ("nDCG", {"gains": {1: HUGE}}, "gains of at least 0 by grade"),
    ("nDCG", {"gains": {-1: 1.0}}, "gains of at least 0 by grade"),
    ("NCP", {"stop": (HUGE,)}, "a table of weights"),
    ("NCP", {"stop": (0.0, 0.0)}, "a table of weights"),
    ("subAP", {"seed": HUGE}, "a whole number of at least 0"),
]


@pytest.mark.parametrize(("name", "given", "expected"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused(name: str, given: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError, match=expected) as error:
        MEASURES[name](**given)
    assert len(str(error.value)) < 600


@pytest.mark.parametrize(
    "name",
    [
        *("SetF(square=1e308)", "SetF(beta=1e-200)", "SetF(beta=9e99)", "infAP(c=1e308)"),
        "infAP(eps=1e-320)",
        *("RprecMult@1e308", "RBP(p=1e-320)", "NCP(stop='geometric', decay=1e-320)", "subAP(share=1e-320)"),
        *("NCP(stop='power', exponent=1e308)", "NCP(stop=(1e-320, 1e308))"),
        "nDCG(gains={1: 1e308, 2: 1e308})",
        *("AP(rel=2147483647)", "Utility(documents=9007199254740992)", "RBP(chance=1" + "0" * 300 + ")"),
    ],
)
def test_finite(name: str) -> None:
    assert np.isfinite(evaluate(QRELS, RUN, name).values).all()


def test_sums_beyond_every_number() -> None:
    with pytest.raises(InputError, match="of query 'q' is inf, expected a finite number: check its"):
        evaluate(QRELS, RUN, "Utility(weights=(1e308, 1e308, 1e308, 0))")
    scores = evaluate(
        {q: {"a": 1} for q in "qr"}, {q: {"a": 1.0} for q in "qr"}, "Utility(weights=(1e308, 0, 0, 0))"
    )
    with pytest.raises(UsageError, match="the sum over all queries is too large"):
        _ = scores.means


@pytest.mark.parametrize("weights", ["x", [1.0], -1.0, np.nan, None])
def test_a_stopping_function_that_returns_no_weights(weights: Any) -> None:
    measure = MEASURES["NCP"](
        stop=lambda ordinal: ordinal * weights if isinstance(weights, float) else weights
    )
    with pytest.raises(UsageError, match="expected 2 finite weights of at least 0"):
        evaluate(QRELS, RUN, measure)


@pytest.mark.parametrize("grades", [[HUGE, 1, 1, 1], [2**31, 1, 1, 1], [0.5, 1, 1, 1], ["x", "1", "1", "1"]])
def test_grades_that_are_no_grades(grades: Any) -> None:
    with pytest.raises(UsageError, match="whole numbers from -2147483648 to 2147483647"):
        Judgments.read(QRELS).with_grades(grades)


def test_grades_of_other_kinds_of_integers() -> None:
    judgments = Judgments.read(QRELS)
    for kind in (np.int64, np.uint8, np.int16, bool):
        assert judgments.with_grades(np.array([1, 0, 1, 0], kind)).grade.dtype == np.int32
    with pytest.raises(InputError, match="whole number"):
        Judgments.read({"q": {"a": HUGE}})
