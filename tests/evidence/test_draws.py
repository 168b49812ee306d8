"""Draws of relevant documents: the same bits in any surroundings, independent, as often as they should."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2, geom, kstest

from unjudged.base.segments import Floats
from unjudged.evidence.completions import drawn_relevant
from unjudged.rankings.pooled import Numbers, mixed, uniforms

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
