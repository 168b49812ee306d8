"""Bounds against every completion of small rankings."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.measures.test_properties import EVERY
from unjudged import JudgedRankings, Measure, UsageError
from unjudged.evidence.filled import Filled
from unjudged.evidence.value_bounds import _over_counts, bounds
from unjudged.measures.kernel.names import parse

BOUNDED = [measure for measure in EVERY if measure.traits.monotone]
BOUNDED += [parse(name)[0] for name in ("AP@3", "nDCG@3", "R@2", "AP(rel=2)", "Bpref(form='paper')")]
labels = st.lists(st.sampled_from(["0", "1", "U", "N"]), min_size=1, max_size=8)
graded = st.lists(st.sampled_from(["0", "1", "2", "U", "N"]), min_size=1, max_size=5)
missed = st.lists(st.sampled_from(["0", "1", "U"]), max_size=3)


def every_value(measure: Measure, ranking: JudgedRankings, extra_relevant: int, top: int) -> list[float]:
    """The value of each completion, of unseen documents too, and the value as it is."""
    filled = Filled.of(ranking, extra_relevant)
    unknown, unseen = int(filled.unknown.sum()), int(filled.unseen.sum())
    ways = product(product(range(top + 1), repeat=unknown), product([-1, top], repeat=unseen))
    values = [float(measure.compute(filled.complete(grades, others))[0]) for grades, others in ways]
    return [*values, float(measure.compute(ranking)[0])]


def check(measure: Measure, ranking: JudgedRankings, extra_relevant: int, top: int) -> None:
    found = bounds(measure, ranking, extra_relevant=extra_relevant, top=top, after_end=False)
    values = every_value(measure, ranking, extra_relevant, top)
    assert found.low[0] <= min(values) + 1e-12
    assert found.high[0] >= max(values) - 1e-12
    if found.exact:
        assert found.low[0] == pytest.approx(min(values), abs=1e-12)
        assert found.high[0] == pytest.approx(max(values), abs=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", BOUNDED, ids=str)
@examples(40)
@given(labels=labels, missed=missed, extra_relevant=st.integers(0, 2))
def test_every_completion_of_binary_judgments(
    measure: Measure, labels: list[str], missed: list[str], extra_relevant: int
) -> None:
    check(measure, JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "0"])), extra_relevant, top=1)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", BOUNDED, ids=str)
def test_all_4096_completions_of_twelve_unknown(measure: Measure) -> None:
    ranking = JudgedRankings.spelled("U N 1 N U 0 N U N 1 N N U N 0 N", missed="1 0")
    assert Filled.of(ranking).count.tolist() == [12]
    check(measure, ranking, 0, top=1)


@pytest.mark.parametrize(
    "name", ["nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "ERR", "AP(rel=2)", "RBP(rel=2)"]
)
@examples(40)
@given(labels=graded, missed=missed)
def test_every_completion_of_graded_judgments(name: str, labels: list[str], missed: list[str]) -> None:
    (measure,) = parse(name)
    check(measure, JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "2"])), 0, top=2)


def test_nothing_unknown_nothing_open() -> None:
    ranking = JudgedRankings.spelled("1 0 1", missed="1 0")
    for measure in BOUNDED:
        found = bounds(measure, ranking)
        tail = 0.8**3 if measure.name == "RBP" else 0.0
        assert found.high[0] - found.low[0] == pytest.approx(tail, abs=1e-12)


def test_refusals() -> None:
    ranking = JudgedRankings.spelled("1 U")
    with pytest.raises(UsageError, match="infAP has no bounds; these measures have: AP"):
        bounds(parse("infAP")[0], ranking)
    with pytest.raises(UsageError, match="extra_relevant is -1"):
        bounds(parse("AP")[0], ranking, extra_relevant=-1)
    with pytest.raises(UsageError, match="without unjudged"):
        bounds(parse("AP(unjudged='condensed')")[0], ranking)


@pytest.mark.parametrize(
    "name", ["AP", "AP@3", "R@3", "Rprec", "RprecMult@0.6", "Bpref", "Bpref10", "nDCG@4"]
)
@examples(60)
@given(labels=labels, missed=missed, extra_relevant=st.integers(0, 1))
def test_closed_forms_are_one_by_one(
    name: str, labels: list[str], missed: list[str], extra_relevant: int
) -> None:
    """A closed form gives what trying every number of relevant documents gives."""
    (measure,) = parse(name)
    ranking = JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "0"]))
    closed = bounds(measure, ranking, extra_relevant=extra_relevant)
    counted = _over_counts(measure, Filled.of(ranking, extra_relevant), top=1)
    value = measure.compute(ranking)[0]
    low, high = min(counted.low[0], value), max(counted.high[0], value)
    assert closed.low[0] <= low + 1e-12
    assert closed.high[0] >= high - 1e-12
    if closed.exact:
        assert (closed.low[0], closed.high[0]) == pytest.approx((low, high), abs=1e-12)
