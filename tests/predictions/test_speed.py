"""Ten million predictions."""

from __future__ import annotations

import time

import numpy as np
import pytest

from unjudged import JudgedRankings, Judgments
from unjudged.predictions.estimators.by_document import per_query_estimates
from unjudged.predictions.estimators.isotonic import cross_fitted
from unjudged.predictions.estimators.population import POISSON, Population
from unjudged.predictions.estimators.sampling_variance import sampling_covariance

QUERIES, DEPTH = 10_000, 1_000


def test_ten_million_predictions_in_ten_seconds() -> None:
    """Calibration and estimation of one run of ten million documents, 100,000 judged; processor time."""
    rows = QUERIES * DEPTH
    rng = np.random.default_rng(0)
    score = rng.random(rows)
    gain = (rng.random(rows) < score**2).astype(float)
    rank = np.tile(np.arange(1, DEPTH + 1, dtype=np.int32), QUERIES)
    pi = np.minimum(1.0, 1.4 / rank)
    drawn = rng.random(rows) < pi
    every = np.arange(rows, dtype=np.int32)
    one_each = Judgments.of({f"q{i}": {"d": 0} for i in range(QUERIES)})
    offsets = np.arange(0, rows + 1, DEPTH)
    query = np.arange(QUERIES, dtype=np.int32)
    retrieved = np.full(QUERIES, DEPTH, np.int32)
    rankings = JudgedRankings(one_each, rank, every, offsets, retrieved, query)
    nothing = np.zeros(rows, bool)
    population = Population(one_each, rankings, ("run",), drawn, pi, np.zeros(0, np.int64), nothing, POISSON)
    weight = 0.01 * 0.99 ** (rank.astype(float) - 1)
    fold = np.repeat(np.arange(QUERIES) % 10, DEPTH)

    start = time.process_time()
    expected = cross_fitted(score, gain, drawn, pi, fold)
    found = per_query_estimates(population, weight, gain, expected).mean()
    error = np.sqrt(sampling_covariance(population, weight, gain - expected).item())
    taken = time.process_time() - start

    assert taken < 10
    assert found == pytest.approx(rankings.total(weight * gain).mean(), abs=4 * error)
    assert np.abs(expected - score**2).mean() < 0.02
