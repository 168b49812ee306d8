"""Bounds of AP, recall and R-precision in closed form, for all rankings at once."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.segments import ends, owners, places
from unjudged.measures.kernel.registry import Measure, bounds_of, ratio
from unjudged.measures.precision import AP, GMAP, R, RelP, Rprec, RprecMult
from unjudged.measures.preference import Bpref, Bpref10, GMBpref
from unjudged.measures.sets import SetR
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.uncertainty.bounding.filled import Bounds, unknown_documents


@bounds_of(AP)
def bounds_of_ap(measure: Measure, r: JudgedRankings, unseen: Integers, top: int) -> Bounds:
    """Return the bounds of AP: unknown documents turn relevant one after another.

    Let N be R times AP. From the top, the j-th document to turn, at rank k, adds (known relevant above k + j)
    / k, and 1/rank for each known relevant document below k. From the bottom, one at rank k adds (known
    relevant above k + 1) / k, and 1/rank for each relevant document below k, including those that turned
    before it. The bounds are the extremes of N / (R + j); unseen documents only lower it.
    """
    rel, cutoff = int(measure.given.get("rel", 1)), measure.given.get("cutoff", inf)
    hits, relevant = r.relevant(rel, cutoff), r.known(rel)
    start = hits.total(hits.place / hits.rank)
    value = ratio(start, relevant)
    if top < rel:
        return Bounds(value, value, exact=True)
    unknown = unknown_documents(r)
    above, below = hits_around(hits, unknown)
    counted = unknown.rank <= cutoff

    from_top = np.where(counted, (above + unknown.place) / unknown.rank + below, 0.0)
    high = value.copy()
    reached = start[unknown.ranking] + unknown.running(from_top, np.add)
    np.maximum.at(high, unknown.ranking, reached / (relevant[unknown.ranking] + unknown.place))

    turned = np.where(counted, 1 / unknown.rank, 0.0)
    turned_below = unknown.total(turned)[unknown.ranking] - unknown.running(turned, np.add)
    from_bottom = np.where(counted, (above + 1) / unknown.rank + below + turned_below, 0.0)
    added = unknown.total(from_bottom)[unknown.ranking] - unknown.running(from_bottom, np.add) + from_bottom
    most = relevant + unseen
    low = ratio(start, most)
    count = (unknown.counts[unknown.ranking] - unknown.place + 1) + most[unknown.ranking]
    np.minimum.at(low, unknown.ranking, (start[unknown.ranking] + added) / count)
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
    known_above, unknown_above = _down_to(hits, ranking, n), _down_to(unknown, ranking, n)
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
    from unjudged.uncertainty.bounding.preference_bounds import extremes

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
    """Return the bounds of GMAP and GMBpref: those of AP and Bpref, but at least `eps`."""
    plain, of_plain = (AP, bounds_of_ap) if measure.name == "GMAP" else (Bpref, bounds_of_bpref)
    least = {**measure.parameters, **measure.given}["eps"]
    bounds = of_plain(plain(rel=int(measure.given.get("rel", 1))), r, unseen, top)
    return Bounds(np.maximum(bounds.low, least), np.maximum(bounds.high, least), bounds.exact)


def _keys(r: JudgedRankings, ranking: Integers, rank: ArrayLike) -> Integers:
    """Numbers that rise with the ranking, and within it with the rank."""
    deepest = int(r.retrieved.max(initial=0)) + 2
    return ranking * deepest + np.minimum(rank, deepest - 1).astype(np.int64)


def _down_to(chosen: JudgedRankings, ranking: Integers, rank: Floats) -> Integers:
    """How many chosen documents of these rankings stand at these ranks or above."""
    have, wanted = _keys(chosen, chosen.ranking, chosen.rank), _keys(chosen, ranking, rank)
    found: Integers = np.searchsorted(have, wanted, "right") - chosen.offsets[ranking]
    return found


def hits_around(hits: JudgedRankings, unknown: JudgedRankings) -> tuple[Integers, Floats]:
    """For each unknown document, how many hits stand above it, and the sum of 1/rank of those below it."""
    place = np.searchsorted(_keys(hits, hits.ranking, hits.rank), _keys(hits, unknown.ranking, unknown.rank))
    own = np.append(hits.running(1 / hits.rank, np.add), 0.0)
    above = place - hits.offsets[unknown.ranking]
    so_far = np.where(above > 0, own[place - 1], 0.0)
    return above, hits.total(1 / hits.rank)[unknown.ranking] - so_far
