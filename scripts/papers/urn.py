"""The urn that makes rankings (Park, 2016, section 3.1), exactly.

N documents, M of them relevant, are drawn one after another; w is the weight of a nonrelevant one relative to
a relevant one. With b relevant and c nonrelevant ones drawn, the next is relevant with probability
(M - b) / ((M - b) + w (N - M - c)). w = 1 ranks at random, a small w ranks well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
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
    check(documents, w, q, relevant)
    if len(weight) > documents:
        raise UsageError(f"{len(weight)} weights, expected at most one for each of {documents} documents")
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


def relevance_by_rank(documents: int, q: float, w: float) -> Floats:
    """The probability that the document at each rank is relevant."""
    check(documents, w, q, None)
    m, prior = _numbers_of_relevant(documents, q, None)
    chance = np.zeros((len(m), documents + 1))
    chance[:, 0] = prior
    by_rank = np.empty(documents)
    for drawn in range(documents):
        hit = chance * next_relevant(documents, m[:, None], w, drawn, np.arange(documents + 1))
        by_rank[drawn] = hit.sum()
        chance = _shifted(hit, chance - hit)
    return by_rank


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
    documents: int,
    w: float,
    rankings: int,
    depth: int,
    rng: np.random.Generator,
    *,
    q: float | None = None,
    relevant: int | None = None,
) -> np.ndarray:
    """Random rankings: rankings x depth, True where the document is relevant."""
    check(documents, w, q, relevant)
    m = np.full(rankings, relevant) if q is None else rng.binomial(documents, q, rankings)
    labels = np.zeros((rankings, depth), bool)
    found = np.zeros(rankings)
    for k in range(depth):
        labels[:, k] = rng.random(rankings) < next_relevant(documents, m, w, k, found)
        found += labels[:, k]
    return labels


def fit(labels: np.ndarray, documents: int) -> tuple[float, float]:
    """The q and w under which the judged documents are most likely, jointly: Park's open question.

    `labels` is rankings x depth: 1 relevant, 0 not, -1 not judged. The number of relevant documents of each
    query is unknown, Binomial(`documents`, q), and summed over; so are unjudged documents.
    """
    from scipy.optimize import minimize

    known = np.asarray(labels)
    depth = int(np.max(np.flatnonzero((known >= 0).any(axis=0)), initial=-1)) + 1
    if depth == 0:
        raise UsageError("no document is judged, so q and w cannot be estimated")
    known = known[:, :depth]
    share = float((known == 1).sum() / (known >= 0).sum())
    start = np.clip(share, 0.02, 0.98)

    def loss(parameters: Floats) -> float:
        q, w = 1 / (1 + np.exp(-parameters[0])), np.exp(parameters[1])
        return -log_likelihood(known, documents, q, w)

    best = minimize(
        loss,
        [np.log(start / (1 - start)), np.log(0.5)],
        method="Nelder-Mead",
        options={"xatol": 1e-4, "fatol": 1e-6},
    )
    return float(1 / (1 + np.exp(-best.x[0]))), float(np.exp(best.x[1]))


def log_likelihood(labels: np.ndarray, documents: int, q: float, w: float) -> float:
    """Of rankings x depth labels: 1 relevant, 0 not, -1 not judged."""
    m, prior = _numbers_of_relevant(documents, q, None)
    if (labels >= 0).all():  # then it is known how many were drawn at each rank
        before = np.cumsum(labels, axis=1) - labels
        chance = np.tile(prior, (len(labels), 1))
        for k in range(labels.shape[1]):
            hit = next_relevant(documents, m, w, k, before[:, k, None])
            chance *= np.where(labels[:, k, None] == 1, hit, 1 - hit)
        return float(np.log(np.maximum(chance.sum(axis=1), 1e-300)).sum())
    depth = labels.shape[1]
    ways = np.zeros((len(labels), len(m), depth + 1))
    ways[:, :, 0] = prior
    for k in range(depth):
        hit = next_relevant(documents, m[:, None], w, k, np.arange(depth + 1))
        label = labels[:, k, None, None]
        hits = np.where(label == 0, 0.0, ways * hit)
        ways = np.where(label == 1, 0.0, ways * (1 - hit))
        ways[:, :, 1:] += hits[:, :, :-1]
    return float(np.log(np.maximum(ways.sum(axis=(1, 2)), 1e-300)).sum())


def check(documents: int, w: float, q: float | None, relevant: int | None) -> None:
    """Refuse an urn that cannot be."""
    if documents < 1:
        raise UsageError(f"{documents} documents, expected at least 1")
    if not (w > 0 and np.isfinite(w)):
        raise UsageError(f"w is {w}, expected a number above 0")
    if (q is None) == (relevant is None):
        raise UsageError("give either q or the number of relevant documents")
    if q is not None and not 0 <= q <= 1:
        raise UsageError(f"q is {q}, expected a probability from 0 to 1")
    if relevant is not None and not 0 <= relevant <= documents:
        raise UsageError(f"{relevant} relevant of {documents} documents, expected from 0 to all of them")
