"""The estimate by document over all samples of small pools: unbiased, and so is its variance."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from unjudged import InputError, Judgments, UsageError, evaluate
from unjudged.judging.pooling import Pool
from unjudged.predictions import Predictions, estimate_by_document
from unjudged.predictions.by_document import per_query_estimates
from unjudged.predictions.calibrated_gains import Combined, cross_fitted, folds_of
from unjudged.predictions.labelled_population import POISSON, Population
from unjudged.predictions.sums import SamplingError, Sum, sampling_covariance
from unjudged.rankings.origin import CHOSEN, UNKNOWN, Origin

Nested = dict[str, dict[str, int]]

TRUTH: Nested = {
    "q1": {"d1": 1, "d2": 0, "d3": 2, "d4": 0, "d5": 1},
    "q2": {"d1": 0, "d2": 1, "d3": 0, "d4": 3},
}
RUNS = {
    "a": {"q1": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d5": 2.0}, "q2": {"d4": 3.0, "d1": 2.0, "d3": 1.0}},
    "b": {"q1": {"d4": 5.0, "d3": 4.0, "d1": 3.0}, "q2": {"d2": 9.0, "d4": 8.0}},
}
PI = np.array([0.9, 0.5, 0.3, 0.2, 0.6, 0.4, 1.0, 0.7, 0.25])


def every_poisson_sample() -> list[tuple[float, NDArray[np.bool_]]]:
    found = []
    for choice in product((False, True), repeat=len(PI)):
        drawn = np.array(choice)
        chance = float(np.prod(np.where(drawn, PI, 1 - PI)))
        if chance > 0:
            found.append((chance, drawn))
    return found


def truth(measure: str) -> NDArray[np.float64]:
    return evaluate(TRUTH, RUNS, measure).values[:, :, 0]


def whole(measure: str) -> tuple[Population, NDArray[np.float64], NDArray[np.float64]]:
    chosen = Sum.of(measure)
    population = Population.of(TRUTH, RUNS)
    population = replace(population, inclusion=PI, design=POISSON)
    return population, chosen.weights(population.rankings.rank), chosen.gains(population.judgments.grade)


def expect(monkeypatch: pytest.MonkeyPatch, gains: NDArray[np.float64]) -> None:
    """Take these as the expected gains, as if calibration had found them."""
    found = Combined(gains, np.ones((1, 1)), gains[None])
    monkeypatch.setattr("unjudged.predictions.by_document.calibrated_gains", lambda *_: found)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "RBP(p=0.5, rel=2)", "P@3", "DCG@3", "RBP(max_grade=3)"])
@pytest.mark.parametrize("kind", ["none", "sensible", "absurd"])
def test_poisson_estimates_and_variances_are_unbiased(measure: str, kind: str) -> None:
    population, weight, gain = whole(measure)
    rng = np.random.default_rng(3)
    expected = {
        "none": np.zeros(len(PI)),
        "sensible": 0.7 * gain + 0.1,
        "absurd": 1e3 * rng.standard_normal(len(PI)),
    }[kind]
    mean, square, variance = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    exact = truth(measure).mean(axis=1)
    for chance, drawn in every_poisson_sample():
        sampled = replace(population, drawn=drawn)
        estimate = per_query_estimates(sampled, weight, gain, expected)
        error = estimate.mean(axis=1) - exact
        mean += chance * estimate
        square += chance * np.outer(error, error)
        variance += chance * sampling_covariance(sampled, weight, gain - expected)
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(mean, truth(measure), atol=1e-11 * scale)
    np.testing.assert_allclose(variance, square, rtol=1e-9, atol=1e-12 * scale**2)


def test_the_variance_is_raised_where_heavy_documents_were_missed() -> None:
    """What is expected of all documents and of those drawn: by hand, and equal on average."""
    population, weight, gain = whole("P@3")
    m = np.array([0.5, 0.2, 0.9, 0.0, 1.0, 0.3, 0.4, 0.6, 0.1])
    shares = population.weights(weight, np.ones(len(PI), bool)).toarray()
    every = (shares * ((1 - PI) / PI * m * (1 - m))) @ shares.T
    mean = np.zeros((2, 2))
    for chance, drawn in every_poisson_sample():
        error = SamplingError.of(replace(population, drawn=drawn), weight, gain, m)
        np.testing.assert_allclose(error.expected, every)
        mean += chance * error.expected_seen
        for share in (np.array([1.0, 0.0]), np.array([1.0, -1.0])):
            seen, raised = share @ error.expected_seen @ share, share @ every @ share
            factor = max(1, raised / seen) if seen > 0 else 1
            variance = share @ error.covariance @ share * factor or share @ error.unseen @ share
            assert error.deviation(share) == pytest.approx(np.sqrt(variance))
    np.testing.assert_allclose(mean, every)


def test_cross_fitted_estimates_are_unbiased() -> None:
    """A document does not calibrate itself, so calibration does not bias the estimate."""
    population, weight, gain = whole("RBP(p=0.8)")
    score = np.array([3.0, 1, 2, 1, 2, 1, 3, np.nan, 2])
    fold = folds_of(population.judgments, 10)
    mean = np.zeros((2, 2))
    for chance, drawn in every_poisson_sample():
        expected = cross_fitted(score, gain, drawn, PI, fold)
        mean += chance * per_query_estimates(replace(population, drawn=drawn), weight, gain, expected)
    np.testing.assert_allclose(mean, truth("RBP(p=0.8)"), atol=1e-12)
    assert len(np.unique(fold)) > 1


def test_the_public_call_is_the_same_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """With recorded probabilities, from the judged documents alone or from the whole list."""
    population, weight, gain = whole("DCG@3")
    predicted = Predictions.of(
        {q: {d: (len(d) + i) % 3 for i, d in enumerate(docs)} for q, docs in TRUTH.items()}, kind="grades"
    )
    value = predicted.aligned(population.judgments).value
    expect(monkeypatch, value)
    for _, drawn in every_poisson_sample()[5::17]:
        sampled = replace(population, drawn=drawn)
        judgments = Judgments.read(TRUTH)
        recorded = replace(
            judgments, grade=np.where(drawn, judgments.grade, -1).astype(np.int32), probability=PI
        )
        found = estimate_by_document(recorded, RUNS, predicted, "DCG@3")
        np.testing.assert_allclose(found.per_query, per_query_estimates(sampled, weight, gain, value))
        np.testing.assert_allclose(found.error.covariance, sampling_covariance(sampled, weight, gain - value))
        assert (found.design, found.judged, found.missing) == ("Poisson", int(drawn.sum()), 0)


def test_stratified_estimates_and_variances_are_unbiased(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every simple random sample of 2 or 3 per stratum; strata of one query each."""
    measure = "RBP(p=0.8)"
    judgments = Judgments.read(TRUTH)
    stratum = np.array([1, 1, 2, 2, 2, 1, 1, 1, 1], np.int32)
    cells = [[0, 1], [2, 3, 4], [5, 6, 7, 8]]
    predicted = {
        "q1": {f"d{i}": 0.2 * i for i in range(1, 6)},
        "q2": {f"d{i}": 1 - 0.2 * i for i in range(1, 5)},
    }
    expect(monkeypatch, Predictions.of(predicted).aligned(judgments).value)
    samples = list(product(*(list(combinations(cell, 2)) for cell in cells)))
    mean, square, variance = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    exact = truth(measure).mean(axis=1)
    for sample in samples:
        rows = [row for part in sample for row in part]
        grade = np.full(len(PI), -1, np.int32)
        grade[rows] = judgments.grade[rows]
        found = estimate_by_document(
            replace(judgments, grade=grade, stratum=stratum), RUNS, predicted, measure
        )
        assert found.design == "stratified"
        error = found.per_query.mean(axis=1) - exact
        mean += found.per_query / len(samples)
        square += np.outer(error, error) / len(samples)
        variance += found.error.covariance / len(samples)
    np.testing.assert_allclose(mean, truth(measure), atol=1e-12)
    np.testing.assert_allclose(variance, square, rtol=1e-9, atol=1e-14)


def test_a_difference_has_the_variance_of_the_difference() -> None:
    judgments = Judgments.read(TRUTH)
    drawn = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1], bool)
    recorded = replace(judgments, grade=np.where(drawn, judgments.grade, -1).astype(np.int32), probability=PI)
    found = estimate_by_document(recorded, RUNS, None, "DCG(gains={2: 0.1, 3: 0.1})@3")
    gap = found.mean("a", "b")
    share = np.array([1.0, -1.0])
    assert gap.value == pytest.approx(found.mean("a").value - found.mean("b").value)
    assert gap.high - gap.value == pytest.approx(1.959963985 * found.error.deviation(share))
    assert found.error.deviation(share) ** 2 == pytest.approx(share @ found.error.covariance @ share)
    same = found.mean("a", "a")
    assert (same.low, same.high) == (0, 0)


def test_perfect_predictions_leave_only_query_uncertainty(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = Judgments.read(TRUTH)
    drawn = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1], bool)
    recorded = replace(judgments, grade=np.where(drawn, judgments.grade, -1).astype(np.int32), probability=PI)
    expect(monkeypatch, (judgments.grade > 0).astype(float))
    found = estimate_by_document(recorded, RUNS, judgments, "RBP(p=0.8)")
    exact = truth("RBP(p=0.8)")[0]
    missed = [(2, 0.5), (4, 0.6), (3, 0.7)]  # rank and probability
    unseen = sum((0.1 * 0.8 ** (rank - 1)) ** 2 * (1 - pi) / pi for rank, pi in missed) / (drawn.sum() + 2)
    assert found.mean("a").width == pytest.approx(2 * 1.959963985 * np.sqrt(unseen))
    assert found.mean("a").value == pytest.approx(exact.mean())


def test_judgments_that_were_chosen_are_refused() -> None:
    chosen = replace(Judgments.read({"q1": {"d1": 1, "d2": -1}}), origin=Origin(CHOSEN))
    with pytest.raises(UsageError, match="and these judgments are chosen documents"):
        estimate_by_document(chosen, {"a": {"q1": {"d1": 1.0}}}, None, "P@1")
    unknown = replace(chosen, origin=Origin(UNKNOWN))
    with pytest.raises(UsageError, match="and these judgments are labels of unknown origin"):
        estimate_by_document(unknown, {"a": {"q1": {"d1": 1.0}}}, None, "P@1")


def test_documents_that_could_not_be_judged() -> None:
    listed = {"q1": {"d1": 1, "d2": -1, "d3": 0}}
    run = {"q1": {"d1": 4.0, "d9": 3.0, "d2": 2.0}}
    predicted = {"q1": {"d1": 1.0, "d2": 0.5, "d3": 0.0, "d9": 0.8}}
    with pytest.raises(
        InputError, match="could not have judged 1 document of those that count, such as document 'd9'"
    ):
        estimate_by_document(listed, {"a": run}, predicted, "P@3")
    gone = estimate_by_document(listed, {"a": run}, predicted, "P@3", outside="nonrelevant")
    assert gone.outside == 1
    assert gone.mean("a").of.judgments == "the pool judged"
    assert "could not have been judged by people: 1" in " ".join(gone.notes())
    above = estimate_by_document(listed, {"a": run}, predicted, "P@1")
    assert above.outside == 0


@pytest.mark.parametrize("measure", ["P@10", "DCG@10"])
def test_scattered_labels_are_no_pool(measure: str) -> None:
    """Everything listed is judged and most of what was retrieved is not: an interval had no width."""
    rng = np.random.default_rng(6)
    full = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(10)} for i in range(20)}
    run = {q: {d: float(rng.random()) for d in docs} for q, docs in full.items()}
    model = {q: {d: 0.3 * g + 0.4 for d, g in docs.items()} for q, docs in full.items()}
    people = {q: dict(list(docs.items())[:2]) for q, docs in full.items()}
    with pytest.raises(InputError, match="could not have judged 160 documents"):
        estimate_by_document(people, {"a": run}, model, measure)
    with pytest.raises(InputError, match="judged 40 of the 200 documents that count in 20 queries"):
        estimate_by_document(people, {"a": run}, model, measure, outside="nonrelevant")


def test_prels_list_only_what_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = replace(Judgments.read({"q1": {"d1": 1}}), probability=np.array([0.25]))
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    expect(monkeypatch, np.array([0.5, 0.1]))
    found = estimate_by_document(judgments, {"a": run}, {"q1": {"d1": 0.5, "d2": 0.1}}, "P@2")
    assert found.per_query.item() == pytest.approx((0.5 + 0.1 + 0.5 / 0.25) / 2)
    mean = found.mean("a")
    assert (mean.value, mean.low, mean.high) == (1.3, 0.0, 1.0)


@pytest.mark.thorough
def test_estimates_are_not_cut_before_differences_are_taken() -> None:
    """Means were cut to 0 to 1, so that they were biased: a true P@10 of 1 became .956."""
    rng, means, gaps, both = np.random.default_rng(3), [], [], []
    best = {"q": {f"d{j}": 1 for j in range(10)} | {f"e{j}": j % 2 for j in range(10)}}
    runs = {
        name: {"q": {d: -float(i) for i, d in enumerate(d for d in best["q"] if d.startswith(name))}}
        for name in "de"
    }
    whole = Judgments.read(best)
    for _ in range(400):
        drawn = rng.random(20) < 0.5
        grade = np.where(drawn, whole.grade, -1).astype(np.int32)
        found = estimate_by_document(
            replace(whole, grade=grade, probability=np.full(20, 0.5)), runs, None, "P@10"
        )
        means.append(found.mean("d").value)
        gaps.append(found.mean("d", "e").value)
        both.append(found.mean("d").value - found.mean("e").value)
        for run in "de":
            interval = found.mean(run)
            assert 0 <= interval.low < interval.high <= 1
    assert max(means) > 1
    assert np.mean(means) == pytest.approx(1, abs=3.5 * float(np.std(means)) / 20)
    assert gaps == pytest.approx(both)


def test_no_sample_is_sure_of_what_it_did_not_see() -> None:
    """Nothing relevant was drawn: 0 with an interval of no width."""
    judged = {f"q{i}": {"d1": 0, "d2": -1, "d3": 0, "d4": -1} for i in range(5)}
    run = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in judged.items()}
    interval = estimate_by_document(judged, {"a": run}, None, "P@4").mean("a")
    assert interval.low == interval.value == 0
    assert interval.high == pytest.approx(1.959963985 * np.sqrt(5 * 2 / 12) / 20)
    every = {q: {d: max(g, 0) for d, g in docs.items()} for q, docs in judged.items()}
    assert estimate_by_document(every, {"a": run}, None, "P@4").mean("a").width == 0


def test_a_stratum_without_judgments_cannot_be_corrected() -> None:
    judgments = replace(
        Judgments.read({"q1": {"d1": 1, "d2": 0, "d3": -1}}), stratum=np.array([1, 1, 2], np.int32)
    )
    run = {"q1": {"d1": 2.0, "d3": 1.0}}
    with pytest.raises(
        InputError, match="could not have judged 1 document of those that count, such as document 'd3'"
    ):
        estimate_by_document(judgments, {"a": run}, None, "P@2")


def test_designs_of_a_pool() -> None:
    """What `Pool` records is understood; the documents of a stratum of share 0 could not have been judged."""
    pool = Pool.of(TRUTH, RUNS)
    drawn = pool.stratified({1: 1.0, 2: 0.5}, seed=1)
    assert drawn.probability is not None
    assert (drawn.probability == 0).any()
    with pytest.raises(InputError, match="people could not have judged"):
        estimate_by_document(drawn, RUNS, None, "P@4")
    assert estimate_by_document(drawn, RUNS, None, "P@1").design == "stratified"
    without_strata = replace(drawn, stratum=None)
    with pytest.raises(InputError, match="people could not have judged"):
        estimate_by_document(without_strata, RUNS, None, "P@4")
    assert estimate_by_document(without_strata, RUNS, None, "P@1").design == "Poisson"
    uniform = estimate_by_document(pool.uniform(0.5, redraw=False), RUNS, None, "P@3")
    assert (uniform.design, uniform.judged) == ("Poisson", 5)


def test_judgments_without_a_known_probability_are_left_out() -> None:
    judgments = replace(Judgments.read({"q1": {"d1": 1, "d2": 1}}), probability=np.array([0.5, np.nan]))
    found = estimate_by_document(judgments, {"a": {"q1": {"d1": 2.0, "d2": 1.0}}}, None, "P@2")
    assert found.judged == 1
    assert found.per_query.item() == pytest.approx(1 / 0.5 / 2)


@pytest.mark.parametrize("measure", ["AP", "R@10", "nDCG@10"])
def test_measures_with_an_unknown_denominator_are_refused(measure: str) -> None:
    with pytest.raises(UsageError, match=r"cannot be estimated by document: it divides.*by query"):
        estimate_by_document(TRUTH, RUNS, None, measure)


@pytest.mark.parametrize(
    "measure", ["RR", "ERR", "Rprec", "infAP", "RBP(scale='query')", "P(unjudged='condensed')@5"]
)
def test_other_measures_are_refused(measure: str) -> None:
    with pytest.raises(UsageError):
        estimate_by_document(TRUTH, RUNS, None, measure)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="outside is 'maybe'"):
        estimate_by_document(TRUTH, RUNS, None, outside="maybe")
    with pytest.raises(InputError, match="no document is judged with a known probability"):
        estimate_by_document({"q1": {"d1": -1}}, {"a": {"q1": {"d1": 1.0}}})
    with pytest.raises(UsageError, match="confidence is 95"):
        estimate_by_document(TRUTH, RUNS).mean("a", confidence=95)
