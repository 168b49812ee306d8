"""Closed forms of expected values over all orders of tied documents (McSherry and Najork, 2008).

In a group of n documents of which r are relevant, any document is equally likely to be at each place. If a
relevant one is at place i, the number of other relevant ones above it in the group is hypergeometric: i - 1
documents are drawn from the n - 1 others, of which r - 1 are relevant.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from unjudged.base.segments import ends, owners, places, sums
from unjudged.measures.counts import Hole
from unjudged.measures.gain import ERR
from unjudged.measures.gain_by_rank import BinG
from unjudged.measures.kernel.registry import expected_of, ratio
from unjudged.measures.precision import AP, RR, Success
from unjudged.measures.preference import Bpref, Bpref10
from unjudged.measures.ties.groups import TieGroups
from unjudged.measures.user_models import NCP, Stop, stopping_weights
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask

Term = Callable[[Any, Any], Floats]
"""From the place among the relevant documents and the rank to what a relevant document adds."""


def _chosen(groups: TieGroups, mask: Mask) -> tuple[Integers, Integers, JudgedRankings]:
    """How many documents of a mask each group has, how many are above it, and those in no group."""
    r, before = groups.rankings, ends(mask)
    many = sums(mask[groups.element], groups.group, len(groups)).astype(np.int64)
    above = before[groups.element[groups.starts[:-1]]] - before[r.offsets[groups.ranking]]
    return many, above, r.where(mask & ~groups.tied)


def _by_place(groups: TieGroups, rel: int, term: Term) -> Floats:
    """Sum of terms over the relevant documents of each ranking, expected over the orders of groups."""
    r = groups.rankings
    relevant = r.labels >= rel
    many, above, alone = _chosen(groups, relevant)
    place = r.above(alone, relevant) + 1
    total = alone.total(term(place, alone.rank))
    with_some = np.flatnonzero(many)
    n, most, s = groups.size[with_some], many[with_some], groups.first[with_some]
    cells = n * most
    own, cell = owners(cells), places(cells) - 1
    i, others = cell // most[own] + 1, cell % most[own]  # the place in the group, the relevant ones above
    possible = (others < i) & (i - 1 - others <= (n - most)[own])
    own, i, others = own[possible], i[possible], others[possible]
    odds = _hypergeometric(n[own] - 1, most[own] - 1, i - 1, others)
    ranking = groups.ranking[with_some][own]
    values = term(above[with_some][own] + others + 1, s[own] - 1 + i)
    return total + sums(most[own] / n[own] * odds * values, ranking, len(r))


def _hypergeometric(n: Integers, marked: Integers, drawn: Integers, found: Integers) -> Floats:
    """Return the probability that `drawn` of n things, some of them marked, have `found` marked ones."""
    logs = np.append(0.0, np.log(np.arange(1, int(n.max(initial=0)) + 1))).cumsum()

    def choose(a: Integers, b: Integers) -> Floats:
        ways: Floats = logs[a] - logs[b] - logs[a - b]
        return ways

    odds: Floats = np.exp(choose(marked, found) + choose(n - marked, drawn - found) - choose(n, drawn))
    return odds


@expected_of(AP)
def expected_ap(groups: TieGroups, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Place i of a group adds r/n (1 + relevant above the group + (i - 1)(r - 1)/(n - 1)) / rank."""
    r = groups.rankings
    relevant = r.labels >= rel
    many, above, alone = _chosen(groups, relevant)
    place = r.above(alone, relevant) + 1
    total = alone.total(place / alone.rank * (alone.rank <= cutoff))
    own, i = owners(groups.size), places(groups.size)
    n, rank = groups.size[own], groups.first[own] - 1 + i
    share = ratio((i - 1) * (many[own] - 1.0), n - 1.0)
    terms = many[own] / n * (above[own] + 1 + share) / rank * (rank <= cutoff)
    return ratio(total + sums(terms, groups.ranking[own], len(r)), r.known(rel))


@expected_of(RR)
def expected_rr(groups: TieGroups, *, rel: int = 1, cutoff: float = inf) -> Floats:
    """Expect one divided by the rank of the first relevant document."""
    return _by_place(groups, rel, lambda place, rank: (place == 1) * (rank <= cutoff) / rank)


@expected_of(Success)
def expected_success(groups: TieGroups, *, rel: int = 1, cutoff: float) -> Floats:
    """Return the probability that a relevant document is among the first."""
    return _by_place(groups, rel, lambda place, rank: ((place == 1) & (rank <= cutoff)).astype(float))


@expected_of(BinG)
def expected_bing(groups: TieGroups, *, rel: int = 1) -> Floats:
    """Expect the mean of 1 / log2(2 + nonrelevant above)."""
    total = _by_place(groups, rel, lambda place, rank: 1 / np.log2(2.0 + rank - place))
    return ratio(total, groups.rankings.known(rel))


@expected_of(NCP)
def expected_ncp(
    groups: TieGroups, *, rel: int = 1, stop: Stop = "uniform", decay: float = 0.5, exponent: float = 1.0
) -> Floats:
    """Expect the precision where users stop."""
    relevant = groups.rankings.known(rel)
    weight = stopping_weights(stop, int(relevant.max(initial=0)), decay, exponent)
    total = _by_place(groups, rel, lambda place, rank: weight[place - 1] * place / rank)
    return ratio(total, np.concatenate([[0.0], np.cumsum(weight)])[relevant])


def _preference(groups: TieGroups, rel: int, most: Integers, worst: Integers) -> Floats:
    """A relevant document has 0, 1, ... of the group's judged nonrelevant ones above it, equally likely."""
    r = groups.rankings
    labels = r.labels
    many, _, alone = _chosen(groups, labels >= rel)
    bad, bad_above, _ = _chosen(groups, (labels >= 0) & (labels < rel))

    def kept(above: Integers, ranking: Integers) -> Floats:
        return 1 - ratio(np.minimum(above, most[ranking]), worst[ranking])

    total = alone.total(kept(r.above(alone, (labels >= 0) & (labels < rel)), alone.ranking))
    own = owners(bad + 1)
    above = bad_above[own] + places(bad + 1) - 1
    terms = many[own] * kept(above, groups.ranking[own]) / (bad[own] + 1)
    return ratio(total + sums(terms, groups.ranking[own], len(r)), r.known(rel))


@expected_of(Bpref)
def expected_bpref(groups: TieGroups, *, rel: int = 1, form: str = "trec_eval") -> Floats:
    """Expect the share of preferences that are kept."""
    r = groups.rankings
    relevant = r.known(rel)
    worst = np.minimum(relevant, r.known(0, rel)) if form == "trec_eval" else relevant
    return _preference(groups, rel, relevant, worst)


@expected_of(Bpref10)
def expected_bpref10(groups: TieGroups, *, rel: int = 1) -> Floats:
    """Expect the same against R + 10 documents."""
    most = groups.rankings.known(rel) + 10
    return _preference(groups, rel, most, most)


@expected_of(ERR)
def expected_err(groups: TieGroups, *, cutoff: float = inf, max_grade: int = 4) -> Floats:
    """The user goes past k documents of a group with the mean over its subsets of k of what they leave.

    If m documents leave x on average over subsets of k, one more document that leaves y makes it
    ((m + 1 - k) x_k + k y x_(k-1)) / (m + 1).
    """
    r = groups.rankings
    ERR.function(r, cutoff=cutoff, max_grade=max_grade)  # refuses grades above the highest
    goes_on = 1 - (np.exp2(np.maximum(r.labels, 0)) - 1) / 2.0**max_grade
    total, left = np.zeros(len(r)), np.ones(len(r))
    tied = np.full(len(r.rank), -1)
    tied[groups.element] = groups.group
    done = set[int]()
    for ranking in range(len(r)):
        for element in range(int(r.offsets[ranking]), int(r.offsets[ranking + 1])):
            g = int(tied[element])
            if g in done:
                continue
            if g < 0:
                first, past = int(r.rank[element]), np.array([1.0, goes_on[element]])
            else:
                done.add(g)
                own = goes_on[groups.element[groups.own(g)]]
                first, past = int(groups.first[g]), _means_of_subsets(own[own < 1], int(groups.size[g]))
            rank = first + np.arange(len(past) - 1)
            stops = (past[:-1] - past[1:]) / rank * (rank <= cutoff)
            total[ranking] += left[ranking] * stops.sum()
            left[ranking] *= past[-1]
    return total


def _means_of_subsets(values: Floats, size: int) -> Floats:
    """For k = 0 to `size`, the mean product of k of the values, with ones added up to `size` values."""
    means = np.ones(size - len(values) + 1)
    for m, value in enumerate(values, size - len(values)):
        k = np.arange(m + 2)
        longer, shifted = np.append(means, 0.0), np.append(0.0, means)
        means = ((m + 1 - k) * longer + k * value * shifted) / (m + 1)
    return means


@expected_of(Hole)
def expected_hole(groups: TieGroups, *, cutoff: float) -> Floats:
    """Each document is among the first with the share of its ranks that are."""
    r = groups.rankings
    top = np.minimum(r.retrieved, float(cutoff))
    first, last = r.rank.astype(np.int64), r.rank.astype(np.int64)
    first[groups.element] = groups.first[groups.group]
    last[groups.element] = (groups.first + groups.size - 1)[groups.group]
    inside = np.clip((top[r.ranking] - first + 1) / (last - first + 1), 0.0, 1.0)
    judged = sums(inside * (r.labels >= 0), r.ranking, len(r))
    if r.elsewhere is not None:
        ranking, _, low, high = r.elsewhere
        known = np.clip((top[ranking] - low + 1) / (high - low + 1), 0.0, 1.0)
        judged += sums(known, ranking, len(r))
    return (top - judged) / float(cutoff)
