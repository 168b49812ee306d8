"""All 8,256 pairs of TREC-8's 129 runs: how many differ by each test, and how many of these bounds settle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.pairs import all_pairs
from unjudged import evaluate
from unjudged.base.choices import CorrectionName
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Ends
from unjudged.evidence.judged_runs import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.pairs import Pairs, pairs_of
from unjudged.inference.significance import p_values
from unjudged.inference.verdict import excludes_change
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import name_runs


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
