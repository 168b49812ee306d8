"""Random completions against enumeration, and sparse evaluation against dense for every measure."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, geom, kstest

from tests.conftest import Qrels, RunDict, collections, examples
from tests.intervals import intervals
from tests.measures.test_properties import EVERY
from unjudged import JudgedRankings, Judgments, Measure
from unjudged.base.segments import Floats
from unjudged.collection.collection import judged_rankings
from unjudged.evidence.completions import Batched, Completions, Grades, drawn_relevant, needs_relevant_alone
from unjudged.evidence.filled import Filled
from unjudged.measures.kernel.names import parse
from unjudged.rankings.pooled import Numbers, mixed, uniforms

COMPLETABLE = [m for m in EVERY if not (m.traits.estimates or m.traits.across_queries)]
COMPLETABLE += [
    parse(name)[0] for name in ("AP@3", "nDCG@2", "nDCG(dcg='exp-log2')", "AP(rel=2)", "RBP(rel=2)")
]
RANKING = JudgedRankings.spelled("U 1 N 0 N 1 U", missed="1 U 0")


def completions_of(r: JudgedRankings, prevalence: float, rel: int = 1, seed: int = 0) -> Completions:
    return Completions.of_run(r, prevalence, rel=rel, seed=seed)


@pytest.mark.parametrize("measure", COMPLETABLE, ids=str)
@examples(25)
@given(collection=collections(), seed=st.integers(0, 99))
def test_sparse_is_dense(measure: Measure, collection: tuple[Qrels, RunDict], seed: int) -> None:
    """A measure that is computed from relevant documents alone has the value of the whole completion."""
    qrels, run = collection
    rankings = judged_rankings(Judgments.read(qrels), {"run": run})
    completions = completions_of(rankings, 0.4, seed=seed)
    found = completions.values(measure, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unjudged.evidence.completions.needs_relevant_alone", lambda *_: False)
        np.testing.assert_array_equal(completions.values(measure, 6), found)


def test_what_is_sparse() -> None:
    sparse = {m.name for m in COMPLETABLE if needs_relevant_alone(m, RANKING)}
    assert {"AP", "nDCG", "RBP", "P", "RR", "ERR", "R"} <= sparse
    assert not {"Bpref", "Judged", "Rprec"} & sparse


def every_completion(r: JudgedRankings, measure: Measure, chance: float) -> tuple[np.ndarray, np.ndarray]:
    """The value and probability of each way to complete binary judgments."""
    filled = Filled.of(r)
    unknown, unseen = int(filled.unknown.sum()), int(filled.unseen.sum())
    values, chances = [], []
    for ways in product([0, 1], repeat=unknown + unseen):
        values.append(float(measure.compute(filled.complete(ways[:unknown], ways[unknown:]))[0]))
        chances.append(float(np.prod(np.where(ways, chance, 1 - chance))))
    return np.array(values), np.array(chances)


@pytest.mark.parametrize("measure", COMPLETABLE, ids=str)
def test_values_are_those_of_all_completions(measure: Measure) -> None:
    """The mean within 4.5 standard errors; no value that enumeration does not have, each as often."""
    draws, chance = 3000, 0.3
    values, chances = every_completion(RANKING, measure, chance)
    found = completions_of(RANKING, chance).values(measure, draws)
    mean = float(values @ chances)
    deviation = np.sqrt(max(float(values**2 @ chances) - mean**2, 0.0))
    assert abs(found.mean() - mean) <= 4.5 * deviation / np.sqrt(draws) + 1e-12
    for value in np.unique(values.round(10)):
        expected = float(chances[values.round(10) == value].sum())
        share = float((np.abs(found - value) < 1e-9).mean())
        assert abs(share - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / draws)
    assert np.isin(found.round(9), np.unique(values.round(9))).all()


@pytest.mark.parametrize(("own", "expected"), [(12, {1: 0.0, 2: 0.5, 3: 0.5}), (4, {1: 0.8, 2: 0.1, 3: 0.1})])
def test_grades_follow_the_judged(own: int, expected: dict[int, float]) -> None:
    """Query 'few' has `own` relevant documents of grades 2 and 3, half each; query 'many' has 16 of grade 1.

    From ten relevant documents on a query has its own grades, below that the grades of all queries.
    """
    few = {f"f{i}": 2 + i % 2 for i in range(own)}
    many = {f"m{i}": 1 for i in range(16)}
    judgments = Judgments.read({"few": few, "many": many})
    run = {"few": {"u": 1.0}, "many": {"m0": 1.0}}
    completions = completions_of(judged_rankings(judgments, {"run": run}), 1.0)
    found = completions.values(parse("DCG@1")[0], 2000)
    for grade, share in expected.items():
        margin = 4 * np.sqrt(share * (1 - share) / 2000)
        assert abs((found[:, 0] == grade).mean() - share) <= margin
    assert (found[:, 1] == 1).all()


def test_grades_without_relevant_documents_are_the_lowest_relevant_one() -> None:
    completions = completions_of(JudgedRankings.spelled("U 0 1"), 1.0, rel=2)
    assert completions.values(parse("DCG@1")[0], 5).tolist() == [[2.0]] * 5


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_and_batches_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from unjudged import evaluate, sample

    scores = evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10", "Bpref"])
    whole = intervals(scores, "model", prevalence=0.2)
    monkeypatch.setattr("unjudged.evidence.completions.cpu_count", lambda: threads)
    monkeypatch.setattr("unjudged.evidence.completions.BATCH_ELEMENTS", 1 << (10 + threads))
    again = intervals(scores, "model", prevalence=0.2)
    assert [list(row) for row in again] == [list(row) for row in whole]


def test_stacked_rankings_of_no_draw() -> None:
    nothing = np.zeros(0, np.int64)
    batched = Batched(parse("AP")[0], RANKING, nothing, sparse=True)
    stacked = batched.relevant(Grades(nothing, nothing, nothing.astype(np.int32), 2))
    assert stacked.labels.tolist() == [1, 1, 1, 1]
    assert stacked.rank.tolist() == [2, 6, 2, 6]
    assert stacked.judgments.count(1).tolist() == [3, 3]


DRAWS = 2000
SEVERAL = np.tile([0.05, 0.6], 20)


def identities(count: int) -> Numbers:
    return mixed(np.arange(1, count + 1, dtype=np.uint64))


def table(identity: Numbers, chance: Floats, batch: int = DRAWS, seed: int = 0) -> Floats:
    """Documents x completions: whether it is relevant, and the share that decides its grade."""
    found = np.full((len(identity), DRAWS), np.nan)
    for drawn in drawn_relevant(identity, chance, DRAWS, batch, seed):
        key = drawn.completion * len(identity) + drawn.document
        assert all(a < b for a, b in pairwise(key.tolist()))
        found[drawn.document, drawn.completion] = drawn.share
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, 7, 999, DRAWS])
def test_the_size_of_a_batch_changes_nothing(batch: int) -> None:
    whole = table(identities(12), SEVERAL[:12])
    np.testing.assert_array_equal(table(identities(12), SEVERAL[:12], batch), whole)


def test_other_documents_change_nothing() -> None:
    some = np.array([7, 2, 30])
    whole = table(identities(40), SEVERAL)
    np.testing.assert_array_equal(table(identities(40)[some], SEVERAL[some]), whole[some])


def test_another_seed_is_another_draw() -> None:
    chance = np.full(5, 0.4)
    one, other = (np.isnan(table(identities(5), chance, seed=seed)) for seed in (0, 1))
    assert not np.array_equal(one, other)


def frequencies_fit(hits: np.ndarray, chance: np.ndarray) -> bool:
    """Pearson's statistic of many binomial counts, within its 0.9999 quantile."""
    expected = DRAWS * chance
    statistic = float(((hits - expected) ** 2 / (expected * (1 - chance))).sum())
    return bool(statistic < chi2.ppf(0.9999, len(hits)))


@pytest.mark.parametrize("chance", [0.01, 0.1, 0.5, 0.97])
def test_known_probabilities(chance: float) -> None:
    """Each document as often as its probability says, no two of them together more often than by chance."""
    relevant = ~np.isnan(table(identities(60), np.full(60, chance)))
    assert frequencies_fit(relevant.sum(axis=1), np.full(60, chance))
    two_documents, two_completions = relevant[::2] & relevant[1::2], relevant[:, ::2] & relevant[:, 1::2]
    for both in (two_documents, two_completions):
        deviation = np.sqrt(both.size * chance**2 * (1 - chance**2))
        assert abs(both.sum() - both.size * chance**2) < 4 * deviation
    gaps = np.diff(np.flatnonzero(relevant.ravel()))
    largest = int(gaps.max())
    seen = np.bincount(gaps, minlength=largest + 1)[1:]
    expected = len(gaps) * geom.pmf(np.arange(1, largest + 1), chance)
    common = expected > 5
    statistic = float(((seen - expected)[common] ** 2 / expected[common]).sum())
    assert statistic < chi2.ppf(0.9999, int(common.sum()))


def test_certain_and_impossible() -> None:
    relevant = ~np.isnan(table(identities(4), np.array([0.0, 1.0, 0.0, 1.0])))
    assert relevant.all(axis=1).tolist() == [False, True, False, True]
    assert relevant.any(axis=1).tolist() == [False, True, False, True]


def test_shares_are_uniform_and_uniforms_in_range() -> None:
    shares = table(identities(30), np.full(30, 0.3))
    assert kstest(shares[~np.isnan(shares)], "uniform").pvalue > 1e-4
    numbers = uniforms(identities(1000), np.uint64(5), np.arange(1000))
    assert numbers.min() > 0
    assert numbers.max() <= 1
