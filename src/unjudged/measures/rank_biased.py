"""Rank-biased precision, and how much of it the unjudged leave open."""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.measures.registry import measure
from unjudged.rankings.judged import Floats, JudgedRankings


@measure(monotone=True, cite=("moffat2008",))
def RBP(r: JudgedRankings, *, p: float = 0.8, rel: int = 1, cutoff: float = inf) -> Floats:
    """Rank-biased precision: the chance that a document a user looks at is relevant.

    RBP = (1 - p) sum over relevant documents at ranks k of p^(k-1): the user goes on to the next
    document with probability p. The unjudged count as not relevant, so it is the lower end of what
    the ranking may be worth; `RBPResidual` says how far the upper end is.

    >>> RBP(p=0.8).compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1"))
    array([0.2926543])
    """
    hits = r.where((r.labels >= rel) & (r.rank <= cutoff))
    return (1 - p) * hits.total(p ** (hits.rank - 1.0))


@measure(quality=False, cite=("moffat2008", "park2016"))
def RBPResidual(r: JudgedRankings, *, p: float = 0.8, cutoff: float = inf) -> Floats:
    """The RBP that would be added if every unjudged document were relevant.

    The weights (1 - p) p^(k-1) of all ranks whose document is not judged, those behind the end of
    the ranking (p^L after L documents) among them: 1 - (weights of the judged). With a cutoff,
    all below it counts as unseen. 1 where nothing was retrieved.

    >>> RBPResidual(p=0.8).compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1"))
    array([0.4549169])
    """
    judged = r.where((r.labels >= 0) & (r.rank <= cutoff))
    return np.maximum(1 - (1 - p) * judged.total(p ** (judged.rank - 1.0)), 0.0)
