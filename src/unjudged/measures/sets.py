"""Measures of the retrieved set, whose order does not matter.

In all of them an unjudged document counts as not relevant, as in trec_eval.
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.measures.kernel import chance
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import JudgedRankings


@measure(pointwise=True, chance=chance.of_precision, trec_eval="set_P")
def SetP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Precision of the retrieved set: relevant retrieved / retrieved.

    It is 0 where nothing was retrieved. Unjudged documents count as not relevant.

    Use it for systems that return a set.

    >>> SetP.compute(JudgedRankings.spelled("0 1 U N 1"))
    array([0.4])
    """
    return ratio(r.relevant(rel).counts, r.retrieved)


@measure(diluted=True, chance=chance.of_recall, trec_eval="set_recall")
def SetR(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Recall of the retrieved set: relevant retrieved / R.

    It is 0 where R = 0. Unjudged documents count as not relevant.

    Use it for systems that return a set.

    >>> SetR.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.5])
    """
    return ratio(r.relevant(rel).counts, r.known(rel))


@measure(diluted=True, trec_eval="set_F", cite=("vanrijsbergen1979",))
def SetF(r: JudgedRankings, *, rel: int = 1, beta: float = 1.0, square: float | None = None) -> Floats:
    """F of the retrieved set: (1 + b^2) P R / (b^2 P + R), where b is beta, P precision and R recall.

    A beta above 1 favours recall. `square` gives b^2 itself, as x does in trec_eval's `set_F.x`. F is 0
    where nothing relevant was retrieved. Unjudged documents count as not relevant.

    Use it for systems that return a set.

    >>> SetF.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.44444444])
    """
    hits = r.relevant(rel).counts
    precision, recall = ratio(hits, r.retrieved), ratio(hits, r.known(rel))
    weight = beta**2 if square is None else square
    return ratio((1 + weight) * precision * recall, weight * precision + recall)


@measure(diluted=True, trec_eval="set_relative_P")
def SetRelP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Relative precision of the retrieved set: relevant retrieved / min(retrieved, R).

    This is precision divided by the highest value it could have. It is 0 where nothing was retrieved and
    where R = 0. Unjudged documents count as not relevant.

    Use it for systems that return a set, where queries have few relevant documents.

    >>> SetRelP.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.5])
    """
    return ratio(r.relevant(rel).counts, np.minimum(r.retrieved, r.known(rel)))


@measure(diluted=True, trec_eval="set_map")
def SetAP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Average precision of the retrieved set, as if its documents were in random order: P x R.

    SetAP = (relevant retrieved)^2 / (retrieved x R), the product of SetP and SetR. It is 0 where nothing
    was retrieved and where R = 0. Unjudged documents count as not relevant.

    Use it instead of AP for systems that return a set.

    >>> SetAP.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.2])
    """
    hits = r.relevant(rel).counts.astype(float)
    return ratio(hits * hits, r.retrieved * r.known(rel).astype(float))


@measure(range=(-inf, inf), quality=False, trec_eval="utility")
def Utility(
    r: JudgedRankings,
    *,
    rel: int = 1,
    weights: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0),
    documents: int = 0,
) -> Floats:
    """Utility of the retrieved set: a weight for each document, by whether it is relevant and retrieved.

    Utility = w1 (relevant retrieved) + w2 (nonrelevant retrieved) + w3 (relevant missed) + w4 (nonrelevant
    not retrieved), with the four `weights`. The last count is known only if `documents` gives the size of
    the collection. Unjudged documents count as not relevant.

    Use it for filtering, where each delivered document has a price.

    >>> Utility.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([-1.])
    """
    hits, known = r.relevant(rel).counts, r.known(rel)
    numbers = (hits, r.retrieved - hits, known - hits, documents + hits - r.retrieved - known)
    total = np.zeros(len(r))
    for weight, number in zip(weights, numbers, strict=True):
        total += weight * number
    return total


ONLY_EVALUATE = "Hole needs to know what is judged for other queries, which only evaluate finds out"


@measure(range=(0, inf), summary="sum", ungraded=True, quality=False, trec_eval="num_ret")
def NumRet(r: JudgedRankings) -> Floats:
    """Number of retrieved documents, judged or unjudged.

    >>> NumRet.compute(JudgedRankings.spelled("1 U N 0"))
    array([4.])
    """
    return r.retrieved.astype(float)


@measure(range=(0, inf), summary="sum", quality=False, trec_eval="num_rel")
def NumRel(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Number of documents of the query that are judged relevant, retrieved or not.

    >>> NumRel.compute(JudgedRankings.spelled("1 U N 0", missed="1 2 0"))
    array([3.])
    """
    return r.known(rel).astype(float)


@measure(range=(0, inf), summary="sum", pointwise=True, trec_eval="num_rel_ret")
def NumRelRet(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Number of retrieved documents that are judged relevant.

    >>> NumRelRet.compute(JudgedRankings.spelled("1 U N 0", missed="1 2 0"))
    array([1.])
    """
    return r.relevant(rel, cutoff).counts.astype(float)


@measure(range=(0, inf), summary="sum", quality=False, trec_eval="num_nonrel_judged_ret")
def NumNonrelRet(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Number of retrieved documents that are judged not relevant.

    >>> NumNonrelRet.compute(JudgedRankings.spelled("1 U N 0", missed="1 2 0"))
    array([1.])
    """
    return r.where((r.labels >= 0) & (r.labels < rel)).counts.astype(float)


@measure(ungraded=True, quality=False)
def Judged(r: JudgedRankings, *, cutoff: float = inf) -> Floats:
    """Share of the first k documents that are judged.

    Judged@k = (documents with a grade at ranks 1 to k) / min(k, retrieved). A document that is pooled but
    not judged (-1) is unjudged. It is 0 where nothing was retrieved. Where it is low, the other measures
    rest on assumptions; read them with their intervals.

    Use it beside every other measure.

    >>> (Judged @ 4).compute(JudgedRankings.spelled("1 U N 0 1"))
    array([0.5])
    """
    judged = r.where((r.labels >= 0) & (r.rank <= cutoff))
    return ratio(judged.counts, np.minimum(r.retrieved, float(cutoff)))


@measure(ungraded=True, quality=False, trec_eval={"unj": (5, 10, 20)})
def Unjudged(r: JudgedRankings, *, cutoff: float) -> Floats:
    """Number of unjudged documents among the first k, divided by k.

    Unjudged@k = (documents at ranks 1 to k that are not pooled, or pooled and not judged) / k. A ranking
    shorter than k has fewer documents that could be unjudged, but it is divided by k all the same, as in
    trec_eval 10.

    Use it beside every other measure.

    >>> (Unjudged @ 4).compute(JudgedRankings.spelled("1 U N 0 1"))
    array([0.5])
    """
    judged = r.where((r.labels >= 0) & (r.rank <= cutoff))
    return (np.minimum(r.retrieved, float(cutoff)) - judged.counts) / float(cutoff)


@measure(quality=False, across_queries=True, cite=("thakur2021",))
def Hole(r: JudgedRankings, *, cutoff: float) -> Floats:
    """Number of documents among the first k that are judged for no query, divided by k, as in BEIR.

    Hole@k = (documents at ranks 1 to k that have no grade, neither for this query nor for another) / k. So a
    document that was judged for another query is not a hole, although nobody knows whether it is relevant
    here: Hole@k is at most Unjudged@k, which counts what matters for the score of this query. BEIR averages
    over the queries of the run; here a query without a ranking counts as 0.

    Use it to compare with numbers that BEIR printed; otherwise use Judged or Unjudged.

    >>> (Hole @ 4).compute(JudgedRankings.spelled("1 U N 0 1"))
    array([0.5])
    """
    top = np.minimum(r.retrieved, float(cutoff))
    judged = r.where((r.labels >= 0) & (r.rank <= cutoff)).counts
    return (top - judged - _judged_elsewhere(r, top)) / float(cutoff)


def _judged_elsewhere(r: JudgedRankings, top: Floats) -> Floats:
    """Return how many of the first documents of each ranking are judged for another query only."""
    if r.elsewhere is None:
        if len(r.judgments.queries) > 1:
            raise UsageError(ONLY_EVALUATE)
        return np.zeros(len(r))
    ranking, rank = r.elsewhere
    counted = ranking[rank <= top[ranking]]
    return np.bincount(counted, minlength=len(r)).astype(float)
