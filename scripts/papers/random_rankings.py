"""Random rankings of Bestgen (2015): the paper's own procedure, and the error of R/N."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.chance import harmonic
from unjudged.measures.precision import AP

LARGEST_EXACT = 20_000


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


def expected_ap_by_summation(documents: int, relevant: int) -> float:
    """The same by the paper's own procedure, its eq. 2: a hypergeometric probability for each rank.

    A check of the closed form; it takes R (N - R + 1) terms.
    """
    from scipy.stats import hypergeom

    total = 0.0
    for i in range(1, relevant + 1):
        n = np.arange(i, documents - relevant + i + 1)
        total += float((hypergeom.pmf(i, documents, relevant, n) * (i / n) ** 2).sum())
    return total / relevant


def difference_from_prevalence(documents: int, relevant: int) -> float:
    """Expected AP minus its common approximation R/N: the paper's figure 1."""
    h = float(harmonic(documents))
    others = (relevant - 1) / (documents - 1) if documents > 1 else 0.0
    return (h + others * (documents - h) - relevant) / documents
