"""Draws of relevant documents: the same bits in any surroundings, independent, as often as they should."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import beta, chi2, geom, kstest

from unjudged.evidence import draws
from unjudged.evidence.draws import drawn_relevant
from unjudged.evidence.prevalence import Prevalence
from unjudged.rankings.hashing import Numbers, mixed, salt, uniforms
from unjudged.rankings.judged import Floats, Integers

DRAWS = 2000


def identities(count: int) -> Numbers:
    return mixed(np.arange(1, count + 1, dtype=np.uint64))


def known(probability: list[float], cell: Integers) -> Prevalence:
    return Prevalence(cell, np.array(probability), "given")


class Uncertain(Prevalence):
    """3 of 10 in the first cell, 40 of 50 in the second: each completion draws from Beta(hits + 1/2, ...)."""

    def table(self, completions: int, seed: int) -> Floats:
        cells = mixed(np.arange(1, 3, dtype=np.uint64))
        share = uniforms(cells[:, None], salt(seed, "prevalence"), np.arange(completions)[None, :])
        return np.asarray(beta.ppf(share, np.array([[3.5], [40.5]]), np.array([[7.5], [10.5]])))


def estimated(documents: int) -> Prevalence:
    return Uncertain(np.arange(documents) % 2, np.array([0.3, 0.8]), "estimated")


def table(identity: Numbers, prevalence: Prevalence, batch: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Documents x completions: whether it is relevant, and the share that decides its grade."""
    found = np.full((len(identity), DRAWS), np.nan)
    for drawn in drawn_relevant(identity, prevalence, DRAWS, batch, seed):
        key = drawn.completion * len(identity) + drawn.document
        assert all(a < b for a, b in pairwise(key.tolist()))
        found[drawn.document, drawn.completion] = drawn.share
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, 7, 999, DRAWS])
def test_the_size_of_a_batch_changes_nothing(batch: int) -> None:
    for prevalence in (known([0.05, 0.6], np.arange(12) % 2), estimated(12)):
        whole = table(identities(12), prevalence)
        np.testing.assert_array_equal(table(identities(12), prevalence, batch), whole)


def test_other_documents_change_nothing() -> None:
    some = np.array([7, 2, 30])
    for make in (lambda n: known([0.05, 0.6], np.arange(n) % 2), estimated):
        everything = make(40)
        whole = table(identities(40), everything)
        alone = table(identities(40)[some], everything.at(everything.cell[some]))
        np.testing.assert_array_equal(alone, whole[some])


def test_another_seed_is_another_draw() -> None:
    prevalence = known([0.4], np.zeros(5, np.int64))
    assert not np.array_equal(
        np.isnan(table(identities(5), prevalence)), np.isnan(table(identities(5), prevalence, seed=1))
    )


def test_sorting_by_places_gives_the_same() -> None:
    """What happens where completion, document and step do not fit into one number."""
    rng = np.random.default_rng(1)
    at, which, steps = rng.integers(0, 50, 400), np.arange(400), rng.integers(0, 9, 400)
    wide = at.copy()
    wide[0] = 1 << 60
    order = np.lexsort((which, wide))
    for found, expected in zip(draws._sorted(wide, which, steps), (wide, which, steps), strict=True):
        np.testing.assert_array_equal(found, expected[order])
    for scale in (1, 1 << 30):  # one number of 32 bits, and a longer one
        order = np.lexsort((which, at * scale))
        given = at * scale, which, steps
        for found, expected in zip(draws._sorted(*given), given, strict=True):
            np.testing.assert_array_equal(found, expected[order])


def frequencies_fit(hits: np.ndarray, chance: np.ndarray) -> bool:
    """Pearson's statistic of many binomial counts, within its 0.9999 quantile."""
    expected = DRAWS * chance
    statistic = float(((hits - expected) ** 2 / (expected * (1 - chance))).sum())
    return bool(statistic < chi2.ppf(0.9999, len(hits)))


@pytest.mark.parametrize("chance", [0.01, 0.1, 0.5, 0.97])
def test_known_probabilities(chance: float) -> None:
    """Each document as often as its probability says, no two of them together more often than by chance."""
    relevant = ~np.isnan(table(identities(60), known([chance], np.zeros(60, np.int64))))
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
    relevant = ~np.isnan(table(identities(4), known([0.0, 1.0], np.arange(4) % 2)))
    assert relevant.all(axis=1).tolist() == [False, True, False, True]
    assert relevant.any(axis=1).tolist() == [False, True, False, True]


def test_an_uncertain_prevalence_is_drawn_from_its_posterior() -> None:
    prevalence = estimated(400)
    chances = prevalence.table(DRAWS, seed=0)
    for cell, (relevant, judged) in enumerate([(3, 10), (40, 50)]):
        posterior = beta(relevant + 0.5, judged - relevant + 0.5)
        assert kstest(chances[cell], posterior.cdf).pvalue > 1e-4


def test_thinning_gives_every_completion_its_own_prevalence() -> None:
    """The 200 documents of a cell are relevant as often, in each completion, as its drawn prevalence says."""
    prevalence = estimated(400)
    chances = prevalence.table(DRAWS, seed=0)
    relevant = ~np.isnan(table(identities(400), prevalence))
    for cell in (0, 1):
        hits, chance = relevant[cell::2].sum(axis=0), chances[cell]
        statistic = float(((hits - 200 * chance) ** 2 / (200 * chance * (1 - chance))).sum())
        assert statistic < chi2.ppf(0.9999, DRAWS)
        assert statistic > chi2.ppf(0.0001, DRAWS)
        assert frequencies_fit(relevant[cell::2].sum(axis=1), np.full(200, chance.mean()))


def test_shares_are_uniform_and_uniforms_in_range() -> None:
    shares = table(identities(30), known([0.3], np.zeros(30, np.int64)))
    assert kstest(shares[~np.isnan(shares)], "uniform").pvalue > 1e-4
    numbers = uniforms(identities(1000), np.uint64(5), np.arange(1000))
    assert numbers.min() > 0
    assert numbers.max() <= 1
