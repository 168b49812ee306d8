"""Agreement of sources: documents, leaderboards, significant pairs, and how often intervals hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import Judgments, Scores, UsageError, evaluate, sample
from unjudged.agreement import agree
from unjudged.agreement.leaderboards import SIGNIFICANT
from unjudged.agreement.orders import largest_drop, spearman, tau, tau_ap
from unjudged.agreement.resampling import QueryDraws

QRELS = Judgments.of(sample.qrels)


def another(seed: int = 1, share: float = 0.15) -> Judgments:
    """A judge who gives other grades to some documents."""
    rng = np.random.default_rng(seed)
    other = np.where(rng.random(len(QRELS.grade)) < share, rng.integers(0, 3, len(QRELS.grade)), QRELS.grade)
    return QRELS.with_grades(np.where(QRELS.grade < 0, QRELS.grade, other).astype(np.int32))


def test_documents_and_leaderboards_of_two_judges() -> None:
    second = another()
    found = agree({"people": QRELS, "model": second}, sample.runs, ["AP", "nDCG@10"], draws=50)
    assert found.documents is not None
    judged = QRELS.grade >= 0
    same = found.documents.estimates["people", "model"]["same"]
    assert same.value == pytest.approx((QRELS.grade == second.grade)[judged].mean())
    assert same.low < same.value < same.high
    board = found.leaderboards[0]
    assert str(board.measure) == "AP"
    assert board.means[0] == pytest.approx(evaluate(QRELS, sample.runs, "AP").means[:, 0])
    assert board.means[1] == pytest.approx(evaluate(second, sample.runs, "AP").means[:, 0])
    estimates = board.estimates["people", "model"]
    assert estimates["tau"].value == tau(*board.means)
    assert estimates["tau_ap"].value == tau_ap(board.means[1], board.means[0])
    assert estimates["tau"].uncertainty == "queries"
    assert sum(board.significant["people", "model"]) == 15


def test_confusion_by_grade_and_by_query() -> None:
    a = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    b = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    documents = agree({"ann": a, "bob": b}, draws=20).documents
    assert documents is not None
    assert [list(row[1:]) for row in documents.confusion("ann", "bob").rows] == [[1, 1], [0, 3]]
    assert [row[2:] for row in documents.by_grade().rows] == [[3, 2 / 3], [7, 6 / 7]]
    rows = documents.by_query().rows
    assert [row[1:3] for row in rows] == [["q1", 3], ["q2", 2]]
    assert [row[3] for row in rows] == pytest.approx([2 / 3, 1.0], abs=1e-15)


def test_tables_of_scores_are_compared_as_leaderboards() -> None:
    values = np.random.default_rng(0).random((3, 20, 1))
    scores = Scores.of(values, "AP", runs=["a", "b", "c"], queries=[f"q{j}" for j in range(20)])
    turned = Scores.of(-values, "AP", runs=["a", "b", "c"], queries=[f"q{j}" for j in range(20)])
    found = agree({"one": scores, "same": scores, "turned": turned}, draws=20)
    assert found.documents is None
    (board,) = found.leaderboards
    assert board.estimates["one", "same"]["tau"].value == 1
    assert board.estimates["one", "turned"]["tau"].value == -1
    assert not board.estimates["one", "same"]["tau"].has_interval  # all draws agree


def test_significant_pairs_by_kind() -> None:
    rng = np.random.default_rng(3)
    clear = np.array([0.2, 0.5, 0.8])[:, None] + rng.normal(0, 0.05, (3, 30))
    opposite = np.array([0.8, 0.5, 0.2])[:, None] + rng.normal(0, 0.05, (3, 30))
    queries = [f"q{j}" for j in range(30)]
    one, two = (
        Scores.of(values[:, :, None], "AP", runs=["a", "b", "c"], queries=queries)
        for values in (clear, opposite)
    )
    (board,) = agree({"one": one, "two": two}, draws=20).leaderboards
    assert dict(zip(SIGNIFICANT, board.significant["one", "two"], strict=True))["opposite"] == 3


def test_moves_of_tied_systems() -> None:
    a, b = np.array([3.0, 2.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert largest_drop(a, b) == 3
    assert spearman(a, -a) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"only": {"q": {"d": 1}}}, "two sources or more"),
        ({"a": {"q": {"d": 1}}, "b": {"q": {"e": 1}}}, "no document was judged by two sources"),
        ({"a": {"q": {"d": 1}}, "b": {"q": {"d": -1}}}, "no document was judged by two sources"),
    ],
)
def test_sources_that_cannot_agree(sources: dict[str, dict[str, dict[str, int]]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agree(sources)


@pytest.mark.thorough
def test_intervals_hold_for_other_sets_of_queries() -> None:
    """Two judges of 12 systems: 95 % intervals of tau hold the mean tau of sets of 30 queries."""
    rng = np.random.default_rng(5)
    quality, bias = rng.normal(0, 0.05, 12), rng.normal(0, 0.03, 12)

    def scores(sets: int) -> tuple[np.ndarray, np.ndarray]:
        noise = rng.normal(0, 0.15, (sets, 30, 12))
        first = quality + noise
        return first, first + bias + rng.normal(0, 0.09, (sets, 30, 12))

    truth = np.mean([tau(a.mean(0), b.mean(0)) for a, b in zip(*scores(1500), strict=True)])
    held = []
    for a, b in zip(*scores(200), strict=True):

        def drawn(weights: np.ndarray, a: np.ndarray = a, b: np.ndarray = b) -> dict[str, np.ndarray]:
            return {"tau": np.array([tau(x, y) for x, y in zip(weights @ a, weights @ b, strict=True)])}

        draws = QueryDraws(30, confidence=0.95, draws=100, seed=0)
        whole = {"tau": tau(a.mean(0), b.mean(0))}
        estimate = draws.estimates(whole, drawn, {"tau": (-1.0, 1.0)})["tau"]
        held.append(estimate.low <= truth <= estimate.high)
    assert 0.92 <= np.mean(held) <= 0.99


def test_the_command_writes_over_no_source_that_has_a_name(tmp_path: Path) -> None:
    source = tmp_path / "people.txt"
    source.write_text(sample.qrels.read_text())
    words = ["agree", f"people={source}", f"again={sample.qrels}", "-o", str(source)]
    assert "is read by this command" in refused(2, *words)
    assert source.read_text() == sample.qrels.read_text()


def test_the_command_in_every_format(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text(sample.qrels.read_text().replace(" 2\n", " 1\n"))
    words = ["agree", f"people={sample.qrels}", str(other), "--draws", "20"]
    table = printed(*words, "--runs", *map(str, sample.runs.values()))
    assert "people, other  quadratic kappa" in table
    assert "Order of 6 systems by nDCG@10" in table
    rows = json.loads(printed(*words, "--format", "json"))
    assert "kappa" in json.dumps(rows)
    assert unjudged(*words, "--format", "csv").stdout.startswith(b"of,sources,coefficient,value,low,high")


def test_documents_of_one_file_and_in_other_orders_are_matched_alike() -> None:
    """Judges who list the same documents in the same order need no matching; the answer is the same."""
    rng = np.random.default_rng(2)
    given = [
        {f"q{q}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(-1, 3, 12))} for q in range(8)}
        for _ in range(3)
    ]
    names = ("a", "b", "c")
    turned = {q: dict(reversed(docs.items())) for q, docs in reversed(given[1].items())}
    same = agree(dict(zip(names, given, strict=True)))
    other = agree(dict(zip(names, (given[0], turned, given[2]), strict=True)))
    assert same.documents is not None
    assert other.documents is not None
    for pair, found in same.documents.estimates.items():
        for name, estimate in found.items():
            again = other.documents.estimates[pair][name]
            ends = (again.value, again.low, again.high)
            assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
                ends, abs=1e-12, nan_ok=True
            )
