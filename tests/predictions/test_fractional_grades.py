"""Estimates with predictions: fractional grades of people give what whole grades of the same meaning give."""

from __future__ import annotations

import random

import pytest

from unjudged import UsageError
from unjudged.measures.kernel.names import parse_measure
from unjudged.predictions import Predictions, estimate_with_predictions
from unjudged.predictions.by_document import DocumentEvidence

RNG = random.Random(3)
DOCUMENTS = [f"d{j}" for j in range(20)]
WHOLE = {
    f"q{i}": {d: RNG.choice([0, 1, 2]) if RNG.random() < 0.6 else -1 for d in DOCUMENTS} for i in range(12)
}
HALVES = {q: {d: g / 2 if g > 0 else float(g) for d, g in own.items()} for q, own in WHOLE.items()}
MODEL = {
    q: {d: min(1.0, max(0.0, max(g, 0) / 2 + RNG.uniform(-0.3, 0.3))) for d, g in own.items()}
    for q, own in WHOLE.items()
}
RUNS = {name: {q: {d: RNG.random() for d in DOCUMENTS} for q in WHOLE} for name in ("a", "b")}


@pytest.mark.parametrize(
    ("of_whole", "of_halves"),
    [
        ("P(rel=2)@5", "P(rel=1.0)@5"),
        ("RBP(p=0.8, rel=1)", "RBP(p=0.8, rel=0.5)"),
        ("RBP(max_grade=2)", "RBP(max_grade=1)"),
    ],
)
def test_by_document(of_whole: str, of_halves: str) -> None:
    (one,) = estimate_with_predictions(WHOLE, RUNS, MODEL, of_whole)
    (other,) = estimate_with_predictions(HALVES, RUNS, MODEL, of_halves)
    assert isinstance(one, DocumentEvidence)
    assert isinstance(other, DocumentEvidence)
    assert [other.mean(run).value for run in RUNS] == pytest.approx([one.mean(run).value for run in RUNS])
    assert str(other.measure) == str(parse_measure(of_halves))


def test_predicted_grades_are_refused() -> None:
    whole = {q: {d: max(g, 0) for d, g in own.items()} for q, own in WHOLE.items()}
    predicted = Predictions.of(whole, kind="grades")
    with pytest.raises(UsageError, match="give probabilities or scores"):
        estimate_with_predictions(HALVES, RUNS, predicted, "P(rel=0.5)@5")
