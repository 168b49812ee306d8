"""Random rankings of Bestgen (2015): the paper's own procedure, simulation, and how likely a mean AP is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.baselines import variance_of_ap
from unjudged.measures.kernel.chance import harmonic
from unjudged.measures.precision import AP
from unjudged.rankings.judged import Floats

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


def p_value(
    values: Floats, documents: int, relevant: Floats, *, rankings: int = 10_000, seed: int = 0
) -> float:
    """The probability that random rankings reach the mean AP of these queries, or more.

    `values` and `relevant` have one entry per query. With 30 or more queries the mean is taken as Normal,
    with the exact mean and variance of random rankings; with fewer, `rankings` random rankings are drawn.
    """
    aps, counts = np.atleast_1d(np.asarray(values, float)), np.atleast_1d(np.asarray(relevant))
    if aps.shape != counts.shape:
        raise UsageError(
            f"{len(aps)} values but {len(counts)} numbers of relevant documents, expected equally many"
        )
    mean = AP.by_chance(documents, counts).mean()
    if len(aps) >= 30:
        from scipy.special import ndtr

        spread = np.sqrt(sum(variance_of_ap(documents, int(r)) for r in counts)) / len(counts)
        return float(ndtr((mean - aps.mean()) / spread))
    rng = np.random.default_rng(seed)
    drawn = np.zeros(rankings)
    for r in counts.tolist():
        drawn += random_aps(documents, int(r), rankings, rng) / len(counts)
    # Add one to both, for the run itself, so that p is never 0.
    return float(((drawn >= aps.mean() - 1e-12).sum() + 1) / (rankings + 1))


def random_aps(documents: int, relevant: int, rankings: int, rng: np.random.Generator) -> Floats:
    """AP of `rankings` random rankings."""
    if relevant == 0:
        return np.zeros(rankings)
    values = np.empty(rankings)
    batch = max(1, 4_000_000 // documents)
    for start in range(0, rankings, batch):
        size = min(batch, rankings - start)
        places = np.argpartition(rng.random((size, documents)), relevant - 1, axis=1)[:, :relevant]
        places.sort(axis=1)
        values[start : start + size] = (np.arange(1, relevant + 1) / (places + 1)).mean(axis=1)
    return values


def difference_from_prevalence(documents: int, relevant: int) -> float:
    """Expected AP minus its common approximation R/N: the paper's figure 1."""
    h = float(harmonic(documents))
    others = (relevant - 1) / (documents - 1) if documents > 1 else 0.0
    return (h + others * (documents - h) - relevant) / documents
