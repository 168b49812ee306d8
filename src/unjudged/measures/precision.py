"""Measures of binary relevance: precision, recall, preferences and measures derived from them.

An unjudged document counts as not relevant, as in trec_eval. Bpref and its kin leave it out.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from unjudged.base.segments import Floats, Integers
from unjudged.measures.kernel import chance
from unjudged.measures.kernel.measure import GEOMETRIC
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.origin import WITH_NONRELEVANT

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@measure(
    chance=chance.of_ap,
    diluted=True,
    trec_eval={"map": (), "map_cut": CUTOFFS},
    aliases=("MAP",),
    cite=("harman1993",),
)
def AP(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Average precision: the mean of the precisions at the ranks of the relevant documents.

    AP = (1/R) sum over retrieved relevant documents at ranks k of (relevant at or above k) / k. A relevant
    document that was not retrieved, or is below the cutoff, adds 0. AP is 0 where R = 0. Unjudged documents
    count as not relevant.

    Use it to compare systems over the whole ranking when nearly everything they retrieve is judged.

    >>> AP.compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0"))
    array([0.26111111])
    """
    return ratio(r.sum_precisions(rel, cutoff), r.known(rel))


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


@measure(diluted=True, range=(-inf, inf), trec_eval="yaap", cite=("robertson2012",))
def yaAP(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Average precision on the scale of log odds: "yet another average precision" (Robertson, 2012).

    yaAP = ln((1 + S) / (1 + R - S)), where S is the sum of the precisions at the retrieved relevant
    documents, so that S / R is AP. The ones are smoothing; they make it 0 where R = 0. Unjudged documents
    count as not relevant.

    Use it to average over queries of very different difficulty: it spreads out the values that AP crowds
    near 0 and 1.

    >>> yaAP.compute(JudgedRankings.spelled("0 1 N 1", missed="1"))
    array([-0.40546511])
    """
    total = r.sum_precisions(rel)
    return np.log((1 + total) / (1 + r.known(rel) - total))


def _weight(rank: Floats, cutoff: float, **_: Any) -> Floats:
    """Return what a relevant document at each rank adds to P."""
    return (rank <= cutoff) / cutoff


@measure(
    pointwise=True,
    weight=_weight,
    chance=chance.of_precision,
    trec_eval={"P": CUTOFFS},
    aliases=("Precision",),
)
def P(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Precision at k: the share of the first k documents that are relevant.

    P@k = (relevant at ranks 1 to k) / k. A ranking shorter than k is filled up with documents that are not
    relevant. Unjudged documents count as not relevant.

    Use it for what a user sees on the first page.

    >>> (P @ 5).compute(JudgedRankings.spelled("0 1 U N 1 N"))
    array([0.4])
    """
    return r.relevant(rel, cutoff).counts / float(cutoff)


@measure(chance=chance.of_recall, diluted=True, trec_eval={"recall": CUTOFFS}, aliases=("Recall",))
def R(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Recall at k: the share of the relevant documents that are among the first k.

    R@k = (relevant at ranks 1 to k) / R. It is 0 where R = 0. Unjudged documents count as not relevant, and
    relevant documents that nobody judged are missing from R as well.

    Use it for the first stage of a pipeline, and where a missed document is costly.

    >>> (R @ 5).compute(JudgedRankings.spelled("0 1 U N 1 N", missed="1 1"))
    array([0.5])
    """
    return ratio(r.relevant(rel, cutoff).counts, r.known(rel))


@measure(monotone=True, trec_eval={"relative_P": CUTOFFS})
def RelP(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Relative precision at k: precision divided by the highest value it could have.

    RelP@k = (relevant at ranks 1 to k) / min(k, R). It is precision where k is below R and recall where k
    is above. It is 0 where R = 0. Unjudged documents count as not relevant.

    Use it where a query may have fewer relevant documents than the cutoff.

    >>> (RelP @ 5).compute(JudgedRankings.spelled("0 1 U N 1 N", missed="1"))
    array([0.66666667])
    """
    hits = r.relevant(rel, cutoff).counts
    return ratio(hits, np.minimum(r.known(rel), float(cutoff)))


@measure(monotone=True, trec_eval="Rprec", aliases=("RPrec",))
def Rprec(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """R-precision: precision at rank R.

    Rprec = (relevant at ranks 1 to R) / R. It is 0 where R = 0. Unjudged documents count as not relevant.

    Use it where the number of relevant documents differs greatly between queries.

    >>> Rprec.compute(JudgedRankings.spelled("0 1 U N 1 N", missed="1"))
    array([0.33333333])
    """
    hits, relevant = r.relevant(rel), r.known(rel)
    return ratio(hits.total(hits.rank <= relevant[hits.ranking]), relevant)


@measure(monotone=True, trec_eval={"Rprec_mult": tuple(i / 5 for i in range(1, 11))})
def RprecMult(r: JudgedRankings, *, rel: int = 1, multiple: float) -> Floats:
    """Precision at a multiple of R: `RprecMult@2` looks at the first 2R documents.

    RprecMult@m = (relevant at ranks 1 to n) / n, where n is m R rounded up (as in trec_eval: 0.9 is added
    and the fraction dropped). It is 0 where n = 0, so also where R = 0. A ranking shorter than n is filled
    up with documents that are not relevant. Unjudged documents count as not relevant. RprecMult@1 is Rprec.

    Use it to see whether a system is good at the top or further down.

    >>> (RprecMult @ 2).compute(JudgedRankings.spelled("0 1 U N 1 N", missed="1"))
    array([0.33333333])
    """
    hits, depth = r.relevant(rel), np.floor(multiple * r.known(rel) + 0.9)
    return ratio(hits.total(hits.rank <= depth[hits.ranking]), depth)


@measure(
    pointwise=True,
    chance=chance.of_reciprocal_rank,
    trec_eval="recip_rank",
    aliases=("MRR",),
    cite=("voorhees1999",),
)
def RR(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Reciprocal rank: 1 divided by the rank of the first relevant document.

    It is 0 where no relevant document was retrieved, or none above the cutoff. Unjudged documents count as
    not relevant.

    Use it where one relevant document is enough.

    >>> RR.compute(JudgedRankings.spelled("0 1 U N 1 N"))
    array([0.5])
    """
    hits = r.relevant(rel, cutoff)
    return hits.total((hits.place == 1) / hits.rank)


@measure(pointwise=True, chance=chance.of_success, trec_eval={"success": (1, 5, 10)})
def Success(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Success at k: 1 if any of the first k documents is relevant, else 0.

    Unjudged documents count as not relevant.

    Use it where one relevant document among the first k is enough.

    >>> (Success @ 1).compute(JudgedRankings.spelled("0 1 U"))
    array([0.])
    """
    return np.minimum(r.relevant(rel, cutoff).counts, 1.0)


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

    `recalls=(0.2, 0.5, 0.8)` gives other levels; `rounding` is as in IPrec. IAP is 0 where R = 0.
    Unjudged documents count as not relevant.

    Use it to compare with results from before AP replaced it.

    >>> IAP.compute(JudgedRankings.spelled("0 1 N 1 N", missed="1 1"))
    array([0.27272727])
    """
    total = np.zeros(len(r))
    for recall in reversed(recalls):
        total += IPrec.function(r, rel=rel, recall=recall, rounding=rounding)
    return total / len(recalls)


@measure(
    monotone=True,
    skips_unjudged=True,
    takes=WITH_NONRELEVANT,
    trec_eval="bpref",
    aliases=("BPref",),
    cite=("buckley2004",),
)
def Bpref(r: JudgedRankings, *, rel: int = 1, form: str = "trec_eval") -> Floats:
    """Binary preference: how rarely judged nonrelevant documents are ranked above relevant ones.

    Bpref = (1/R) sum over retrieved relevant documents of 1 - min(n, R) / min(J0, R), where n is the number
    of judged nonrelevant documents above it and J0 in the whole query. The term is 1 where n = 0. This
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


@measure(monotone=True, skips_unjudged=True, takes=WITH_NONRELEVANT, cite=("buckley2004",))
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
    takes=WITH_NONRELEVANT,
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
    """Return Bpref: the mean over relevant documents of 1 - min(nonrelevant above, most) / worst."""
    hits = r.relevant(rel)
    above = r.judged_above(hits) - (hits.place - 1)
    lost = ratio(np.minimum(above, most[hits.ranking]), worst[hits.ranking])
    return ratio(hits.total(1 - lost), r.known(rel))
