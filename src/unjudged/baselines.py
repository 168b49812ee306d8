"""Random baseline: what a ranking in random order scores, exactly (Bestgen, 2015).

>>> round(expected_ap(documents=10, relevant=4), 12)
0.528597883598
>>> expected_ap(documents=5, relevant=2, exact=True)
Fraction(237, 400)
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.chance import STRETCH
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.precision import AP

LARGEST_EXACT = 20_000


def expected(measure: MeasureLike, documents: int, relevant: int) -> float:
    """Return the expected score of a random ranking with these numbers of documents and of relevant ones.

    For AP, P, R, RR, Success, RBP, nDCG, SetP and SetR, with their cutoffs; gains are 1.

    >>> expected("P@10", documents=1000, relevant=50)
    0.05
    """
    chosen = parse_measure(measure)
    return float(chosen.by_chance(documents, relevant))


def expected_ap(documents: int, relevant: int, *, exact: bool = False) -> float | Fraction:
    """Expected AP of a random ranking: (H_N + (R - 1)/(N - 1) (N - H_N)) / N, H_N the N-th harmonic number.

    With `exact` the result is a fraction.
    """
    approximate = float(AP.by_chance(documents, relevant))
    if not exact:
        return approximate
    if documents > LARGEST_EXACT:
        raise UsageError(f"{documents} documents, expected at most {LARGEST_EXACT} for an exact fraction")
    if relevant == 0 or documents == 1:
        return Fraction(relevant)
    h = _harmonic_fraction(1, documents)
    return (h + Fraction(relevant - 1, documents - 1) * (documents - h)) / documents


def _harmonic_fraction(first: int, last: int) -> Fraction:
    """Return the sum of 1/i, added in halves, which is far faster than one after another."""
    if last - first < 8:
        return sum((Fraction(1, i) for i in range(first, last + 1)), Fraction(0))
    middle = (first + last) // 2
    return _harmonic_fraction(first, middle) + _harmonic_fraction(middle + 1, last)


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
