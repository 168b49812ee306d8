"""Measures made for incomplete judgments."""

from __future__ import annotations

import numpy as np

from unjudged.measures.registry import measure, ratio
from unjudged.rankings.judged import Floats, JudgedRankings


@measure(trec_eval="bpref", aliases=("BPref",), cite=("buckley2004",))
def Bpref(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Binary preference: how rarely a judged nonrelevant document stands above a relevant one.

    Bpref = (1/R) sum over retrieved relevant documents of 1 - min(n, R) / min(J0, R), with n the
    judged nonrelevant documents above it and J0 those of the query; 1 where n = 0. This is
    trec_eval's form since 2005. 0 where R = 0. The unjudged are passed over, pooled or not.

    >>> Bpref.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.5])
    """
    hits, known = r.where(r.labels >= rel), r.known(rel)
    nonrelevant_above = r.above(hits, (r.labels >= 0) & (r.labels < rel))
    worst = np.minimum(known, r.known(0, rel))[hits.ranking]
    lost = ratio(np.minimum(nonrelevant_above, known[hits.ranking]), worst)
    return ratio(hits.total(1 - lost), known)


@measure(range=(0.0, np.inf), trec_eval="infAP", cite=("yilmaz2006", "yilmaz2008"))
def infAP(r: JudgedRankings, *, rel: int = 1, c: float = 2.0, eps: float = 0.00001) -> Floats:
    """Inferred average precision: AP estimated from a sample of the pool.

    infAP = (1/R) sum over retrieved documents judged relevant, at ranks k, of

        1/k + (d/k) (r + eps) / (r + n + c eps)

    with r and n the judged relevant and nonrelevant documents above k and d the pooled ones, judged
    or not; 1 for k = 1. R counts the documents judged relevant. With complete judgments it is AP up
    to the smoothing. A document pooled and not judged counts as relevant as often as the judged ones
    above k are; one that was not pooled is not relevant. 0 where R = 0.

    >>> infAP.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.31296376])
    """
    hits = r.where(r.labels >= rel)
    relevant_above = hits.place - 1
    judged_above = r.above(hits, r.labels >= 0)
    pooled_above = r.above(hits)
    share = (relevant_above + eps) / (judged_above + c * eps)
    expected = np.where(hits.rank == 1, 1.0, (1 + pooled_above * share) / hits.rank)
    return ratio(hits.total(expected), r.known(rel))
