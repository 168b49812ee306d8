"""All pairs of TREC-8's 129 runs: settled, robust and open, with and without the depth of the pool."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import numpy as np
import pytest

from tests.conftest import FEWER
from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.judgment_bounds import difference_bounds, judgment_bounds
from unjudged.comparison.reversal.reversal_prevalence import reversals
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.collection import name_runs
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.shared import SharedRankings

SECONDS = 6 * FEWER


@pytest.fixture(scope="module")
def shared(data: Path) -> SharedRankings:
    runs = sorted((data / "trec8" / "runs").iterdir())
    return SharedRankings.of(Judgments.of(data / "trec8" / "qrels.trec8.gz"), name_runs(runs))


@pytest.mark.parametrize(
    ("name", "pool_depth", "settled", "robust"),
    [("AP", None, 2, 4284), ("AP", 100, 574, 7127), ("RBP(p=0.8)", None, 7822, 310)],
)
def test_settled_robust_and_open(
    shared: SharedRankings, name: str, pool_depth: int | None, settled: int, robust: int
) -> None:
    measure, closed = parse_measure(name), shared.to_pool_depth(pool_depth)
    values = shared.per_run(measure.compute(shared.rankings))
    np.testing.assert_array_equal(values, shared.per_run(measure.compute(closed.rankings)))
    tests = compare_pairs(values)
    judging = judgment_bounds(closed, measure, tests.pairs)
    kept = judging.settled | judging.equal
    result = MeasureComparison(measure, values, tests, judging, shared.runs)
    assert len(kept) == 8256
    assert int(kept.sum()) == settled
    assert int((result.robust & ~kept).sum()) == robust
    assert sum(verdict.startswith("robust") for verdict in result.verdicts) == robust


def test_all_pairs_by_average_precision_take_a_few_seconds(shared: SharedRankings) -> None:
    """To rank 1,000. Of pairs with a difference above 0.05, 10 of 5,349 are below a share of 5 %."""
    measure = parse_measure("AP")
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    begun = process_time()
    found = reversals(shared, measure, pairs, np.ones(len(pairs), bool))
    assert process_time() - begun < SECONDS
    large = np.abs(pairs.difference) > 0.05
    assert int(large.sum()) == 5349
    assert int((found.share[large] < 0.05).sum()) == 10
    assert [int((found.share <= share).sum()) for share in (0.02, 0.05, 0.1, 0.2)] == [738, 1911, 4103, 7906]


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.95)"])
def test_sums_equal_the_closed_form(shared: SharedRankings, name: str) -> None:
    measure = parse_measure(name)
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    low, high = difference_bounds(shared, measure, pairs)
    most = np.where(pairs.difference > 0, pairs.difference - low, high - pairs.difference)
    wanted = (pairs.difference != 0) & (most > 0) & (np.abs(pairs.difference) <= most)
    found = reversals(shared, measure, pairs, wanted)
    exact = np.abs(pairs.difference[wanted]) / most[wanted]
    np.testing.assert_allclose(found.share[wanted], exact, rtol=0, atol=1e-12)
    assert wanted.sum() > 400
