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

from unjudged.base.segments import ends as segment_ends
from unjudged.base.segments import numbered
from unjudged.evidence.contrast import Ends, Ints
from unjudged.evidence.favouring import DirectedPairs, shared_counts
from unjudged.evidence.tipping import ExpectedTip, is_open
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty.bounding.bounds import bounds
from unjudged.uncertainty.bounding.closed_bounds import hits_around
from unjudged.uncertainty.bounding.filled import anonymous, unknown_documents
from unjudged.uncertainty.bounding.gain_bounds import Discounts
from unjudged.uncertainty.shared import SharedRankings, selected_runs

RUNS_AT_ONCE = 16
TipOf = Callable[[Ints, Ints], ExpectedTip]


class DifferenceBounds:
    """Ends of differences by one measure; what several pairs need is made once."""

    def __init__(self, shared: SharedRankings, measure: Measure, depth: int | None, scores: Floats) -> None:
        self.shared, self.measure, self.depth, self.scores = shared, measure, depth, scores
        self._lows: dict[int, Floats] = {}
        self._shared_open: dict[tuple[bytes, ...], Floats] = {}

    def of(self, first: Ints, second: Ints, tip: TipOf) -> Ends:
        """Return pairs x queries: the lowest and the highest difference on each query."""
        difference = self.scores[first] - self.scores[second]
        if _adds_up(self.measure):
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
        numbers: dict[tuple[int, int, bytes], int] = {}
        stops, retrieved, query = r.offsets.tolist(), r.retrieved.tolist(), r.query.tolist()
        found = [
            numbers.setdefault((query[s], retrieved[s], r.row[stops[s] : stops[s + 1]].tobytes()), s)
            for s in range(len(r))
        ]
        return np.asarray(self.shared.per_run(np.array(found)), np.int64)

    # Ends of each system alone.

    def _enclosed(self, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        own, other = self._beside(first, second), self._beside(second, first)
        return own.low - other.high, own.high - other.low

    def _beside(self, first: Ints, second: Ints) -> Ends:
        """Return pairs x queries: the ends of the first system, if it is compared with the second."""
        traits, cutoff = self.measure.traits, self.measure.given.get("cutoff", inf)
        if traits.pointwise:  # documents that a system lacks cannot change it
            return Ends(self._least(0)[first], self._highest(first, second))
        extra = self._extra(first, second)
        if self.measure.name == "AP":
            return Ends(self._lowest_ap(first, extra), self._highest(first, second))
        if self.measure.name == "nDCG" and cutoff < inf:  # no more of others fit in the ideal ranking
            low, few = self._least(int(cutoff))[first], np.flatnonzero((extra < cutoff).any(axis=1))
            low[few] = self._beside_each(self._below_closed, first[few], second[few], extra[few]).low
            return Ends(low, self._highest(first, second))
        low, high = self._beside_each(self._below_closed, first, second, extra)
        if traits.diluted:
            return Ends(low, self._highest(first, second))
        reached = self._reached(first, second)
        if reached.any():
            high = np.where(reached, self._beside_each(self._open, first, second, extra).high, high)
        return Ends(low, high)

    def _beside_each(self, rankings: JudgedRankings, first: Ints, second: Ints, extra: Integers) -> Ends:
        """Return pairs x queries: ends of the first system beside so many relevant documents of others."""
        low, high = np.empty(extra.shape), np.empty(extra.shape)
        for other in np.unique(second).tolist():
            mine = np.flatnonzero(second == other)
            some = selected_runs(rankings, first[mine].tolist())
            made = bounds(self.measure, some, extra_relevant=extra[mine].ravel(), after_end=False)
            low[mine], high[mine] = (end.reshape(len(mine), -1) for end in (made.low, made.high))
        return Ends(*map(self.measure.averaged, (low, high)))

    def _highest(self, first: Ints, second: Ints) -> Floats:
        """Return pairs x queries: the highest values of the first system, which others only lower."""
        reached = self._reached(first, second)
        if reached.all():
            return self._most[first]
        shut: Floats = self._shut_most[first]
        return np.where(reached, self._most[first], shut) if reached.any() else shut

    def _reached(self, first: Ints, second: Ints) -> Mask:
        """Return pairs x queries: whether the second has a document open that the first has below the depth.

        If it is relevant it is so for both, else what the first has below the depth is nonrelevant.
        """
        shape = len(first), len(self.shared.queries)
        if self.depth is None or self.measure.traits.skips_unjudged:
            return np.ones(shape, bool)
        r = self.shared.rankings
        outside = self.shared.name[r.row] >= len(self.shared.original.grade)
        below = r.where(outside & (r.labels < 0) & (r.rank > self.depth))
        open_there, _ = self._outside
        if not len(open_there.row):
            return np.zeros(shape, bool)
        return np.asarray(shared_counts(below, open_there, DirectedPairs(first, second)) > 0)

    @cached_property
    def _shut_most(self) -> Floats:
        """Runs x queries: the highest values with what is below the depth nonrelevant."""
        return self._values(self._below_closed, 0).high

    @cached_property
    def _most(self) -> Floats:
        """Runs x queries: the highest values, wherever a document may be relevant."""
        return self._values(self._open, 0).high

    @cached_property
    def _open(self) -> JudgedRankings:
        """Rankings whose documents below the depth may be relevant, as those above it in another system."""
        return self._below_closed if self.depth == 0 else _judged_only(self.shared, None)

    def _least(self, extra: int) -> Floats:
        """Return runs x queries: the lowest values beside so many relevant documents of others."""
        if extra not in self._lows:
            self._lows[extra] = self._values(self._below_closed, extra).low
        return self._lows[extra]

    @cached_property
    def _below_closed(self) -> JudgedRankings:
        depth = None if self.measure.traits.skips_unjudged else self.depth
        return _judged_only(self.shared, depth)

    def _values(self, rankings: JudgedRankings, extra: int) -> Ends:
        parts, runs = [], len(self.shared.runs)
        for start in range(0, runs, RUNS_AT_ONCE):
            some = rankings.runs(start, min(start + RUNS_AT_ONCE, runs))
            parts.append(bounds(self.measure, some, extra_relevant=extra, after_end=False))
        low, high = (np.concatenate(ends) for ends in zip(*((p.low, p.high) for p in parts), strict=True))
        per_run = self.shared.per_run
        return Ends(*(self.measure.averaged(per_run(end)) for end in (low, high)))

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
        missed = self._outside[1][second] - self._both(first, second)
        left: Integers = self.shared.per_run(self._pool_left)[first]
        return left + missed.astype(np.int64)

    def _both(self, first: Ints, second: Ints) -> Floats:
        """Return pairs x queries: how many open documents outside the pool both have."""
        key = tuple(sorted((first.tobytes(), second.tobytes())))
        if key not in self._shared_open:
            chosen, _ = self._outside
            self._shared_open = {key: shared_counts(chosen, chosen, DirectedPairs(first, second))}
        return self._shared_open[key]

    def _lowest_ap(self, first: Ints, extra: Integers) -> Floats:
        """Return the lowest AP of each pair's first system: the bounds of AP, at many numbers of others.

        The lowest is that of (what relevant documents add) / (known relevant + how many they are + others),
        over 0, 1, ... unknown documents that are relevant, the last ones first.
        """
        start, relevant, offsets, total, count = self._added_from_below
        low = np.empty(extra.shape)
        queries = len(self.shared.queries)
        for run in np.unique(first).tolist():
            mine = np.flatnonzero(first == run)
            for q in range(queries):
                s = run * queries + q
                some = slice(offsets[s], offsets[s + 1])
                most = (relevant[s] + extra[mine, q]).astype(float)
                low[mine, q] = ratio(start[s], most)
                if some.stop > some.start:
                    a, c = _lowest_of_all(total[some], count[some], most)
                    np.minimum(low[mine, q], (a / (c + most[:, None])).min(axis=1), out=most)
                    low[mine, q] = most
        value = self.scores[first]
        return np.minimum(low, value)

    @cached_property
    def _added_from_below(self) -> tuple[Floats, Integers, list[int], Floats, Integers]:
        """For each ranking R times AP, known relevant documents, and where its unknown documents begin.

        For each of these R times AP if it and those below it are relevant, and how many they are.
        """
        r, measure = self._below_closed, self.measure
        rel, cutoff = int(measure.given.get("rel", 1)), measure.given.get("cutoff", inf)
        hits, relevant = r.relevant(rel, cutoff), r.known(rel)
        start = hits.total(hits.place / hits.rank)
        unknown = unknown_documents(r)
        above, below = hits_around(hits, unknown)
        counted = unknown.rank <= cutoff
        turned = np.where(counted, 1 / unknown.rank, 0.0)
        owner = unknown.ranking
        turned_below = unknown.total(turned)[owner] - unknown.running(turned, np.add)
        from_bottom = np.where(counted, (above + 1) / unknown.rank + below + turned_below, 0.0)
        added = unknown.total(from_bottom)[owner] - unknown.running(from_bottom, np.add) + from_bottom
        count = unknown.counts[owner] - unknown.place + 1
        return start, relevant, unknown.offsets.tolist(), start[owner] + added, count

    # nDCG as a quotient.

    def _of_quotient(self, first: Ints, second: Ints, difference: Floats, tip: TipOf) -> Ends:
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
        few = chosen.where((chosen.counts < self.measure.given.get("cutoff", inf))[chosen.ranking])
        both = shared_counts(few, few, DirectedPairs(first, second))
        return np.asarray(np.maximum(own[first] + own[second] - both, 0), float)

    @cached_property
    def _pool_unjudged(self) -> Integers:
        original = self.shared.original
        return np.bincount(original.query[original.grade < 0], minlength=len(self.shared.queries))

    def _ideal(self, more: Floats) -> Floats:
        """Return pairs x queries: the best DCG with so many more documents of the highest grade."""
        pool, measure = self.shared.judgments, self.measure
        gain = np.where(pool.grade < 0, 0.0, measure.gain(np.maximum(pool.grade, 0)))
        top = float(measure.gain([measure.max_grade(pool)])[0])
        levels = np.unique(np.append(gain[gain > 0], top))
        discounts = Discounts(int(np.diff(pool.offsets).max(initial=0)) + 2, measure.given.get("cutoff", inf))
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
    few, many = sums / (counts + others.min()), sums / (counts + others.max())
    best_few, best_many = int(few.argmin()), int(many.argmin())
    kept = np.flatnonzero((few < few[best_many]) & (many < many[best_few]))
    kept = np.append(kept, (best_few, best_many))
    return sums[kept], counts[kept]


def _over(value: Floats, ideal: Floats) -> Floats:
    """Divide; where nothing is known to be relevant, the end is as far away as it can be."""
    far = np.where(value == 0, 0.0, np.copysign(np.inf, value))
    return np.divide(value, ideal, out=far, where=ideal > 0)


def _adds_up(measure: Measure) -> bool:
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
        rankings = _own_to_depth(shared, depth)
    found = bounds(measure, rankings)
    return Ends(shared.per_run(found.low), shared.per_run(found.high))


def _own_to_depth(shared: SharedRankings, depth: int) -> JudgedRankings:
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
    r, pool = shared.rankings, shared.judgments
    rows, queries = np.flatnonzero(kept), len(pool.queries)
    further = 1 if closed.any() else 0
    offsets = np.searchsorted(rows, pool.offsets) + further * np.arange(queries + 1)
    grade = np.zeros(int(offsets[-1]), np.int32)
    place = np.arange(len(rows)) + further * pool.query[rows]
    grade[place] = pool.grade[rows]
    row = numbered(rows, len(pool.grade))
    row = np.where(row >= 0, place[row], -1) if len(place) else row
    made = replace(anonymous(offsets, grade), scale=shared.original.scale)
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
