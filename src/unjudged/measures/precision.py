"""Measures of relevant and not relevant: precision, recall and what is made of them.

An unjudged document counts as not relevant in all of them, as it does in trec_eval.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from unjudged.measures import chance
from unjudged.measures.registry import measure, ratio
from unjudged.rankings.judged import Floats, JudgedRankings

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@measure(
    chance=chance.of_ap,
    diluted=True,
    trec_eval={"map": (), "map_cut": CUTOFFS},
    aliases=("MAP",),
    cite=("harman1993",),
)
def AP(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Average precision: the mean, over the relevant documents, of the precision at each one's rank.

    AP = (1/R) sum over retrieved relevant documents at ranks k of (relevant at or above k) / k, with
    R the judged relevant documents of the query. A relevant document that was not retrieved (or is
    below the cutoff) adds 0. 0 where R = 0. The unjudged count as not relevant.

    Use it to compare systems over the whole ranking when nearly all that they retrieve is judged.

    >>> AP.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.26111111])
    """
    hits = r.relevant(rel, cutoff)
    return ratio(hits.total(hits.place / hits.rank), r.known(rel))


def _weight(rank: Floats, cutoff: float, **_: Any) -> Floats:
    return (rank <= cutoff) / cutoff


@measure(
    pointwise=True,
    weight=_weight,
    chance=chance.of_precision,
    trec_eval={"P": CUTOFFS},
    aliases=("Precision",),
)
def P(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Precision at k: the share of the first k documents that is relevant.

    P@k = (relevant at ranks 1 to k) / k. A shorter ranking is filled up with documents that are not
    relevant. The unjudged count as not relevant.

    Use it for what a user sees on the first page.

    >>> (P @ 5).compute(JudgedRankings.spelled("0 1 U N 1 N"))
    array([0.4])
    """
    return r.relevant(rel, cutoff).counts / cutoff


@measure(chance=chance.of_recall, diluted=True, trec_eval={"recall": CUTOFFS}, aliases=("Recall",))
def R(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Recall at k: the share of the relevant documents that is among the first k.

    R@k = (relevant at ranks 1 to k) / R. 0 where no document is judged relevant. The unjudged count
    as not relevant, and what nobody judged is missing from R too.

    Use it for the first stage of a pipeline, and where missing a document is what hurts.

    >>> (R @ 5).compute(JudgedRankings.spelled("0 1 U N 1 N", missed="1 1"))
    array([0.5])
    """
    return ratio(r.relevant(rel, cutoff).counts, r.known(rel))


@measure(monotone=True, trec_eval="Rprec", aliases=("RPrec",))
def Rprec(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """R-precision: precision at rank R, the number of documents judged relevant.

    Rprec = (relevant at ranks 1 to R) / R. 0 where R = 0. The unjudged count as not relevant.

    Use it where queries differ much in how many relevant documents they have.

    >>> Rprec.compute(JudgedRankings.spelled("0 1 U N 1 N", missed="1"))
    array([0.33333333])
    """
    hits, relevant = r.relevant(rel), r.known(rel)
    return ratio(hits.total(hits.rank <= relevant[hits.ranking]), relevant)


@measure(
    pointwise=True,
    chance=chance.of_reciprocal_rank,
    trec_eval="recip_rank",
    aliases=("MRR",),
    cite=("voorhees1999",),
)
def RR(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Reciprocal rank: 1 divided by the rank of the first relevant document.

    0 where none was retrieved (above the cutoff). The unjudged count as not relevant.

    Use it where one relevant document is enough.

    >>> RR.compute(JudgedRankings.spelled("0 1 U N 1 N"))
    array([0.5])
    """
    hits = r.relevant(rel, cutoff)
    return hits.total((hits.place == 1) / hits.rank)


@measure(pointwise=True, chance=chance.of_success, trec_eval={"success": (1, 5, 10)})
def Success(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Success at k: 1 if any of the first k documents is relevant, else 0.

    The unjudged count as not relevant.

    Use it where one relevant document among the first k is enough.

    >>> (Success @ 1).compute(JudgedRankings.spelled("0 1 U"))
    array([0.])
    """
    return np.minimum(r.relevant(rel, cutoff).counts, 1.0)


@measure(diluted=True, trec_eval={"iprec_at_recall": tuple(i / 10 for i in range(11))}, cite=("salton1983",))
def IPrec(r: JudgedRankings, *, rel: int = 1, recall: float, rounding: str = "up") -> Floats:
    """Interpolated precision: the highest precision at any rank where recall is at least that much.

    `IPrec@0.1` looks from the rank on that holds the n-th relevant document, n being recall x R
    rounded up; `rounding='nearest'` rounds as trec_eval 10 does, `'up'` is the definition and
    trec_eval 9's way. 0 where so many were never retrieved, and where R = 0. The unjudged count as
    not relevant.

    Use it for precision-recall curves.

    >>> (IPrec @ 0.5).compute(JudgedRankings.spelled("0 1 N 1 N", missed="1 1"))
    array([0.5])
    """
    hits = r.relevant(rel)
    wanted = recall * r.known(rel)
    # trec_eval 9 truncates after adding 0.9; trec_eval 10 rounds half away from zero.
    needed = np.floor(wanted + (0.9 if rounding == "up" else 0.5))
    reached = hits.place >= needed[hits.ranking]
    best = np.zeros(len(r))
    np.maximum.at(best, hits.ranking[reached], (hits.place / hits.rank)[reached])
    return best


@measure(pointwise=True, chance=chance.of_precision, trec_eval="set_P")
def SetP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Precision of the whole retrieved set: relevant retrieved / retrieved.

    0 where nothing was retrieved. The unjudged count as not relevant.

    Use it for systems that return a set.

    >>> SetP.compute(JudgedRankings.spelled("0 1 U N 1"))
    array([0.4])
    """
    return ratio(r.relevant(rel).counts, r.retrieved)


@measure(diluted=True, chance=chance.of_recall, trec_eval="set_recall")
def SetR(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Recall of the whole retrieved set: relevant retrieved / R.

    0 where R = 0. The unjudged count as not relevant.

    Use it for systems that return a set.

    >>> SetR.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.5])
    """
    return ratio(r.relevant(rel).counts, r.known(rel))


@measure(diluted=True, trec_eval="set_F", cite=("vanrijsbergen1979",))
def SetF(r: JudgedRankings, *, rel: int = 1, beta: float = 1.0) -> Floats:
    """F of the whole retrieved set: (1 + b^2) P R / (b^2 P + R), b = beta.

    beta above 1 favours recall. (trec_eval's `set_F.x` has x in the place of b^2.) 0 where nothing
    relevant was retrieved. The unjudged count as not relevant.

    Use it for systems that return a set.

    >>> SetF.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.44444444])
    """
    found = r.relevant(rel).counts
    precision, recall = ratio(found, r.retrieved), ratio(found, r.known(rel))
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)
