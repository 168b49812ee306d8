"""Answers and headlines, case by case, and the lowest share that turns something."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import compare, sample
from unjudged.base.segments import Floats, Integers
from unjudged.evidence import favouring
from unjudged.evidence.contrast import Ends
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.verdict import Judging, excludes_change, lowest_share, verdicts
from unjudged.rankings.judgments import Judgments
from unjudged.results.fields import Row

HOLDS, NOT = True, False
CASES = [
    # holds, excluded, leads, at s*, at worst: other queries, more judging, headline
    ("h-lsw", "hold", "is unlikely to change it", "better"),
    ("hels-", "hold", "is unlikely to change it", "better"),
    ("helsw", "hold", "cannot change it", "better"),
    ("h-ls-", "hold", "is unlikely to change it", "better"),
    ("h-l--", "hold", "could blur it", "needs judging"),
    ("hel--", "hold", "could blur it", "needs judging"),
    ("he---", "hold", "could blur it", "needs judging"),
    ("h----", "hold", "could flip it", "needs judging"),
    ("-el--", "may differ", "cannot change it", "needs queries"),
    ("-e---", "may differ", "cannot change it", "needs queries"),
    ("--l--", "may differ", "is unlikely to change it", "needs queries"),
    ("--ls-", "may differ", "is unlikely to change it", "needs queries"),
    ("-----", "may differ", "could flip it", "needs both"),
]


def judging(excluded: bool, leads: bool) -> Judging:
    return Judging(
        np.ones(1), np.array([True]), np.array([excluded]), np.array([leads]), np.ones(1), np.ones(1)
    )


@pytest.mark.parametrize(("case", "other", "more", "headline"), CASES)
def test_headlines(case: str, other: str, more: str, headline: str) -> None:
    holds, excluded, leads, seen, worst = (np.array([letter != "-"]) for letter in case)
    found = verdicts(holds, seen, worst, judging(bool(excluded[0]), bool(leads[0])), 50)
    assert (found["other_queries"][0], found["more_judging"][0], found["headline"][0]) == (
        other,
        more,
        headline,
    )
    few = verdicts(holds, seen, worst, judging(bool(excluded[0]), bool(leads[0])), 9)
    assert (few["other_queries"][0], few["more_judging"][0]) == (other, more)
    assert few["headline"][0] == "few queries"


def test_without_judgments_only_queries_count() -> None:
    none = np.zeros(2, bool)
    found = verdicts(np.array([True, False]), none, none, Judging.nothing(np.ones(2)), 10)
    assert found["more_judging"].tolist() == ["unknown", "unknown"]
    assert found["headline"].tolist() == ["better", "needs queries"]


def test_pairs_have_their_own_answers() -> None:
    columns = np.array([[letter != "-" for letter in case] for case, *_ in CASES]).T
    holds, excluded, leads, seen, worst = columns
    ones = np.ones(len(CASES))
    found = verdicts(holds, seen, worst, Judging(ones, ones > 0, excluded, leads, ones, ones), 10)
    assert found["headline"].tolist() == [headline for *_, headline in CASES]


@pytest.mark.parametrize(
    ("low", "high", "excluded"),
    [
        *((0.1, 0.2, True), (-0.2, -0.1, True), (-0.1, 0.1, False), (0.0, 0.1, False), (-0.1, 0.0, False)),
        *((0.0, 0.0, True), (-1e-15, 1e-15, True), (-np.inf, 0.1, False), (1e-15, 0.1, False)),
    ],
)
def test_ends_that_exclude_a_change(low: float, high: float, excluded: bool) -> None:
    assert excludes_change(Ends(np.array([low]), np.array([high])))[0] == excluded


start = st.floats(0.001, 1)
bends = st.floats(0.2, 5)


@examples(200)
@given(pairs=st.lists(st.tuples(start, st.floats(0.001, 3), bends), min_size=1, max_size=6))
def test_the_lowest_share_that_turns(pairs: list[tuple[float, float, float]]) -> None:
    """Curves start below 0 and rise to their ends at share 1; where they cross 0 is known."""
    begin, rise, bend = (np.array(column) for column in zip(*pairs, strict=True))

    def turned(share: Floats, some: Integers) -> Floats:
        return np.asarray(rise[some] * share ** bend[some] - begin[some], float)

    found = lowest_share(turned, len(pairs), np.arange(len(pairs)))
    where = np.where(rise >= begin, np.minimum((begin / rise) ** (1 / bend), 1.0), np.inf)
    near = np.abs(rise - begin) <= 1e-9
    np.testing.assert_allclose(found[~near], where[~near], rtol=1e-9, atol=1e-11)


@examples(100)
@given(steps=st.lists(st.floats(-1, 1), min_size=3, max_size=6))
def test_no_lower_share_turns_among_those_tried(steps: list[float]) -> None:
    """Of any curve through these points: the share turns, and those tried below it do not."""
    at, every = np.linspace(0, 1, len(steps)), np.array([0])

    def turned(share: Floats, _: Integers = every) -> Floats:
        return np.interp(share, at, steps)

    (found,) = lowest_share(turned, 1, np.array([0]))
    tried = np.array([0, 0.01, 0.03, 0.1, 0.3, 1])
    if np.isfinite(found):
        assert turned(np.array([found]))[0] >= -1e-9
        assert (turned(tried[tried < found - 1e-12]) < 0).all()
    else:
        assert (turned(tried) < 0).all()


def test_only_the_chosen_are_sought() -> None:
    found = lowest_share(lambda share, _: share - 0.5, 3, np.array([1]))
    assert found[1] == pytest.approx(0.5, abs=1e-12)
    assert np.isinf(found[[0, 2]]).all()


def test_what_is_turned_already_has_share_0() -> None:
    assert lowest_share(lambda share, _: share + 0.1, 1, np.array([0]))[0] == 0.0
    assert lowest_share(lambda share, _: np.zeros_like(share), 1, np.array([0]))[0] == 0.0


def ranked(*documents: str) -> dict[str, float]:
    return {document: -float(rank) for rank, document in enumerate(documents)}


def sides(row: Row) -> tuple[str, str]:
    """The system ahead, and the one behind."""
    return (row["a"], row["b"]) if row["ahead"] == row["a"] else (row["b"], row["a"])


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "RBP(p=0.95)", "P@5", "DCG@10"])
def test_sums_by_the_closed_form(measure: str) -> None:
    """The difference divided by the sum of w_b - w_a over documents that b alone has, or has higher."""
    shared = SharedRankings.of(Judgments.read(sample.qrels), dict(sample.runs))
    weight: Any = {
        "RBP(p=0.8)": lambda rank: 0.2 * 0.8 ** (rank - 1),
        "RBP(p=0.95)": lambda rank: 0.05 * 0.95 ** (rank - 1),
        "P@5": lambda rank: 0.2 * (rank <= 5),
        "DCG@10": lambda rank: (rank <= 10) / np.log2(rank + 1) * int(shared.judgments.grade.max()),
    }[measure]
    turned = 0
    for row in compare(sample.qrels, sample.runs, measure).pairs:
        a, b = (shared.rankings.run(list(sample.runs).index(name)) for name in sides(row))
        ranks = dict(zip(a.row.tolist(), a.rank.tolist(), strict=True))
        moved = sum(
            max(weight(rank) - (weight(ranks[place]) if place in ranks else 0), 0)
            for place, rank, label in zip(b.row.tolist(), b.rank.tolist(), b.labels.tolist(), strict=True)
            if label < 0
        )
        exact = abs(row["difference"]) / (moved / len(shared.queries)) if moved else np.inf
        turned += exact <= 1
        assert row["flip"] == (pytest.approx(exact, abs=1e-9) if exact <= 1 else np.inf)
    assert turned


def test_average_precision_by_hand() -> None:
    """A: x first, AP 1. B: u, v, x: AP 1/3, and u, v unjudged.

    With share s: R is 1 + Binomial(2, s). None relevant: 1 against 1/3. One: A has 1/2; B has (1 + 2/3) / 2
    with u and (1/2 + 2/3) / 2 with v. Both: A 1/3, B 1. So A - B is 2/3 (1 - s)^2 - 5/12 s (1 - s) - 2/3 s^2,
    which is 2/3 - 7/4 s + 5/12 s^2, and 0 at s = 0.42369.
    """
    runs = {"a": {"q": ranked("x")}, "b": {"q": ranked("u", "v", "x")}}
    assert compare({"q": {"x": 1}}, runs, "AP")["flip"] == pytest.approx(0.42369, abs=1e-5)


def test_a_tie_has_0_and_documents_of_the_leader_do_not_count() -> None:
    qrels = {"q": {"x": 1, "y": 0}}
    tie = {"a": {"q": ranked("x", "u")}, "b": {"q": ranked("x", "v")}}
    assert compare(qrels, tie, "P@2")["flip"] == 0
    led = {"a": {"q": ranked("x", "u")}, "b": {"q": ranked("y", "x")}}
    assert compare(qrels, led, "RBP")["flip"] == np.inf
    shared = {"a": {"q": ranked("x", "u")}, "b": {"q": ranked("y", "u")}}
    assert compare(qrels, shared, "AP")["flip"] == np.inf


def test_queries_of_one_block_and_of_several_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = ("flip", "loss", "seen", "low", "high")
    whole = compare(sample.qrels, sample.runs, "AP").pairs
    monkeypatch.setattr(favouring, "CELLS_AT_ONCE", 1)
    for one, other in zip(whole, compare(sample.qrels, sample.runs, "AP").pairs, strict=True):
        np.testing.assert_allclose([one[f] for f in fields], [other[f] for f in fields], rtol=1e-9)


def test_relevant_documents_have_the_highest_grade() -> None:
    """A document u of grade 3 is worth 2^3 - 1 = 7 times x of grade 1, in its place.

    If u is relevant, the best DCG rises from 7 + 0.631 to 7 + 7 x 0.631: (1 - s) / 7.631 = 6 s / 11.416.
    """
    qrels = {"q": {"x": 1, "y": 3, "w": 0}}
    runs = {"one": {"q": ranked("x", "w")}, "two": {"q": ranked("u", "w")}}
    assert compare(qrels, runs, "DCG(dcg='exp-log2')@2")["flip"] == pytest.approx(1 / 7, abs=1e-9)
    assert compare(qrels, runs, "nDCG(dcg='exp-log2')@2")["flip"] == pytest.approx(0.1996, abs=1e-4)
