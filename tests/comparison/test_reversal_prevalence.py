"""Reversal prevalence: closed form, cases by hand, and every completion of small collections."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.conftest import Qrels, RunDict
from unjudged import compare, sample
from unjudged.comparison.reversal import favouring, reversal_prevalence
from unjudged.comparison.reversal.reversal_prevalence import Reversals, reversals
from unjudged.comparison.reversal.reversals import Hypothetical
from unjudged.comparison.testing.pairs import ROUNDING, Pairs
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.shared import SharedRankings

Runs = dict[str, RunDict]


def found(qrels: Any, runs: Any, measure: str) -> tuple[Reversals, Pairs, SharedRankings]:
    shared = SharedRankings.of(Judgments.of(qrels), runs)
    pairs = Pairs.of(shared.per_run(parse_measure(measure).compute(shared.rankings)))
    every = np.ones(len(pairs), bool)
    return reversals(shared, parse_measure(measure), pairs, every), pairs, shared


def ranked(*documents: str) -> dict[str, float]:
    return {document: -float(rank) for rank, document in enumerate(documents)}


def small(rng: np.random.Generator, queries: int = 4, runs: int = 3) -> tuple[Qrels, Runs]:
    """Ten documents a query, about half of them judged, and runs that retrieve seven of them."""
    names = [f"d{i}" for i in range(10)]
    qrels = {
        f"q{q}": {"sure": 1, **{d: int(rng.random() < 0.4) for d in names if rng.random() < 0.5}}
        for q in range(queries)
    }
    made: Runs = {
        f"run {k}": {q: ranked(*rng.permutation(names)[:7].tolist()) for q in qrels} for k in range(runs)
    }
    return qrels, made


def expected_lead(qrels: Qrels, leader: RunDict, behind: RunDict, measure: Measure, share: float) -> float:
    """Leader minus the other, over every completion of the documents that favour the other."""
    lead = []
    for q in qrels:
        cutoff = measure.given.get("cutoff")
        ahead, other = list(leader[q])[:cutoff], list(behind[q])[:cutoff]
        rank = {document: place for place, document in enumerate(ahead)}
        unjudged = [d for place, d in enumerate(other) if d not in qrels[q] and place < rank.get(d, 99)]
        total = 0.0
        for states in product((0, 1), repeat=len(unjudged)):
            relevant = sum(states)
            chance = share**relevant * (1 - share) ** (len(states) - relevant)
            complete = {q: {**qrels[q], **dict(zip(unjudged, states, strict=True))}}
            shared = SharedRankings.of(Judgments.of(complete), {"a": {q: leader[q]}, "b": {q: behind[q]}})
            a, b = measure.compute(shared.rankings).tolist()
            total += chance * (a - b)
        lead.append(total)
    return float(np.mean(lead))


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "RBP(p=0.95)", "P@5", "DCG@10"])
def test_sums_by_the_closed_form(measure: str) -> None:
    """The difference divided by the sum of w_b - w_a over documents that b alone has, or has higher."""
    shares, pairs, shared = found(sample.qrels, sample.runs, measure)
    weight: Any = {
        "RBP(p=0.8)": lambda rank: 0.2 * 0.8 ** (rank - 1),
        "RBP(p=0.95)": lambda rank: 0.05 * 0.95 ** (rank - 1),
        "P@5": lambda rank: 0.2 * (rank <= 5),
        "DCG@10": lambda rank: (rank <= 10) / np.log2(rank + 1) * int(shared.judgments.grade.max()),
    }[measure]
    turned = 0
    for k in range(len(pairs)):
        runs = pairs.first[k], pairs.second[k]
        a, b = (shared.rankings.run(int(run)) for run in (runs if pairs.difference[k] > 0 else runs[::-1]))
        ranks = dict(zip(a.row.tolist(), a.rank.tolist(), strict=True))
        moved = sum(
            max(weight(rank) - (weight(ranks[row]) if row in ranks else 0), 0)
            for row, rank, label in zip(b.row.tolist(), b.rank.tolist(), b.labels.tolist(), strict=True)
            if label < 0
        )
        exact = abs(float(pairs.difference[k])) / (moved / len(shared.queries)) if moved else np.inf
        turned += exact <= 1
        assert shares.share[k] == (pytest.approx(exact, abs=1e-12) if exact <= 1 else np.inf)
    assert turned


def test_average_precision_by_hand() -> None:
    """A: x first, AP 1. B: u, v, x: AP 1/3, and u, v unjudged.

    With share s: R is 1 + Binomial(2, s). None relevant: 1 against 1/3. One: A has 1/2; B has (1 + 2/3) / 2
    with u and (1/2 + 2/3) / 2 with v. Both: A 1/3, B 1. So A - B is 2/3 (1 - s)^2 - 5/12 s (1 - s) - 2/3 s^2,
    which is 2/3 - 7/4 s + 5/12 s^2, and 0 at s = 0.4237.
    """
    qrels = {"q": {"x": 1}}
    runs = {"a": {"q": ranked("x")}, "b": {"q": ranked("u", "v", "x")}}
    shares, _, _ = found(qrels, runs, "AP")
    assert shares.share[0] == pytest.approx(0.4237, abs=0.01)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("measure", "near"), [("AP", 0.03), ("AP@5", 0.03), ("R@5", 0.03), ("nDCG", 0.05), ("nDCG@5", 0.05)]
)
def test_the_expected_difference_over_every_completion_is_near_zero(measure: str, near: float) -> None:
    """As a share of the difference that it started from; and it has its sign before."""
    rng, turned = np.random.default_rng(5), 0
    for _ in range(4):
        qrels, runs = small(rng)
        shares, pairs, shared = found(qrels, runs, measure)
        for k in np.flatnonzero(pairs.difference).tolist():
            names = [shared.runs[int(run)] for run in (pairs.first[k], pairs.second[k])]
            a, b = names if pairs.difference[k] > 0 else names[::-1]
            now, share = abs(float(pairs.difference[k])), min(float(shares.share[k]), 1.0)
            at = expected_lead(qrels, runs[a], runs[b], parse_measure(measure), share)
            if np.isfinite(shares.share[k]):
                turned += 1
                assert at == pytest.approx(0, abs=near * max(now, 0.05))
            else:
                assert at > -near * now
            before = expected_lead(qrels, runs[a], runs[b], parse_measure(measure), 0.8 * share)
            assert before > -near * now
            if_all = expected_lead(qrels, runs[a], runs[b], parse_measure(measure), 1.0)
            assert shares.surely[k] == (if_all < -ROUNDING)
    assert turned > 2


@pytest.mark.parametrize("measure", ["RR", "ERR(max_grade=1)", "Bpref"])
def test_other_measures_by_completions(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reversal_prevalence, "COMPLETED_QUERIES", 4000)
    qrels, runs = small(np.random.default_rng(8), queries=6)
    shares, pairs, shared = found(qrels, runs, measure)
    for k in range(len(pairs)):
        names = [shared.runs[int(run)] for run in (pairs.first[k], pairs.second[k])]
        a, b = names if pairs.difference[k] > 0 else names[::-1]
        if measure != "Bpref":
            at = expected_lead(qrels, runs[a], runs[b], parse_measure(measure), min(shares.share[k], 1.0))
            assert at == pytest.approx(0, abs=0.02) if np.isfinite(shares.share[k]) else at > -0.02
        assert shares.share[k] > 0


def test_too_many_pairs_for_completions_are_not_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reversal_prevalence, "MOST_PAIRS", 2)
    shares, _, _ = found(*small(np.random.default_rng(8)), "RR")
    assert np.isnan(shares.share).all()


def test_a_tie_has_0_and_documents_of_the_leader_do_not_count() -> None:
    qrels = {"q": {"x": 1, "y": 0}}
    tie = {"a": {"q": ranked("x", "u")}, "b": {"q": ranked("x", "v")}}
    assert found(qrels, tie, "P@2")[0].share.tolist() == [0.0]
    led = {"a": {"q": ranked("x", "u")}, "b": {"q": ranked("y", "x")}}
    assert found(qrels, led, "RBP")[0].share.tolist() == [np.inf]
    shared = {"a": {"q": ranked("x", "u")}, "b": {"q": ranked("y", "u")}}
    assert found(qrels, shared, "AP")[0].share.tolist() == [np.inf]


def test_queries_of_one_block_and_of_several_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _, _ = found(sample.qrels, sample.runs, "AP")
    monkeypatch.setattr(favouring, "CELLS_AT_ONCE", 1)
    apart, _, _ = found(sample.qrels, sample.runs, "AP")
    monkeypatch.setattr(reversal_prevalence, "CELLS_AT_ONCE", 100)
    monkeypatch.setattr(reversal_prevalence, "CELLS_IN_MEMORY", 100)
    np.testing.assert_allclose(whole.share, apart.share, rtol=1e-10)
    in_parts, _, _ = found(sample.qrels, sample.runs, "AP")
    np.testing.assert_allclose(whole.share, in_parts.share, rtol=1e-10)
    np.testing.assert_allclose(whole.judged, apart.judged, rtol=1e-10)


def test_judged_documents_at_the_same_ranks() -> None:
    """At rank 1 one of two judged documents is relevant, at rank 2 two of three."""
    qrels = {"p": {"x": 1, "y": 0}, "q": {"x": 1, "y": 0}}
    runs = {
        "a": {"p": ranked("x", "y"), "q": ranked("y", "x")},
        "b": {"p": ranked("u", "v"), "q": ranked("u", "x")},
    }
    shares, pairs, _ = found(qrels, runs, "P@2")
    assert pairs.difference.tolist() == [0.25]
    assert shares.judged[0] == pytest.approx((1 / 2 + 2 / 3 + 1 / 2) / 3)


def test_relevant_documents_have_the_highest_grade() -> None:
    """A document u of grade 3 is worth 2^3 - 1 = 7 times x of grade 1, in its place.

    If u is relevant, the best DCG rises from 7 + 0.631 to 7 + 7 x 0.631: (1 - s) / 7.631 = 6 s / 11.416.
    """
    qrels = {"q": {"x": 1, "y": 3, "w": 0}}
    runs = {"one": {"q": ranked("x", "w")}, "two": {"q": ranked("u", "w")}}
    assert found(qrels, runs, "DCG(dcg='exp-log2')@2")[0].share == pytest.approx(1 / 7, abs=1e-12)
    assert found(qrels, runs, "nDCG(dcg='exp-log2')@2")[0].share == pytest.approx(0.1996, abs=1e-4)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.95)"])
def test_random_completions_have_either_sign_on_either_side(measure: str) -> None:
    """Sample collection: a tenth below and above the share, the mean of 60 completions drawn here."""
    shares, pairs, shared = found(sample.qrels, sample.runs, measure)
    hypothetical = Hypothetical.of(shared, parse_measure(measure))
    rng, tried = np.random.default_rng(3), 0
    for k in np.flatnonzero((shares.share < 0.5) & (np.abs(pairs.difference) > 0.05))[:4].tolist():
        a, b = int(pairs.first[k]), int(pairs.second[k])
        leader, behind = (a, b) if pairs.difference[k] > 0 else (b, a)
        two = hypothetical.only([leader, behind])
        own = two.rankings.run(1)
        rank = favouring.rank_by_row(two.rankings.run(0))
        rows = own.row[(own.labels < 0) & (own.rank < rank[own.row])]
        for share, sign in ((0.9 * shares.share[k], 1), (1.1 * shares.share[k], -1)):
            values = np.stack([two.values(rows[rng.random(len(rows)) < share]) for _ in range(60)])
            assert np.sign((values[:, 0] - values[:, 1]).mean()) == sign
        tried += 1
    assert tried


def test_of_very_many_pairs_the_best_systems_are_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares among them are the same, to rounding, and the others are said not to be known."""
    every = compare(sample.qrels, sample.runs, "AP")
    queries, best = len(every.queries), np.argsort(-every.results[0].means)[:4]
    monkeypatch.setattr(reversal_prevalence, "MOST_CELLS", 7 * queries)
    some = compare(sample.qrels, sample.runs, "AP")
    (one,), (other,) = every.results, some.results
    among = np.isin(one.tests.pairs.first, best) & np.isin(one.tests.pairs.second, best)
    shares = other.judging.reversal.share
    np.testing.assert_allclose(shares[among], one.judging.reversal.share[among], atol=1e-12)
    assert np.isnan(shares[~among]).all()
    assert any("among the best 4 systems alone" in note for note in some.notes)
    assert not any("systems alone" in note for note in every.notes)
