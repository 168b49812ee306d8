"""Park (2016): what unjudged documents leave open of RBP, and the urn, against enumeration and simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import urn

from unjudged import RBP, JudgedRankings, Measure, P, UsageError, evaluate, sample
from unjudged.collection.collection import judged_rankings
from unjudged.evidence.completions import Completions, GivenPrevalence, given_prevalence
from unjudged.evidence.unjudged_sums import Uncertain, UnjudgedSum
from unjudged.rankings.judgments import Judgments

pytestmark = pytest.mark.thorough

RANKING = JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0")


def unjudged_part(rankings: JudgedRankings, measure: Measure, q: GivenPrevalence) -> UnjudgedSum:
    return UnjudgedSum.of(Completions.of_run(rankings, q), measure)


def test_the_worked_ranking() -> None:
    """p = 0.8, q = 0.2."""
    part = unjudged_part(RANKING, RBP(p=0.8), q=0.2)
    assert part.weight.sum() == pytest.approx(0.3861974221, abs=5e-11)
    assert part.of_mean.mean == pytest.approx(0.0772394844, abs=5e-11)
    assert part.of_mean.variance == pytest.approx(0.0054569105, abs=5e-11)


def test_distribution_equals_enumeration() -> None:
    weight, q = np.array([0.3, 0.05, 0.11, 0.07]), np.array([0.2, 0.9, 0.5, 0.01])
    found_exactly = Uncertain(weight, q).exact
    assert found_exactly is not None
    support, probability = found_exactly
    exact: dict[float, float] = {}
    for drawn in product([0, 1], repeat=4):
        value = round(float(np.dot(drawn, weight)), 12)
        exact[value] = exact.get(value, 0.0) + float(np.prod(np.where(drawn, q, 1 - q)))
    found: dict[float, float] = {}
    for value, chance in zip(support.tolist(), probability.tolist(), strict=True):
        found[round(value, 12)] = found.get(round(value, 12), 0.0) + chance
    assert found.keys() == exact.keys()
    for value, chance in exact.items():
        assert found[value] == pytest.approx(chance, abs=1e-15)


@pytest.mark.parametrize("queries", [8, 40])
def test_intervals_cover_as_often_as_they_say(queries: int) -> None:
    """Rankings drawn from the model, 1000 times: 95 % intervals hold the truth in 93 to 97 % of them."""
    rng = np.random.default_rng(3)
    p, q, depth, covered, repeats = 0.8, 0.3, 12, 0, 1000
    weight = (1 - p) * p ** np.arange(depth)
    part = None
    for _ in range(repeats):
        relevant = rng.random((queries, depth)) < q
        if part is None:  # the judged positions stay, so the interval only moves with the judged value
            judged = rng.random((queries, depth)) < 0.5
            rankings = spelled_rankings(np.where(judged, 0, -1))
            part = unjudged_part(rankings, RBP(p=p), q=q)
            low, high, how = part.interval(0.95)
        shift = float((relevant & judged) @ weight @ np.ones(queries)) / queries
        truth = float((relevant @ weight).mean())
        covered += low + shift - 1e-12 <= truth <= high + shift + 1e-12
    assert 0.93 <= covered / repeats <= 0.97
    assert how == ("Normal" if queries >= 30 else "16,384 points")


def spelled_rankings(grades: np.ndarray) -> JudgedRankings:
    """One ranking per row: a grade, or -1."""
    qrels = {f"q{i}": {f"d{k}": int(g) for k, g in enumerate(row)} for i, row in enumerate(grades)}
    run = {query: {d: -float(d[1:]) for d in documents} for query, documents in qrels.items()}
    return judged_rankings(Judgments.read(qrels), {"run": run})


def test_ways_to_give_the_prevalence() -> None:
    by_band = given_prevalence([0.5, 0.25, 0.1], np.array([1, 2, 3, 5, 400]))
    assert by_band.chance.tolist() == [0.5, 0.25, 0.1, 0.1, 0.1]
    assert "given prevalence 0.2" in given_prevalence(0.2, np.array([4])).assumption
    for wrong in (-0.1, 1.5):
        with pytest.raises(UsageError, match="prevalence is"):
            given_prevalence(wrong, np.array([1]))


MOMENTS = {1.0: (0.0214748, 0.0020247), 0.5: (0.0326080, 0.0023397), 0.05: (0.0715575, 0.0024461)}
WEIGHTS = 0.2 * 0.8 ** np.arange(100) * (np.arange(100) >= 10)


@pytest.mark.parametrize("w", MOMENTS)
def test_exact_moments_of_the_urn(w: float) -> None:
    """Figure 3 at q = 0.2: N = 100, the top ten judged, fifty queries."""
    found = urn.moments(WEIGHTS, 100, w, q=0.2)
    assert found.mean == pytest.approx(MOMENTS[w][0], abs=5e-8)
    assert np.sqrt(found.variance / 50) == pytest.approx(MOMENTS[w][1], abs=5e-8)


@pytest.mark.parametrize(("w", "q"), [(0.05, 0.5), (0.2, 0.1), (1.0, 0.2)])
def test_moments_of_the_urn_against_simulation(w: float, q: float) -> None:
    """Within four standard errors of 40,000 rankings."""
    exact = urn.moments(WEIGHTS, 100, w, q=q)
    sums = urn.draw(100, w, 40_000, 60, np.random.default_rng(2), q=q) @ WEIGHTS[:60]
    assert abs(sums.mean() - exact.mean) < 4 * np.sqrt(exact.variance / len(sums)) + WEIGHTS[60:].sum()
    assert sums.var() == pytest.approx(exact.variance, rel=0.05)


def test_moments_of_the_urn_equal_enumeration() -> None:
    """Five documents, two relevant, every order with its probability."""
    weights, w = np.array([0.5, 0.3, 0.1, 0.07, 0.03]), 0.4
    mean = second = 0.0
    for labels in product([0, 1], repeat=5):
        if sum(labels) == 2:
            chance = 1.0
            for k, label in enumerate(labels):
                hit = float(urn.next_relevant(5, 2, w, k, sum(labels[:k])))
                chance *= hit if label else 1 - hit
            value = float(np.dot(labels, weights))
            mean, second = mean + chance * value, second + chance * value**2
    found = urn.moments(weights, 5, w, relevant=2)
    assert found.mean == pytest.approx(mean, abs=1e-15)
    assert found.variance == pytest.approx(second - mean**2, abs=1e-15)


def test_better_systems_leave_more_relevant_documents_unjudged() -> None:
    """The paper's text says that mean and spread fall with w; its own model says the opposite at q = 0.2."""
    means = [urn.moments(WEIGHTS, 100, w, q=0.2).mean for w in (1.0, 0.7, 0.5, 0.2, 0.1, 0.05)]
    assert means == sorted(means)


def test_precision_has_the_same_uncertainty() -> None:
    """What holds for RBP holds for every sum over relevant documents."""
    scores = evaluate(sample.qrels, sample.runs["dense"], ["P@10", "Judged@10"])
    assert scores.rankings is not None
    part = unjudged_part(scores.rankings, P @ 10, q=0.25)
    unjudged = 1 - scores.values[0, :, 1]
    np.testing.assert_allclose(part.expected - part.value, 0.25 * unjudged)
    variances = [part.of_ranking(j).variance for j in range(len(unjudged))]
    np.testing.assert_allclose(variances, 0.25 * 0.75 * unjudged / 10)
