"""What a measure says of itself depends on its parameters, and is true for all grades of its scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.intervals import intervals
from unjudged import (
    AP,
    DCG,
    ERR,
    MEASURES,
    RBP,
    Bpref,
    InputError,
    JudgedRankings,
    Judgments,
    UsageError,
    evaluate,
    nDCG,
    sample,
)
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.names import parse_measure

GAINS = st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=4)


@examples(300)
@given(gains=GAINS, top=st.integers(1, 5), name=st.sampled_from(["DCG", "nDCG", "RBP"]))
def test_order_is_claimed_exactly_where_gains_rise(gains: dict[int, float], top: int, name: str) -> None:
    measure = MEASURES[name](gains=gains)
    by_grade = [float(measure.gain(grade)) for grade in range(top + 1)]
    traits = measure.traits_up_to(top)
    assert traits.monotone == (by_grade == sorted(by_grade))
    assert traits.pointwise == (traits.monotone and name != "nDCG")
    assert traits.skips_unjudged == (by_grade[0] > 0)


def test_gains_that_fall() -> None:
    assert not DCG(gains={1: 5, 2: 1}).traits_up_to(2).pointwise
    assert DCG(gains={1: 5}).traits_up_to(1).pointwise
    assert not DCG(gains={1: 5}).traits_up_to(2).pointwise
    assert nDCG(gains={1: 1, 2: 5}).traits_up_to(2).diluted
    assert not RBP(gains={1: 1, 2: 0.3}).traits_up_to(2).pointwise
    assert RBP(gains={1: 0.3}).traits_up_to(2).pointwise
    assert RBP(gains={1: 0.3}, rel=2).traits_up_to(2).pointwise
    assert nDCG(dcg="log2").traits_up_to(2**31 - 1).monotone  # costs nothing, whatever the scale


def test_a_measure_that_skips_the_unjudged_may_leave_its_completions() -> None:
    """Judging a document nonrelevant changes Bpref; for the others it is what they assumed already."""
    assert Bpref.traits_up_to(1).skips_unjudged
    assert nDCG(gains={0: 0.5}).traits_up_to(1).skips_unjudged
    assert not AP.traits_up_to(1).skips_unjudged
    skipped = [m for m in MEASURES.values() if m.traits.monotone and not m.traits.skips_unjudged]
    ranking, judged = (JudgedRankings.spelled(text, missed="1 0") for text in ("1 U 0 1", "1 0 0 1"))
    for measure in skipped:
        complete = measure(cutoff=3) if "cutoff" in measure.parameters else measure
        for needed in ("recall", "multiple"):
            complete = complete(**{needed: 0.5}) if needed in measure.parameters else complete
        assert complete.compute(ranking) == complete.compute(judged), measure
    assert Bpref.compute(ranking) != Bpref.compute(judged)


def test_the_highest_grade_of_the_scale() -> None:
    judgments = Judgments.read({"q": {"a": 2, "b": 0}})
    assert ERR.max_grade(judgments) == 4
    assert ERR(max_grade=3).max_grade(judgments) == 3
    assert RBP(max_grade=4).max_grade(judgments) == 4
    assert RBP.max_grade(judgments) == nDCG.max_grade(judgments) == AP.max_grade(judgments) == 2
    assert nDCG(gains={1: 1, 3: 10}).max_grade(judgments) == 3
    assert AP(rel=3).max_grade(judgments) == 3
    assert AP.max_grade(Judgments.read({"q": {"a": -1}})) == 1


def test_gains_of_grades() -> None:
    assert AP(rel=2).gain([0, 1, 2, 3]).tolist() == [0, 0, 1, 1]
    assert RBP(max_grade=4).gain([0, 1, 4]).tolist() == [0, 0.25, 1]
    assert nDCG(dcg="exp-log2").gain([0, 1, 2, 3]).tolist() == [0, 1, 3, 7]


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=7, max_size=7), min_size=1, max_size=5),
    st.permutations(range(7)),
)
def test_means_do_not_depend_on_the_order_of_queries(rows: list[list[float]], order: list[int]) -> None:
    values = np.array(rows)
    assert mean_over_queries(values).tolist() == mean_over_queries(values[:, order]).tolist()
    np.testing.assert_allclose(mean_over_queries(values, exact=False), mean_over_queries(values), atol=1e-15)


def test_a_mean_of_tenths() -> None:
    assert mean_over_queries(np.full(10, 0.1)) == 0.1
    assert mean_over_queries(np.full((2, 3, 10), 0.1)).tolist() == [[pytest.approx(0.1, abs=0)] * 3] * 2


def test_a_value_corrected_for_chance_has_no_lowest_value() -> None:
    assert parse_measure("AP").range == (0, 1)
    assert parse_measure("AP(chance=1000)").range == (-np.inf, 1)
    (estimate,) = intervals(evaluate(sample.qrels, sample.runs["dense"], "AP(chance=60)"), "queries")[0]
    assert "Student's t" in estimate.method


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
