"""Estimates from samples with known inclusion probabilities (Aslam and Pavlu, 2007).

A judged document that was drawn with probability pi stands for 1 / pi documents. Where no probabilities are
recorded, pi is the judged share of the document's stratum, or of the query's pool if there are no strata.

Average precision counts pairs of relevant documents, and a pair is drawn with a joint probability. statAP's
script uses the product pi_i pi_j, which is right if documents are drawn independently of each other. In
samples of fixed size two documents of a stratum are drawn together less often (`fixed_size.py`).
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask, ends, owners, ranges, sums
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.measures.stratified import Strata
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

BY_PROBABILITY = frozenset({"statAP", "statAPVariance", "statRprec", "statP"})
"""The measures that divide by inclusion probabilities: documents must have been drawn at random."""


@measure(estimates="AP", range=(0.0, inf), cite=("aslam2007",))
def statAP(r: JudgedRankings, *, rel: int = 1, pairs: str = "independent") -> Floats:
    """AP estimated from a sample with inclusion probabilities.

    At a sampled relevant document at rank k, precision is (1 + sum of 1/pi over the sampled relevant
    documents above it) / k; statAP = (1/R) sum of precision / pi, with R = sum of 1/pi over all sampled
    relevant documents, retrieved or not. 0 where there is none. The unjudged count through the
    probabilities of those that were drawn.

    This is statAP's script, which takes documents as drawn independently of each other. In samples of fixed
    size its sum is too low. `pairs='joint'` uses the joint probabilities instead: in the sum of 1/pi, a
    document of the same stratum counts n (N - 1) / ((n - 1) N) times as much, if n of the N documents of that
    stratum were drawn. The sum is then unbiased; the quotient is not, because R is estimated too.

    Use it where documents were drawn with different probabilities, with `pairs='joint'` if the strata are
    recorded.

    >>> statAP.compute(JudgedRankings.spelled("0 1 1 0", missed="1 0"))
    array([0.38888889])
    >>> statAP(pairs="joint").compute(JudgedRankings.spelled("1 U 1 0", missed="U U"))
    array([1.08333333])
    """
    hits, precision = _precision(r, rel, pairs)
    return ratio(hits.total(precision / r.judgments.inclusion[hits.row]), relevant_total(r, rel))


@measure(estimates="AP", quality=False, cite=("aslam2007",))
def statAPVariance(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """Estimated variance of statAP over samples, for one query, at most 1.

    With y = (precision - statAP) / pi for sampled relevant documents (precision 0 for those not
    retrieved), b the sum of 1 / (pi rank) over the relevant ones below a document, n sampled
    documents and n' of them retrieved:

        [sum (1 - pi) y^2 - 2/(n - 1) sum over pairs y_i y_j + sum b^2 (1 - pi)/pi^2] n / ((n' + 0.1) R^2)

    as statAP's script (version 4) computes it; it can be far too low or too high. The variance of the mean
    over T queries is the sum / T^2. 0 where no relevant document was drawn. The unjudged count through the
    probabilities.

    Use it to compare with the script; otherwise ask for AP with the interval 'sampling'.

    >>> statAPVariance.compute(JudgedRankings.spelled("0 1 1 0", missed="1 0")).round(4)
    array([0.0078])
    """
    hits, precision = _precision(r, rel, "independent")
    ranking, row, retrieved = _every_relevant(r, hits, rel)
    relevant, value = relevant_total(r, rel), statAP.function(r, rel=rel)

    def over(values: Floats) -> Floats:
        return sums(values, ranking, len(r))

    drawn = _drawn(r.judgments, 0)
    pi, pi_hit = r.judgments.inclusion[row], r.judgments.inclusion[hits.row]
    at_all = np.zeros(len(row))
    at_all[retrieved] = precision
    y = (at_all - value[ranking]) / pi
    products = (over(y) ** 2 - over(y**2)) / 2
    n = sums(drawn, r.judgments.query, len(r.judgments.queries))[r.query]
    share = 1 / (pi_hit * hits.rank)
    below = hits.total(share)[hits.ranking] - hits.running(share, np.add)
    order = hits.total(below**2 * (1 - pi_hit) / pi_hit**2)
    spread = over((1 - pi) * y**2) - 2 * ratio(products, n - 1) + order
    variance = ratio(spread, relevant**2) * n / (r.where(drawn[r.row]).counts + 0.1)
    return np.clip(variance, 0.0, 1.0)


@measure(estimates="Rprec", range=(0.0, inf), cite=("aslam2007",))
def statRprec(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """R-precision estimated from a sample with inclusion probabilities.

    (1/R) times the sum of 1/pi over the sampled relevant documents among the first R, with R the estimated
    number of relevant documents, rounded where the ranking is that long. 0 where there is none. The
    unjudged count through the probabilities of those that were drawn.

    Use it as Rprec where documents were drawn with different probabilities.

    >>> statRprec.compute(JudgedRankings.spelled("0 1 1 0", missed="1 0"))
    array([0.66666667])
    """
    hits = r.where(_drawn(r.judgments, rel)[r.row])
    relevant = relevant_total(r, rel)
    depth = np.floor(relevant + 0.5)
    hits_there = hits.total((hits.rank <= depth[hits.ranking]) / r.judgments.inclusion[hits.row])
    return ratio(hits_there, np.where(r.retrieved < depth, relevant, depth))


@measure(estimates="P", range=(0.0, inf), cite=("aslam2007",))
def statP(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Precision at k estimated from a sample with inclusion probabilities.

    statP@k = (1/k) times the sum of 1/pi over the sampled relevant documents among the first k. The unjudged
    count through the probabilities of those that were drawn.

    Use it as P@k where documents were drawn with different probabilities.

    >>> (statP @ 2).compute(JudgedRankings.spelled("0 1 1 0", missed="1 0"))
    array([0.5])
    """
    hits = r.where(_drawn(r.judgments, rel)[r.row] & (r.rank <= cutoff))
    return hits.total(1 / r.judgments.inclusion[hits.row]) / cutoff


def relevant_total(r: JudgedRankings, rel: int) -> Floats:
    """R: how many relevant documents the sample of each ranking's query stands for."""
    judgments = r.judgments
    rows = np.flatnonzero(_drawn(judgments, rel))
    total = sums(1 / judgments.inclusion[rows], judgments.query[rows], len(judgments.queries))
    return total[r.query]


def _drawn(judgments: Judgments, lowest: int) -> Mask:
    """Which documents were sampled, with a known probability, and have at least this grade."""
    return (judgments.grade >= lowest) & np.isfinite(judgments.inclusion)


def _precision(r: JudgedRankings, rel: int, pairs: str) -> tuple[JudgedRankings, Floats]:
    """Return the sampled relevant documents of each ranking, and the estimated precision at each."""
    hits = r.where(_drawn(r.judgments, rel)[r.row])
    stands_for = 1 / r.judgments.inclusion[hits.row]
    above = hits.running(np.where(hits.place > 1, np.roll(stands_for, 1), 0.0), np.add)
    if pairs == "joint":
        strata = Strata.of(r.judgments)
        own, _ = strata.within(hits, stands_for)
        above += (strata.pair_weight(strata.sampled)[strata.cell[hits.row]] - 1) * own
    return hits, (1 + above) / hits.rank


def _every_relevant(r: JudgedRankings, hits: JudgedRankings, rel: int) -> tuple[Integers, Integers, Integers]:
    """Every sampled relevant document once for each ranking of its query: which ranking, which row.

    And the places among them of those that the rankings retrieved, `hits`.
    """
    judgments = r.judgments
    rows = np.flatnonzero(_drawn(judgments, rel))
    first = np.searchsorted(rows, judgments.offsets[:-1])[r.query]
    counts = np.searchsorted(rows, judgments.offsets[1:])[r.query] - first
    place = np.searchsorted(rows, hits.row) + (ends(counts)[:-1] - first)[hits.ranking]
    return owners(counts), rows[ranges(first, counts)], place
