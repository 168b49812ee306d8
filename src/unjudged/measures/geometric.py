"""Measures with a geometric mean over queries, in which a query on which a system fails weighs heavily."""

from __future__ import annotations

import numpy as np

from unjudged.measures.kernel.averages import GEOMETRIC
from unjudged.measures.kernel.registry import measure
from unjudged.measures.precision import AP
from unjudged.measures.preference import Bpref
from unjudged.rankings.judged import Floats, JudgedRankings


@measure(diluted=True, summary=GEOMETRIC, trec_eval="gm_map", cite=("robertson2006",))
def GMAP(r: JudgedRankings, *, rel: int = 1, eps: float = 0.00001) -> Floats:
    """Average precision for geometric means: AP, but at least `eps`.

    The mean over queries is the exponential of the mean logarithm. Unjudged documents count as not
    relevant.

    Use it where failing on a few queries matters most.

    >>> GMAP.compute(JudgedRankings.spelled("0 1 N 1", missed="1")), GMAP.compute(JudgedRankings.spelled("0"))
    (array([0.33333333]), array([1.e-05]))
    """
    return np.maximum(AP.function(r, rel=rel), eps)


@measure(
    monotone=True,
    skips_unjudged=True,
    summary=GEOMETRIC,
    trec_eval="gm_bpref",
    cite=("buckley2004", "robertson2006"),
)
def GMBpref(r: JudgedRankings, *, rel: int = 1, eps: float = 0.00001) -> Floats:
    """Binary preference for geometric means: Bpref, but at least `eps`.

    The mean over queries is the exponential of the mean logarithm. Unjudged documents are ignored.

    Use it like Bpref where failing on a few queries matters most.

    >>> GMBpref.compute(JudgedRankings.spelled("0 1 N 1", missed="1 0 0"))
    array([0.44444444])
    """
    return np.maximum(Bpref.function(r, rel=rel), eps)
