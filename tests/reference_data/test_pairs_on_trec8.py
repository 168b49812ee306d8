"""All 8,256 pairs of TREC-8's 129 runs: how many differ by each test, and how many of these bounds settle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.pairs import all_pairs
from unjudged import Judgments, evaluate
from unjudged.base.choices import CorrectionName
from unjudged.base.segments import Floats, Integers, places
from unjudged.collection.collection import Collection
from unjudged.evidence.contrast import Ends
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings, selected_runs
from unjudged.evidence.tipping import Hypothetical, is_open
from unjudged.inference.pair_rows import answer
from unjudged.inference.pair_tests import Settings
from unjudged.inference.pairs import Pairs, pairs_of
from unjudged.inference.significance import p_values
from unjudged.inference.verdict import excludes_change
from unjudged.judging.pooling import Pool
from unjudged.measures.kernel.names import parse_measure, parse_measures
from unjudged.questions.gathering import GatheredRuns
from unjudged.rankings.runs import name_runs
from unjudged.results.fields import Row
from unjudged.studies.experimenting import experiment


@pytest.fixture(scope="module")
def precisions(data: Path) -> Floats:
    runs = sorted((data / "trec8" / "runs").iterdir())
    scores = evaluate(data / "trec8" / "qrels.trec8.gz", runs, "AP")
    return np.asarray(scores.values[:, :, 0])


@pytest.mark.parametrize(
    ("correction", "count"), [("none", 5982), ("bh", 5801), ("holm", 3085), ("bonferroni", 2982)]
)
def test_paired_t(precisions: Floats, correction: CorrectionName, count: int) -> None:
    found = all_pairs(precisions, correction=correction)
    assert len(found.p) == 8256
    assert int(found.significant.sum()) == count


@pytest.mark.parametrize("seed", [0, 1])
def test_randomised_tukey(precisions: Floats, seed: int) -> None:
    found = all_pairs(precisions, correction="tukey", draws=20_000, seed=seed)
    assert abs(int(found.significant.sum()) - 2676) <= 25


def test_every_p_value_of_t_and_many_of_wilcoxon(precisions: Floats) -> None:
    pairs = Pairs.of(precisions)
    first, second = precisions[pairs.first], precisions[pairs.second]
    differ = ~pairs.identical
    theirs = stats.ttest_rel(first[differ], second[differ], axis=1).pvalue
    np.testing.assert_allclose(p_values(pairs, "t").p[differ], theirs, rtol=0, atol=1e-12)
    assert (p_values(pairs, "t").p[~differ] == 1).all()
    some = np.flatnonzero(differ)[::10]
    theirs = [stats.wilcoxon(first[k], second[k]).pvalue for k in some]
    np.testing.assert_allclose(p_values(pairs, "wilcoxon").p[some], theirs, rtol=0, atol=1e-12)


def test_randomization_agrees_with_t(precisions: Floats) -> None:
    pairs = Pairs.of(precisions)
    t, randomization = p_values(pairs, "t").p, p_values(pairs, "randomization", draws=5000).p
    agree = (t <= 0.05) == (randomization <= 0.05)
    assert agree.mean() > 0.98


@pytest.fixture(scope="module")
def shared(data: Path) -> SharedRankings:
    runs = sorted((data / "trec8" / "runs").iterdir())
    return SharedRankings.of(Judgments.read(data / "trec8" / "qrels.trec8.gz"), name_runs(runs))


def bounds_of(shared: SharedRankings, name: str) -> tuple[Floats, Ends, Floats]:
    """Scores of the systems, the bounds of every pair, and its difference."""
    measure = parse_measure(name)
    values = shared.per_run(measure.compute(shared.judged_rankings))
    contrast = RankingsEvidence(shared, measure, values).contrast(*pairs_of(range(len(values))))
    assert contrast.ends is not None
    return values, contrast.ends, contrast.values.mean(axis=1)


@pytest.mark.parametrize(
    ("name", "settled", "by_t", "by_holm"),
    [("RBP(p=0.8)", 7820, (5424, 288), (3036, 229)), ("RBP(p=0.95)", 7105, (5707, 628), (3169, 512))],
)
def test_settled_and_significant(
    shared: SharedRankings, name: str, settled: int, by_t: tuple[int, int], by_holm: tuple[int, int]
) -> None:
    values, ends, _ = bounds_of(shared, name)
    kept = excludes_change(ends)
    equal = (np.abs(ends.low) <= 1e-12) & (np.abs(ends.high) <= 1e-12)
    counts: dict[CorrectionName, tuple[int, int]] = {"none": by_t, "holm": by_holm}
    for correction, (significant, loose) in counts.items():
        tests = all_pairs(values, correction=correction)
        assert len(tests.pairs) == 8256
        assert int((kept & ~equal).sum()) == settled
        assert int(tests.significant.sum()) == significant
        assert int((tests.significant & ~kept).sum()) == loose


def test_bounds_of_ndcg_enclose(shared: SharedRankings) -> None:
    _, ends, difference = bounds_of(shared, "nDCG@10")
    assert (ends.low <= difference + 1e-12).all()
    assert (ends.high >= difference - 1e-12).all()
    assert excludes_change(ends).sum() > 7500


@pytest.fixture(scope="module")
def trec8(data: Path) -> Collection:
    folder = data / "trec8"
    return Collection(folder / "qrels.trec8.gz", sorted((folder / "runs").iterdir())[::3])


def pairs(collection: Collection, name: str, pool_depth: int | None = None) -> list[Row]:
    found = GatheredRuns(
        collection, parse_measures(name), depth=None, pool_depth=pool_depth, ties="order", seed=0
    )
    return answer(found.evidence, Settings())[0]["pairs"]


def column(rows: list[Row], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows])


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@pytest.mark.parametrize(("pool_depth", "settled"), [(None, 0), (100, 493)])
def test_shares_by_average_precision(trec8: Collection, pool_depth: int | None, settled: int) -> None:
    rows = pairs(trec8, "AP", pool_depth)
    assert int(excludes_change(Ends(column(rows, "low"), column(rows, "high"))).sum()) == settled
    flip, large = column(rows, "flip"), np.abs(column(rows, "difference")) > 0.05
    if pool_depth is None:
        assert [int((flip <= share).sum()) for share in (0.02, 0.05, 0.1, 0.2)] == [83, 227, 482, 866]
        assert int((flip[large] < 0.05).sum()) == 0


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.95)"])
def test_sums_equal_the_closed_form(trec8: Collection, name: str) -> None:
    rows = pairs(trec8, name)
    difference, low, high, flip = (column(rows, field) for field in ("difference", "low", "high", "flip"))
    most = np.where(difference > 0, difference - low, high - difference)
    wanted = (difference != 0) & (most > 0) & (np.abs(difference) < most)
    np.testing.assert_allclose(flip[wanted], np.abs(difference[wanted]) / most[wanted], rtol=0, atol=1e-9)
    assert wanted.sum() > 30


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_no_completion_turns_a_pair_that_bounds_settle(trec8: Collection) -> None:
    """Of eleven runs, at depth 100: the settled pairs that are nearest to 0, by search and at random."""
    (measure,) = parse_measures("AP")
    shared = trec8.shared()
    few = replace(shared, rankings=selected_runs(shared.rankings, range(0, 43, 4)), runs=shared.runs[::4])
    scores = few.per_run(measure.compute(few.judged_rankings))
    first, second = np.triu_indices(len(few.runs), 1)
    contrast = RankingsEvidence(few, measure, scores, 100).contrast(first, second, by_query=True)
    assert contrast.ends is not None
    assert contrast.ends_by_query is not None
    low, high = contrast.ends
    settled = np.flatnonzero(excludes_change(contrast.ends) & (high - low > 0.01))
    nearest = settled[np.argsort(np.maximum(low, -high)[settled])[:6]]
    rng = np.random.default_rng(8)
    for k in nearest.tolist():
        a, b = (int(first[k]), int(second[k])) if low[k] > 0 else (int(second[k]), int(first[k]))
        two = replace(few, rankings=selected_runs(few.rankings, [a, b]), runs=[few.runs[a], few.runs[b]])
        open_rows = np.unique(two.rankings.row[is_open(two, two.rankings, 100)])
        every = Hypothetical.of(two, measure)
        candidates = np.flatnonzero(np.isin(every.origin, open_rows))
        assert len(candidates) > 30
        worst = worst_of(every, candidates)
        drawn = [values_of(every, candidates[rng.random(len(candidates)) < p]) for p in (0.05, 0.2, 0.5, 0.9)]
        least = max(low[k], -high[k])
        for lead in [worst, *(own[0] - own[1] for own in drawn)]:
            assert lead.mean() >= least - 1e-12
            by_query = contrast.ends_by_query.low[k] if low[k] > 0 else -contrast.ends_by_query.high[k]
            assert (lead >= by_query - 1e-12).all()


def values_of(every: Hypothetical, rows: Integers) -> Floats:
    """Return runs x queries if the documents of these rows have the highest grade."""
    found: Floats = every.completed(np.zeros(len(rows), np.int64), np.sort(rows), 1)[0]
    return found


def worst_of(every: Hypothetical, candidates: Integers) -> Floats:
    """Return the lowest first minus second on each query that is found by turning documents one by one."""
    query = every.rankings.judgments.query[candidates]
    place = places(np.bincount(query, minlength=50))
    rank = np.full((2, len(every.origin)), np.inf)
    for run in range(2):
        own = every.rankings.run(run)
        rank[run, own.row] = own.rank
    relevant = rank[1, candidates] < rank[0, candidates]
    lead: Floats = np.subtract(*values_of(every, candidates[relevant]))
    for turn in range(1, int(place.max()) + 1):
        tried = relevant ^ (place == turn)
        now = np.subtract(*values_of(every, candidates[tried]))
        better = (now < lead - 1e-15)[query]
        relevant = np.where(better, tried, relevant)
        lead = np.minimum(lead, now)
    return lead


@pytest.fixture(scope="module")
def pool(data: Path) -> Pool:
    runs = sorted((data / "trec8" / "runs").iterdir())
    return Pool.of(data / "trec8" / "qrels.trec8.gz", runs)


def test_induced_ap_on_the_depth_4_pool_as_the_paper_prints_it(pool: Pool) -> None:
    found = experiment(pool, design="pool", levels=[4], measures="indAP")
    assert round(found.find("tau", "indAP", 4)["mean"], 4) == 0.8992


def test_the_depth_100_pool_of_the_pooled_runs_is_what_was_judged(data: Path) -> None:
    lines = (data / "trec8" / "run-info.tsv").read_text().splitlines()[1:]
    pooled = [name for name, _, _, pooled, *_ in (line.split("\t") for line in lines) if pooled == "yes"]
    runs = [data / "trec8" / "runs" / f"input.{name}.gz" for name in pooled]
    judged = Pool.of(data / "trec8" / "qrels.trec8.gz").judgments
    made = Pool.of_runs(runs, depth=100).judgments
    assert len(pooled) == 71

    def rows(judgments: Judgments) -> set[tuple[str, str]]:
        queries = list(judgments.queries)
        pairs = zip(judgments.query.tolist(), judgments.documents, strict=True)
        return {(queries[q], document) for q, document in pairs}

    assert rows(made) == rows(judged)
