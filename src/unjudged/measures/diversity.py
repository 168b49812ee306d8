"""Novelty and diversity: how well a ranking serves every subtopic of a query, as ndeval computes it.

Each subtopic is a ranking of its own: the documents that are relevant to it. Subtopics without a relevant
document do not count. Judgments that are not by subtopic have one subtopic, to which every document of grade
1 or higher is relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import sums
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import ANY
from unjudged.rankings.subtopics import subtopics_of

Weights = Callable[[int], Floats]
DEEPEST = 10**6
"""Highest cutoff of what is divided by a sum over all ranks down to it."""


def subtopics(r: JudgedRankings, cutoff: float = np.inf) -> Iterator[JudgedRankings]:
    """Yield for each subtopic the rankings reduced to the documents that are relevant to it."""
    sets = np.maximum(subtopics_of(r.judgments)[r.row], 0)
    for s in range(_most(r.judgments)):
        yield r.where((sets >> s & 1 > 0) & (r.rank <= cutoff))


def _most(judgments: Judgments) -> int:
    return int(subtopics_of(judgments).max(initial=0)).bit_length()


def relevant_documents(judgments: Judgments) -> Integers:
    """Subtopics x queries: how many documents are relevant to each subtopic."""
    sets, queries = np.maximum(subtopics_of(judgments), 0), len(judgments.queries)
    counts = [sums(sets >> s & 1, judgments.query, queries) for s in range(_most(judgments))]
    return np.array(counts, np.int64).reshape(-1, queries)


def subtopic_counts(r: JudgedRankings) -> Integers:
    """For each ranking, how many subtopics of its query have a relevant document."""
    counts: Integers = (r.judgments.once(relevant_documents) > 0).sum(axis=0)[r.query]
    return counts


def ideal_gains(judgments: Judgments, alpha: float, depth: float) -> Floats:
    """Ranks x queries: the gain of each document of the ideal rankings.

    They are built greedily, as in ndeval: the document of the highest gain is next, of equals the one with
    the last name.
    """
    sets, queries = subtopics_of(judgments), len(judgments.queries)
    row = np.flatnonzero(sets > 0)
    query, known = judgments.query[row], sets[row]
    relevant = np.stack([known >> s & 1 for s in range(_most(judgments))], axis=1) if len(row) else known
    steps = int(min(depth, np.bincount(query, minlength=1).max(initial=0)))
    worth = np.ones((queries, _most(judgments)))
    gains, left = np.zeros((steps, queries)), np.ones(len(row), bool)
    for rank in range(steps):
        gain = np.zeros(len(row))
        for s in range(worth.shape[1]):
            gain += relevant[:, s] * worth[query, s]
        best = np.full(queries, -1.0)
        np.maximum.at(best, query[left], gain[left])
        tied = np.flatnonzero(left & (gain == best[query]))
        chosen = np.full(queries, -1)
        chosen[query[tied]] = tied  # the last of equals
        some = np.flatnonzero(chosen >= 0)
        gains[rank, some] = best[some]
        left[chosen[some]] = False
        worth[some] *= np.where(relevant[chosen[some]] > 0, 1 - alpha, 1.0)
    return gains


def discounted(r: JudgedRankings, alpha: float, cutoff: float, weight: Floats) -> Floats:
    """Return the sum over subtopics of gains (1 - alpha)^(place - 1), weighted by the rank."""
    total = np.zeros(len(r))
    for hits in subtopics(r, cutoff):
        total += hits.total((1 - alpha) ** (hits.place - 1.0) * weight[hits.rank - 1])
    return total


def dcg_weights(cutoff: int) -> Floats:
    """Return the discounts of the first ranks."""
    return np.asarray(1 / np.log2(np.arange(2.0, cutoff + 2)))


def err_weights(cutoff: int) -> Floats:
    """Return 1 / rank for the first ranks."""
    return np.asarray(1 / np.arange(1.0, cutoff + 1))


def _of_best_possible(r: JudgedRankings, alpha: float, cutoff: int, weights: Weights) -> Floats:
    """Return the discounted sum, divided by that of documents which are all relevant to every subtopic."""
    if cutoff > DEEPEST:
        raise UsageError(f"cutoff is {cutoff}, expected at most {DEEPEST:,} for this measure")
    weight = weights(cutoff)
    best = (weight * (1 - alpha) ** np.arange(cutoff)).sum()
    return ratio(discounted(r, alpha, cutoff, weight), best * subtopic_counts(r))


def _of_ideal(r: JudgedRankings, alpha: float, cutoff: int, weights: Weights) -> Floats:
    """Return the discounted sum, divided by that of the ideal ranking of the judged documents."""
    cutoff = min(cutoff, longest(r))
    weight, best = weights(cutoff), np.zeros(len(r.judgments.queries))
    for rank, gain in enumerate(r.judgments.once(ideal_gains, alpha, cutoff)):
        best += gain * weight[rank]
    return ratio(discounted(r, alpha, cutoff, weight), best[r.query])


def longest(r: JudgedRankings) -> int:
    """Return the length of the longest ranking, of those given or ideal ones."""
    return max(1, int(r.retrieved.max(initial=0)), int(r.known(1).max(initial=0)))


@measure(range=(0.0, np.inf), takes=ANY, cite=("clarke2008",))
def alpha_nDCG(r: JudgedRankings, *, cutoff: int, alpha: float = 0.5) -> Floats:
    """Novelty-aware nDCG: a subtopic is worth less each time that it comes again.

    alpha_nDCG = alpha-DCG / ideal alpha-DCG; alpha-DCG = sum over ranks i of gain(i) / log2(i + 1), where
    gain(i) adds (1 - alpha)^c for each subtopic of the document, of which c documents are above it. The ideal
    ranking takes the document of the highest gain at each rank. That need not give the highest sum, so a
    value can be above 1. It is 0 where nothing is relevant. Unjudged documents count as not relevant.

    Use it where queries have several meanings or aspects and a ranking should cover them early.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "alpha_nDCG@10").means
    array([[0.84060642]])
    """
    return _of_ideal(r, alpha, cutoff, dcg_weights)


@measure(takes=ANY, cite=("clarke2008",))
def alpha_DCG(r: JudgedRankings, *, cutoff: int, alpha: float = 0.5) -> Floats:
    """Novelty-aware DCG, of what documents that are all relevant to every subtopic would have.

    As in alpha_nDCG, but divided by the sum over ranks i of n (1 - alpha)^(i - 1) / log2(i + 1) for n
    subtopics, which does not depend on the documents. ndeval does so too, except at cutoff 1. Unjudged
    documents count as not relevant.

    Use it instead of alpha_nDCG where judgments are incomplete: its bounds are exact.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "alpha_DCG@2").means
    array([[0.73981247]])
    """
    return _of_best_possible(r, alpha, cutoff, dcg_weights)


@measure(takes=ANY, cite=("chapelle2011", "chapelle2009"))
def ERR_IA(r: JudgedRankings, *, cutoff: int, alpha: float = 0.5) -> Floats:
    """Intent-aware expected reciprocal rank: the mean over subtopics of ERR.

    A user who wants one subtopic is satisfied by each of its documents with probability alpha. ERR_IA = sum
    over subtopics and their documents of (1 - alpha)^c / rank, with c documents of the subtopic above,
    divided by the sum over ranks i of n (1 - alpha)^(i - 1) / i for n subtopics. ndeval does so too, except
    at cutoff 1. Unjudged documents count as not relevant.

    Use it where users look for one of several meanings and stop when they have found it.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "ERR_IA@2").means
    array([[0.7]])
    """
    return _of_best_possible(r, alpha, cutoff, err_weights)


@measure(range=(0.0, np.inf), takes=ANY, cite=("chapelle2011", "chapelle2009"))
def nERR_IA(r: JudgedRankings, *, cutoff: int, alpha: float = 0.5) -> Floats:
    """Intent-aware expected reciprocal rank, divided by that of the ideal ranking.

    As ERR_IA, but the ideal ranking is that of alpha_nDCG: the judged document of the highest gain at each
    rank. A value can be above 1. It is 0 where nothing is relevant. Unjudged documents count as not relevant.

    Use it like ERR_IA, where queries with few relevant documents should count as much as others.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "nERR_IA@2").means
    array([[0.77777778]])
    """
    return _of_ideal(r, alpha, cutoff, err_weights)


@measure(takes=ANY, order="linear", cite=("agrawal2009",))
def P_IA(r: JudgedRankings, *, cutoff: int) -> Floats:
    """Intent-aware precision: the mean over subtopics of precision at the cutoff.

    P_IA@k = sum over subtopics of their documents in the first k, divided by k times the number of subtopics.
    Unjudged documents count as not relevant.

    Use it where each document should serve as many subtopics as possible, and repetition does no harm.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "P_IA@2").means
    array([[0.75]])
    """
    found = np.sum([hits.counts for hits in subtopics(r, cutoff)], axis=0) * np.ones(len(r))
    return ratio(found, cutoff * subtopic_counts(r))


@measure(takes=ANY, order="local", aliases=("MAP_IA",), cite=("agrawal2009",))
def AP_IA(r: JudgedRankings) -> Floats:
    """Intent-aware average precision: the mean over subtopics of AP.

    Unjudged documents count as not relevant.

    Use it where rankings are read to the end for every subtopic.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "AP_IA").means
    array([[0.75]])
    """
    total = np.zeros(len(r))
    for hits, relevant in zip(subtopics(r), r.judgments.once(relevant_documents), strict=True):
        total += ratio(hits.total(hits.place / hits.rank), relevant[r.query])
    return ratio(total, subtopic_counts(r))


@measure(takes=ANY, aliases=("strec",), cite=("zhai2003",))
def StRecall(r: JudgedRankings, *, cutoff: int) -> Floats:
    """Subtopic recall: the share of subtopics that some document down to the cutoff is relevant to.

    Unjudged documents count as not relevant.

    Use it where one document for each subtopic is enough.

    >>> from unjudged import Judgments, evaluate
    >>> judged = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)])
    >>> evaluate(judged, {"q": ["b", "a"]}, "StRecall@1").means
    array([[0.5]])
    """
    found = np.sum([hits.counts > 0 for hits in subtopics(r, cutoff)], axis=0) * np.ones(len(r))
    return ratio(found, subtopic_counts(r))
