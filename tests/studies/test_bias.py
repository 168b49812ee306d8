"""How much higher runs score by a judge than by people, from whole queries and from samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from unjudged import InputError, Judgments, Result, audit, evaluate
from unjudged.predictions import Judges, Predictions
from unjudged.rankings.origin import WEIGHTED, Origin


def values(found: Result) -> dict[str, float]:
    """Coefficients by name."""
    return {row["coefficient"]: row["value"] for row in found.rows["agreement"]}


def biases(found: Result) -> dict[str, Any]:
    """The bias of each run by its name."""
    return {row["system"]: row["bias"] for row in found.rows["bias"]}


def test_the_bias_of_any_measure_under_complete_judgments() -> None:
    rng = np.random.default_rng(0)
    people = {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(8)} for i in range(6)}
    model = {q: {d: float(rng.random()) for d in docs} for q, docs in people.items()}
    runs = {
        name: {q: {d: float(rng.random()) for d in docs} for q, docs in people.items()} for name in ("a", "b")
    }
    hard = {q: {d: int(s >= 0.5) for d, s in docs.items()} for q, docs in model.items()}
    for measure in ("AP", "nDCG@5", "RBP(p=0.8)", "P@5", "DCG@4"):
        found = audit(people, model, runs, measure)
        gap = evaluate(hard, runs, measure).values[:, :, 0] - evaluate(people, runs, measure).values[:, :, 0]
        rows = found.rows["bias"]
        assert [row["bias"] for row in rows] == pytest.approx(gap.mean(axis=1).tolist())
        half = 2.5705818 * gap.std(axis=1, ddof=1) / np.sqrt(6)
        assert [row["query_high"] - row["bias"] for row in rows] == pytest.approx(half.tolist())


@pytest.mark.thorough
def test_a_sample_stands_for_the_whole() -> None:
    """Weighted by 1 / pi, the audit of many samples is on average that of all documents."""
    rng = np.random.default_rng(8)
    people = Judgments.read(
        {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(40)} for i in range(12)}
    )
    names = list(people.queries)
    scores: dict[str, dict[str, float]] = {name: {} for name in names}
    run: dict[str, dict[str, float]] = {name: {} for name in names}
    for q, d, grade in zip(people.query, people.documents, people.grade, strict=True):
        scores[names[q]][d] = float(np.clip(0.3 * grade + 0.7 * rng.random(), 0, 1))
        run[names[q]][d] = float(rng.random())
    pi = np.where(np.arange(len(people.grade)) % 3 == 0, 0.9, 0.3)
    whole = audit(people, scores, {"a": run}, "RBP(p=0.9)")
    found = []
    for _ in range(150):
        drawn = rng.random(len(pi)) < pi
        part = replace(people, grade=np.where(drawn, people.grade, -1).astype(np.int32), probability=pi)
        one = audit(part, scores, {"a": run}, "RBP(p=0.9)")
        assert any(note.startswith("Each document is weighted") for note in one.notes)
        found.append([values(one)["kappa, relevant or not"], biases(one)["a"]])
    exact = [values(whole)["kappa, relevant or not"], biases(whole)["a"]]
    error = 3.5 * np.std(found, axis=0) / np.sqrt(150)
    assert (np.abs(np.mean(found, axis=0) - exact) <= error).all()
    (row,) = audit(part, scores, {"a": run}, "AP").rows["bias"]
    assert row["labels"] >= 3


def drawn_world(rng: np.random.Generator) -> tuple[Judgments, dict[str, dict[str, float]], Judgments]:
    """Ten queries of twenty documents: a drawn sample, a model of all documents, and the truth."""
    truth = {f"q{i:02d}": {f"d{j:02d}": int(rng.integers(0, 4)) for j in range(20)} for i in range(10)}
    model = {q: {d: float(g + rng.integers(0, 2)) for d, g in docs.items()} for q, docs in truth.items()}
    whole = Judgments.read(truth)
    pi = np.tile(np.clip(2.0 / np.arange(1, 21), 0.15, 0.9), 10)
    grade = np.where(rng.random(200) < pi, whole.grade, -1).astype(np.int32)
    return replace(whole, grade=grade, probability=pi, origin=Origin(WEIGHTED)), model, whole


def test_by_people_is_what_evaluate_estimates() -> None:
    """It was the plain sum over the sample, without an interval: 9.32 where `evaluate` had 7.24."""
    rng = np.random.default_rng(3)
    drawn, model, _ = drawn_world(rng)
    run = {q: {d: -float(j) for j, d in enumerate(docs)} for q, docs in model.items()}
    found = audit(drawn, Predictions.of(model, kind="grades"), {"a": run}, "DCG@10")
    judge = {"predictions": Predictions.of(model, kind="grades")}
    expected = evaluate(drawn, {"a": run}, "DCG@10", predictions=Judges(judge))["a"]
    (row,) = found.rows["bias"]
    fields = ("by_people", "estimate_low", "estimate_high", "labels")
    assert [row[name] for name in fields] == [expected[name] for name in ("mean", *fields[1:])]
    predicted = evaluate(
        Judgments.read({q: {d: int(s) for d, s in v.items()} for q, v in model.items()}), run, "DCG@10"
    )
    assert row["by_people"] + row["bias"] == pytest.approx(predicted.means.item())
    columns = [column.name for column in found.grid("bias").columns]
    shown = ["by people", "estimated", "labels", "bias", "for other queries"]
    assert columns == ["measure", "judge", "system", *shown]


@pytest.mark.thorough
def test_by_people_and_bias_hold() -> None:
    rng, held, errors = np.random.default_rng(9), [], []
    for _ in range(150):
        drawn, model, whole = drawn_world(rng)
        run = {q: {d: -float(j) for j, d in enumerate(docs)} for q, docs in model.items()}
        (found,) = audit(drawn, Predictions.of(model, kind="grades"), {"a": run}, "DCG@10").rows["bias"]
        exact = evaluate(whole, run, "DCG@10").means.item()
        held.append(found["estimate_low"] <= exact <= found["estimate_high"])
        errors.append(found["by_people"] - exact)
    assert 0.9 <= np.mean(held) <= 0.99
    assert abs(np.mean(errors)) <= 3.5 * np.std(errors) / np.sqrt(150)


def test_scattered_labels_have_no_bias_by_run() -> None:
    """One label per query counted as complete judgments: P@10 by people was a tenth of what it is."""
    rng = np.random.default_rng(1)
    truth = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(10)} for i in range(30)}
    people = {q: dict(list(docs.items())[:1]) for q, docs in truth.items()}
    model, run = Judgments.read(truth), {q: dict.fromkeys(docs, 1.0) for q, docs in truth.items()}
    for measure in ("P@10", "AP"):
        with pytest.raises(InputError, match="judged 30 of the 300 documents that count in 30 queries"):
            audit(people, model, {"a": run}, measure)
    assert "on 30 documents" in str(audit(people, model))
    some = people | {q: truth[q] for q in list(truth)[:8]}
    found = audit(some, model, {"a": run, "b": {q: {"d0": 1.0} for q in truth}}, "P@10")
    assert list(biases(found)) == ["a", "b"]
    assert "a: 22 queries left out, judged in part for P@10." in found.grid().notes
    holes = audit(
        some, model, {"a": {q: {"x": 1.0} for q in truth}, "b": {q: {"d0": 1.0} for q in truth}}, "P@10"
    )
    assert list(biases(holes)) == ["b"]
    assert any(note.startswith("a: no bias. P@10 needs 2 queries") for note in holes.notes)
