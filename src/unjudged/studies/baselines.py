"""Random baseline: what a ranking in random order scores, exactly, and how likely it is (Bestgen, 2015).

>>> round(expected("AP", documents=10, relevant=4), 12)
0.528597883598
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.measures.kernel.chance import STRETCH
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.precision import AP

NORMAL_FROM = 30
"""From so many queries on the mean AP of random rankings is taken as Normal."""
BATCH = 4_000_000


def expected(measure: MeasureLike, documents: int, relevant: int) -> float:
    """Return the expected score of a random ranking with these numbers of documents and of relevant ones.

    For AP, P, R, RR, Success, RBP, nDCG, SetP and SetR, with their cutoffs; gains are 1.

    >>> expected("P@10", documents=1000, relevant=50)
    0.05
    """
    chosen = parse_measure(measure)
    return float(chosen.by_chance(documents, relevant))


def variance_of_ap(documents: int, relevant: int) -> float:
    """Return the variance of AP over all random rankings.

    E[AP^2] is a sum over pairs of places i <= i' and places j <= i, j' <= i' of products of four
    indicators, whose expectation depends only on how many of the places differ:
    m_d = R (R-1) ... (R-d+1) / (N (N-1) ... (N-d+1)). Counting those takes one pass.
    """
    AP.by_chance(documents, relevant)  # refuses impossible numbers
    if relevant == 0:
        return 0.0
    steps = np.arange(4)
    m1, m2, m3, m4 = np.cumprod((relevant - steps) / np.maximum(documents - steps, 1)).tolist()
    second, so_far = 0.0, 0.0
    for start in range(0, documents, STRETCH):
        i = np.arange(start + 1.0, min(start + STRETCH, documents) + 1)
        same = (m1 + 3 * (i - 1) * m2 + (i - 1) * (i - 2) * m3) / i**2
        harmonics = so_far + np.cumsum(1 / i)
        before = harmonics - 1 / i  # H_(i-1)
        others = (2 * m2 + (i - 2) * m3) * before + (3 * m3 + (i - 3) * m4) * (i - 1 - before)
        second += float((same + 2 * others / i).sum()) / relevant**2
        so_far = float(harmonics[-1])
    return max(second - float(AP.by_chance(documents, relevant)) ** 2, 0.0)


def p_of_random_ranking(
    values: ArrayLike, documents: int, relevant: ArrayLike, *, rankings: int = 10_000, seed: int = 0
) -> float:
    """Return the probability that random rankings reach the mean AP of these queries, or more.

    `values` are the AP and `relevant` the numbers of relevant documents of each query. With 30 or more
    queries the mean is taken as Normal, with the exact mean and variance of random rankings; with fewer,
    `rankings` random rankings are drawn.

    >>> round(p_of_random_ranking([0.9, 0.4], documents=10, relevant=[4, 4]), 2)
    0.15
    """
    aps, counts = np.atleast_1d(np.asarray(values, float)), np.atleast_1d(np.asarray(relevant))
    if aps.shape != counts.shape:
        raise UsageError(
            f"{len(aps)} values but {len(counts)} numbers of relevant documents, expected equally many"
        )
    mean = AP.by_chance(documents, counts).mean()
    if len(aps) >= NORMAL_FROM:
        from scipy.special import ndtr

        spread = np.sqrt(sum(variance_of_ap(documents, int(r)) for r in counts)) / len(counts)
        return float(ndtr((mean - aps.mean()) / spread))
    rng, drawn = np.random.default_rng(seed), np.zeros(checked_int("rankings", rankings, least=1))
    for r in counts.tolist():
        drawn += random_aps(documents, int(r), rankings, rng) / len(counts)
    # Add one to both, for the run itself, so that p is never 0.
    return float(((drawn >= aps.mean() - 1e-12).sum() + 1) / (rankings + 1))


def random_aps(documents: int, relevant: int, rankings: int, rng: np.random.Generator) -> Floats:
    """Return the AP of `rankings` random rankings."""
    if relevant == 0:
        return np.zeros(rankings)
    values, batch = np.empty(rankings), max(1, BATCH // documents)
    for start in range(0, rankings, batch):
        size = min(batch, rankings - start)
        places = np.argpartition(rng.random((size, documents)), relevant - 1, axis=1)[:, :relevant]
        places.sort(axis=1)
        values[start : start + size] = (np.arange(1, relevant + 1) / (places + 1)).mean(axis=1)
    return values
