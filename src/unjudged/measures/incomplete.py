"""Average precision estimated from incomplete judgments (Yilmaz and Aslam, 2006 and 2008)."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.extension import with_grades_from
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import EVEN

BLOCK = 1 << 13  # documents whose arrays fit into the cache together
NOTHING_LEFT = 1e-18
"""A share of a value that is smaller than its last digit."""


@measure(
    estimates="AP",
    takes=EVEN,
    range=(0.0, np.inf),
    trec_eval="infAP",
    cite=("yilmaz2006", "yilmaz2008"),
)
def infAP(
    r: JudgedRankings,
    *,
    rel: int = 1,
    c: float = 2.0,
    eps: float = 0.00001,
    pool: bool = True,
    actual: JudgmentsSource | None = None,
) -> Floats:
    """Inferred average precision: AP estimated from a sample of the pool.

    infAP = (1/R) sum over retrieved documents judged relevant, at ranks k, of

        1/k + (d/k) (r + eps) / (r + n + c eps)

    where r and n are the numbers of judged relevant and nonrelevant documents above rank k, and d is the
    number of pooled documents above it, judged or not. The term is 1 for k = 1. infAP is 0 where R = 0.

    A document that was pooled but not judged counts as relevant as often as the judged documents above k
    are relevant. A document that was not pooled counts as not relevant. `c` and `eps` control the Lidstone
    smoothing. `pool=False` assumes no knowledge of the pool: d = k - 1. `actual` names complete judgments
    (a file, or Judgments) from which the precision at each sampled relevant document is taken, so that only
    the sampling is estimated.

    Use it to estimate AP where the judged documents are a uniform sample of the pool. With complete
    judgments it is AP, up to the smoothing.

    >>> infAP.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.31296376])
    """
    hits = r.relevant(rel)
    if actual is not None:
        known = r.relabelled(with_grades_from(r.judgments, Judgments.whole(actual)))
        expected = (known.above(hits, known.labels >= rel) + 1) / hits.rank
    else:
        above = r.above(hits) if pool else hits.rank - 1
        share = (hits.place - 1 + eps) / (r.judged_above(hits) + c * eps)
        expected = np.where(hits.rank == 1, 1.0, (1 + above * share) / hits.rank)
    return ratio(hits.total(expected), r.known(rel))


@measure(estimates="AP", takes=EVEN, cite=("yilmaz2006", "yilmaz2008"))
def indAP(r: JudgedRankings, *, rel: int = 1, unpooled: str = "nonrelevant") -> Floats:
    """Induced average precision: AP of the ranking without its unjudged documents.

    Documents that were pooled but not judged are removed; then AP is computed. Documents that were not
    pooled stay and count as not relevant (2008). `unpooled='removed'` removes them as well (2006;
    trec_eval's `-J -m map`). indAP is 0 where R = 0.

    Use it on shallow pools: in our experiments it ranks systems better there than infAP and subAP. It is AP
    where the whole pool is judged.

    >>> indAP.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.3047619])
    """
    hits = r.relevant(rel)
    if unpooled == "removed":
        rank = r.judged_above(hits) + 1
    else:
        rank = hits.rank - (r.above(hits) - r.judged_above(hits))
    return ratio(hits.total(hits.place / rank), r.known(rel))


@measure(estimates="AP", takes=EVEN, cite=("yilmaz2008",))
def subAP(r: JudgedRankings, *, rel: int = 1, share: float | None = None, seed: int | None = None) -> Floats:
    """Subcollection average precision: AP in a collection that was sampled as the judgments were.

    If a share p of the pool is judged, each document that was not pooled is kept with probability p, and
    those pooled but not judged are removed. The expected precision at a relevant document is

        sum over i = 0..nd of C(nd, i) p^i (1 - p)^(nd - i) r / (r + n + i)

    where r and n are the numbers of judged relevant and nonrelevant documents at or above its rank and nd
    is the number of documents above it that were not pooled. subAP is the mean over the R relevant
    documents, and 0 where R = 0.

    p is the judged share of the query's pool unless `share` gives it. `seed` draws one such collection
    instead of taking the expectation; each query and rank has one draw, the same for every run.

    Use it to estimate AP from a uniform sample. It is indAP where the whole pool is judged.

    >>> ranking = JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0")
    >>> subAP(share=0.5).compute(ranking)
    array([0.34976852])
    """
    hits = r.relevant(rel)
    p = r.judgments.sampled_share if share is None else np.full(len(r.judgments.queries), share)
    judged = r.judged_above(hits) + 1
    if seed is None:
        unpooled = hits.rank - 1 - r.above(hits)
        precision = hits.place * inverse_of_sample(judged, unpooled, p[r.query[hits.ranking]])
    else:
        precision = hits.place / (judged + _kept_above(r, hits, p, seed))
    return ratio(hits.total(precision), r.known(rel))


def inverse_of_sample(a: Integers, n: Integers, p: Floats) -> Floats:
    """E[1 / (a + Binomial(n, p))], for each a, n and p.

    It is I(a, n) = integral from 0 to 1 of t^(a-1) (1 - p + p t)^n. Integration by parts and the
    binomial recursion together give I(a, n) (a + n) = 1 + n (1 - p) I(a, n-1). All terms are positive, and
    each step shrinks an error by at least n (1 - p) / (a + n). So the recursion may start from 0, as far
    below n as it takes for that error to vanish.
    """
    result: Floats = 1 / a
    some = n.nonzero()[0]
    a, n, p = a[some], n[some], p[some]
    shrinks = n * (1 - p) / (a + n)
    with np.errstate(divide="ignore"):
        needed = np.ceil(np.log(NOTHING_LEFT) / np.log(shrinks))
    steps = np.minimum(np.maximum(needed, 1), n).astype(np.int32)
    few = steps.max(initial=0) <= np.iinfo(np.int16).max  # then they are sorted many times as fast
    order = np.argsort(-steps.astype(np.int16 if few else np.int32), kind="stable")
    for start in range(0, len(order), BLOCK):
        own = order[start : start + BLOCK]  # the longest first, so that those under way stand in front
        result[some[own]] = _recursion(a[own].astype(float), n[own].astype(float), 1 - p[own], steps[own])
    return result


def _recursion(a: Floats, n: Floats, q: Floats, steps: NDArray[np.int32]) -> Floats:
    """I = (1 + n q I) / (a + n) for the given steps up to n, the longest first."""
    value = np.where(steps < n, 0.0, 1 / a)
    last = np.stack([n, a + n])
    sizes, totals = np.empty_like(last), np.empty_like(n)
    under_way = (-steps).searchsorted(-np.arange(steps.max(initial=0))).tolist()
    for left in range(len(under_way) - 1, -1, -1):
        way = slice(under_way[left])
        now, below = np.subtract(last[:, way], left, out=sizes[:, way])
        above = np.multiply(now, q[way], out=totals[way])
        above *= value[way]
        above += 1
        np.divide(above, below, out=value[way])
    return value


def _kept_above(r: JudgedRankings, hits: JudgedRankings, p: Floats, seed: int) -> Integers:
    """How many unpooled documents above each hit are kept by one random subcollection."""
    deepest = int(r.rank.max(initial=0))
    kept = np.zeros((len(p), deepest + 1), np.int64)
    for q, name in enumerate(r.judgments.queries.tolist()):
        kept[q, 1:] = np.random.default_rng([seed, crc32(name)]).random(deepest) < p[q]
    query = r.query[hits.ranking]
    pooled = kept[r.query[r.ranking], r.rank].astype(bool)
    return kept.cumsum(axis=1)[query, hits.rank - 1] - r.above(hits, pooled)
