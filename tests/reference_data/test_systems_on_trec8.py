"""All pairs of TREC-8's 129 runs by RBP: how many are settled, significant, and open to judging."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unjudged.base.choices import CorrectionName
from unjudged.comparison.judgment_bounds import judgment_bounds
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.collection import name_runs
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.shared import SharedRankings


@pytest.fixture(scope="module")
def shared(data: Path) -> SharedRankings:
    runs = sorted((data / "trec8" / "runs").iterdir())
    return SharedRankings.of(Judgments.of(data / "trec8" / "qrels.trec8.gz"), name_runs(runs))


@pytest.mark.parametrize(
    ("name", "settled", "by_t", "by_holm"),
    [("RBP(p=0.8)", 7820, (5424, 288), (3036, 229)), ("RBP(p=0.95)", 7105, (5707, 628), (3169, 512))],
)
def test_settled_significant_and_reversible(
    shared: SharedRankings, name: str, settled: int, by_t: tuple[int, int], by_holm: tuple[int, int]
) -> None:
    (measure,) = parse_measures(name)
    values = shared.per_run(measure.compute(shared.rankings))
    judging = judgment_bounds(shared, measure, Pairs.of(values))
    counts: dict[CorrectionName, tuple[int, int]] = {"none": by_t, "holm": by_holm}
    for correction, (significant, open_to_judging) in counts.items():
        tests = compare_pairs(values, correction=correction)
        assert len(tests.pairs) == 8256
        assert int(judging.settled.sum()) == settled
        assert int(tests.significant.sum()) == significant
        assert int((tests.significant & judging.reversible).sum()) == open_to_judging
        assert (judging.settled | judging.equal | judging.reversible).all()


def test_bounds_of_ndcg_enclose_and_few_pairs_are_unresolved(shared: SharedRankings) -> None:
    (measure,) = parse_measures("nDCG@10")
    tests = compare_pairs(shared.per_run(measure.compute(shared.rankings)))
    judging = judgment_bounds(shared, measure, tests.pairs)
    assert (judging.low <= tests.pairs.difference).all()
    assert (judging.high >= tests.pairs.difference).all()
    unresolved = ~(judging.settled | judging.equal | judging.reversible)
    assert np.mean(unresolved) < 0.02
