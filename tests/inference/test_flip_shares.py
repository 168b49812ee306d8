"""The share of relevant documents that turns an order: closed form, cases by hand, every completion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unjudged import compare, sample
from unjudged.evidence import favouring
from unjudged.evidence.shared import SharedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.results.fields import Row


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
