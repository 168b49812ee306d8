"""What unjudged documents leave open of a difference, against every completion of small collections."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from tests.comparison.small_collections import DOCUMENTS, completed_differences, several_runs, shared_of
from tests.conftest import Qrels, RunDict, examples
from unjudged import compare, evaluate
from unjudged.comparison.comparison_notes import OUTSIDE
from unjudged.comparison.judgment_bounds import JudgmentBounds, judgment_bounds
from unjudged.comparison.reversal.reversals import reversible
from unjudged.comparison.testing.pairs import Pairs
from unjudged.measures.kernel.names import parse_measures
from unjudged.uncertainty.shared import SharedRankings

Several = tuple[Qrels, dict[str, RunDict]]


def bounds_of(shared: SharedRankings, name: str) -> tuple[JudgmentBounds, float]:
    (measure,) = parse_measures(name)
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    return judgment_bounds(shared, measure, pairs), float(pairs.difference[0])


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.5, rel=2)@3", "P@3", "P@1"])
@examples(40)
@given(collection=several_runs(highest=2))
def test_exact_for_sums(name: str, collection: Several) -> None:
    shared = shared_of(*collection)
    (measure,) = parse_measures(name)
    found, _ = bounds_of(shared, name)
    by_query = completed_differences(shared, measure, measure.max_grade(shared.judgments))
    assert found.exact
    assert found.low[0] == pytest.approx(np.mean([d.min() for d in by_query]), abs=1e-12)
    assert found.high[0] == pytest.approx(np.mean([d.max() for d in by_query]), abs=1e-12)


ENCLOSED = ["AP", "AP@3", "nDCG", "nDCG@3", "RR", "R@3", "Rprec", "Bpref", "ERR(max_grade=2)", "Success@2"]


@pytest.mark.parametrize("name", [*ENCLOSED, "RBP(p=0.8)", "P@3"])
@examples(60)
@given(collection=several_runs(highest=2))
def test_signs_are_what_completions_say(name: str, collection: Several) -> None:
    """Bounds hold every completion; reversals are claimed where there is one; settled signs never change."""
    shared = shared_of(*collection)
    (measure,) = parse_measures(name)
    found, difference = bounds_of(shared, name)
    by_query = completed_differences(shared, measure, measure.max_grade(shared.judgments))
    lowest, highest = (float(np.mean([end(d) for d in by_query])) for end in (np.min, np.max))
    assert found.low[0] <= lowest + 1e-12
    assert found.high[0] >= highest - 1e-12
    assert found.low[0] <= difference <= found.high[0]
    if found.settled[0]:
        assert lowest > 0 if difference > 0 else highest < 0
    if found.equal[0]:
        assert lowest == pytest.approx(0, abs=1e-12)
        assert highest == pytest.approx(0, abs=1e-12)
    if found.reversible[0] and difference > 0:
        assert lowest < 0 or (found.exact and lowest < 1e-12)
    if found.reversible[0] and difference < 0:
        assert highest > 0 or (found.exact and highest > -1e-12)
    if found.reversible[0] and difference == 0:
        assert lowest < 0 or highest > 0
    assert found.settled[0] + found.equal[0] + found.reversible[0] <= 1


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["AP", "nDCG@3", "RR", "Bpref"])
def test_the_search_finds_nine_of_ten_reversals(name: str) -> None:
    """200 random collections of 5 queries; where a completion reverses the order, one is found."""
    rng = np.random.default_rng(5)
    (measure,) = parse_measures(name)
    there = found = 0
    for _ in range(200):
        queries = [f"q{i}" for i in range(5)]
        qrels = {q: dict(zip(DOCUMENTS, map(int, rng.integers(-1, 2, 4)), strict=False)) for q in queries}
        orders = {run: {q: rng.permutation(DOCUMENTS)[:5] for q in queries} for run in ("one", "two")}
        runs = {
            run: {q: {str(d): -float(k) for k, d in enumerate(order)} for q, order in by_query.items()}
            for run, by_query in orders.items()
        }
        shared = shared_of(qrels, runs)
        pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
        sign = np.sign(pairs.difference[0])
        completed = completed_differences(shared, measure, 1)
        if np.mean([(sign * d).min() for d in completed]) < -1e-12:
            there += 1
            found += bool(reversible(shared, measure, pairs, np.array([True]))[0])
    assert there > 50
    assert found >= 0.9 * there, (found, there)


def test_a_shared_document_counts_once() -> None:
    """Both retrieve u at rank 1, so it cannot separate them; only v, which one alone retrieves, can."""
    qrels = {"q": {"x": 1, "y": 0}}
    runs = {"one": {"q": {"u": 3.0, "x": 2.0, "y": 1.0}}, "two": {"q": {"u": 3.0, "y": 2.0, "v": 1.0}}}
    found, difference = bounds_of(shared_of(qrels, runs), "RBP(p=0.5)")
    assert difference == 0.25
    assert (found.low[0], found.high[0]) == (0.125, 0.25)
    assert found.settled[0]


def test_a_graded_comparison_takes_the_whole_scale() -> None:
    """By the lowest relevant grade u could never outweigh x; by the highest it does."""
    qrels = {"q": {"x": 3, "y": 1, "z": 0}}
    runs = {"one": {"q": {"x": 2.0, "z": 1.0}}, "two": {"q": {"u": 2.0, "y": 1.0}}}
    found, difference = bounds_of(shared_of(qrels, runs), "nDCG(dcg='exp-log2')@2")
    assert difference > 0
    assert found.reversible[0]
    assert not found.settled[0]


def test_documents_outside_pool_and_runs_can_turn_a_mean_but_no_query() -> None:
    """Everything listed is judged. One more relevant document halves the difference of its query alone."""
    none = [f"n{k}" for k in range(9)]
    qrels = {query: {"d": 1, **dict.fromkeys(none, 0)} for query in ("q1", "q2")}
    runs = {
        "a": {"q1": ["d", "n0"], "q2": [*none, "d"]},
        "b": {"q1": ["n0", "d"], "q2": ["n0", "d", *none[1:]]},
    }
    signs: dict[str, set[float]] = {"AP": set(), "RBP(p=0.8)": set(), "nDCG": set()}
    for name, found in signs.items():
        for counts in product(range(4), repeat=2):
            more = {
                query: qrels[query] | {f"outside{k}": 1 for k in range(count)}
                for query, count in zip(qrels, counts, strict=True)
            }
            values = evaluate(more, runs, name).values[:, :, 0]
            first, second = values[0] - values[1]
            assert first > 0 > second
            found.add(float(np.sign((first + second).round(9))))
        pair = compare(qrels, runs, name).pair()
        assert pair.verdict == "settled, not significant"
        covered = "" if name.startswith("RBP") else " of pool and runs"
        assert f"with every document{covered} judged" in str(pair)
        assert f"No unjudged document{covered} can change the sign." in str(pair)
        outside = [note for note in compare(qrels, runs, name).notes if OUTSIDE in note]
        assert outside == ([f"{name}: {OUTSIDE}"] if covered else [])
    assert signs["AP"] == {-1.0, 1.0}
    assert len(signs["RBP(p=0.8)"]) == 1
