"""Estimates from drawn documents: their mean over all draws, what they can be, and when there are none."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from math import prod
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tests.evidence.small_collections import several_runs, shared_of
from unjudged import Judgments, sample
from unjudged.base.segments import Floats, Integers
from unjudged.collection.collection import Collection
from unjudged.evidence.contrast import ALONE, alone, ends_of_estimates
from unjudged.evidence.drawn.by_design import FEWEST, Design, Poisson, Sequential, boundary, reach
from unjudged.evidence.drawn.effects import Effects, steps_of
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.grades import Learnt
from unjudged.evidence.drawn.population import Population
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.judging.holes import Holes, drawn
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.names import parse_measure

SUMS = ("RBP(p=0.8)", "P@3", "DCG@4")
OTHERS = ("nDCG@3", "AP", "RR", "R@3")
QRELS = {"q1": {"a": 1, "b": -1, "c": -1}, "q2": {"d": 0, "e": -1, "f": -1, "g": 1}, "q3": {"h": -1, "i": 1}}
RUNS = {
    "one": {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"e": 2.0, "d": 1.0}, "q3": {"h": 2.0, "i": 1.0}},
    "two": {"q1": {"a": 2.0, "c": 1.0}, "q2": {"f": 3.0, "e": 2.0, "g": 1.0}, "q3": {"i": 2.0, "h": 1.0}},
}


class Frame(NamedTuple):
    """Runs, the grades that people would give to every document, and what is predicted of the unjudged."""

    shared: SharedRankings
    grade: NDArray[np.integer]
    evidence: EstimatedEvidence

    @classmethod
    def of(cls, shared: SharedRankings, name: str, grade: NDArray[np.integer], seed: int) -> Frame:
        """Predict at random, which must not matter."""
        measure = parse_measure(name)
        row = np.flatnonzero(shared.judgments.grade < 0)
        grade = np.where(shared.judgments.grade < 0, grade, shared.judgments.grade)
        steps = steps_of(measure, grade)
        chance = np.sort(np.random.default_rng(seed).uniform(0.05, 0.95, (len(row), len(steps))))[:, ::-1]
        plain = RankingsEvidence(shared, measure, scores(shared, name, shared.judgments.grade))
        nothing = Sequential(np.ones(len(row)), np.zeros(0, np.int64))
        population = Population(shared, row, nothing, np.zeros(len(row), bool), np.ones(len(row)))
        effects = Effects.of(shared, measure, row, steps, chance)
        return cls(shared, grade, EstimatedEvidence(plain, population, effects))

    @property
    def documents(self) -> int:
        return len(self.evidence.population.row)

    @property
    def truth(self) -> Floats:
        """True mean of each run: with the whole frame judged."""
        return mean_over_queries(scores(self.shared, str(self.evidence.measure), self.grade))

    def after(self, drawn: Integers, design: Design) -> EstimatedEvidence:
        """Return the evidence when people judged these."""
        rows = self.evidence.population.row[drawn]
        grade = self.shared.judgments.grade.copy()
        grade[rows] = self.grade[rows]
        pool = self.shared.judgments.with_grades(grade)
        shared = replace(self.shared, judgments=pool, rankings=self.shared.rankings.relabelled(pool))
        there = np.isin(np.arange(self.documents), drawn)
        population = replace(self.evidence.population, shared=shared, design=design, drawn=there)
        found = scores(shared, str(self.evidence.measure), grade)
        plain = replace(self.evidence.plain, shared=shared, scores=found)
        return EstimatedEvidence(plain, population, self.evidence.effects)

    def sequential(self, size: Floats, front: tuple[int, ...]) -> EstimatedEvidence:
        """Return the evidence after these draws, one after another."""
        order = np.array(front, np.int64)
        return self.after(order, Sequential(size, order))


def scores(shared: SharedRankings, measure: str, grade: NDArray[np.integer]) -> Floats:
    """Return runs x queries under these grades."""
    made = parse_measure(measure)
    rankings = shared.rankings.relabelled(shared.judgments.with_grades(grade.astype(np.int32)))
    return np.asarray(made.averaged(shared.per_run(made.compute(rankings))))


def over_all_orders(frame: Frame, size: Floats, n: int) -> Floats:
    """Return the mean estimate of each run over all orders of n draws, weighted by their chances."""
    found = np.zeros(len(frame.shared.runs))
    for front in permutations(range(frame.documents), n):
        left = size.sum() - np.concatenate([[0.0], np.cumsum(size[list(front)])[:-1]])
        chance = prod((size[list(front)] / left).tolist())
        found += chance * mean_over_queries(frame.sequential(size, front).by_query)
    return found


def over_all_samples(frame: Frame, chance: Floats) -> Floats:
    """Return the same over all samples of documents that are drawn one by one."""
    found = np.zeros(len(frame.shared.runs))
    for chosen in product([False, True], repeat=frame.documents):
        mask = np.array(chosen)
        by = float(np.where(mask, chance, 1 - chance).prod())
        found += by * mean_over_queries(frame.after(np.flatnonzero(mask), Poisson(chance, mask)).by_query)
    return found


@given(several_runs(highest=2), st.sampled_from(SUMS), st.integers(0, 10_000), st.data())
def test_sums_are_right_on_average(collection, name: str, seed: int, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    """Whatever is predicted, whatever the sizes and the grades."""
    shared, rng = shared_of(*collection), np.random.default_rng(seed)
    frame = Frame.of(shared, name, rng.integers(0, 3, len(shared.judgments.grade)), seed)
    if not 0 < frame.documents <= 6:
        return
    n, size = data.draw(st.integers(1, min(3, frame.documents))), rng.uniform(0.1, 3.0, frame.documents)
    assert over_all_orders(frame, size, n) == pytest.approx(frame.truth, abs=1e-12)
    assert over_all_samples(frame, np.clip(size / 4, 0.1, 0.9)) == pytest.approx(frame.truth, abs=1e-12)


@pytest.mark.parametrize("name", OTHERS)
def test_other_measures_are_nearly_right_on_average(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By all grades of a frame of five: the bias stays where what is as judged is far off."""
    shared = shared_of(QRELS, RUNS)
    row, bias, off = np.flatnonzero(shared.judgments.grade < 0), [], []
    for k, own in enumerate(product([0, 1], repeat=len(row))):
        if k % 3 == 0:
            grade = shared.judgments.grade.copy()
            grade[row] = own
            frame = Frame.of(shared, name, grade, k)
            size = np.random.default_rng(k).uniform(0.5, 2.0, len(row))
            bias.append(over_all_orders(frame, size, 3) - frame.truth)
            off.append(mean_over_queries(frame.evidence.plain.scores) - frame.truth)
    found, judged = (float(np.sqrt(np.mean(np.square(one)))) for one in (bias, off))
    with capsys.disabled():
        print(f"\n{name}: bias {np.mean(bias):+.4f}, {found:.4f} by frame; as judged {judged:.4f}")  # noqa: T201
    assert found < 0.3 * judged


@pytest.mark.thorough
def test_nothing_is_estimated_that_cannot_be() -> None:
    """700 draws: no mean and no end of an interval leaves what judging the rest could still make of it."""
    rng, given_estimates = np.random.default_rng(3), 0
    qrels = {q: {f"{q}{d}": d % 3 if d < 2 else -1 for d in range(9)} for q in "abc"}
    runs = {
        name: {q: {f"{q}{d}": float(place) for place, d in enumerate(rng.permutation(9)[:7])} for q in "abc"}
        for name in ("one", "two")
    }
    shared = shared_of(qrels, runs)
    for k in range(700):
        if k % 50 == 0:
            name = [*SUMS, *OTHERS][k // 50 % 7]
            frame = Frame.of(shared, name, rng.integers(0, 2, len(shared.judgments.grade)), k)
            size = frame.evidence.effects.sizes(np.arange(2), np.full(2, ALONE))
        n = int(rng.integers(4, frame.documents + 1))
        order = np.argsort(rng.exponential(size=frame.documents) / size)
        contrast = alone(frame.sequential(size, tuple(order[:n].tolist())))
        assert contrast.ends is not None
        low, high = contrast.ends
        means = mean_over_queries(contrast.scores)
        assert ((low - 1e-12 <= means) & (means <= high + 1e-12)).all()
        ends = ends_of_estimates(contrast, means, 0.95, (0.0, 1.0))
        assert all(not ((one < low - 1e-12) | (one > high + 1e-12)).any() for one in ends)
        given_estimates += int((~np.isnan(np.asarray(contrast.error))).any())
    assert given_estimates > 350


def test_fewer_than_three_labels_that_count_are_no_estimate() -> None:
    """Uniform draws of which one in forty bears on a run: the range alone, and the score as judged."""
    qrels = {"q": {"known": 1} | {f"d{i}": -1 for i in range(40)}}
    runs = {
        "new": {"q": {"d0": 2.0, "known": 1.0}},
        "all": {"q": {f"d{i}": 40.0 - i for i in range(1, 40)}},
    }
    shared = shared_of(qrels, runs)
    frame = Frame.of(shared, "P@40", np.zeros(len(shared.judgments.grade), int), 0)
    size, first, second = np.ones(40), np.arange(2), np.full(2, ALONE)
    evidence = frame.sequential(size, tuple(range(1, 31)))
    new, every = evidence.estimates(first, second).labels
    assert new < FEWEST < every
    contrast = evidence.contrast(first, second)
    assert np.isnan(np.asarray(contrast.error)).tolist() == [True, False]
    assert contrast.values[0] == pytest.approx(evidence.plain.scores[0])
    assert contrast.reach is not None
    assert [end[0] for end in contrast.reach(0.95)] == [np.inf, np.inf]


def test_queries_with_much_that_is_relevant_are_predicted_to_have_more() -> None:
    """Without a model, too: at the same ranks, the query of which more was relevant before."""
    query = np.repeat([0, 1], 40)
    reached = np.concatenate([np.arange(40) % 2 == 0, np.arange(40) % 20 == 0])[:, None]
    known = np.tile(np.arange(40) < 30, 2)
    nothing = np.zeros(80, bool)
    learnt = Learnt(reached, known, nothing, np.ones(80), np.zeros((0, 80)), np.zeros(80, np.int64), query)
    much, little = learnt.predicted(np.array([39, 79]))[:, 0]
    assert 0.3 < much < 0.5
    assert 0.05 < little < 0.2


def learnt_from(drawn_reached: np.ndarray) -> Floats:
    """Predict documents of 20 queries: half of what was known is relevant, and a fifth was drawn since."""
    query, known, drawn = np.repeat(np.arange(20), 20), *np.zeros((2, 400), bool)
    reached = np.zeros((400, 1), bool)
    place = np.tile(np.arange(20), 20)
    known[place < 10], drawn[(place >= 10) & (place < 12)] = True, True
    reached[known & (place % 2 == 0)] = True
    reached[drawn, 0] = drawn_reached
    learnt = Learnt(reached, known, drawn, np.full(400, 0.2), np.zeros((0, 400)), 0 * query, query)
    return learnt.predicted(np.flatnonzero(~known))[:, 0]


def test_what_was_drawn_shifts_what_is_predicted_of_other_queries() -> None:
    few = np.arange(40) % 10 == 0
    before, after = learnt_from(np.arange(40) % 2 == 0), learnt_from(few)
    assert before == pytest.approx(0.5, abs=0.02)
    assert ((after > 0.05) & (after < 0.2)).all()
    other = few.copy()
    other[:2] = True  # both drawn documents of the first query
    change = learnt_from(other) - after
    same_fold = np.repeat(np.arange(20) % 10 == 0, 10)
    assert change[same_fold] == pytest.approx(0.0)
    assert (change[~same_fold] > 0).all()


def test_predictions_stay_as_they_were_after_the_first_batch() -> None:
    """On the sample: people judge 30 and then 20 more, and the effects of documents are the same."""
    judgments, found = Judgments.read(sample.qrels), []
    for n in (30, 20):
        judgments, _ = drawn(Collection(judgments, sample.runs), parse_measure("P@10"), n=n, seed=1)
        rows = np.flatnonzero(judgments.grade < 0)
        rows = rows[np.asarray(judgments.frame and judgments.frame.drawn)[rows]]
        grade = judgments.grade.copy()
        grade[rows] = rows % 3 == 0
        judgments = judgments.with_grades(grade)
        found.append(Holes.of(Collection(judgments, sample.runs), parse_measure("P@10")).evidence)
    assert [one.population.design.count for one in found] == [30, 50]
    assert found[0].effects.chance == pytest.approx(found[1].effects.chance)


@pytest.mark.parametrize("looks", [3, 10, 40])
def test_no_look_of_all_misses_more_often_than_promised(looks: int) -> None:
    """20,000 walks: equal shares miss less than 5 %, the sequence too, and looks for one much more."""
    steps = np.random.default_rng(looks).normal(size=(20_000, looks))
    count = np.arange(1, looks + 1)
    z = np.abs(np.cumsum(steps, axis=1)) / np.sqrt(count)
    each = float(reach(np.array([1e4]), 0.05, looks)[0])
    reaches = np.full(looks, 1.96), np.full(looks, each), boundary(count.astype(float), looks / 2)
    once, declared, undeclared = (float((z > far).any(axis=1).mean()) for far in reaches)
    assert declared < 0.05
    assert once > 2 * declared
    assert undeclared < 0.05


def test_reach_is_students() -> None:
    labels = np.array([5.0, 31.0, 9e3])
    freedom = labels - 1
    assert reach(labels, 0.05) == pytest.approx(stats.t.isf(0.025, freedom))
    assert reach(labels, 0.05, looks=5) == pytest.approx(stats.t.isf(0.005, freedom))
    at = np.array([20.0, 50.0, 90.0])
    without = reach(labels, 0.05, information=at, expected=50.0)
    assert without == pytest.approx(stats.t.isf(0.025, freedom) / stats.norm.isf(0.025) * boundary(at, 50.0))
    assert reach(FEWEST - 0.01, 0.05) == np.inf
    least = boundary(np.linspace(5, 500, 397), 50.0)
    assert 5 + 1.25 * int(np.argmin(least / np.sqrt(np.linspace(5, 500, 397)))) > 50
