"""Prevalence learnt from the runs: against a general optimiser, and against simulated relevance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from unjudged import AP, Judgments, UsageError
from unjudged.evidence.prevalence import band_of
from unjudged.evidence.shared import SharedRankings
from unjudged.judging import expert_prevalence
from unjudged.judging.expert_prevalence import completions_of, learnt_prevalence
from unjudged.judging.grouped_logistic import FIXED, GroupedLogistic, GroupedRows, Priors
from unjudged.rankings.judged import Floats, Integers, Mask

pytestmark = pytest.mark.thorough

RUNS, QUERIES, DOCUMENTS, LENGTH = 6, 12, 200, 60
QUALITY = np.linspace(0.6, 2.0, RUNS)


def simulated(seed: int, by_query: float = 0.0) -> tuple[SharedRankings, np.ndarray]:
    """Runs of different quality over known relevance: a run's score is quality times relevance plus noise.

    Or runs are equally good on average, and their quality varies by so much from query to query.
    """
    draws = np.random.default_rng(seed)
    grades = draws.random((QUERIES, DOCUMENTS)) < 0.1
    grades[:, 0] = True
    runs = {}
    for i, quality in enumerate(QUALITY):
        noise = draws.normal(size=grades.shape)
        varied = np.maximum(1.3 + by_query * draws.normal(size=(QUERIES, 1)), 0.0) if by_query else quality
        scores = varied * grades + noise
        top = np.argsort(-scores, axis=1)[:, :LENGTH]
        runs[f"r{i}"] = {
            f"q{q}": {f"d{d}": float(scores[q, d]) for d in top[q].tolist()} for q in range(QUERIES)
        }
    qrels = {f"q{q}": {f"d{d}": int(grades[q, d]) for d in range(DOCUMENTS)} for q in range(QUERIES)}
    shared = SharedRankings.of(Judgments.of(qrels), runs)
    return shared, shared.judgments.grade.copy()


def half_judged(shared: SharedRankings, truth: np.ndarray, seed: int) -> SharedRankings:
    hidden = np.random.default_rng(1000 + seed).random(len(truth)) < 0.6
    return shared.with_grades(np.where(hidden, -1, truth))


def inside_and_decided(
    shared: SharedRankings, truth: Integers, kept: Mask, seed: int
) -> tuple[Mask, Mask, Mask]:
    """For each pair: is its true difference of AP in the central 95 % of random completions?

    And do these exclude 0, and if so, on the wrong side?
    """
    known = shared.with_grades(np.where(kept, truth, -1))
    (values,) = completions_of(known, seed=seed).values([AP], 200)
    first, second = np.triu_indices(RUNS, 1)
    drawn, actual = shared.per_run(values).mean(axis=2), shared.per_run(AP.compute(shared.rankings))
    differences = drawn[:, first] - drawn[:, second]
    difference = (actual[first] - actual[second]).mean(axis=1)
    low, high = np.quantile(differences, [0.025, 0.975], axis=0)
    half = 1.96 * differences.std(axis=0)  # the ends vary over few completions
    low = np.minimum(low, differences.mean(axis=0) - half)
    high = np.maximum(high, differences.mean(axis=0) + half)
    decided = (low > 0) | (high < 0)
    return (low <= difference) & (difference <= high), decided, decided & (low * difference < 0)


GROUPS, VARYING = 6, np.array([0, 2])
PENALTY, GROUP_PENALTY = np.array([1e-3, 1.0, 0.3, 2.0]), np.array([1.0, 0.5])
FIXED_PRIORS = Priors(PENALTY, np.full(4, FIXED)), Priors(GROUP_PENALTY, np.full(2, FIXED))


def grouped(seed: int) -> tuple[Floats, Integers, Floats]:
    """A table, the group of each row and whether it is relevant; group 5 has no rows."""
    draws = np.random.default_rng(seed)
    table = draws.normal(size=(200, 4)) * (draws.random((200, 4)) < 0.5)
    group = draws.integers(0, GROUPS - 1, 200)
    score = table @ [1.0, -2.0, 0.5, 0.0] + np.linspace(-1, 1, 5)[group] * table[:, 2]
    return table, group, (draws.random(200) < expit(score)).astype(float)


def fitted(table: Floats, group: Integers, relevant: Floats) -> GroupedLogistic:
    return GroupedRows.of(table, group, relevant, VARYING, GROUPS).fit(*FIXED_PRIORS)


def in_one_table(table: Floats, group: Integers) -> tuple[Floats, Floats]:
    """The same regression with one column per group and deviation, and its penalties."""
    deviations = (np.eye(GROUPS)[group][:, :, None] * table[:, None, VARYING]).reshape(len(table), -1)
    return np.hstack([table, deviations]), np.concatenate([PENALTY, np.tile(GROUP_PENALTY, GROUPS)])


def test_the_regression_is_the_best_one() -> None:
    """A general optimiser, with one column per group and deviation, finds the same weights."""
    table, group, relevant = grouped(1)
    wide, penalties = in_one_table(table, group)

    def loss(weights: Floats) -> float:
        score = wide @ weights
        return float(np.logaddexp(0, score).sum() - relevant @ score + (penalties * weights**2).sum() / 2)

    best = minimize(loss, np.zeros(wide.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
    fit = fitted(table, group, relevant)
    assert np.concatenate([fit.weights, fit.deviations.ravel()]) == pytest.approx(best, abs=1e-5)
    np.testing.assert_allclose(np.einsum("ij,ij->i", table, fit.of_groups[group]), wide @ best, atol=1e-4)


def test_the_spread_is_the_inverse_of_the_whole_precision_matrix() -> None:
    table, group, relevant = grouped(2)
    fit = fitted(table, group, relevant)
    wide, penalties = in_one_table(table, group)
    chance = expit(wide @ np.concatenate([fit.weights, fit.deviations.ravel()]))
    whole = wide.T @ (wide * (chance * (1 - chance))[:, None]) + np.diag(penalties)
    some = np.arange(0, len(group), 8)
    shared, own = fit.spread(table[some], group[some])
    same_group = group[some, None] == group[None, some]
    expected = wide[some] @ np.linalg.solve(whole, wide[some].T)
    np.testing.assert_allclose(shared @ shared.T + own @ own.T * same_group, expected, atol=1e-12)


def test_how_much_groups_deviate_is_learnt() -> None:
    """Of groups that deviate by 2 and by 0; without rows, it stays as it is."""
    draws = np.random.default_rng(3)
    table, group = draws.normal(size=(6000, 3)), np.repeat(np.arange(60), 100)
    own = draws.normal(size=(60, 2)) * [2.0, 0.0]
    score = table @ [1.0, -1.0, 0.5] + (own[group] * table[:, :2]).sum(axis=1)
    relevant = (draws.random(len(table)) < expit(score)).astype(float)
    priors, varying = Priors(np.ones(3), np.full(3, FIXED)), np.array([0, 1])
    rows = GroupedRows.of(table, group, relevant, varying, 60)
    for begin in (0.5, 10.0):
        learnt = rows.fit(priors, Priors(np.full(2, begin), np.array([0, 1])))
        fixed = rows.fit(priors, Priors(np.full(2, begin), np.full(2, FIXED)))
        errors = [((fit.deviations - own) ** 2).sum() for fit in (learnt, fixed)]
        assert errors[0] < 0.9 * errors[1]
    none = GroupedRows.of(table[:0], group[:0], relevant[:0], varying, 5)
    fit = none.fit(priors, Priors(np.array([0.5, 4.0]), np.array([0, 1])))
    np.testing.assert_allclose(np.diagonal(fit.covariance, axis1=1, axis2=2), [[2.0, 0.25]] * 5)


def test_the_regression_stays_finite_where_all_are_alike() -> None:
    fit = fitted(np.ones((5, 4)), np.zeros(5, int), np.ones(5))
    assert np.isfinite(fit.weights).all()
    assert np.isfinite(fit.precision).all()


@pytest.mark.thorough
def test_draws_have_the_spread_of_their_cells_and_the_mean_that_is_printed() -> None:
    shared, truth = simulated(3)
    learnt = learnt_prevalence(half_judged(shared, truth, 3), np.flatnonzero(truth == 0))
    drawn = learnt.table(20_000, seed=1)
    np.testing.assert_allclose(learnt.table(50, seed=1), drawn[:, :50], rtol=1e-12)
    scores = np.log(drawn / (1 - drawn))
    query = shared.judgments.query[learnt.row]
    ((_, table),) = learnt.features.tables(learnt.row, len(query))
    by_weights, by_query = learnt.fit.spread(table, query)
    spread, same = by_weights @ by_weights.T, query[:, None] == query[None, :]
    np.testing.assert_allclose(scores.mean(axis=1), learnt.log_odds, atol=0.05)
    expected = spread + by_query @ by_query.T * same
    scale = np.sqrt(np.outer(np.diagonal(expected), np.diagonal(expected)))
    np.testing.assert_allclose(np.cov(scores) / scale, expected / scale, atol=0.05)
    np.testing.assert_allclose(drawn.mean(axis=1), learnt.probability, atol=0.01)


def test_no_order_follows_from_extrapolation_below_what_is_judged() -> None:
    """With only the first three judged, what is deeper may be anything: nearly no order is wrong."""
    decided = wrong = 0
    for seed in range(8):
        shared, truth = simulated(seed)
        _, sure, other = inside_and_decided(shared, truth, shared.best_rank <= 3, seed)
        decided, wrong = decided + int(sure.sum()), wrong + int(other.sum())
    assert decided > 20
    assert wrong <= 0.05 * decided


@pytest.mark.parametrize("hidden", [0.7, 0.9])
def test_completions_hold_the_truth_where_runs_are_good_for_some_queries_only(hidden: float) -> None:
    held: list[float] = []
    for seed in range(8):
        shared, truth = simulated(seed, by_query=1.0)
        kept = np.random.default_rng(1000 + seed).random(len(truth)) >= hidden
        held += inside_and_decided(shared, truth, kept, seed)[0].tolist()
    assert np.mean(held) >= 0.95


def test_many_queries_share_their_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    shared, truth = simulated(4)
    now = half_judged(shared, truth, 4)
    single = learnt_prevalence(now, now.unknown)
    monkeypatch.setattr(expert_prevalence, "MOST_CELLS", 10)
    together = learnt_prevalence(now, now.unknown)
    assert len(together.probability) < len(single.probability) / 3
    assert single.single
    assert not together.single
    assert np.isfinite(together.table(3, seed=1)).all()
    assert together.chance.sum() == pytest.approx(single.chance.sum(), rel=0.05)


def shares_by_rank(shared: SharedRankings) -> Floats:
    """The share of relevant documents among the judged ones of the same band of ranks."""
    band, judged = band_of(shared.best_rank), shared.judgments.grade >= 0
    relevant = np.bincount(band[judged], shared.judgments.grade[judged] >= 1, band.max() + 1)
    share = relevant / np.bincount(band[judged], minlength=band.max() + 1)
    return np.asarray(share[band[shared.unknown]])


def test_what_good_and_bad_runs_retrieve_is_told_apart() -> None:
    """Relevant documents among those that more good or more bad runs have: much nearer than by rank alone."""
    learnt, by_rank, actual = np.zeros(2), np.zeros(2), np.zeros(2)
    for seed in range(24):
        shared, truth = simulated(seed)
        now = half_judged(shared, truth, seed)
        row = now.unknown
        chances = learnt_prevalence(now, row).chance, shares_by_rank(now)
        has = np.zeros((len(truth), RUNS), bool)
        has[now.rankings.row, now.rankings.ranking // QUERIES] = True
        good, bad = has[row, RUNS // 2 :].sum(axis=1), has[row, : RUNS // 2].sum(axis=1)
        for k, group in enumerate((good > bad, bad > good)):
            learnt[k] += chances[0][group].sum()
            by_rank[k] += chances[1][group].sum()
            actual[k] += truth[row][group].sum()
    assert learnt.sum() == pytest.approx(actual.sum(), rel=0.05)
    assert (3 * np.abs(learnt - actual) < np.abs(by_rank - actual)).all()


def test_orders_by_completions_are_nearly_always_right() -> None:
    decided = wrong = 0
    for seed in range(8):
        shared, truth = simulated(seed)
        kept = np.random.default_rng(1000 + seed).random(len(truth)) >= 0.6
        _, sure, other = inside_and_decided(shared, truth, kept, seed)
        decided, wrong = decided + int(sure.sum()), wrong + int(other.sum())
    assert decided > 60
    assert wrong <= 0.05 * decided


def test_refusals() -> None:
    shared = SharedRankings.of(Judgments.of({"q": {"d": -1}}), {"a": {"q": {"d": 1.0}}})
    with pytest.raises(UsageError, match="no document is judged, so nothing is known of what is relevant"):
        completions_of(shared)
