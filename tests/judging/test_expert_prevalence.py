"""Prevalence learnt from the runs: against a general optimiser, and against simulated relevance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from unjudged import AP, Judgments, UsageError, sample
from unjudged.judging.expert_prevalence import completions_of, learnt_prevalence, logistic
from unjudged.judging.settling import likely_bounds, with_grades
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.shared import SharedRankings

RUNS, QUERIES, DOCUMENTS, LENGTH = 6, 12, 200, 60
QUALITY = np.linspace(0.6, 2.0, RUNS)


def simulated(seed: int) -> tuple[SharedRankings, np.ndarray]:
    """Runs of different quality over known relevance: a run's score is quality times relevance plus noise."""
    draws = np.random.default_rng(seed)
    grades = draws.random((QUERIES, DOCUMENTS)) < 0.1
    grades[:, 0] = True
    runs = {}
    for i, quality in enumerate(QUALITY):
        scores = quality * grades + draws.normal(size=grades.shape)
        top = np.argsort(-scores, axis=1)[:, :LENGTH]
        runs[f"r{i}"] = {
            f"q{q}": {f"d{d}": float(scores[q, d]) for d in top[q].tolist()} for q in range(QUERIES)
        }
    qrels = {f"q{q}": {f"d{d}": int(grades[q, d]) for d in range(DOCUMENTS)} for q in range(QUERIES)}
    shared = SharedRankings.of(Judgments.of(qrels), runs)
    return shared, shared.judgments.grade.copy()


def half_judged(shared: SharedRankings, truth: np.ndarray, seed: int) -> SharedRankings:
    hidden = np.random.default_rng(1000 + seed).random(len(truth)) < 0.6
    return with_grades(shared, np.where(hidden, -1, truth))


def test_the_regression_is_the_best_one() -> None:
    draws = np.random.default_rng(1)
    table = draws.normal(size=(200, 4)) * (draws.random((200, 4)) < 0.5)
    relevant = (draws.random(200) < expit(table @ [1.0, -2.0, 0.5, 0.0])).astype(float)
    penalties = np.array([1e-3, 1.0, 0.3, 2.0])

    def loss(weights: Floats) -> float:
        score = table @ weights
        return float(np.logaddexp(0, score).sum() - relevant @ score + (penalties * weights**2).sum() / 2)

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    assert logistic(csr_matrix(table), relevant, penalties) == pytest.approx(best, abs=1e-5)


def test_the_regression_stays_finite_where_all_are_alike() -> None:
    table = csr_matrix(np.ones((5, 1)))
    assert np.isfinite(logistic(table, np.ones(5), [1e-3])).all()


def test_what_good_and_bad_runs_retrieve_is_told_apart() -> None:
    """Relevant documents among those that more good or more bad runs have: much nearer than by rank alone."""
    learnt, by_rank, actual = np.zeros(2), np.zeros(2), np.zeros(2)
    for seed in range(8):
        shared, truth = simulated(seed)
        now = half_judged(shared, truth, seed)
        row = now.unknown
        chances = learnt_prevalence(now, row).chance, now.completions("rank").prevalence.chance
        has = np.zeros((len(truth), RUNS), bool)
        has[now.rankings.row, now.rankings.ranking // QUERIES] = True
        good, bad = has[row, RUNS // 2 :].sum(axis=1), has[row, : RUNS // 2].sum(axis=1)
        for k, group in enumerate((good > bad, bad > good)):
            learnt[k] += chances[0][group].sum()
            by_rank[k] += chances[1][group].sum()
            actual[k] += truth[row][group].sum()
    assert learnt.sum() == pytest.approx(actual.sum(), rel=0.05)
    assert (3 * np.abs(learnt - actual) < np.abs(by_rank - actual)).all()


def test_settled_pairs_are_nearly_always_in_the_right_order() -> None:
    settled = wrong = 0
    for seed in range(8):
        shared, truth = simulated(seed)
        found = likely_bounds(half_judged(shared, truth, seed), AP, 0.95, draws=120, seed=seed)
        means = shared.per_run(AP.compute(shared.rankings)).mean(axis=1)
        order = np.sign(means[found.first] - means[found.second])[~found.open]
        settled += len(order)
        wrong += int((order != np.where(found.low > 0, 1, -1)[~found.open]).sum())
    assert settled > 60
    assert wrong <= 0.05 * settled


def test_refusals() -> None:
    shared = SharedRankings.of(Judgments.of({"q": {"d": -1}}), {"a": {"q": {"d": 1.0}}})
    with pytest.raises(UsageError, match="no document is judged, so prevalence cannot be estimated"):
        completions_of(shared, "runs")
    shared = SharedRankings.of(Judgments.of(sample.qrels), sample.runs)
    with pytest.raises(UsageError, match="prevalence is 'no': use a probability or one of runs, all, query"):
        completions_of(shared, "no")
