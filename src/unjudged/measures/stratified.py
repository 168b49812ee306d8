"""Estimates from stratified samples: xinfAP, infNDCG and inferred precision, as sample_eval computes them.

Stratum s of a query's pool has D_s documents, S_s of them judged. Each judged document stands for D_s / S_s
documents. Without recorded strata the whole pool is one stratum.

Two published scripts differ, so each measure has a dialect: 'trec' (2011) and 'trecvid' (2012). Both use the
first 1000 documents of a ranking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Integers, Mask, sums
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

DEEPEST = 1000
EPSILON = 0.00001


@measure(estimates="AP", range=(0.0, np.inf), cite=("yilmaz2008b",))
def xinfAP(r: JudgedRankings, *, rel: int = 1, dialect: str = "trec") -> Floats:
    """Extended inferred average precision: AP estimated from a stratified sample of the pool.

    At a judged relevant document at rank k, with d_s, m_s, q_s the pooled, judged and judged relevant
    documents of stratum s above it, precision is expected to be

        1/k + (1/k) sum over strata of d_s (q_s + eps) / (m_s + 3 eps),  eps = 0.00001

    and xinfAP is the mean of that over the relevant documents, each weighted by D_s / S_s, retrieved or
    not; 0 where none is judged relevant. A pooled but unjudged document counts by its stratum; one that was
    not pooled is not relevant. `dialect='trecvid'` multiplies by R/1000 if the estimated number R of
    relevant documents is above 1000.

    Use it where the judgments are a depth pool and a sample of the rest. With one stratum it is infAP except
    for the smoothing (3 eps instead of 2 eps).

    >>> ranking = JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0")
    >>> xinfAP.compute(ranking)
    array([0.31296325])
    """
    top = r.cut(DEEPEST)
    hits = top.relevant(rel)
    expected = np.ones(len(hits.rank))
    for member in _strata(top):
        pooled = top.above(hits, member)
        judged = top.above(hits, member & (top.labels >= 0))
        relevant = top.above(hits, member & (top.labels >= rel))
        expected += pooled * (relevant + EPSILON) / (judged + 3 * EPSILON)
    weight, relevant_documents = _weights(r.judgments)[hits.row], estimated_relevant(r, rel)
    value = ratio(hits.total(weight * expected / hits.rank), relevant_documents)
    if dialect == "trecvid":
        value = value * np.maximum(relevant_documents, DEEPEST) / DEEPEST
    return value


@measure(estimates="nDCG", range=(0.0, np.inf), cite=("yilmaz2008b",))
def infNDCG(r: JudgedRankings, *, dialect: str = "trec") -> Floats:
    """Inferred nDCG: discounted cumulative gain estimated from a stratified sample of the pool.

    DCG = sum over strata of d_s times the mean of grade / log2(k + 1) over the judged documents of the
    stratum that were retrieved, at ranks k, where d_s counts its retrieved documents, judged or not. The
    ideal ranking has as many documents of each grade as the sample stands for. `dialect='trec'` rounds these
    numbers; 'trecvid' keeps the fractions, and a fraction of a document earns nothing. 0 where no judged
    document has a grade above 0. A document that was not pooled has no gain.

    Use it where the judgments are graded and a stratified sample.

    >>> infNDCG.compute(JudgedRankings.spelled("0 2 U N 1", missed="1"))
    array([0.61721675])
    """
    top = r.cut(DEEPEST)
    gain = np.zeros(len(top))
    for member in _strata(top):
        judged = top.where(member & (top.labels >= 0))
        mean = ratio(judged.total(judged.labels / np.log2(judged.rank + 1.0)), judged.counts)
        gain += top.where(member).counts * mean
    return ratio(gain, _ideal(r.judgments, dialect)[r.query])


@measure(estimates="P", range=(0.0, np.inf), cite=("yilmaz2008b",))
def infP(r: JudgedRankings, *, rel: int = 1, cutoff: float) -> Floats:
    """Inferred precision at k, from a stratified sample of the pool.

    infP@k = (1/k) sum over strata of d_s (q_s + eps) / (m_s + 3 eps), with d_s, m_s, q_s the pooled, judged
    and judged relevant documents of the stratum among the first k and eps = 0.00001. A document that was
    not pooled is not relevant.

    Use it as P@k where the judgments are a stratified sample.

    >>> (infP @ 4).compute(JudgedRankings.spelled("0 1 U N"))
    array([0.37499813])
    """
    top = r.cut(int(min(cutoff, DEEPEST)))
    relevant_there = np.zeros(len(top))
    for member in _strata(top):
        pooled = top.where(member).counts
        judged = top.where(member & (top.labels >= 0)).counts
        relevant = top.where(member & (top.labels >= rel)).counts
        relevant_there += pooled * (relevant + EPSILON) / (judged + 3 * EPSILON)
    return relevant_there / cutoff


def estimated_relevant(r: JudgedRankings, rel: int) -> Floats:
    """How many relevant documents the sample of each ranking's query stands for."""
    judgments = r.judgments
    weight = np.where(judgments.grade >= rel, _weights(judgments), 0.0)
    return sums(weight, judgments.query, len(judgments.queries))[r.query]


def _strata(r: JudgedRankings) -> Iterator[Mask]:
    """Which documents are in each stratum."""
    if r.judgments.stratum is None:
        yield np.ones(len(r.rank), bool)
        return
    stratum = r.judgments.stratum[r.row]
    for number in np.unique(r.judgments.stratum):
        yield stratum == number


def _weights(judgments: Judgments) -> Floats:
    """How many documents of its stratum each judged document stands for; 0 for the others."""
    _, cell, _ = cells_of(judgments)
    judged = judgments.grade >= 0
    size, sampled = np.bincount(cell), np.bincount(cell, weights=judged)
    return np.where(judged, ratio(size, sampled)[cell], 0.0)


def _ideal(judgments: Judgments, dialect: str) -> Floats:
    """Return the DCG of the best ranking of the documents that the sample of each query stands for."""
    queries = len(judgments.queries)
    weight, query = _weights(judgments), judgments.query
    ideal, filled = np.zeros(queries), np.zeros(queries)
    for grade in np.unique(judgments.grade[judgments.grade > 0])[::-1]:
        count = sums(np.where(judgments.grade == grade, weight, 0.0), query, queries)
        if dialect == "trec":
            count = np.floor(count + 0.5)
        place = np.arange(1, int(min(count.max(initial=0), DEEPEST)) + 1)
        rank = filled[:, None] + place  # in 'trecvid' not whole after the first grade
        there = (place <= count[:, None]) & (rank <= DEEPEST)
        ideal += grade * (there / np.log2(rank + 1)).sum(axis=1)
        filled += count
    return ideal


def cells_of(judgments: Judgments) -> tuple[Integers, Integers, int]:
    """Return the stratum of each row, its cell, a stratum of a query, and how many strata a query has.

    Without recorded strata the pool is one.
    """
    if judgments.stratum is None:
        return np.zeros(len(judgments.grade), np.int64), judgments.query, 1
    numbers, stratum = np.unique(judgments.stratum, return_inverse=True)
    strata = max(len(numbers), 1)
    return stratum, judgments.query * strata + stratum, strata


@dataclass(eq=False, repr=False)
class Strata:
    """Stratum of each row, and how many documents each cell, a stratum of a query, has and drew."""

    stratum: Integers
    cell: Integers
    strata: int
    sampled: Floats
    size: Floats

    @classmethod
    def of(cls, judgments: Judgments) -> Strata:
        """Find the strata; probabilities that are not n/N are refused.

        One probability for all documents is taken: given how many were drawn, a query's are a simple sample.
        """
        stratum, cell, strata = cells_of(judgments)
        cells, drawn = len(judgments.queries) * strata, judgments.grade >= 0
        sampled, size = (np.bincount(c, minlength=cells).astype(float) for c in (cell[drawn], cell))
        given = judgments.probability
        uniform = judgments.stratum is None and given is not None and bool((given == given[:1]).all())
        if (
            given is not None
            and not uniform
            and not np.allclose(given[drawn], ratio(sampled, size)[cell[drawn]])
        ):
            raise UsageError(
                "pairs='joint' needs recorded strata with samples of fixed size, and the probabilities of "
                "these judgments are not n/N of any: write the sample with --format strata, or use statAP"
            )
        return cls(stratum, cell, strata, sampled, size)

    @cached_property
    def weight(self) -> Floats:
        """How many documents of its cell a drawn document stands for, of each row."""
        return ratio(self.size, self.sampled)[self.cell]

    def pair_weight(self, sampled: Floats) -> Floats:
        """Of each cell n (N - 1) / ((n - 1) N), for these n; 1 where there are no two documents."""
        n, size = sampled, self.size
        return np.where(n > 1, ratio(n * (size - 1), (n - 1) * size), 1.0)

    def of_rankings(self, values: Floats, r: JudgedRankings) -> Floats:
        """Rankings x strata: the values of cells."""
        return values.reshape(-1, self.strata)[r.query]

    def by_stratum(self, values: Floats, ranking: Integers, row: Any, rankings: int) -> Floats:
        """Rankings x strata: sums of the values of documents."""
        cells = sums(values, ranking * self.strata + self.stratum[row], rankings * self.strata)
        return cells.reshape(rankings, self.strata)

    def within(self, hits: JudgedRankings, values: Floats) -> tuple[Floats, Floats]:
        """For each document, the sum of the values above it in its ranking and stratum, and below it."""
        stratum = self.stratum[hits.row]
        above, below = np.zeros(len(values)), np.zeros(len(values))
        for number in range(self.strata):
            member = stratum == number
            own, mine = hits.where(member), values[member]
            upto = own.running(mine, np.add)
            above[member] = upto - mine
            below[member] = own.total(mine)[own.ranking] - upto
        return above, below


@dataclass(eq=False, repr=False)
class Deletions:
    """Estimated sums of rankings, and what they become if one document of the sample is deleted.

    The sum of a ranking is S = sum of w_i x_i, to which the pairs of average precision add c w_i w_j / k_i
    for each j above i, with c the pair weight within a stratum. If a document of stratum h is deleted, the
    weights w of h grow by g = n/(n - 1) and c of h changes. So S is split into the terms with no, one and
    two factors from h. All but the last two are rankings x strata.
    """

    total: Floats
    """Rankings x 1: S."""
    changed: Floats
    """S if a document of the stratum is deleted that adds nothing to it."""
    growth: Floats
    """g; 1 if the stratum drew one document alone."""
    added: Floats
    """For each hit, what it adds to S, divided by its weight."""
    lost: Floats
    """For each hit, what S loses besides if it is the deleted one."""

    @classmethod
    def of(
        cls, strata: Strata, r: JudgedRankings, hits: JudgedRankings, first: Floats, *, pairs: bool
    ) -> Deletions:
        """`first` are the w_i x_i of the hits, or w_i / k_i for `pairs`."""
        n = strata.of_rankings(strata.sampled, r)

        def by_stratum(values: Floats) -> Floats:
            return strata.by_stratum(values, hits.ranking, hits.row, len(r))

        w = strata.weight[hits.row]
        inside = across = np.zeros(len(w))
        if pairs:
            same_above, _ = strata.within(hits, w)
            _, same_below = strata.within(hits, first)
            all_above = hits.running(w, np.add) - w
            all_below = hits.total(first)[hits.ranking] - hits.running(first, np.add)
            inside = first * same_above + w * same_below
            across = first * (all_above - same_above) + w * (all_below - same_below)

        singles, across_pairs = by_stratum(first), by_stratum(across)
        inside_pairs = by_stratum(inside) / 2
        pair_weights = (strata.pair_weight(m) for m in (strata.sampled, strata.sampled - 1))
        c, c_less = (strata.of_rankings(v, r) for v in pair_weights)
        total = (singles + c * inside_pairs + across_pairs / 2).sum(axis=1, keepdims=True)
        g = np.where(n > 1, ratio(n, n - 1), 1.0)
        others = total - singles - c * inside_pairs - across_pairs
        changed = others + g * (singles + across_pairs) + g**2 * c_less * inside_pairs
        at = hits.ranking, strata.stratum[hits.row]
        lost = g[at] * (first + across) + (g**2 * c_less)[at] * inside
        return cls(total, changed, g, ratio(first + c[at] * inside + across, w), lost)
