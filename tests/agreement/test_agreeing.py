"""Agreement of sources: documents, leaderboards, significant pairs, and how often intervals hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import Judgments, Result, Scores, UsageError, evaluate, sample
from unjudged.agreement import agree
from unjudged.agreement.leaderboards import SIGNIFICANT
from unjudged.agreement.orders import largest_drop, spearman, tau, tau_ap
from unjudged.agreement.resampling import QueryDraws
from unjudged.results.fields import Row

QRELS = Judgments.of(sample.qrels)


def another(seed: int = 1, share: float = 0.15) -> Judgments:
    """A judge who gives other grades to some documents."""
    rng = np.random.default_rng(seed)
    other = np.where(rng.random(len(QRELS.grade)) < share, rng.integers(0, 3, len(QRELS.grade)), QRELS.grade)
    return QRELS.with_grades(np.where(QRELS.grade < 0, QRELS.grade, other).astype(np.int32))


def of(found: Result, view: str, coefficient: str, sources: str, measure: str | None = None) -> Row:
    """The row of a coefficient."""
    wanted = (coefficient, sources, measure)
    return next(
        row for row in found.rows[view] if (row["coefficient"], row["sources"], row.get("measure")) == wanted
    )


def test_documents_and_leaderboards_of_two_judges() -> None:
    second = another()
    found = agree({"people": QRELS, "model": second}, sample.runs, ["AP", "nDCG@10"], draws=50)
    judged = QRELS.grade >= 0
    same = of(found, "agreement", "same grade", "people, model")
    assert same["value"] == pytest.approx((QRELS.grade == second.grade)[judged].mean())
    assert same["query_low"] < same["value"] < same["query_high"]
    by = [evaluate(qrels, sample.runs, "AP").means[:, 0] for qrels in (QRELS, second)]
    for source, own in zip(("people", "model"), by, strict=True):
        rows = [r for r in found.rows["means"] if (r["source"], r["measure"]) == (source, "AP")]
        means = {row["system"]: row["mean"] for row in rows}
        assert [means[run] for run in sample.runs] == pytest.approx(own)
        assert sorted(means, key=lambda run: -means[run]) == [
            row["system"] for row in sorted(rows, key=lambda row: row["rank"])
        ]
    assert of(found, "orders", "tau", "people, model", "AP")["value"] == tau(*by)
    assert of(found, "orders", "tau_AP", "people, model", "AP")["value"] == tau_ap(by[1], by[0])
    for row in found.rows["significance"]:
        assert sum(row[kind] for kind in SIGNIFICANT) == 15


def test_confusion() -> None:
    a = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    b = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    found = agree({"ann": a, "bob": b}, draws=20)
    assert [list(row) for row in found.grid("confusion").rows] == [["0", 1, 1], ["1", 0, 3]]
    assert [column.name for column in found.grid("confusion").columns] == ["grade", "0", "1"]
    rows = [(row["grade"], row["other_grade"], row["documents"]) for row in found.rows["confusion"]]
    assert rows == [("0", "0", 1), ("0", "1", 1), ("1", "0", 0), ("1", "1", 3)]


def test_tables_of_scores_are_compared_as_leaderboards() -> None:
    values = np.random.default_rng(0).random((3, 20, 1))
    scores = Scores.of(values, "AP", runs=["a", "b", "c"], queries=[f"q{j}" for j in range(20)])
    turned = Scores.of(-values, "AP", runs=["a", "b", "c"], queries=[f"q{j}" for j in range(20)])
    found = agree({"one": scores, "same": scores, "turned": turned}, draws=20)
    assert set(found.rows) == {"orders", "means", "significance"}
    same = of(found, "orders", "tau", "one, same", "AP")
    assert same["value"] == 1
    assert of(found, "orders", "tau", "one, turned", "AP")["value"] == -1
    assert same["query_low"] is None
    assert "all draws of queries are alike" in same["method"]


def test_significant_pairs_by_kind() -> None:
    rng = np.random.default_rng(3)
    clear = np.array([0.2, 0.5, 0.8])[:, None] + rng.normal(0, 0.05, (3, 30))
    opposite = np.array([0.8, 0.5, 0.2])[:, None] + rng.normal(0, 0.05, (3, 30))
    queries = [f"q{j}" for j in range(30)]
    one, two = (
        Scores.of(values[:, :, None], "AP", runs=["a", "b", "c"], queries=queries)
        for values in (clear, opposite)
    )
    (row,) = agree({"one": one, "two": two}, draws=20).rows["significance"]
    assert row["opposite"] == 3


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
    assert "quadratic kappa" in table
    assert "Order of 6 systems" in table
    rows = json.loads(printed(*words, "--format", "json"))
    assert "kappa" in json.dumps(rows)
    assert unjudged(*words, "--format", "csv").stdout.startswith(
        b"table,sources,coefficient,documents,value,"
    )


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
    for one, again in zip(same.rows["agreement"], other.rows["agreement"], strict=True):
        for name in ("value", "query_low", "query_high"):
            assert one[name] == pytest.approx(again[name], abs=1e-12)
