"""Preference measures: how often a judged nonrelevant document is ranked above a relevant one."""

from __future__ import annotations

import numpy as np

from unjudged.measures.kernel.averages import GEOMETRIC
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings


@measure(
    monotone=True,
    skips_unjudged=True,
    trec_eval="bpref",
    aliases=("BPref",),
    cite=("buckley2004",),
)
def Bpref(r: JudgedRankings, *, rel: int = 1, form: str = "trec_eval") -> Floats:
    """Binary preference: how rarely judged nonrelevant documents are ranked above relevant ones.

    Bpref = (1/R) sum over retrieved relevant documents of 1 - min(n, R) / min(J0, R), where n is the number
    of judged nonrelevant documents above it and J0 that of the whole query. The term is 1 where n = 0. This
    has been trec_eval's form since 2005; `form='paper'` divides by R instead of min(J0, R), as Buckley and
    Voorhees wrote it. Bpref is 0 where R = 0. Unjudged documents are ignored, pooled or not, so judging one
    as nonrelevant can change the value.

    Use it to rank systems when many judgments are missing. Its value does not estimate AP.

    >>> Bpref.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.5])
    """
    relevant = r.known(rel)
    worst = np.minimum(relevant, r.known(0, rel)) if form == "trec_eval" else relevant
    return _preference(r, rel, relevant, worst)


@measure(monotone=True, skips_unjudged=True, cite=("buckley2004",))
def Bpref10(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Bpref-10: binary preference against the first R + 10 judged nonrelevant documents.

    Bpref10 = (1/R) sum over retrieved relevant documents of 1 - min(n, R + 10) / (R + 10), where n is the
    number of judged nonrelevant documents above it. It is 0 where R = 0. Unjudged documents are ignored.

    Use it instead of Bpref where queries have only one or two relevant documents.

    >>> Bpref10.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.60416667])
    """
    relevant = r.known(rel)
    return _preference(r, rel, relevant + 10, relevant + 10)


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


def _preference(r: JudgedRankings, rel: int, most: Integers, worst: Integers) -> Floats:
    """Return the mean over relevant documents of 1 - min(nonrelevant above, most) / worst."""
    hits = r.relevant(rel)
    above = r.judged_above(hits) - (hits.place - 1)
    lost = ratio(np.minimum(above, most[hits.ranking]), worst[hits.ranking])
    return ratio(hits.total(1 - lost), r.known(rel))
