"""Smallest and largest value that any completion of the judgments could give.

Unknown documents were retrieved and not judged, pooled or not; unseen ones were not retrieved and may be
relevant: the unjudged documents of the pool, and as many more as the caller allows. Documents in neither are
assumed nonrelevant. Three facts give the bounds:

- A measure that never falls when a grade rises (`pointwise`) is lowest when no unknown document is relevant
  and highest when all are: P, RR, Success, RBP, ERR.
- Some measures have a closed form over the number of relevant documents, registered with `bounds_of`:
  AP, recall, R-precision, Bpref and nDCG, for all rankings at once.
- A measure that never falls when a better document moves above a worse one (`monotone`) is, among
  completions with j relevant documents, lowest when these are the last j unknown ones and highest when they
  are the first j; trying every j gives the bounds of all the others.

Bpref sums 1 - min(n, most) / worst over relevant documents, n the nonrelevant ones above. Within a ranking n
never falls with the rank, so the sum of min(n, most) is a sum up to a place and a constant after it: every
number of relevant documents takes a few searches instead of a pass over the ranking.

A gain of nDCG is a sum of steps between neighbouring levels. With n_l unknown documents at level l or higher,
c_l known ones, U(n) the discounts of the first n unknown ranks and D(n) the discounts of the first n ranks,

    DCG = known + sum over levels of step_l U(n_l),    ideal DCG = sum over levels of step_l D(c_l + n_l),

so for a given ratio x, DCG - x ideal falls apart into one choice of n_l per level, and Dinkelbach's
iteration finds the largest ratio. A higher level has fewer known documents, so its best n_l is never larger:
the choices fit together. The smallest ratio has unseen documents and the last n unknown ones at the highest
level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import (
    Floats,
    Integers,
    Mask,
    distinct,
    ends,
    owners,
    owners_by_ends,
    places,
    sums,
)
from unjudged.data.scan import scanner
from unjudged.evidence.filled import Bounds, Filled, count_above, unknown_documents, unseen_counts
from unjudged.measures.gain import DiscountSums, nDCG
from unjudged.measures.kernel.registry import BOUNDS, MEASURES, Measure, bounds_of, ratio
from unjudged.measures.precision import AP, GMAP, Bpref, Bpref10, GMBpref, R, RelP, Rprec, RprecMult
from unjudged.measures.sets import SetR
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED


def bounds(
    measure: Measure,
    rankings: JudgedRankings,
    *,
    extra_relevant: int | Integers = 0,
    top: int | None = None,
    after_end: bool = True,
) -> Bounds:
    """Return the bounds of each ranking's value over every completion of its judgments.

    `extra_relevant` documents outside pool and ranking may be relevant, for every ranking or for each. `top`
    is the highest grade that a document may get: the measure's `max_grade`, or the highest grade of
    the judgments. RBP's user goes on after the end of a ranking; `after_end` counts the documents there.

    The value itself is always within: a measure such as Bpref, which leaves unjudged documents out, may
    have a value now that no complete judgments would give it.
    """
    check_bounded(measure)
    if np.min(extra_relevant) < 0:
        raise UsageError(f"extra_relevant is {extra_relevant}: use a whole number of at least 0")
    top = measure.max_grade(rankings.judgments) if top is None else top
    extra = np.broadcast_to(np.asarray(extra_relevant, np.int64), len(rankings))
    if measure.name in BOUNDS:
        found = BOUNDS[measure.name](measure, rankings, unseen_counts(rankings) + extra, top)
    elif measure.traits.pointwise:
        found = _pointwise(measure, rankings, top, after_end)
    else:
        found = _over_counts(measure, Filled.of(rankings, extra), top)
    value = measure.compute(rankings)
    return Bounds(np.minimum(found.low, value), np.maximum(found.high, value), found.exact)


def is_bounded(measure: Measure) -> bool:
    """Whether a measure has bounds."""
    return measure.traits.monotone or measure.name in BOUNDS


def check_bounded(measure: Measure) -> None:
    """Refuse a measure that has no bounds."""
    if not is_bounded(measure):
        known = ", ".join(name for name, m in MEASURES.items() if m.traits.monotone or name in BOUNDS)
        raise UsageError(f"{measure.name} has no bounds; these measures have: {known}")
    measure.check_completable()
    gains: Any = measure.given.get("gains") or {}
    graded = measure.traits.gain is not None and not measure.traits.pointwise
    if graded and gains.get(0, 0) != 0:
        raise UsageError(f"{measure}: bounds need a gain of 0 for grade 0")


def _pointwise(measure: Measure, rankings: JudgedRankings, top: int, after_end: bool) -> Bounds:
    """All unknown documents at one grade: each of the grades that can have the lowest or highest gain."""
    filled = Filled.of(rankings)
    gains: Any = measure.given.get("gains") or {}
    graded = {grade for named in gains for grade in (named - 1, named, named + 1)}
    grades = sorted({0, top, *(g for g in graded if 0 <= g <= top)})
    values = np.stack([measure.compute(filled.complete(grade)) for grade in grades])
    high = values.max(axis=0)
    if after_end and measure.traits.tail is not None:
        alone = [measure.compute(JudgedRankings.spelled(str(grade)))[0] for grade in grades]
        highest = max(alone) / float(measure.weights(1))
        high = high + highest * measure.traits.tail(rankings.retrieved, **measure.own)
    return Bounds(values.min(axis=0), high, exact=True)


def _over_counts(measure: Measure, filled: Filled, top: int) -> Bounds:
    """Return the extremes over the number of relevant documents among the unknown, and among the unseen."""
    low = np.full(len(filled.rankings), np.inf)
    high = -low
    cutoff = measure.given.get("cutoff", np.inf) if measure.traits.diluted else np.inf
    inside = filled.rank <= cutoff
    from_below = sums(inside, filled.ranking, len(low))[filled.ranking] - filled.place + 1
    for none, every in _unseen(measure, filled, top):
        for j in range(int(filled.place[inside].max(initial=0)) + 1):
            first = np.where(inside & (filled.place <= j), top, 0)
            last = np.where(~inside | (from_below <= j), top, 0)
            high = np.maximum(high, measure.compute(filled.complete(first, none)))
            low = np.minimum(low, measure.compute(filled.complete(last, every)))
    return Bounds(low, high, exact=True)


def _unseen(measure: Measure, filled: Filled, top: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield the grades of the unseen to try, for the upper end and for the lower one.

    They never raise a measure that is diluted, and neither do documents below its cutoff.
    """
    place = filled.unseen_place
    if measure.traits.diluted:
        yield np.full(len(place), UNSAMPLED), np.full(len(place), top)
        return
    for there in range(int(place.max(initial=0)) + 1):
        grades = np.where(place <= there, top, UNSAMPLED)
        yield grades, grades


# Closed forms.


@bounds_of(AP)
def bounds_of_ap(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of AP: unknown documents turn relevant one after another, from the top or bottom.

    One pass over the ranks takes .06 s for 7 million of them, and arrays of them all .6 s.
    """
    rel, cutoff = int(measure.given.get("rel", 1)), measure.given.get("cutoff", inf)
    relevant = r.known(rel)
    if top < rel:
        value = ratio(r.sum_precisions(rel, cutoff), relevant)
        return Bounds(value, value, exact=True)
    low, high = scanner.ends_of_precision(
        r.labels, r.rank, r.offsets, r.retrieved, relevant, unseen, rel, cutoff
    )
    return Bounds(low, high, exact=True)


@bounds_of(R)
@bounds_of(SetR)
@bounds_of(RelP)
def bounds_of_recall(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of recall: relevant documents above the cutoff raise it, all others lower it.

    One more relevant document above the cutoff adds 1 to hits and to R, which never lowers hits / R.
    """
    rel, cutoff = int(measure.given.get("rel", 1)), measure.given.get("cutoff", inf)
    hits, relevant = r.relevant(rel, cutoff).counts, r.known(rel)
    most = cutoff if measure.name == "RelP" else inf
    if top < rel:
        value = ratio(hits, np.minimum(relevant, most))
        return Bounds(value, value, exact=True)
    unknown = unknown_documents(r)
    inside = unknown.total(unknown.rank <= cutoff)
    outside = unknown.counts - inside
    low = ratio(hits, np.minimum(relevant + unseen + outside, most))
    high = ratio(hits + inside, np.minimum(relevant + inside, most))
    return Bounds(low, high, exact=True)


@bounds_of(Rprec)
@bounds_of(RprecMult)
def bounds_of_r_precision(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of precision at rank R, or a multiple of it, over t further relevant documents.

    With n the rank that R + t gives: at best the t are the first unknown documents, at worst they are unseen
    or the last unknown ones, and only those that find no other place stand above rank n.
    """
    rel, multiple = int(measure.given.get("rel", 1)), measure.given.get("multiple")
    relevant, hits = r.known(rel), r.relevant(rel)
    unknown = unknown_documents(r)
    size = np.where(top < rel, 0, unknown.counts + unseen) + 1
    ranking, t = owners(size), places(size) - 1
    n = (relevant[ranking] + t).astype(float)
    if multiple is not None:
        n = np.floor(multiple * n + 0.9)
    known_above, unknown_above = (count_above(kind, ranking, n, "right") for kind in (hits, unknown))
    at_best = ratio(known_above + np.minimum(t, unknown_above), n)
    elsewhere = unseen[ranking] + unknown.counts[ranking] - unknown_above
    at_worst = ratio(known_above + np.maximum(t - elsewhere, 0), n)
    first = ends(size)[:-1]
    return Bounds(np.minimum.reduceat(at_worst, first), np.maximum.reduceat(at_best, first), exact=True)


@bounds_of(Bpref)
@bounds_of(Bpref10)
def bounds_of_bpref(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of binary preference over the number j of unknown documents that are relevant.

    Exact if every unjudged document was retrieved; otherwise enclosed by 0 and the recall that could be
    reached. At best the j are the first unknown documents, at worst the last.
    """
    rel = int(measure.given.get("rel", 1))
    unknown = unknown_documents(r)
    low, high = extremes(measure, r, unknown, turn=top >= rel)
    hits, relevant = r.relevant(rel).counts, r.known(rel)
    further = unseen > 0
    recall = ratio(hits + unknown.counts, relevant + unknown.counts)
    return Bounds(np.where(further, 0.0, low), np.where(further, recall, high), exact=not further.any())


@bounds_of(GMAP)
@bounds_of(GMBpref)
def bounds_of_geometric(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of GMAP and GMBpref: the bounds of AP and Bpref, but at least `eps`."""
    plain, of_plain = (AP, bounds_of_ap) if measure.name == "GMAP" else (Bpref, bounds_of_bpref)
    least = {**measure.parameters, **measure.given}["eps"]
    bounds = of_plain(plain(rel=int(measure.given.get("rel", 1))), r, unseen, top)
    return Bounds(np.maximum(bounds.low, least), np.maximum(bounds.high, least), bounds.exact)


def hits_around(hits: JudgedRankings, unknown: JudgedRankings) -> tuple[Integers, Floats]:
    """For each unknown document, how many hits stand above it, and the sum of 1/rank of those below it."""
    above = count_above(hits, unknown.ranking, unknown.rank)
    own = np.append(hits.running(1 / hits.rank, np.add), 0.0)
    so_far = np.where(above > 0, own[hits.offsets[unknown.ranking] + above - 1], 0.0)
    return above, hits.total(1 / hits.rank)[unknown.ranking] - so_far


@dataclass(eq=False, repr=False)
class Rising:
    """Whole numbers that never fall within a ranking, rankings end to end."""

    values: Integers
    offsets: Integers

    @cached_property
    def highest(self) -> int:
        return int(self.values.max(initial=0)) + 2

    @cached_property
    def keys(self) -> Integers:
        """Numbers that rise from ranking to ranking, and never fall within one."""
        return owners_by_ends(self.offsets) * self.highest + self.values

    @cached_property
    def sums(self) -> Integers:
        return ends(self.values)

    def below(self, ranking: Integers, limit: Integers) -> Integers:
        """Where the values of each ranking reach a limit."""
        place: Integers = np.searchsorted(
            self.keys, ranking * self.highest + np.clip(limit, 0, self.highest - 1)
        )
        return place

    def capped(self, ranking: Integers, start: Integers, stop: Integers, cap: Integers) -> Integers:
        """Sum of min(value, cap) over places start to stop of each ranking; 0 for a negative cap."""
        turn = np.clip(self.below(ranking, cap), start, stop)
        capped: Integers = self.sums[turn] - self.sums[start] + (stop - turn) * np.maximum(cap, 0)
        return capped


def extremes(
    measure: Measure, r: JudgedRankings, unknown: JudgedRankings, *, turn: bool
) -> tuple[Floats, Floats]:
    """Return the lowest and highest value; `turn` is False if no unknown document can be relevant."""
    rel = int(measure.given.get("rel", 1))
    hits, nonrelevant = r.relevant(rel), r.where((r.labels >= 0) & (r.labels < rel))
    above_hits = count_above(nonrelevant, hits.ranking, hits.rank)
    above_unknown = count_above(nonrelevant, unknown.ranking, unknown.rank)
    unknown_above = count_above(unknown, hits.ranking, hits.rank)
    a = Rising(above_hits, hits.offsets)
    b = Rising(above_hits + unknown_above, hits.offsets)
    passed = Rising(unknown_above, hits.offsets)
    u = Rising(above_unknown, unknown.offsets)

    counts = unknown.counts
    size = np.where(turn, counts, 0) + 1
    first, ranking, j = ends(size)[:-1], owners(size), places(size) - 1
    relevant = r.known(rel)[ranking] + j
    most, worst = _most_and_worst(measure, relevant, r.known(0, rel)[ranking] + counts[ranking] - j)
    start, stop = hits.offsets[ranking], hits.offsets[ranking + 1]
    u_start, u_stop = unknown.offsets[ranking], unknown.offsets[ranking + 1]

    def value(lost: Integers) -> Floats:
        return ratio(stop - start + j - ratio(lost, worst), relevant)

    split = passed.below(ranking, j)  # hits above the j-th unknown document have fewer than j of them above
    lost = u.capped(ranking, u_start, u_start + j, most)
    lost = lost + a.capped(ranking, start, split, most)
    lost = lost + b.capped(ranking, split, stop, most + j) - j * (stop - split)
    high = np.maximum.reduceat(value(lost), first)

    z = counts[ranking] - j  # the first z unknown documents are nonrelevant
    split = passed.below(ranking, z + 1)
    cap, shift = np.maximum(most - z, 0), np.minimum(most, z)
    lost = u.capped(ranking, u_start + z, u_stop, cap) + j * shift
    lost = lost + b.capped(ranking, start, split, most)
    lost = lost + a.capped(ranking, split, stop, cap) + (stop - split) * shift
    low = np.minimum.reduceat(value(lost), first)
    return low, high


def _most_and_worst(measure: Measure, relevant: Integers, nonrelevant: Integers) -> tuple[Integers, Integers]:
    """Return how many nonrelevant documents count in Bpref, and what it divides by."""
    if measure.name == "Bpref10":
        return relevant + 10, relevant + 10
    if measure.given.get("form", "trec_eval") == "trec_eval":
        return relevant, np.minimum(relevant, nonrelevant)
    return relevant, relevant


MOST_LEVELS = 64
ITERATIONS = 60


@bounds_of(nDCG)
def bounds_of_ndcg(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of nDCG over every completion with grades up to `top`."""
    cutoff = measure.given.get("cutoff", inf)
    gains = measure.given.get("gains")
    known = measure.gain(r.judgments.grade)
    grades = distinct([0, top, *(g for named in gains or {} for g in (named - 1, named) if 0 <= g <= top)])
    possible = measure.gain(grades)
    levels = distinct(np.concatenate([known[known > 0], [possible.max()]]))
    levels = levels[levels > 0] if levels.any() else np.ones(1)  # if nothing can have a gain, values are 0
    if len(levels) > MOST_LEVELS:
        return Bounds(np.zeros(len(r)), np.ones(len(r)), exact=False)
    start = r.total(known[r.row] * (r.rank <= cutoff) / np.log2(r.rank + 1.0))
    counts = np.stack([np.diff(ends(known >= level)[r.judgments.offsets])[r.query] for level in levels])
    unknown = unknown_documents(r)
    inside = unknown.where(unknown.rank <= cutoff)
    most = int(counts.max(initial=0) + unseen.max(initial=0) + unknown.counts.max(initial=0))
    ideal = DiscountSums(most, cutoff)
    given = _Levels(start, np.diff(levels, prepend=0.0), counts, ideal, inside)
    low = given.lowest(float(possible.max()), unseen + unknown.counts - inside.counts)
    high = given.highest(levels <= possible.max())
    return Bounds(low, high, exact=True)


@dataclass(eq=False, repr=False)
class _Levels:
    """Known DCG of each ranking, the steps between levels, and the known documents at each level.

    `inside` are the unknown documents down to the cutoff, of which 0, 1, ... may be relevant.
    """

    start: Floats
    steps: Floats
    counts: Integers
    ideal: DiscountSums
    inside: JudgedRankings

    @cached_property
    def choices(self) -> tuple[Integers, Integers, Integers, Floats]:
        """Every number of relevant unknown documents: ranking, number, first place, sum of discounts."""
        size = self.inside.counts + 1
        ranking, n = owners(size), places(size) - 1
        from_top = np.zeros(len(ranking))
        from_top[np.flatnonzero(n > 0)] = self.inside.running(1 / np.log2(self.inside.rank + 1.0), np.add)
        return ranking, n, ends(size)[:-1], from_top

    def lowest(self, gain: float, free: Integers) -> Floats:
        """Return the lowest ratio, with documents of the highest gain at the last ranks and the free ones."""
        ranking, n, first, from_top = self.choices
        total = self.inside.total(1 / np.log2(self.inside.rank + 1.0))
        last = total[ranking] - from_top[first[ranking] + self.inside.counts[ranking] - n]
        steps = zip(self.counts, self.steps.tolist(), strict=True)
        best = sum(step * self.ideal(count[ranking] + free[ranking] + n) for count, step in steps)
        return np.minimum.reduceat(ratio(self.start[ranking] + gain * last, best), first)

    def highest(self, reachable: Mask) -> Floats:
        """Return the highest ratio, by Dinkelbach's iteration."""
        ranking, n, first, gained = self.choices
        at = [self.ideal(count[ranking] + n) for count in self.counts]
        best = np.zeros(len(self.start))
        for _ in range(ITERATIONS):
            total, ideal_total = self.start.copy(), np.zeros(len(self.start))
            for level, step in enumerate(self.steps.tolist()):
                chosen = first
                if reachable[level]:
                    chosen = _first_largest(gained - best[ranking] * at[level], first, self.inside.counts)
                total = total + step * gained[chosen]
                ideal_total = ideal_total + step * at[level][chosen]
            better = np.maximum(ratio(total, ideal_total), best)
            if (better <= best * (1 + 1e-15)).all():
                break
            best = better
        return best


def _first_largest(values: Floats, first: Integers, counts: Integers) -> Integers:
    """Return the place of the largest value of each stretch, the first of equals."""
    largest = np.maximum.reduceat(values, first)
    hit = np.flatnonzero(values == np.repeat(largest, counts + 1))
    chosen: Integers = hit[np.searchsorted(hit, first)]
    return chosen
