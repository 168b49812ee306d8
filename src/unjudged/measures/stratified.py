"""Estimates from stratified samples: xinfAP, infNDCG and inferred precision, as sample_eval computes them.

Stratum s of a query's pool has D_s documents, S_s of them judged. Each judged document stands for D_s / S_s
documents. Without recorded strata the whole pool is one stratum.

Two published scripts differ, so each measure has a dialect: 'trec' (2011) and 'trecvid' (2012). Both use the
first 1000 documents of a ranking.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unjudged.base.segments import sums
from unjudged.measures.fixed_size import cells_of
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
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
