"""Judging until the order of systems is decided, with a look after every batch.

The pairs that need judging at the start are asked about together: at every look that there may be, the
intervals of all their differences hold with 95 %. A pair is decided at the first look at which its interval
excludes 0. All state is in the judgments: which documents were drawn in which batch, and what was asked.
It is about these queries; whether others would say so too is for the test over queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np

from unjudged.base.choices import called, check_parameters, checked_int
from unjudged.base.errors import UsageError, quoted
from unjudged.base.segments import Floats, Integers, Ints, Mask
from unjudged.base.wording import counted, shortlist
from unjudged.collection.collection import Collection
from unjudged.evidence.contrast import ends_of_estimates
from unjudged.evidence.drawn.by_design import FEWEST, Forecast, reach, sizes_left
from unjudged.inference.pair_rows import needs_judging
from unjudged.judging.holes import Holes, at_looks, with_next_batch
from unjudged.measures.kernel.measure import Measure, mean_over_queries
from unjudged.rankings.judgments import Judgments

BETTER = "better"
LEVEL = 0.95
PLANNED, NAMED = 2, 3
"""No fewer batches than these are expected, and so many pairs are named."""


def next_batch(
    collection: Collection,
    measure: Measure,
    *,
    n: int,
    seed: int,
    until: str = BETTER,
    depth: int | None = None,
) -> tuple[Judgments, list[str]]:
    """Draw the next batch of n holes unless all pairs are decided, and say what is known of them."""
    looks = _declared(until)
    frame = collection.judgments.frame if collection.described.judgments else None
    begun = frame is not None and "pairs" in frame.settings
    if frame is not None and begun:
        _check_as_begun(frame.settings, measure, looks)
    pairs = [] if begun else undecided(collection, measure)
    if frame is None and not pairs:
        return collection.judgments, [
            f"Stop: judging cannot, or is unlikely to, change the order of any pair by {measure}."
        ]
    holes = Holes.of(collection, measure, depth)
    if pairs:
        holes = started(holes, pairs, n, looks, seed)
    path, batch = Looks.of(holes), int(holes.frame.batch.max())
    if waiting := holes.waiting:
        rest = f"{counted(waiting, 'document')} of batch {batch} still to judge"
        return holes.judgments, [f"{rest}: judge and merge, then ask again."]
    if path.decided.all() or path.over:
        return holes.judgments, [*path.said()]
    drawn = replace(holes, judgments=with_next_batch(holes.judgments, n))
    return drawn.judgments, [
        *path.said(),
        f"{counted(drawn.waiting, 'document')} to judge, batch {batch + 1}.",
    ]


def _declared(until: str) -> int | None:
    """Return the number of looks that is declared, None for as many as one likes."""
    goal, more = called(until)
    if goal != BETTER:
        raise UsageError(f"until is {quoted(until)}, expected {BETTER!r} or 'better(batches=5)'")
    check_parameters(BETTER, more, ["batches"])
    looks = more.get("batches")
    return None if looks is None else checked_int("batches", looks, least=1)


def _check_as_begun(settings: Mapping[str, Any], measure: Measure, looks: int | None) -> None:
    """Refuse another measure, or another number of looks, than were asked for before the first batch."""
    begun = settings.get("measure", str(measure)), settings.get("looks")
    for name, was, now in zip(("measure", "batches"), begun, (str(measure), looks or begun[1]), strict=True):
        if was != now:
            problem = f"{name} is {now}, and the first batch was drawn for {was or 'any number'}"
            raise UsageError(f"{problem}: omit it, or begin again from the judgments before")


def undecided(collection: Collection, measure: Measure) -> list[tuple[str, str]]:
    """Return the pairs of systems whose order judging could change.

    Where documents were drawn before, only bounds say which these are; else pairs of which `compare` says
    that judging is unlikely to change them are left out too.
    """
    from unjudged.judging.next_documents import pairs_by_judging

    shared, drawn = collection.shared(), collection.judgments.frame is not None
    if len(shared.runs) < 2:
        raise UsageError("there is one run, expected two or more: nothing can be better")
    rows = pairs_by_judging(shared, measure, collection.judgments.origin.pool_depth())
    asked = [row for row in rows if row["low"] <= 0 <= row["high"] and (drawn or needs_judging(row))]
    return [(row["a"], row["b"]) for row in asked]


def started(holes: Holes, pairs: Sequence[tuple[str, str]], n: int, looks: int | None, seed: int) -> Holes:
    """Return the holes in an order by what they may change of these pairs, with what was asked."""
    places = _places(holes, pairs)
    settings: dict[str, Any] = {"pairs": [*map(list, pairs)], "looks": looks, "measure": str(holes.measure)}
    if holes.frame.drawn.any():
        frame = replace(holes.frame, settings={**holes.frame.settings, **settings})
        holes = replace(holes, judgments=replace(holes.judgments, frame=frame))
    else:
        holes = holes.with_sizes(*places, seed, settings)
    means = np.abs(holes.evidence.effects.means(*places))
    needed = [one.needed(gap) for one, gap in zip(holes.forecasts(*places), means.tolist(), strict=True)]
    expected = max(PLANNED * n, int(np.median(needed)))
    frame = replace(holes.frame, settings={**holes.frame.settings, "expected": expected})
    return replace(holes, judgments=replace(holes.judgments, frame=frame))


@dataclass(frozen=True, eq=False)
class Looks:
    """What was known of pairs after each batch: looks x pairs."""

    holes: Holes
    pairs: Sequence[tuple[str, str]]
    value: Floats
    low: Floats
    high: Floats
    count: Integers
    """Number of labels at each look."""

    @classmethod
    def of(cls, holes: Holes) -> Looks:
        """Look back at every batch that was judged."""
        pairs = [(a, b) for a, b in holes.frame.settings["pairs"]]
        first, second = _places(holes, pairs)
        looks, count = [], []
        for then in at_looks(holes.judgments):
            one = holes.at(then)
            contrast = one.evidence.contrast(first, second)
            value, top = mean_over_queries(contrast.values), holes.measure.reach
            low, high = ends_of_estimates(contrast, value, LEVEL, (-top, top))
            if contrast.ends is not None:
                low, high = np.fmax(low, contrast.ends.low), np.fmin(high, contrast.ends.high)
            looks.append((value, low, high))
            count.append(int(one.frame.drawn.sum()))
        every = np.array(looks).reshape(-1, 3, len(pairs))
        return cls(holes, pairs, every[:, 0], every[:, 1], every[:, 2], np.array(count, np.int64))

    @property
    def labels(self) -> int:
        """Number of labels so far."""
        return int(self.count[-1]) if len(self.count) else 0

    @property
    def over(self) -> bool:
        """Whether everything was judged that could be drawn, or all declared looks were taken."""
        frame, looks = self.holes.frame, self.holes.frame.settings.get("looks")
        return bool(((frame.order == 0) | frame.drawn).all()) or (
            looks is not None and len(self.count) >= looks
        )

    @property
    def at(self) -> Integers:
        """The look at which each pair was decided; the number of looks where none was."""
        apart = np.vstack([(self.low > 0) | (self.high < 0), np.ones((1, len(self.pairs)), bool)])
        first: Integers = apart.argmax(axis=0)
        return first

    @property
    def decided(self) -> Mask:
        """Which pairs are decided."""
        decided: Mask = self.at < len(self.count)
        return decided

    def said(self) -> Iterator[str]:
        """Say which pairs are decided, and how many more labels others may need."""
        decided, many = self.decided, len(self.pairs)
        rest = np.flatnonzero(~decided).tolist()
        for k in (known := np.flatnonzero(decided).tolist())[:NAMED]:
            yield self._verdict(k)
        if len(known) > NAMED:
            yield f"{counted(len(known) - NAMED, 'more pair')} of {many} decided."
        if decided.any():
            together = f", for all {many} pairs together" if many > 1 else ""
            yield f"That holds at 95 % however often you look{together}. Ask compare about other queries."
        if rest and not self.labels:
            named = shortlist([" and ".join(self.pairs[k]) for k in rest], NAMED)
            yield f"Undecided by {self.holes.measure}: {named}. About {self.more():,} labels may decide."
        elif rest:
            for k in rest[:NAMED]:
                after = f"Not yet, after {counted(self.labels, 'label')}"
                yield f"{after}: {self._difference(-1, *self.pairs[k], k)}."
            if len(rest) > NAMED:
                yield f"And {counted(len(rest) - NAMED, 'more pair')}."
            yield self._left if self.over else f"About {counted(self.more(), 'more label')} may decide."

    def _verdict(self, k: int) -> str:
        """Say which system of a decided pair is better."""
        look = int(self.at[k])
        better, worse = self.pairs[k] if self.low[look, k] > 0 else self.pairs[k][::-1]
        after = f"Decided after {counted(int(self.count[look]), 'label')}"
        return f"{after}: {better} is better than {worse}; {self._difference(look, better, worse, k)}."

    @property
    def _left(self) -> str:
        """Say what is left to do when no further batch can be judged."""
        if self.holes.frame.settings.get("looks") is None:
            return "Every document that could be drawn is judged: what is undecided stays so."
        return "All declared batches are judged: without a number of batches you may look on."

    def _difference(self, look: int, first: str, second: str, k: int) -> str:
        """Say the difference of a pair after one look, with its interval."""
        ends = [float(part[look, k]) for part in (self.value, self.low, self.high)]
        value, low, high = ends if first == self.pairs[k][0] else [-ends[0], -ends[2], -ends[1]]
        named = f"{self.holes.measure} of {first} minus {second}"
        return f"{named} is {value:+.3f} [{low:+.3f}, {high:+.3f}] on these queries"

    def more(self) -> int:
        """Return about how many more labels decide half of the undecided pairs if differences stay so."""
        rest = np.flatnonzero(~self.decided)
        first, second = (side[rest] for side in _places(self.holes, self.pairs))
        forecasts = self.holes.forecasts(first, second)
        if not self.labels:
            gaps = np.abs(self.holes.evidence.effects.means(first, second))
            needed = [labels_to_decide(*one, self.holes) for one in zip(forecasts, gaps, strict=True)]
        else:
            gaps, half = np.abs(self.value[-1][rest]), (self.high - self.low)[-1][rest] / 2
            needed = [
                labels_to_decide(one, gap, self.holes, now=(self.labels, wide))
                for one, gap, wide in zip(forecasts, gaps.tolist(), half.tolist(), strict=True)
            ]
        return max(int(np.median(needed)) - self.labels, 1)


def labels_to_decide(
    forecast: Forecast, gap: float, holes: Holes, now: tuple[int, float] | None = None
) -> int:
    """Return the fewest labels at which the interval to expect is narrower than a difference.

    `now` are the labels so far and half of the interval that they gave: one that is wider than was to be
    expected stays wider.
    """
    settings, most = holes.frame.settings, len(forecast.size)
    alpha = (1 - LEVEL) / len(settings["pairs"])
    looks, planned = settings.get("looks"), min(int(settings["expected"]), most)
    information = np.cumsum(sizes_left(forecast.size, most) ** -2.0)
    expected = float(information[planned - 1])

    def half_at(n: int) -> float:
        labels = forecast.labels(n)
        if labels < FEWEST:
            return inf
        seen = None if looks else information[n - 1]
        return float(reach(labels, alpha, looks, seen, expected)) * sqrt(forecast.variance(n))

    wider, low, high = 1.0, 0, most
    if now is not None and 0 < (usual := half_at(now[0])) < inf:
        wider, low = max(1.0, now[1] / usual), min(now[0], most - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wider * half_at(middle) >= gap else (low, middle)
    return high


def _places(holes: Holes, pairs: Sequence[tuple[str, str]]) -> tuple[Ints, Ints]:
    """Return the places of the systems of pairs among the runs."""
    names = list(holes.runs)
    for name in {name for pair in pairs for name in pair}:
        if name not in names:
            raise UsageError(
                f"the judgments were drawn to compare {name}, which is not among the runs: give it too"
            )
    first, second = (np.array([names.index(pair[side]) for pair in pairs]) for side in (0, 1))
    return first, second
