"""Gains against brute force over every completion, and what follows from them: order and stop."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from unjudged import InputError, Judgments, UsageError, evaluate, sample
from unjudged.evidence.shared import SharedRankings
from unjudged.judging import next as next_documents
from unjudged.judging.gains import estimated_gains, gains, gains_of_sum, pair_sums
from unjudged.judging.next_documents import pairs_by_judging
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import Floats

PREVALENCE = 0.3
QRELS = {
    "q1": {"a": 1, "b": -1, "c": 0, "d": -1, "e": -1, "f": 1},
    "q2": {"u": -1, "v": 1, "w": -1, "x": 0},
}
RANKINGS = {
    "one": {"q1": "bacdef", "q2": "xwvu"},
    "two": {"q1": "fedcba", "q2": "vwx"},
    "three": {"q1": "acfz", "q2": "yuv"},
}
RUNS = {
    name: {q: {d: float(-k) for k, d in enumerate(docs)} for q, docs in run.items()}
    for name, run in RANKINGS.items()
}
MEASURES = ["AP", "nDCG", "nDCG@3", "RBP(p=0.8)", "P@3", "RR", "Rprec"]


def brute_force(measure: str, pairs: list[tuple[int, int]]) -> dict[tuple[str, str], float]:
    """|Cov(D, x_d)| / sd(x_d) over all completions of every unknown document, each with its probability."""
    retrieved = {(q, d) for run in RUNS.values() for q, docs in run.items() for d in docs}
    pooled = {(q, d) for q, docs in QRELS.items() for d in docs}
    names = sorted(name for name in retrieved | pooled if QRELS[name[0]].get(name[1], -1) < 0)
    states, chances, values = [], [], []
    for state in product([0, 1], repeat=len(names)):
        grades = {q: {d: g for d, g in docs.items() if g >= 0} for q, docs in QRELS.items()}
        for (q, d), grade in zip(names, state, strict=True):
            grades[q][d] = grade
        states.append(state)
        chances.append(PREVALENCE ** sum(state) * (1 - PREVALENCE) ** (len(state) - sum(state)))
        values.append(np.asarray(evaluate(grades, RUNS, measure).means)[:, 0])
    x, p, v = np.array(states, float), np.array(chances), np.array(values)
    found = {}
    for k, name in enumerate(names):
        total = 0.0
        for i, j in pairs:
            difference = v[:, i] - v[:, j]
            covariance = p @ (difference * x[:, k]) - (p @ difference) * (p @ x[:, k])
            total += abs(covariance) / np.sqrt(PREVALENCE * (1 - PREVALENCE))
        found[name] = total
    return found


def named(shared: SharedRankings, gain: Floats) -> dict[tuple[str, str], float]:
    return {(shared.query(row), shared.document(row)): float(gain[row]) for row in shared.unknown.tolist()}


@pytest.mark.thorough
@pytest.mark.parametrize("measure", MEASURES)
def test_gains_equal_brute_force(measure: str) -> None:
    (chosen,) = parse_measures(measure)
    shared = SharedRankings.of(Judgments.of(QRELS), RUNS)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    completions = shared.completions(PREVALENCE, seed=1)
    ours = named(shared, gains(shared, completions, chosen, first, second, draws=40_000))
    theirs = brute_force(measure, [(0, 1), (0, 2), (1, 2)])
    assert ours.keys() == theirs.keys()
    exact = measure.startswith(("RBP", "P@"))
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, rel=1e-9 if exact else 0.03, abs=1e-12 if exact else 1e-3)
    factor, margin = (1 + 1e-9, 0.0) if exact else (1.06, 2e-3)
    apart = [(a, b) for a in theirs for b in theirs if theirs[a] > factor * theirs[b] + margin]
    assert apart
    assert all(ours[a] > ours[b] for a, b in apart)


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P@3"])
def test_the_estimate_for_sums_is_the_closed_form(measure: str) -> None:
    (chosen,) = parse_measures(measure)
    shared = SharedRankings.of(Judgments.of(QRELS), RUNS)
    completions = shared.completions(PREVALENCE, seed=3)
    pairs = np.array([0, 1]), np.array([1, 2])
    exact = gains_of_sum(shared, completions, chosen, *pairs)
    np.testing.assert_allclose(
        estimated_gains(shared, completions, chosen, *pairs, draws=40_000), exact, atol=2e-3
    )
    weights = shared.unknown_weights(chosen)
    table = np.zeros((weights.rows, 3))
    table[weights.row, weights.run] = weights.weight
    by_hand = (np.abs(table[:, 0] - table[:, 1]) + np.abs(table[:, 1] - table[:, 2])) * np.sqrt(0.21)
    np.testing.assert_allclose(exact, by_hand, rtol=1e-12)


@pytest.mark.parametrize("best", [1, 5, 100])
def test_the_best_gains_are_exact_and_no_other_is_above_them(best: int) -> None:
    (chosen,) = parse_measures("AP")
    shared = SharedRankings.of(Judgments.read(sample.qrels), dict(sample.runs))
    completions = shared.completions(PREVALENCE, seed=2)
    pairs = np.array([0, 1, 3]), np.array([1, 2, 5])
    every = gains(shared, completions, chosen, *pairs)
    some = gains(shared, completions, chosen, *pairs, best=best)
    order = np.argsort(-every, kind="stable")[:best]
    np.testing.assert_array_equal(np.argsort(-some, kind="stable")[:best], order)
    np.testing.assert_allclose(some[order], every[order], rtol=1e-12)
    assert (some >= every * (1 - 1e-9)).all()
    assert ((some > 0) == (every > 0)).all()


def test_sums_over_pairs() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(20, 7))
    first, second = np.triu_indices(7, 1)
    for kept in (np.ones(21, bool), rng.random(21) < 0.8, rng.random(21) < 0.2, np.zeros(21, bool)):
        pairs = list(zip(first[kept], second[kept], strict=True))
        by_hand = sum((np.abs(table[:, i] - table[:, j]) for i, j in pairs), np.zeros(20))
        np.testing.assert_allclose(pair_sums(table, first[kept], second[kept]), by_hand, atol=1e-12)


def test_pairs_have_their_exact_bounds() -> None:
    (chosen,) = parse_measures("RBP(p=0.8)")
    rng = np.random.default_rng(5)
    for _ in range(20):
        grades = {q: {d: int(rng.integers(-1, 2)) for d in docs} for q, docs in QRELS.items()}
        inside = {
            name: {q: {d: s for d, s in docs.items() if d in QRELS[q]} for q, docs in run.items()}
            for name, run in RUNS.items()
        }
        shared = SharedRankings.of(Judgments.of(grades), inside)
        found = pairs_by_judging(shared, chosen, None)
        first, second = ([[*RUNS].index(row[name]) for row in found] for name in "ab")
        unknown = [(q, d) for q, docs in grades.items() for d, g in docs.items() if g < 0]
        differences = []
        for state in product([0, 1], repeat=len(unknown)):
            full = {q: dict(docs) for q, docs in grades.items()}
            for (q, d), grade in zip(unknown, state, strict=True):
                full[q][d] = grade
            means = np.asarray(evaluate(full, inside, chosen).means)[:, 0]
            differences.append(means[first] - means[second])
        low, high = np.min(differences, axis=0), np.max(differences, axis=0)
        np.testing.assert_allclose([row["low"] for row in found], low, atol=1e-12)
        np.testing.assert_allclose([row["high"] for row in found], high, atol=1e-12)


def test_judging_what_is_chosen_leaves_no_pair_open() -> None:
    known = {q: dict(docs) for q, docs in QRELS.items()}
    steps = 0
    while (found := next_documents(known, RUNS, n=1, measure="AP")).open_pairs:
        (one,) = found.wanted
        query, document = one["query"], one["document"]
        assert known[query].get(document, -1) < 0
        known[query][document] = int(document in "aefvw")
        steps += 1
    assert steps
    assert found.wanted == []
    assert found.sentence() == (
        "Stop: more judging cannot, or is unlikely to, change what AP says of any of the 3 pairs of 3 runs."
    )
    with pytest.raises(InputError, match="nothing to judge: Stop: more judging cannot"):
        found.text()
    everything = {"q1": "abcdefz", "q2": "uvwxy"}
    known = {q: {d: int(d in "aefvw") for d in docs} for q, docs in everything.items()}
    for row in next_documents(known, RUNS, n=1, measure="AP").pairs:
        assert row["more_judging"] == "cannot change it"
        assert row["low"] == row["high"] == pytest.approx(row["difference"], abs=1e-12)


def test_the_same_seed_gives_the_same_documents_and_order() -> None:
    one, two = (next_documents(sample.qrels, sample.runs, n=20, measure="AP", seed=4) for _ in range(2))
    assert one.wanted == two.wanted
    values = [w["gain"] for w in one.wanted]
    assert values == sorted(values, reverse=True)


def test_nothing_is_learnt_from_nothing() -> None:
    nothing = {q: dict.fromkeys(docs, -1) for q, docs in QRELS.items()}
    with pytest.raises(UsageError, match=r"no document is judged, .* judge a pool first"):
        next_documents(nothing, RUNS, measure="AP")
