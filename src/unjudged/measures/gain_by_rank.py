"""Gain of a ranking compared with the ideal one at many ranks: trec_eval's experimental measures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import owners, ranges, sums
from unjudged.measures.gain import gain_of, ideal_rankings
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

Gains = Mapping[int, float] | None


class Gain:
    """Documents of each ranking that have a gain, and the ideal rankings of the queries."""

    def __init__(self, r: JudgedRankings, gains: Gains) -> None:
        gain, known = gain_of(r.labels, "log2", gains), gain_of(r.judgments.grade, "log2", gains)
        self.hits, self.gain = r.where(gain != 0), gain[gain != 0]
        self.best = ideal_rankings(r.judgments, known)
        self.best_gain = known[self.best.row]
        self.discounted: Floats = self.gain / np.log2(self.hits.rank + 1.0)
        self.best_discounted: Floats = self.best_gain / np.log2(self.best.rank + 1.0)
        self.query = r.query[self.hits.ranking]
        self.ndcg = ratio(self.hits.total(self.discounted), self.best.total(self.best_discounted)[r.query])

    def ideal(self, values: Floats) -> Floats:
        """For values of the documents in the ideal rankings, their sums down to the rank of each hit."""
        reached = np.minimum(self.hits.rank, self.best.counts[self.query])
        running = np.append(self.best.running(values, np.add), 0.0)
        last = np.where(reached > 0, self.best.offsets[self.query] + reached, 0) - 1
        sums_there: Floats = running[last]
        return sums_there


@measure(trec_eval="ndcg_rel")
def nDCGRel(r: JudgedRankings, *, gains: Gains = None) -> Floats:
    """Mean of nDCG over the relevant documents, at the rank of each.

    nDCGRel = (1/n) sum over the n judged documents with a gain of nDCG@k, where k is the document's rank; a
    document that was not retrieved adds the nDCG of the whole ranking. The gain is the grade; `gains={1: 1,
    2: 5}` sets the gains of some grades. It is 0 where n = 0. An unjudged document has gain 0.

    Use it where no single cutoff suits all queries.

    >>> nDCGRel.compute(JudgedRankings.spelled("0 2 N 1", missed="1"))
    array([0.52026549])
    """
    own = Gain(r, gains)
    so_far = own.hits.running(own.discounted, np.add)
    there = ratio(so_far, own.ideal(own.best_discounted))
    known, retrieved = own.best.counts[r.query], own.hits.total(own.gain > 0)
    total = own.hits.total(np.where(own.gain > 0, there, 0.0)) + (known - retrieved) * own.ndcg
    return np.maximum(ratio(total, known), 0.0)


@measure(trec_eval="Rndcg")
def RnDCG(r: JudgedRankings, *, rel: int = 1, gains: Gains = None) -> Floats:
    """Mean of nDCG over the ranks at which the gain of the ideal ranking changes.

    If two documents are judged 2 and five are judged 1, it is the mean of nDCG@2 and nDCG@7. A ranking that
    is longer than the last of these ranks by two or more also contributes its own nDCG (trec_eval's rule).
    `gains={1: 1, 2: 5}` sets the gains of some grades. It is 0 where R = 0. An unjudged document has gain
    0.

    Use it like Rprec, with graded judgments.

    >>> RnDCG.compute(JudgedRankings.spelled("0 2 N 1", missed="1"))
    array([0.20151514])
    """
    own = Gain(r, gains)
    best, gain = own.best, own.best_gain
    changes = np.flatnonzero(
        np.append(gain[1:] != gain[:-1], gain[-1:] > 0) | (best.rank == best.counts[best.ranking])
    )
    first = np.searchsorted(best.ranking[changes], np.arange(len(best) + 1))
    counts = np.diff(first)[r.query]
    ranking, change = owners(counts), changes[ranges(first[r.query], counts)]
    ideal = best.running(own.best_discounted, np.add)[change]
    reached = ratio(_down_to(own, ranking, best.rank[change]), ideal)
    longer = (counts > 0) & (r.retrieved > best.counts[r.query] + 1)
    total = sums(reached, ranking, len(r)) + np.where(longer, own.ndcg, 0.0)
    return np.where(r.known(rel) > 0, ratio(total, counts + longer), 0.0)


def _down_to(gain: Gain, ranking: Integers, rank: NDArray[np.int32]) -> Floats:
    """Return the DCG of rankings, each down to its own rank."""
    hits = gain.hits
    deep = int(hits.rank.max(initial=0)) + 1
    place = np.searchsorted(
        hits.ranking * deep + hits.rank, ranking * deep + np.minimum(rank, deep - 1), "right"
    )
    running = np.concatenate([[0.0], hits.running(gain.discounted, np.add)])
    return np.where(place > hits.offsets[ranking], running[place], 0.0)


@measure(trec_eval="G")
def G(r: JudgedRankings, *, gains: Gains = None) -> Floats:
    """Normalised gain: each document's gain, discounted by how far the ranking lags behind the ideal one.

    G = sum over retrieved documents of gain / log2(2 + c - g), divided by the sum of all gains, where g is
    the gain down to the document and c that of the ideal ranking down to the same rank, with each document
    counting at least 1. `gains={1: 1, 2: 5}` sets the gains of some grades. G is 0 where no judged document
    has a gain. An unjudged document has gain 0.

    Use it where a late document should be forgiven if all documents before it were good.

    >>> G.compute(JudgedRankings.spelled("0 2 N 1", missed="1"))
    array([0.44046488])
    """
    own = Gain(r, gains)
    rank, size = own.hits.rank, own.best.counts[own.query]
    cost = own.ideal(np.maximum(own.best_gain, 1.0)) + np.maximum(rank - size, 0)
    behind = 2 + cost - own.hits.running(own.gain, np.add)
    return ratio(own.hits.total(own.gain / np.log2(behind)), own.best.total(own.best_gain)[r.query])


@measure(diluted=True, trec_eval="binG")
def BinG(r: JudgedRankings, *, rel: int = 1) -> Floats:
    """G for binary judgments: the mean over relevant documents of 1 / log2(2 + nonrelevant above).

    A relevant document that was not retrieved adds 0. BinG is 0 where R = 0. Unjudged documents count as
    not relevant.

    Use it like G where judgments are not graded.

    >>> BinG.compute(JudgedRankings.spelled("0 1 N 1", missed="1"))
    array([0.37697658])
    """
    hits = r.relevant(rel)
    return ratio(hits.total(1 / np.log2(2.0 + hits.rank - hits.place)), r.known(rel))
