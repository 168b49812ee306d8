"""Scores and comparisons of runs whose documents have the same score."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import everything, printed, refused
from tests.intervals import intervals
from unjudged import compare, evaluate, sample
from unjudged.base.errors import UsageError
from unjudged.inference.verdict import HEADLINES

MEASURES = ["AP", "nDCG@10", "P@10", "RR", "ERR", "RBP(p=0.8)", "Bpref", "infAP", "Judged@10", "IPrec@0.2"]
Run = dict[str, dict[str, float]]


def five_levels(
    seed: int = 0, queries: int = 20, documents: int = 8
) -> tuple[dict[str, dict[str, int]], Run]:
    rng = random.Random(seed)
    names = [f"d{j}" for j in range(documents)]
    qrels = {f"q{i}": {name: rng.choice([0, 0, 1, 2]) for name in names} for i in range(queries)}
    run = {
        q: {d: float(min(4, g + rng.choice([0, 1, 2]))) for d, g in own.items()} for q, own in qrels.items()
    }
    return qrels, run


def renamed(names: list[str], data: Any, order: tuple[int, ...]) -> Any:
    new = {name: f"n{place}" for name, place in zip(names, order, strict=True)}
    return {q: {new[d]: value for d, value in own.items()} for q, own in data.items()}


def test_names_do_not_change_expected_values() -> None:
    qrels, run = five_levels()
    names = [f"d{j}" for j in range(8)]
    orders = [tuple(random.Random(seed).sample(range(8), 8)) for seed in range(5)]
    scores = [
        evaluate(renamed(names, qrels, o), renamed(names, run, o), MEASURES, ties="expected") for o in orders
    ]
    for one in scores:
        assert np.abs(one.values - scores[0].values).max() < 1e-12


def test_a_note_says_where_the_order_matters() -> None:
    qrels, run = five_levels()
    scores = evaluate(qrels, {"five": run}, "nDCG@10")
    assert (
        "other orders of them move 1 mean by more than 0.001, for instance nDCG@10 of five" in scores.notes[0]
    )
    apart = {q: {d: s + i / 100 for i, (d, s) in enumerate(own.items())} for q, own in run.items()}
    untied = evaluate(qrels, {"five": apart}, "nDCG@10")
    assert list(untied.notes) == []
    assert (
        untied.values.tobytes()
        == evaluate(qrels, {"five": apart}, "nDCG@10", ties="expected").values.tobytes()
    )


def test_a_headline_that_rests_on_the_order_says_so() -> None:
    """Where ties are broken in favour of either system the headline may be another."""
    qrels, run = five_levels(queries=40)
    changed = 0
    for less in (0.25, 0.5, 1.0):
        worse = {
            q: {d: max(0.0, s - less * (i % 2)) for i, (d, s) in enumerate(own.items())}
            for q, own in run.items()
        }
        runs = {"five": run, "worse": worse}
        found = compare(qrels, runs, "nDCG@10").pair()
        orders = evaluate(qrels, runs, "nDCG@10", ties="expected")
        expected = compare(qrels, runs, "nDCG@10", ties="expected")
        assert [expected["mean_b"], expected["mean_a"]] == orders.means[:, 0].tolist()
        assert expected["more_judging"] == "unknown"
        other = found["in_other_orders"]
        if other is not None:
            changed += 1
            assert other in HEADLINES
            assert other != found["headline"]
            shown = compare(qrels, runs, "nDCG@10")
            assert f"({other} if tied documents are ordered otherwise)" in str(shown)
            assert (
                shown.grid("pairs").rows[0][-1] == f"{shown.headline} ({other} if ties are broken otherwise)"
            )
    assert changed


def test_intervals_of_one_order_are_refused() -> None:
    qrels, run = five_levels()
    scores = evaluate(qrels, run, "AP", ties="expected")
    with pytest.raises(UsageError, match="have no bounds"):
        intervals(scores, "bounds")
    assert intervals(scores, "queries")[0][0].value == scores.means[0, 0]
    with pytest.raises(UsageError, match="expected one of order"):
        evaluate(qrels, run, "AP", ties="mean")  # type: ignore[arg-type]


def test_the_command_line() -> None:
    files = [str(sample.qrels), str(sample.runs["boolean"])]
    assert "0.1355" in printed("evaluate", *files, "-m", "P@10", "--set", "ties=expected")
    assert "no bounds" in refused(2, "evaluate", *files, "--set", "ties=expected", "--interval", "bounds")
    assert "range" in refused(2, "evaluate", *files, "--set", "ties=range")
    other = str(sample.runs["dense"])
    assert "expected over all orders" in everything("compare", *files, other, "--set", "ties=expected")


def test_very_many_documents_only_count_the_runs_with_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other orders change took twenty times as long as the scores of 129 runs."""
    monkeypatch.setattr("unjudged.evidence.tied_scores.MANY", 0)
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    runs = {"tied": {"q": {"a": 1.0, "b": 1.0}}, "not": {"q": {"a": 2.0, "b": 1.0}}}
    note = "Tied scores in 1 of 2 runs: --set ties=expected has the means"
    scores = evaluate(qrels, runs, "AP")
    assert [text.startswith(note) for text in scores.notes] == [True]
    assert any(one.startswith(note) for one in compare(qrels, runs, "AP").notes)
