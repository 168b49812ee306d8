"""Intervals hold as often as they say, for these queries and for others, in a world of known truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from unjudged import Judgments, Run, evaluate
from unjudged.predictions import Predictions, estimate_by_document

QUERIES, DOCUMENTS, TRIALS = 40, 30, 300
MEASURE = "RBP(p=0.9)"
NAMES = [f"d{j:02d}" for j in range(DOCUMENTS)]
RANK = np.tile(np.arange(1, DOCUMENTS + 1), QUERIES)
RUN = Run.read({f"q{i}": {name: -float(j) for j, name in enumerate(NAMES)} for i in range(QUERIES)})
EXPECTED = np.array([0.6 * 0.9**j for j in range(DOCUMENTS)])
LIMIT = float((0.1 * 0.9 ** np.arange(DOCUMENTS)) @ EXPECTED)
"""The mean RBP over all queries that this world might ask."""


def world(rng: np.random.Generator) -> tuple[Judgments, Predictions]:
    """Queries of different difficulty, all judged; scores that are too high and noisy."""
    difficulty = rng.uniform(0.4, 1.6, (QUERIES, 1))
    relevant = rng.random((QUERIES, DOCUMENTS)) < EXPECTED * difficulty
    score = np.clip(0.5 + 0.4 * relevant + 0.3 * rng.standard_normal(relevant.shape), 0, 1)
    queries = [f"q{i}" for i in range(QUERIES)]
    grades = {
        q: dict(zip(NAMES, row, strict=True))
        for q, row in zip(queries, relevant.astype(int).tolist(), strict=True)
    }
    scores = {q: dict(zip(NAMES, row, strict=True)) for q, row in zip(queries, score.tolist(), strict=True)}
    return Judgments.read(grades), Predictions.of(scores)


def poisson(judgments: Judgments, rng: np.random.Generator) -> Judgments:
    pi = np.clip(2.0 / RANK, 0.08, 0.9)
    drawn = rng.random(len(pi)) < pi
    return replace(judgments, grade=np.where(drawn, judgments.grade, -1).astype(np.int32), probability=pi)


def stratified(judgments: Judgments, rng: np.random.Generator) -> Judgments:
    """Of each query 4 of the first 10 documents, and 4 of the others."""
    stratum = np.where(RANK <= 10, 1, 2).astype(np.int32)
    grade = np.full(len(RANK), -1, np.int32)
    for q in range(QUERIES):
        for rows in (np.arange(10), np.arange(10, DOCUMENTS)):
            chosen = q * DOCUMENTS + rng.choice(rows, 4, replace=False)
            grade[chosen] = judgments.grade[chosen]
    return replace(judgments, grade=grade, stratum=stratum)


@pytest.mark.thorough
@pytest.mark.parametrize("design", [poisson, stratified])
def test_intervals_hold(design: Callable[[Judgments, np.random.Generator], Judgments]) -> None:
    rng = np.random.default_rng(2)
    here, elsewhere, errors, deviations = [], [], [], []
    for _ in range(TRIALS):
        judgments, predictions = world(rng)
        truth = evaluate(judgments, RUN, MEASURE).means.item()
        found = estimate_by_document(design(judgments, rng), {"run": RUN}, predictions, MEASURE)
        these, scores = found.mean("run"), found.per_query[0]
        half = t.ppf(0.975, len(scores) - 1) * scores.std(ddof=1) / np.sqrt(len(scores))
        here.append(these.low <= truth <= these.high)
        elsewhere.append(abs(scores.mean() - LIMIT) <= half)
        errors.append(these.value - truth)
        deviations.append(np.sqrt(found.error.covariance.item()))
    assert 0.92 <= np.mean(here) <= 0.98
    assert 0.92 <= np.mean(elsewhere) <= 0.98
    assert abs(np.mean(errors)) <= 3.5 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(deviations) == pytest.approx(np.std(errors), rel=0.15)
