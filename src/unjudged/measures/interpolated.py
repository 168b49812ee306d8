"""Interpolated precision: the best precision that a ranking reaches at a level of recall or above.

An unjudged document counts as not relevant, as in trec_eval.
"""

from __future__ import annotations

import numpy as np

from unjudged.measures.kernel.registry import measure
from unjudged.rankings.judged import Floats, JudgedRankings

TENTHS = tuple(i / 10 for i in range(11))


@measure(diluted=True, trec_eval={"iprec_at_recall": TENTHS}, cite=("salton1983",))
def IPrec(r: JudgedRankings, *, rel: int = 1, recall: float, rounding: str = "up") -> Floats:
    """Interpolated precision: the highest precision at any rank where recall is at least the given level.

    `IPrec@0.1` starts at the rank of the n-th relevant document, where n is recall x R rounded up.
    `rounding='nearest'` rounds as trec_eval 10 does; `'up'` follows the definition and trec_eval 9. It is 0
    where fewer than n relevant documents were retrieved and where R = 0. Unjudged documents count as not
    relevant.

    Use it for precision-recall curves.

    >>> (IPrec @ 0.5).compute(JudgedRankings.spelled("0 1 N 1 N", missed="1 1"))
    array([0.5])
    """
    hits = r.relevant(rel)
    reached = hits.place >= documents_needed(r, rel, recall, rounding)[hits.ranking]
    best = np.zeros(len(r))
    np.maximum.at(best, hits.ranking[reached], (hits.place / hits.rank)[reached])
    return best


def documents_needed(r: JudgedRankings, rel: int, recall: float, rounding: str) -> Floats:
    """How many relevant documents of each ranking's query make up this recall.

    trec_eval 9 truncates after adding 0.9; trec_eval 10 rounds half away from zero.
    """
    needed: Floats = np.floor(recall * r.known(rel) + (0.9 if rounding == "up" else 0.5))
    return needed


@measure(diluted=True, trec_eval="11pt_avg", cite=("salton1983",))
def IAP(
    r: JudgedRankings, *, rel: int = 1, recalls: tuple[float, ...] = TENTHS, rounding: str = "up"
) -> Floats:
    """Interpolated average precision: the mean of IPrec at eleven levels of recall, 0 to 1.

    `recalls=(0.2, 0.5, 0.8)` gives other levels; `rounding` is that of IPrec. IAP is 0 where R = 0.
    Unjudged documents count as not relevant.

    Use it to compare with results from before AP replaced it.

    >>> IAP.compute(JudgedRankings.spelled("0 1 N 1 N", missed="1 1"))
    array([0.27272727])
    """
    total = np.zeros(len(r))
    for recall in reversed(recalls):
        total += IPrec.function(r, rel=rel, recall=recall, rounding=rounding)
    return total / len(recalls)
