"""Measures of the retrieved set, whose order does not matter.

In all of them an unjudged document counts as not relevant, as in trec_eval.
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.measures.kernel import chance
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, JudgedRankings


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
