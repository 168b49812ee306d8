"""Measures of graded gain: discounted cumulative gain, expected reciprocal rank, and gain rank by rank."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Integers, owners, owners_by_ends, places_by_ends, ranges, sums
from unjudged.data.scan import scanner
from unjudged.measures.kernel import chance
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.measures.precision import CUTOFFS
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments


def gain_of(
    grade: NDArray[np.integer], dcg: str = "log2", gains: Mapping[int, float] | None = None, **_: Any
) -> Floats:
    """Return the gain of each grade, 0 for the unjudged."""
    gain: Floats = np.maximum(grade.astype(float), 0.0)
    if dcg == "exp-log2":
        if gain.max(initial=0) > 1000:
            raise UsageError(f"a grade is {gain.max():.0f}, too high for exponential gains: use dcg='log2'")
        gain = np.exp2(gain) - 1
    return with_given(gains, grade, gain)


def with_given(gains: Mapping[int, float] | None, grade: NDArray[np.integer], gain: Floats) -> Floats:
    """Return the gains of documents; some grades have the given gains."""
    if not gains:
        return gain
    levels = np.array(sorted(gains))
    place = np.minimum(np.searchsorted(levels, grade), len(levels) - 1)
    values = np.array([gains[level] for level in levels.tolist()], float)
    return np.where(levels[place] == grade, values[place], gain)


SHALLOW = 1000
"""Down to such a cutoff discounts are made without asking how deep rankings are."""


def _discounts(cutoff: float, most: int) -> Floats:
    """Return what divides the gain at each rank from 0, down to the cutoff or at least to rank `most`."""
    return _logarithms(int(min(cutoff, 1 << most.bit_length())))


@lru_cache(maxsize=16)
def _logarithms(last: int) -> Floats:
    return np.log2(np.arange(1, last + 2))


class DiscountSums:
    """Sums of nDCG's discounts of the first n ranks, down to a cutoff: the best DCG of n gains of 1."""

    def __init__(self, most: int, cutoff: float) -> None:
        rank = np.arange(1, most + 1)
        self.sums = np.concatenate([[0.0], np.cumsum((rank <= cutoff) / np.log2(rank + 1.0))])

    def __call__(self, n: Integers) -> Floats:
        sums: Floats = self.sums[n]
        return sums

    def between(self, n: Floats) -> Floats:
        """Return the sums for numbers of ranks that are not whole, along a straight line."""
        below = np.minimum(n.astype(np.int64), len(self.sums) - 2)
        sums: Floats = self.sums[below] + (n - below) * np.diff(self.sums)[below]
        return sums


@measure(
    chance=chance.of_ndcg,
    gain=gain_of,
    diluted=True,
    trec_eval={"ndcg": (), "ndcg_cut": CUTOFFS},
    aliases=("NDCG",),
    cite=("jarvelin2002", "burges2005"),
)
def nDCG(
    r: JudgedRankings,
    *,
    cutoff: float = inf,
    dcg: str = "log2",
    gains: Mapping[int, float] | None = None,
) -> Floats:
    """Normalised discounted cumulative gain: the ranking's gain divided by the best possible.

    DCG@k = sum over ranks i up to k of gain_i / log2(i + 1). nDCG divides it by the DCG@k of the judged
    documents sorted by gain. The gain is the grade; with `dcg='exp-log2'` it is 2^grade - 1; `gains={1: 1,
    2: 5}` sets the gains of some grades. nDCG is 0 where no judged document has a gain. An unjudged
    document has gain 0.

    Use it with graded judgments, at a cutoff down to which documents are judged.

    >>> (nDCG @ 3).compute(JudgedRankings.spelled("0 2 N 1", missed="1"))
    array([0.40303028])
    """
    return ratio(DCG.function(r, cutoff=cutoff, dcg=dcg, gains=gains), _ideal(r, cutoff, dcg, gains))


def best_first(judgments: Judgments, gain: Floats) -> tuple[Integers, Integers, Integers]:
    """Rows that have a gain, query by query and best first; query and rank of each."""
    row = (gain > 0).nonzero()[0]
    offsets = row.searchsorted(judgments.offsets)
    query = owners_by_ends(offsets)
    own = gain.take(row)
    if np.count_nonzero(own[1:] != own[:-1]):
        row = row.take(np.lexsort((-own, query)))
    return row, query, places_by_ends(offsets, query)


def ideal_rankings(judgments: Judgments, gain: Floats) -> JudgedRankings:
    """For each query the best possible ranking: its documents that have a gain, the highest first."""
    row, query, rank = best_first(judgments, gain)
    queries = np.arange(len(judgments.queries), dtype=np.int32)
    offsets = query.searchsorted(np.arange(len(queries) + 1))
    return JudgedRankings(
        judgments=judgments,
        rank=rank.astype(np.int32),
        row=row.astype(np.int32),
        offsets=offsets,
        retrieved=np.diff(offsets).astype(np.int32),
        query=queries,
    )


def _ideal(r: JudgedRankings, cutoff: float, dcg: str, gains: Mapping[int, float] | None) -> Floats:
    """Return the largest DCG that each ranking could have."""
    return r.judgments.once(_ideal_by_query, cutoff, dcg, gains).take(r.query)


def _ideal_by_query(
    judgments: Judgments, cutoff: float, dcg: str, gains: Mapping[int, float] | None
) -> Floats:
    """Return the largest DCG that a ranking of each query's judged documents could have."""
    gain = judgments.once(_gains, dcg, gains)
    return scanner.sum_best_gains(gain, judgments.offsets, _discounts(cutoff, len(gain)))


def _gains(judgments: Judgments, dcg: str, gains: Mapping[int, float] | None) -> Floats:
    """Return the gain of each row of the judgments."""
    return gain_of(judgments.grade, dcg, gains)


@measure(
    pointwise=True,
    gain=gain_of,
    range=(0.0, inf),
    trec_eval="dcg",
    cite=("jarvelin2002", "burges2005"),
)
def DCG(
    r: JudgedRankings,
    *,
    cutoff: float = inf,
    dcg: str = "log2",
    gains: Mapping[int, float] | None = None,
) -> Floats:
    """Discounted cumulative gain: the gain of the ranking before nDCG divides it by the best possible.

    DCG@k = sum over ranks i up to k of gain_i / log2(i + 1). `dcg` and `gains` are as in nDCG. An
    unjudged document has gain 0.

    Use it to see how nDCG comes about; its size depends on the query.

    >>> (DCG @ 3).compute(JudgedRankings.spelled("0 2 N 1", missed="1"))
    array([1.26185951])
    """
    gain = r.judgments.once(_gains, dcg, gains)
    most = int(cutoff) if cutoff <= SHALLOW else int(r.rank.max(initial=0))
    return r.sum_gains(gain, _discounts(cutoff, most))


@measure(quality=False, range=(0.0, inf), trec_eval="ideal_dcg", cite=("jarvelin2002", "burges2005"))
def IdealDCG(
    r: JudgedRankings,
    *,
    cutoff: float = inf,
    dcg: str = "log2",
    gains: Mapping[int, float] | None = None,
) -> Floats:
    """Highest DCG that any ranking of the query's judged documents could have.

    nDCG is DCG / IdealDCG. `dcg` and `gains` are as in nDCG. Unjudged documents have no gain.

    Use it to see how nDCG comes about.

    >>> (IdealDCG @ 3).compute(JudgedRankings.spelled("0 2 N 1", missed="1"))
    array([3.13092975])
    """
    return _ideal(r, cutoff, dcg, gains)


@measure(pointwise=True, cite=("chapelle2009",))
def ERR(r: JudgedRankings, *, cutoff: float = inf, max_grade: int = 4) -> Floats:
    """Expected reciprocal rank of the document at which a user stops, satisfied.

    ERR = sum over ranks k of (1/k) S_k prod over i < k of (1 - S_i), with S = (2^grade - 1) / 2^max_grade.
    `max_grade` is the highest grade of the scale, 4 as in TREC's web tracks; a higher grade is an error. An
    unjudged document satisfies nobody.

    Use it with graded judgments where a user stops at the first good answer.

    >>> (ERR(max_grade=1) @ 3).compute(JudgedRankings.spelled("0 1 N 1"))
    array([0.25])
    """
    highest = r.judgments.highest
    if highest > max_grade:
        raise UsageError(
            f"a grade is {highest}, above max_grade={max_grade}: ask for ERR(max_grade={highest})"
        )
    hits = r.where((r.labels > 0) & (r.rank <= cutoff))
    satisfied = (np.exp2(hits.labels) - 1) / 2.0**max_grade
    goes_on = hits.running(1 - satisfied, np.multiply) / (1 - satisfied)
    return hits.total(satisfied * goes_on / hits.rank)


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
    the gain down to the document and c the gain of the ideal ranking down to the same rank, with each
    document counting at least 1. `gains={1: 1, 2: 5}` sets the gains of some grades. G is 0 where no judged
    document has a gain. An unjudged document has gain 0.

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
