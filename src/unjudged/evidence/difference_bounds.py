"""The lowest and highest difference that judging could make, by query, for every pair of systems at once.

An unjudged document that both systems retrieve is one document. A pair depends on its two rankings and the
judgments alone: a document that neither retrieves may be relevant only if it is in the pool. Below the depth
of a pool only documents of the pool may be relevant.

- Sums over relevant documents (RBP, P, DCG): exact. The worst is that all documents which favour the second
  system are relevant, and no other.
- nDCG: both systems are divided by the same ideal I, so the difference is N / I, where N is the difference of
  their DCG. The ends of N over the ends of I enclose it.
- Any measure: the lowest value of one system minus the highest of the other encloses it. Whatever relevant
  documents only the other one retrieves can lower AP, nDCG and recall, and counts in the lowest value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import inf

import numpy as np

from unjudged.base.segments import Floats, Integers, Ints, Mask, numbered
from unjudged.base.segments import ends as segment_ends
from unjudged.evidence.contrast import Ends
from unjudged.evidence.favouring import shared_counts
from unjudged.evidence.filled import anonymous, unknown_documents
from unjudged.evidence.shared import SharedRankings
from unjudged.evidence.tipping import ExpectedTip, is_open
from unjudged.evidence.value_bounds import bounds, hits_around
from unjudged.measures.gain import DiscountSums
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import JudgedRankings

AT_ONCE = 500
"""Rankings that are bounded at a time."""
TipOf = Callable[[Ints, Ints], ExpectedTip]


class DifferenceBounds:
    """Ends of differences by one measure; what several pairs need is made once."""

    def __init__(self, shared: SharedRankings, measure: Measure, depth: int | None, scores: Floats) -> None:
        self.shared, self.measure, self.scores = shared, measure, scores
        # Such a measure also counts documents that are judged and not relevant, below the depth too.
        self.depth = None if measure.traits.skips_unjudged else depth
        self.never_judged = shared.per_run(_never_judged(shared, measure, depth))

    def of(self, first: Ints, second: Ints, tip: TipOf) -> Ends:
        """Return pairs x queries: the lowest and the highest difference on each query."""
        difference = self.scores[first] - self.scores[second]
        if _is_sum_of_gains(self.measure):
            ones = np.ones(len(first))
            low, high = tip(first, second).at(ones), -tip(second, first).at(ones)
        else:
            low, high = self._enclosed(first, second)
            if _has_closer_bounds(self.measure):
                nearer = self._of_quotient(first, second, difference, tip)
                low, high = np.maximum(low, nearer.low), np.minimum(high, nearer.high)
        different = self._number[first] != self._number[second]
        return Ends(np.minimum(low, difference) * different, np.maximum(high, difference) * different)

    @cached_property
    def _number(self) -> Integers:
        """Runs x queries: runs that rank the same documents in the same order have the same number."""
        r = self.shared.rankings
        numbers: dict[tuple[int, int, int], int] = {}
        stops, retrieved, query = r.offsets.tolist(), r.retrieved.tolist(), r.query.tolist()
        found = [
            numbers.setdefault((query[s], retrieved[s], hash(r.row[stops[s] : stops[s + 1]].tobytes())), s)
            for s in range(len(r))
        ]
        return np.asarray(self.shared.per_run(np.array(found)), np.int64)

    # Ends of each system alone.

    def _enclosed(self, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        """Return pairs x queries: ends that enclose the differences, from those of either system."""
        low, high = self._beside(np.concatenate([first, second]), np.concatenate([second, first]))
        own, other = slice(0, len(first)), slice(len(first), None)
        return low[own] - high[other], high[own] - low[other]

    def _beside(self, first: Ints, second: Ints) -> Ends:
        """Return pairs x queries: the ends of the first system, if it is compared with the second.

        The second half of the pairs is the first half the other way round.
        """
        measure, closed = self.measure, self._below_closed
        extra = np.zeros((len(first), len(self.shared.queries)), np.int64)
        if not measure.traits.pointwise:  # else documents that a system lacks cannot change it
            extra = self._extra(first, second) + self.never_judged[first]
        if measure.name == "AP":
            low = self._lowest_ap(first, extra)
            high = self._ends(closed, first, np.zeros_like(extra)).high  # others only lower it
        else:
            if measure.name == "nDCG":  # no more of others fit in the ideal ranking
                extra = np.minimum(extra, measure.given.get("cutoff", extra.max(initial=0)))
            low, high = self._ends(closed, first, extra)
        reached = self._reached(first, second)
        if reached.any():
            extra = np.zeros_like(extra) if measure.traits.diluted else extra
            high = np.where(reached, self._ends(_judged_only(self.shared, None), first, extra).high, high)
        return Ends(low, high)

    def _ends(self, rankings: JudgedRankings, first: Ints, extra: Integers) -> Ends:
        """Return pairs x queries: ends of the first system beside so many relevant documents of others."""
        queries, most = extra.shape[1], int(extra.max(initial=0)) + 1
        cells = (first[:, None] * queries + np.arange(queries)) * most + extra
        asked, place = np.unique(cells, return_inverse=True)
        found = _bounds_of(self.measure, rankings, asked // most, asked % most, after_end=False)
        return Ends(*(self.measure.averaged(end)[place.reshape(extra.shape)] for end in found))

    def _reached(self, first: Ints, second: Ints) -> Mask:
        """Return pairs x queries: whether the second has a document open that the first has below the depth.

        If it is relevant it is so for both, else what the first has below the depth is nonrelevant.
        """
        if self.depth is None:
            return np.zeros((len(first), len(self.shared.queries)), bool)
        r = self.shared.rankings
        outside = self.shared.name[r.row] >= len(self.shared.original.grade)
        below = r.where(outside & (r.rank > self.depth))
        return np.asarray(shared_counts(below, self._outside[0], first, second) > 0)

    @cached_property
    def _below_closed(self) -> JudgedRankings:
        return _judged_only(self.shared, self.depth)

    @cached_property
    def _outside(self) -> tuple[JudgedRankings, Integers]:
        """Open documents outside the pool, and runs x queries: how many of them each run has."""
        r = self.shared.rankings
        outside = is_open(self.shared, r, self.depth)
        outside &= self.shared.name[r.row] >= len(self.shared.original.grade)
        chosen = r.where(outside)
        return chosen, self.shared.per_run(chosen.counts)

    @cached_property
    def _pool_left(self) -> Integers:
        """For each ranking, unjudged documents of the pool that it did not retrieve."""
        r = self.shared.rankings
        unjudged = self.shared.judgments.grade < 0
        unjudged[self.shared.name >= len(self.shared.original.grade)] = False
        total = np.bincount(self.shared.judgments.query[unjudged], minlength=len(self.shared.queries))
        return total[r.query] - r.where(unjudged[r.row]).counts

    def _extra(self, first: Ints, second: Ints) -> Integers:
        """Return pairs x queries: documents that may be relevant and are not open in the first's rankings."""
        chosen, own = self._outside
        half = len(first) // 2
        both = shared_counts(chosen, chosen, first[:half], second[:half])
        left: Integers = self.shared.per_run(self._pool_left)[first]
        missed: Integers = own[second] - np.concatenate([both, both])
        return left + missed

    def _lowest_ap(self, first: Ints, extra: Integers) -> Floats:
        """Return the lowest AP of each pair's first system: the bounds of AP, at many numbers of others.

        It is the lowest (what relevant documents add) / (known relevant + how many they are + others),
        over 0, 1, ... unknown documents that are relevant, the last ones first.
        """
        low = np.empty(extra.shape)
        rel, cutoff = int(self.measure.given.get("rel", 1)), self.measure.given.get("cutoff", inf)
        for run in set(first.tolist()):
            r, mine = self._below_closed.run(run), np.flatnonzero(first == run)
            hits, relevant = r.relevant(rel, cutoff), r.known(rel)
            start, unknown = hits.total(hits.place / hits.rank), unknown_documents(r)
            turned = np.where(unknown.rank <= cutoff, 1 / unknown.rank, 0.0)
            above, below = hits_around(hits, unknown)
            alone = np.where(turned > 0, (above + 1) * turned + below, 0.0)
            for q, some in enumerate(map(slice, unknown.offsets[:-1], unknown.offsets[1:])):
                most = (relevant[q] + extra[mine, q]).astype(float)
                upwards, count = turned[some][::-1], np.arange(some.stop - some.start + 1)
                added = alone[some][::-1] + np.where(upwards > 0, upwards.cumsum() - upwards, 0.0)
                total = start[q] + np.append(0.0, added.cumsum())
                total, count = _lowest_of_all(total, count, most)
                low[mine, q] = ratio(total, count + most[:, None]).min(axis=1)
        return np.minimum(low, self.scores[first])

    # nDCG as a quotient.

    def _of_quotient(self, first: Ints, second: Ints, difference: Floats, tip: TipOf) -> Ends:
        """Return pairs x queries: the ends of differences of nDCG, a sum over the best possible one."""
        down, up = tip(first, second), tip(second, first)
        unjudged = self._either(first, second)
        unjudged += self._pool_unjudged
        shortest, longest = self._ideal(np.zeros(difference.shape)), self._ideal(unjudged)
        gap = difference * shortest
        low, high = gap + down.alone, gap - up.alone
        return Ends(
            np.where(low > 0, ratio(low, longest), _over(low, shortest)),
            np.where(high > 0, _over(high, shortest), ratio(high, longest)),
        )

    def _either(self, first: Ints, second: Ints) -> Floats:
        """Return pairs x queries: how many open documents outside the pool either has, down to a cutoff.

        Where one of them has as many as an ideal ranking shows, it does not matter how many they share.
        """
        chosen, own = self._outside
        few = chosen.where((chosen.counts < self.measure.given.get("cutoff", inf)).repeat(chosen.counts))
        both = shared_counts(few, few, first, second)
        return np.asarray(np.maximum(own[first] + own[second] - both, 0), float)

    @cached_property
    def _pool_unjudged(self) -> Integers:
        """How many documents of each query's pool are not judged."""
        original = self.shared.original
        return np.bincount(original.query[original.grade < 0], minlength=len(self.shared.queries))

    def _ideal(self, more: Floats) -> Floats:
        """Return pairs x queries: the best DCG with so many more documents of the highest grade."""
        pool, measure = self.shared.judgments, self.measure
        gain = np.where(pool.grade < 0, 0.0, measure.gain(np.maximum(pool.grade, 0)))
        top = float(measure.gain([measure.max_grade(pool)])[0])
        levels = sorted({*gain[gain > 0].tolist(), top})
        most = int(np.diff(pool.offsets).max(initial=0)) + 2
        discounts = DiscountSums(most, measure.given.get("cutoff", inf))
        best = np.zeros(more.shape)
        for step, level in zip(np.diff(levels, prepend=0.0), levels, strict=True):
            known = np.diff(segment_ends(gain >= level)[pool.offsets])
            count = np.minimum(known + more * (level <= top), len(discounts.sums) - 1)
            best += step * discounts(count.astype(np.int64))
        return best


def _lowest_of_all(sums: Floats, counts: Integers, others: Floats) -> tuple[Floats, Integers]:
    """Return the sums and counts among which is the lowest sum / (count + n), for each n of others.

    One that is not below the best for the fewest others, where these are most, nor below the best for the
    most others, where these are fewest, is nowhere the lowest, because the comparison of two is linear in n.
    """
    few, many = ratio(sums, counts + others.min()), ratio(sums, counts + others.max())
    best_few, best_many = int(few.argmin()), int(many.argmin())
    kept = np.flatnonzero((few < few[best_many]) & (many < many[best_few]))
    kept = np.append(kept, (best_few, best_many))
    return sums[kept], counts[kept]


def _over(value: Floats, ideal: Floats) -> Floats:
    """Divide; where nothing is known to be relevant, the end is as far away as it can be."""
    far = np.where(value == 0, 0.0, np.copysign(np.inf, value))
    return np.divide(value, ideal, out=far, where=ideal > 0)


def _is_sum_of_gains(measure: Measure) -> bool:
    """Whether every document adds its gain times what its rank counts, the most with the highest grade."""
    counts = measure.traits.weight is not None or measure.name == "DCG"
    return counts and not measure.given.keys() & {"gains", "scale"}


def _has_closer_bounds(measure: Measure) -> bool:
    """Whether the measure is nDCG with the usual gains."""
    return measure.name == "nDCG" and not measure.given.keys() & {"gains", "unjudged", "chance"}


def range_of_systems(shared: SharedRankings, measure: Measure, depth: int | None) -> Ends:
    """Return runs x queries: the ends of each system's values, by its own documents and the pool alone.

    Documents after the end of a ranking may be relevant too, as in the residual of RBP.
    """
    rankings = shared.judged_rankings
    if depth is not None and not measure.traits.skips_unjudged:
        rankings = own_to_depth(shared, depth)
    every, extra = np.arange(len(rankings)), _never_judged(shared, measure, depth)
    return Ends(*map(shared.per_run, _bounds_of(measure, rankings, every, extra)))


def _never_judged(shared: SharedRankings, measure: Measure, depth: int | None) -> Integers:
    """Return 1 for each ranking with documents below the depth, if a measure leaves unjudged ones out.

    Whether they are judged decides how many documents count as nonrelevant, as documents of others do.
    """
    r = shared.rankings
    if depth is None or not measure.traits.skips_unjudged:
        return np.zeros(len(r), np.int64)
    outside = shared.name[r.row] >= len(shared.original.grade)
    return (r.where(outside & (r.rank > depth)).counts > 0).astype(np.int64)


def _bounds_of(
    measure: Measure, rankings: JudgedRankings, which: Integers, extra: Integers, *, after_end: bool = True
) -> Ends:
    """Return the ends of some rankings, each with documents of others that may be relevant."""
    low, high = np.empty(len(which)), np.empty(len(which))
    for start in range(0, len(which), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        own = rankings.selected(which[some])
        made = bounds(measure, own, extra_relevant=extra[some], after_end=after_end)
        low[some], high[some] = made.low, made.high
    return Ends(low, high)


def own_to_depth(shared: SharedRankings, depth: int) -> JudgedRankings:
    """Return the judged rankings, with each run's documents below the depth as nonrelevant."""
    r = shared.rankings
    pooled = shared.name < len(shared.original.grade)
    return _over_pool(shared, pooled, ~pooled[r.row] & (r.rank > depth))


def _judged_only(shared: SharedRankings, depth: int | None) -> JudgedRankings:
    """Return the rankings over the judged documents alone; the others are gaps between their ranks.

    With a depth, documents outside the pool that a run has below it are nonrelevant there.
    """
    r, judged = shared.rankings, shared.judgments.grade >= 0
    closed = np.zeros(len(r.row), bool)
    if depth is not None:
        closed = (r.labels < 0) & ~is_open(shared, r, depth)
    return _over_pool(shared, judged, closed)


def _over_pool(shared: SharedRankings, kept: Mask, closed: Mask) -> JudgedRankings:
    """Return the rankings over some rows of the pool; a nonrelevant row per query is for what is closed."""
    r, pool = replace(shared.rankings, ties=None), shared.judgments
    rows, queries = np.flatnonzero(kept), len(pool.queries)
    further = 1 if closed.any() else 0
    offsets = np.searchsorted(rows, pool.offsets) + further * np.arange(queries + 1)
    grade = np.zeros(int(offsets[-1]), np.int32)
    place = np.arange(len(rows)) + further * pool.query[rows]
    grade[place] = pool.grade[rows]
    row = numbered(rows, len(pool.grade))
    row = np.where(row >= 0, place[row], -1) if len(place) else row
    made = anonymous(offsets, grade)
    if not further:
        return r.moved(made, row)
    own = row[r.row]
    own[closed] = offsets[1:][r.query[r.ranking[closed]]] - 1
    there = np.flatnonzero(own >= 0)
    ranking = r.ranking[there]
    return JudgedRankings(
        judgments=made,
        rank=r.rank[there],
        row=own[there].astype(np.int32),
        offsets=segment_ends(np.bincount(ranking, minlength=len(r))),
        retrieved=r.retrieved,
        query=r.query,
        ignored=r.ignored,
    )
