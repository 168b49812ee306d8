"""Measures of what was retrieved as a set: its order does not matter.

An unjudged document counts as not relevant in all of them, as it does in trec_eval.
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.measures import chance
from unjudged.measures.registry import measure, ratio
from unjudged.rankings.judged import Floats, JudgedRankings


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
def SetF(r: JudgedRankings, *, rel: int = 1, beta: float = 1.0, square: float | None = None) -> Floats:
    """F of the whole retrieved set: (1 + b^2) P R / (b^2 P + R), b = beta.

    beta above 1 favours recall. `square` gives b^2 itself, as x does in trec_eval's `set_F.x`. 0 where
    nothing relevant was retrieved. The unjudged count as not relevant.

    Use it for systems that return a set.

    >>> SetF.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.44444444])
    """
    found = r.relevant(rel).counts
    precision, recall = ratio(found, r.retrieved), ratio(found, r.known(rel))
    weight = beta**2 if square is None else square
    return ratio((1 + weight) * precision * recall, weight * precision + recall)


@measure(diluted=True, trec_eval="set_relative_P")
def SetRelP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Relative precision of the whole retrieved set: relevant retrieved / min(retrieved, R).

    The precision divided by the highest it could be. 0 where nothing was retrieved, and where R = 0.
    The unjudged count as not relevant.

    Use it for systems that return a set, where queries have few relevant documents.

    >>> SetRelP.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.5])
    """
    return ratio(r.relevant(rel).counts, np.minimum(r.retrieved, r.known(rel)))


@measure(diluted=True, trec_eval="set_map")
def SetAP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Average precision of the whole retrieved set, as if its documents stood in random order: P x R.

    SetAP = (relevant retrieved)^2 / (retrieved x R), the product of SetP and SetR. 0 where nothing was
    retrieved, and where R = 0. The unjudged count as not relevant.

    Use it for systems that return a set, in the place of AP.

    >>> SetAP.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([0.2])
    """
    found = r.relevant(rel).counts.astype(float)
    return ratio(found * found, r.retrieved * r.known(rel).astype(float))


@measure(range=(-inf, inf), quality=False, trec_eval="utility")
def Utility(
    r: JudgedRankings,
    *,
    rel: int = 1,
    weights: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0),
    documents: int = 0,
) -> Floats:
    """Utility of the whole retrieved set: so much for each document, relevant or not, retrieved or not.

    Utility = w1 (relevant retrieved) + w2 (others retrieved) + w3 (relevant missed) + w4 (others not
    retrieved), with the four `weights`; the last number is known only if `documents` gives the size of the
    collection. The unjudged count as not relevant.

    Use it for filtering, where each document that is delivered has a price.

    >>> Utility.compute(JudgedRankings.spelled("0 1 U N 1", missed="1 1"))
    array([-1.])
    """
    found, known = r.relevant(rel).counts, r.known(rel)
    numbers = (found, r.retrieved - found, known - found, documents + found - r.retrieved - known)
    total = np.zeros(len(r))
    for weight, number in zip(weights, numbers, strict=True):
        total += weight * number
    return total
