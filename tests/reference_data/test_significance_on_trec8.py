"""All 8,256 pairs of TREC-8's 129 runs by AP: how many differ, by test and by correction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.pairs import all_pairs
from unjudged import evaluate
from unjudged.base.choices import CorrectionName
from unjudged.base.segments import Floats
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import p_values


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
