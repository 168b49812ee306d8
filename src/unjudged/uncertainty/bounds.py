"""The smallest and the largest value that any completion of the judgments could give.

An unknown document is one that was retrieved and not judged, pooled or not. Two facts make bounds exact:

- A measure that never falls when a grade rises (`pointwise`) is lowest when no unknown document is relevant
  and highest when all are: P, RR, Success, RBP, ERR.
- A measure that never falls when a better document takes the place of a worse one above it (`monotone`) is,
  among completions with j relevant documents, lowest when these are the last j of the unknown and highest
  when they are the first j; trying every j gives the bounds: AP, R, Rprec, nDCG, Bpref and others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from unjudged.errors import UsageError
from unjudged.measures.rank_biased import RBPUpper
from unjudged.measures.registry import MEASURES, Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, sums
from unjudged.rankings.judgments import UNSAMPLED
from unjudged.uncertainty.average_precision import bounds_of_ap
from unjudged.uncertainty.completions import Completions

MOST_SEQUENCES = 3000


@dataclass(frozen=True, eq=False)
class Bounds:
    """For each ranking the ends of the interval; `exact` where some completion reaches each of them."""

    low: Floats
    high: Floats
    exact: bool


def bounds(
    measure: Measure, rankings: JudgedRankings, *, more: int | Integers = 0, top: int | None = None
) -> Bounds:
    """Every completion's value lies within, ranking by ranking.

    `more` relevant documents that were not retrieved may turn up, for every ranking or for each; `top` is the
    highest grade an unknown document may turn out to have, that of the judgments unless given. RBP's user
    goes on behind the end of a ranking, so its upper end counts the documents there too.
    """
    if not measure.traits.monotone:
        known = ", ".join(name for name, m in MEASURES.items() if m.traits.monotone)
        raise UsageError(f"{measure.name} has no bounds; these have: {known}")
    if np.min(more) < 0:
        raise UsageError(f"more is {more}, expected a whole number of at least 0")
    measure.check_completable()
    top = max(int(rankings.judgments.grade.max(initial=1)), 1) if top is None else top
    completions = Completions.of(rankings, more)
    if measure.traits.pointwise:
        low = measure.compute(completions.complete(0))
        high = measure.compute(completions.complete(top))
        if measure.name == "RBP":
            high = RBPUpper(**measure.own).compute(rankings)
        return Bounds(low, high, exact=True)
    if measure.name == "AP" and top >= measure.given.get("rel", 1):
        unseen = np.broadcast_to(np.asarray(more, np.int64), len(rankings))
        return Bounds(*bounds_of_ap(completions, unseen, **measure.own), exact=True)
    low, high = _over_counts(measure, completions, top)
    if measure.name == "nDCG" and top > 1:
        return Bounds(low, *_graded_upper(measure, completions, top, high))
    return Bounds(low, high, exact=True)


def _over_counts(measure: Measure, completions: Completions, top: int) -> tuple[Floats, Floats]:
    """The extremes over the number of relevant documents among the unknown, and among the unseen."""
    low = np.full(len(completions.rankings), np.inf)
    high = -low
    cutoff = measure.given.get("cutoff", np.inf) if measure.traits.diluted else np.inf
    inside = completions.rank <= cutoff
    from_below = sums(inside, completions.ranking, len(low))[completions.ranking] - completions.place + 1
    for none, every in _unseen(measure, completions, top):
        for j in range(int(completions.place[inside].max(initial=0)) + 1):
            first = np.where(inside & (completions.place <= j), top, 0)
            last = np.where(~inside | (from_below <= j), top, 0)
            high = np.maximum(high, measure.compute(completions.complete(first, none)))
            low = np.minimum(low, measure.compute(completions.complete(last, every)))
    return low, high


def _unseen(measure: Measure, completions: Completions, top: int) -> Iterator[tuple[Integers, Integers]]:
    """The grades of the unseen to try, for the upper end and for the lower one.

    They never raise a measure that is diluted, and neither do documents below its cutoff.
    """
    place = completions.unseen_place
    if measure.traits.diluted:
        yield np.full(len(place), UNSAMPLED), np.full(len(place), top)
        return
    for there in range(int(place.max(initial=0)) + 1):
        grades = np.where(place <= there, top, UNSAMPLED)
        yield grades, grades


def _graded_upper(measure: Measure, completions: Completions, top: int, found: Floats) -> tuple[Floats, bool]:
    """NDCG's largest value may need grades between 0 and the top.

    Larger grades stand higher in the best completion, so the grades of the unknown above the cutoff
    fall; those below it are 0. All such sequences are tried where they are few; else 1 is the end.
    """
    cutoff = measure.given.get("cutoff", np.inf)
    places: Integers = np.where(completions.rank <= cutoff, completions.place, 0)
    longest = int(places.max(initial=0))
    if comb(longest + top, top) > MOST_SEQUENCES:
        return np.where(completions.count > 0, 1.0, found), False
    for grades in combinations_with_replacement(range(top, -1, -1), longest):
        grade = np.array([0, *grades])[places]
        found = np.maximum(found, measure.compute(completions.complete(grade)))
    return found, True
