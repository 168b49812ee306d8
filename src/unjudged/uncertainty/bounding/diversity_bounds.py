"""Bounds of measures of diversity: unjudged documents may be relevant to any subtopics of their query.

Those are the subtopics that a judged document is relevant to, or one where there is none.

- One more relevant subtopic of a document never lowers P_IA, StRecall, ERR_IA and alpha_DCG: it adds
  (1 - alpha)^c w_i at rank i and takes at most (1 - alpha)^c w_(i + 1) from the documents below, whose
  weights are lower. So they are lowest when no unknown document is relevant, and highest when all are to
  everything.
- AP_IA is a mean over subtopics, and whether a document is relevant to one says nothing about another: its
  bounds are the means of AP's.
- alpha_nDCG and nERR_IA divide by the sum of a greedy ranking, of which only two things are certain. It is no
  higher than if each subtopic had the first ranks for itself. And its first i documents cover at least
  c_i = 1 - (1 - 1/i)^i of what any i documents cover (Nemhauser, Wolsey and Fisher, 1978), the known ones
  among them; all of it if there is one subtopic. So these bounds enclose.
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.measures.diversity import (
    AP_IA,
    ERR_IA,
    P_IA,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    dcg_weights,
    discounted,
    err_weights,
    ideal_gains,
    longest,
    nERR_IA,
    relevant_documents,
    subtopic_counts,
)
from unjudged.measures.kernel.registry import Measure, bounds_of, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.rankings.subtopics import every_subtopic, subtopics_of
from unjudged.uncertainty.bounding.closed_bounds import bounds_of_ap
from unjudged.uncertainty.bounding.filled import Bounds, Filled, unknown_documents


def _completed(r: JudgedRankings) -> tuple[JudgedRankings, JudgedRankings]:
    """Return the rankings with no unknown document relevant, and with all relevant to every subtopic."""
    filled = Filled.of(r)
    every = every_subtopic(r.judgments)[r.query]
    return filled.complete(0), filled.complete(every[filled.ranking])


@bounds_of(P_IA)
@bounds_of(StRecall)
@bounds_of(ERR_IA)
@bounds_of(alpha_DCG)
def bounds_of_coverage(measure: Measure, r: JudgedRankings, _unseen: Integers, _top: int) -> Bounds:
    """Return the values without and with every unknown document."""
    low, high = _completed(r)
    return Bounds(measure.compute(low), measure.compute(high), exact=True)


@bounds_of(AP_IA)
def bounds_of_ap_by_subtopic(_measure: Measure, r: JudgedRankings, unseen: Integers, _top: int) -> Bounds:
    """Return the mean over subtopics of the bounds of AP."""
    low, high, count = np.zeros(len(r)), np.zeros(len(r)), np.zeros(len(r))
    sets, every = subtopics_of(r.judgments), every_subtopic(r.judgments)
    for s in range(int(every.max(initial=1)).bit_length()):
        grades = np.where(sets < 0, sets, sets >> s & 1).astype(np.int32)
        own = bounds_of_ap(AP_IA, r.relabelled(r.judgments.with_grades(grades)), unseen, 1)
        counted = every[r.query] >> s & 1 > 0
        low, high = low + np.where(counted, own.low, 0.0), high + np.where(counted, own.high, 0.0)
        count += counted
    return Bounds(low / count, high / count, exact=True)


@bounds_of(alpha_nDCG)
@bounds_of(nERR_IA)
def bounds_of_ideal_share(measure: Measure, r: JudgedRankings, unseen: Integers, _top: int) -> Bounds:
    """Return what encloses the sum of the ranking, divided by that of the greedy one."""
    given = {**measure.parameters, **measure.given}
    unknown = unknown_documents(r).counts + unseen
    alpha, cutoff = given["alpha"], min(given["cutoff"], longest(r) + int(unknown.max(initial=0)))
    weight = (dcg_weights if measure.name == "alpha_nDCG" else err_weights)(cutoff)
    low, high = (discounted(filled, alpha, cutoff, weight) for filled in _completed(r))
    rank = np.arange(1.0, cutoff + 1)
    steps, share = -np.diff(weight, append=0.0), 1 - (1 - 1 / rank) ** rank
    cap = _most(steps, share)
    known = np.zeros((cutoff, len(r)))
    gains = r.judgments.once(ideal_gains, alpha, cutoff)
    known[: len(gains)] = gains[:, r.query]
    share = np.where(subtopic_counts(r) < 2, 1.0, share[:, None])
    least = steps @ np.maximum.accumulate(share * known.cumsum(axis=0))
    value = ratio(discounted(r, alpha, cutoff, weight), weight @ known)
    highest = np.divide(high, least, out=np.where(high > 0, inf, 0.0), where=least > 0)
    highest = np.minimum(highest, np.where(subtopic_counts(r) < 2, 1.0, cap))
    lowest = ratio(low, _each_alone(r, alpha, weight, unknown))
    certain = unknown == 0
    return Bounds(np.where(certain, value, lowest), np.where(certain, value, highest), exact=certain.all())


def _each_alone(r: JudgedRankings, alpha: float, weight: Floats, unknown: Integers) -> Floats:
    """Return the sum if the documents of each subtopic, and all unknown ones, had the first ranks."""
    sums = np.concatenate([[0.0], np.cumsum(weight * (1 - alpha) ** np.arange(len(weight)))])
    relevant = r.judgments.once(relevant_documents)[:, r.query]
    own: Floats = np.where(relevant > 0, sums[np.minimum(relevant + unknown, len(weight))], 0.0).sum(axis=0)
    none = subtopic_counts(r) == 0
    return np.where(none, sums[np.minimum(unknown, len(weight))], own)


def _most(steps: Floats, share: Floats) -> float:
    """Return the highest ratio of any ranking's sum to that of the greedy one.

    What its first i documents cover grows by less and less, so it is a mixture of min(i, m) over m.
    """
    rank = np.arange(1, len(steps) + 1)

    def covered(by_rank: Floats) -> Floats:
        """Return the sum over i of min(i, m), for each m."""
        below: Floats = by_rank.sum() - by_rank.cumsum()
        return (rank * by_rank).cumsum() + rank * below

    return float((covered(steps / share) / covered(steps)).max())
