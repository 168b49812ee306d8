"""Smallest and largest value that any completion of the judgments could give.

Unknown documents were retrieved and not judged, pooled or not; unseen ones were not retrieved and may be
relevant: the unjudged documents of the pool, and as many more as the caller allows. Documents in neither are
assumed nonrelevant. Three facts give the bounds:

- A measure that never falls when a grade rises (`pointwise`) is lowest when no unknown document is relevant
  and highest when all are: P, RR, Success, RBP, ERR.
- Some measures have a closed form over the number of relevant documents, registered with `bounds_of`:
  `closed_bounds.py`.
- A measure that never falls when a better document moves above a worse one (`monotone`) is, among
  completions with j relevant documents, lowest when these are the last j unknown ones and highest when they
  are the first j; trying every j gives the bounds of all the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Integers, sums
from unjudged.evidence.bounds import closed_bounds  # noqa: F401 (it registers closed forms)
from unjudged.evidence.bounds.filled import Bounds, Filled, unseen_counts
from unjudged.measures.kernel.registry import BOUNDS, MEASURES, Measure
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
