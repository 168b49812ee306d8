"""Counts of retrieved, relevant and judged documents."""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, JudgedRankings

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
    document that was judged for another query is no hole, although nobody knows whether it is relevant here:
    Hole@k is at most Unjudged@k, which counts what matters for the score of this query. BEIR averages over
    the queries of the run; here a query without a ranking counts as 0.

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
