"""Expected score of a random ranking: all N documents in random order, R of them relevant.

Each function takes arrays of N and R and all parameters of its measure, used or not.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats

EULER = 0.5772156649015328606
DEEPEST, STRETCH = 1e8, 1 << 20


def harmonic(n: ArrayLike) -> Floats:
    """H_n = 1 + 1/2 + ... + 1/n: a sum up to 100, then the Euler-Maclaurin series (error below 1e-16)."""
    whole = np.asarray(n, float)
    table = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 101))])
    large = np.maximum(whole, 100)
    square = large**-2
    series: Floats = np.log(large) + EULER + 0.5 / large - square / 12 + square**2 / 120 - square**3 / 252
    return np.where(whole <= 100, table[np.minimum(whole, 100).astype(int)], series)


def of_ap(documents: Floats, relevant: Floats, cutoff: float = inf, **_: Any) -> Floats:
    """E[AP@k] = (H_k + (R - 1)/(N - 1) (k - H_k)) / N, k at most N; Bestgen's (2015) sum in closed form."""
    depth = np.minimum(documents, cutoff)
    others = np.where(documents > 1, (relevant - 1) / np.maximum(documents - 1, 1), 0.0)
    value: Floats = np.where(
        relevant > 0, (harmonic(depth) + others * (depth - harmonic(depth))) / documents, 0.0
    )
    return value


def of_precision(documents: Floats, relevant: Floats, cutoff: float = inf, **_: Any) -> Floats:
    """Every document is relevant with probability R / N; after the last one there is nothing."""
    depth = np.minimum(documents, cutoff)
    return relevant / documents * depth / (documents if cutoff == inf else cutoff)


def of_recall(documents: Floats, relevant: Floats, cutoff: float = inf, **_: Any) -> Floats:
    """E[recall] = min(N, cutoff) / N, 0 where nothing is relevant."""
    return np.where(relevant > 0, np.minimum(documents, cutoff) / documents, 0.0)


def of_reciprocal_rank(documents: Floats, relevant: Floats, cutoff: float = inf, **_: Any) -> Floats:
    """E[RR] = R / (N - R + 1) (H_N - H_(R-1)): the sum over ranks i of P(first relevant at i) / i.

    P(first at i) is C(N-i, R-1) / C(N, R), and the sum of C(N-i, R-1) / i is C(N, R-1) (H_N - H_(R-1)).
    """
    if cutoff < inf:
        return _over_first(documents, relevant, cutoff, by_rank=True)
    others = np.maximum(relevant - 1, 0)
    value: Floats = relevant / (documents - others) * (harmonic(documents) - harmonic(others))
    return value


def of_success(documents: Floats, relevant: Floats, cutoff: float = inf, **_: Any) -> Floats:
    """E[Success]: the probability that a relevant document is within the cutoff."""
    return _over_first(documents, relevant, cutoff, by_rank=False)


def _over_first(documents: Floats, relevant: Floats, cutoff: float, by_rank: bool) -> Floats:
    """P(first at i) = P(none before i) R / (N - i + 1), computed once per pair of N and R."""
    both = np.stack([np.ravel(documents), np.ravel(relevant)], axis=1)
    pairs, place = np.unique(both, axis=0, return_inverse=True)
    values = [_first(n, r, min(cutoff, n - r + 1), by_rank) if r else 0.0 for n, r in pairs.tolist()]
    return np.reshape(np.array(values)[place.ravel()], np.shape(documents))


def _first(documents: float, relevant: float, deepest: float, by_rank: bool) -> float:
    """Return the same for one pair: the sum over ranks of P(first relevant there), by 1 / rank if asked."""
    if deepest > DEEPEST:
        raise UsageError(
            f"{deepest:.0f} ranks, expected a cutoff of at most {DEEPEST:.0f} for RR and Success"
        )
    total, none_before = 0.0, 1.0
    for start in range(0, int(deepest), STRETCH):
        rank = np.arange(start + 1, min(start + STRETCH, int(deepest)) + 1)
        chance = relevant / (documents - rank + 1)
        survived = none_before * np.cumprod(1 - chance)
        first = np.concatenate([[none_before], survived[:-1]]) * chance
        total += float((first / rank if by_rank else first).sum())
        none_before = float(survived[-1])
        if none_before < 1e-18:
            break
    return total


def of_rank_biased(
    documents: Floats, relevant: Floats, p: float = 0.8, cutoff: float = inf, **_: Any
) -> Floats:
    """E[RBP] = R / N times the weights of all ranks that there are."""
    return relevant / documents * (1 - p ** np.minimum(documents, cutoff))


def of_ndcg(documents: Floats, relevant: Floats, cutoff: float = inf, **_: Any) -> Floats:
    """With gain 1 for each relevant document: R/N times all discounts, over those of the first R ranks."""
    ideal = discounts(np.minimum(relevant, documents), cutoff)
    return np.where(
        relevant > 0,
        relevant / documents * discounts(documents, cutoff) / np.where(ideal > 0, ideal, 1.0),
        0.0,
    )


def discounts(documents: Floats, cutoff: float) -> Floats:
    """Return the sum of 1 / log2(k + 1) over the ranks k down to the cutoff, per number of documents."""
    depth = np.minimum(documents, cutoff)
    if depth.max(initial=0) > DEEPEST:
        raise UsageError(f"{depth.max():.0f} ranks, expected a cutoff of at most {DEEPEST:.0f} for nDCG")
    deepest = int(depth.max(initial=0))
    running = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2.0, deepest + 2)))])
    summed: Floats = running[depth.astype(int)]
    return summed


def collection(documents: Any, relevant: Any) -> tuple[Floats, Floats]:
    """Return the numbers of documents and of relevant ones; impossible numbers are an error."""
    n, r = np.broadcast_arrays(np.asarray(documents, float), np.asarray(relevant, float))
    impossible = (n < 1) | (r < 0) | (r > n)
    if impossible.any():
        worst = int(np.argmax(impossible))
        what = f"{r.flat[worst]:g} relevant of {n.flat[worst]:g} documents"
        raise UsageError(f"{what}, expected at least one document and not more relevant ones")
    return n, r
