"""All pairs of every third of TREC-8's 129 runs: the shares that turn them, and what bounds settle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unjudged.base.segments import Floats, Integers, places
from unjudged.collection.collection import Collection
from unjudged.evidence.contrast import Ends
from unjudged.evidence.judged_runs import RankingsEvidence
from unjudged.evidence.shared import selected_runs
from unjudged.evidence.tipping import Hypothetical, is_open
from unjudged.inference.pair_rows import answer
from unjudged.inference.pair_tests import Settings
from unjudged.inference.verdict import excludes_change
from unjudged.measures.kernel.names import parse_measures
from unjudged.questions.gathering import GatheredRuns
from unjudged.results.fields import Row

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")


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


@pytest.mark.parametrize(("pool_depth", "settled"), [(None, 0), (100, 493)])
def test_shares_by_average_precision(trec8: Collection, pool_depth: int | None, settled: int) -> None:
    rows = pairs(trec8, "AP", pool_depth)
    assert int(excludes_change(Ends(column(rows, "low"), column(rows, "high"))).sum()) == settled
    flip, large = column(rows, "flip"), np.abs(column(rows, "difference")) > 0.05
    if pool_depth is None:
        assert [int((flip <= share).sum()) for share in (0.02, 0.05, 0.1, 0.2)] == [83, 227, 482, 866]
        assert int((flip[large] < 0.05).sum()) == 0


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.95)"])
def test_sums_equal_the_closed_form(trec8: Collection, name: str) -> None:
    rows = pairs(trec8, name)
    difference, low, high, flip = (column(rows, field) for field in ("difference", "low", "high", "flip"))
    most = np.where(difference > 0, difference - low, high - difference)
    wanted = (difference != 0) & (most > 0) & (np.abs(difference) < most)
    np.testing.assert_allclose(flip[wanted], np.abs(difference[wanted]) / most[wanted], rtol=0, atol=1e-9)
    assert wanted.sum() > 30


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
