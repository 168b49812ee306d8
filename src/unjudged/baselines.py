"""Random baseline: what a ranking in random order scores, exactly (Bestgen, 2015).

>>> round(expected("AP", documents=10, relevant=4), 12)
0.528597883598
"""

from __future__ import annotations

import numpy as np

from unjudged.measures.kernel.chance import STRETCH
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.precision import AP


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
