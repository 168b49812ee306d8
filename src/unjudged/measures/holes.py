"""Documents that are judged for no query."""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.registry import measure
from unjudged.rankings.judged import Floats, JudgedRankings

ONLY_EVALUATE = "Hole needs to know what is judged for other queries, which only evaluate finds out"


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
    """How many of the first documents of each ranking are judged for another query only."""
    if r.elsewhere is None:
        if len(r.judgments.queries) > 1:
            raise UsageError(ONLY_EVALUATE)
        return np.zeros(len(r))
    ranking, rank = r.elsewhere
    counted = ranking[rank <= top[ranking]]
    return np.bincount(counted, minlength=len(r)).astype(float)
