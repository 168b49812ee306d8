"""The urn that makes rankings (Park, 2016, section 3.1), exactly.

N documents, M of them relevant, are drawn one after another; w is the weight of a nonrelevant one relative to
a relevant one. With b relevant and c nonrelevant ones drawn, the next is relevant with probability
(M - b) / ((M - b) + w (N - M - c)). w = 1 ranks at random, a small w ranks well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.segments import Floats, Integers
from unjudged.measures.kernel.registry import ratio


class Moments(NamedTuple):
    mean: float
    variance: float


def next_relevant(
    documents: int, relevant: ArrayLike, w: float, drawn: ArrayLike, found: ArrayLike
) -> Floats:
    """The probability that the next document is relevant, after `drawn` of which `found` were."""
    left = np.maximum(np.asarray(relevant, float) - found, 0.0)
    others = np.maximum(
        documents - np.asarray(relevant, float) - (np.asarray(drawn) - np.asarray(found)), 0.0
    )
    total = left + w * others
    return ratio(left, total)


def moments(
    weights: ArrayLike, documents: int, w: float, *, q: float | None = None, relevant: int | None = None
) -> Moments:
    """Mean and variance of a sum of weights over the ranks that hold a relevant document.

    `weights[k - 1]` is what a relevant document at rank k adds (0 for ranks that do not count). The number of
    relevant documents is `relevant`, or Binomial(`documents`, `q`). No simulation: a recursion over ranks and
    the number of relevant documents drawn carries the probability and the first two moments of the sum.
    """
    weight = np.asarray(weights, float)
    m, prior = _numbers_of_relevant(documents, q, relevant)
    found = np.arange(documents + 1)
    shape = len(m), documents + 1
    chance, first, second = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    chance[:, 0] = prior
    for drawn, step in enumerate(weight.tolist()):
        hit = next_relevant(documents, m[:, None], w, drawn, found)
        chance, first, second = (
            _shifted(chance * hit, chance * (1 - hit)),
            _shifted((first + step * chance) * hit, first * (1 - hit)),
            _shifted((second + 2 * step * first + step**2 * chance) * hit, second * (1 - hit)),
        )
    mean = float(first.sum())
    return Moments(mean, max(float(second.sum()) - mean**2, 0.0))


def _shifted(hit: Floats, miss: Floats) -> Floats:
    """One more relevant document drawn where it was a hit, as many as before where not."""
    result = miss.copy()
    result[:, 1:] += hit[:, :-1]
    return result


def _numbers_of_relevant(documents: int, q: float | None, relevant: int | None) -> tuple[Integers, Floats]:
    """Each possible number of relevant documents, and its probability."""
    if relevant is not None:
        return np.array([relevant]), np.ones(1)
    from scipy.stats import binom

    m = np.arange(documents + 1)
    prior = binom.pmf(m, documents, q)
    kept = prior > 1e-18
    return m[kept], prior[kept] / prior[kept].sum()


def draw(
    documents: int, w: float, rankings: int, depth: int, rng: np.random.Generator, *, q: float
) -> np.ndarray:
    """Random rankings: rankings x depth, True where the document is relevant."""
    m = rng.binomial(documents, q, rankings)
    labels = np.zeros((rankings, depth), bool)
    found = np.zeros(rankings)
    for k in range(depth):
        labels[:, k] = rng.random(rankings) < next_relevant(documents, m, w, k, found)
        found += labels[:, k]
    return labels
