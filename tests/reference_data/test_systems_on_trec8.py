"""All pairs of TREC-8's 129 runs: how many bounds settle, and how many are significant and not settled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.pairs import all_pairs
from unjudged.base.choices import CorrectionName
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Ends
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.rows import pairs_of
from unjudged.inference.verdict import excludes_change
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import name_runs


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
