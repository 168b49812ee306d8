"""Holes: unjudged documents of some runs, drawn one after another by what each could change.

What is drawn is a random sample at any stop, so that estimates from it hold. Every document has a size, never
0: how much its grade may change what was asked about. The next one is drawn with a probability proportional
to its size among those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np

from unjudged.base.choices import shown
from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Floats, Ints
from unjudged.base.wording import counted
from unjudged.collection.collection import Collection, judged_rankings
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.drawn.by_design import Forecast
from unjudged.evidence.drawn.effects import Effects
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.judges import Judges
from unjudged.evidence.drawn.population import Population
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.judging.pooling import DEEPEST, Pool, identities_of_rows, numbers
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.extension import chosen_rows, extended, rows_of
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import CHECKED, DrawOrder, Origin
from unjudged.rankings.pooled import unit
from unjudged.rankings.runs import Run

AGAIN = 2
NO_RANK = np.iinfo(np.int32).max


def in_random_order(
    judgments: Judgments, size: Floats, seed: int, settings: Mapping[str, Any] = MappingProxyType({})
) -> Judgments:
    """Return the judgments with an order of the documents that have a size, of which none is drawn yet.

    Each is the next one with a probability proportional to its size among those that are left: they are
    sorted by random numbers of the exponential distribution, divided by the sizes. Names and seed decide.
    """
    rows, none = np.flatnonzero(size > 0), np.zeros(len(size), np.int64)
    number = unit(numbers(identities_of_rows(judgments.pooled, rows), seed, "holes"))
    order = none.copy()
    order[rows[np.argsort(-np.log1p(-number) / size[rows], kind="stable")]] = np.arange(1, len(rows) + 1)
    rank = None if judgments.frame is None else judgments.frame.rank
    frame = DrawOrder(size, order, none, {**settings, "seed": seed}, rank)
    origin = Origin(CHECKED, judgments.origin.pool_depth())
    return replace(judgments, stratum=None, probability=None, origin=origin, frame=frame, drawn=None)


def with_next_batch(judgments: Judgments, n: int) -> Judgments:
    """Return the judgments with the next n documents of the order drawn as one batch more.

    While documents of an earlier batch wait for their grades nothing more is drawn.
    """
    frame = judgments.frame
    if frame is None or (frame.drawn & judgments.waiting).any():
        return judgments
    left = np.flatnonzero((frame.order > 0) & ~frame.drawn)
    chosen = left[np.argsort(frame.order[left])][:n]
    batch, settings = frame.batch.copy(), frame.settings
    batch[chosen] = batch.max(initial=0) + 1
    if batch.max(initial=0) == AGAIN:  # whoever looked once looks again
        settings = {"expected": AGAIN * int(frame.drawn.sum()), **settings}
    drawn = replace(frame, batch=batch, settings=settings)
    return replace(judgments, frame=drawn, drawn=drawn.drawn if len(chosen) else None)


def at_looks(judgments: Judgments) -> list[Judgments]:
    """Return the judgments as they were after each batch, up to the first that still waits for a grade."""
    frame, found = judgments.frame, []
    if frame is not None:
        for last in range(1, int(frame.batch.max(initial=0)) + 1):
            if (judgments.waiting & frame.drawn & (frame.batch <= last)).any():
                break
            later = frame.batch > last
            then = replace(frame, batch=np.where(later, 0, frame.batch))
            found.append(replace(judgments, grade=np.where(later, -1, judgments.grade), frame=then))
    return found


@dataclass(frozen=True, eq=False)
class Holes:
    """Runs, judgments with an order of their holes, and a measure."""

    judgments: Judgments
    runs: Mapping[str, Run]
    measure: Measure
    judges: Judges | None
    effects: Effects | None = None
    """Effects that were found before, if the predictions are still the same."""

    @classmethod
    def of(cls, collection: Collection, measure: Measure, depth: int | None = None) -> Holes:
        """Return the holes of a collection; the judgments of a pool get an order in which all are alike."""
        runs = {name: Run.read(run) for name, run in collection.runs.items()}
        judges = Judges.of(collection.predictions) if collection.predictions else None
        has = bool(collection.described.judgments)
        if has and collection.judgments.frame is not None:
            return cls(collection.judgments, runs, measure, judges)
        deepest = _deepest(measure, collection.judgments.origin if has else Origin(), depth)
        known = collection.judgments if has else Pool.of_runs(runs, int(min(deepest, DEEPEST))).judgments
        if known.recorded:
            problem = "these judgments are a sample already"
            raise InputError(f"{problem}: judge what it lists, or give the judgments of a pool")
        pool = extended(known, [run.table for run in runs.values()])
        best = judged_rankings(pool, runs).best_rank(missing=NO_RANK)
        listed = rows_of(known, pool.as_table()) >= 0
        kept = listed | (best <= deepest)
        pool, best = chosen_rows(pool, kept), best[kept]
        open_ = pool.waiting & (best <= deepest)
        if not open_.any():
            to_rank = "" if deepest == inf else f" to rank {deepest:g}"
            raise InputError(f"nothing is left to draw: every document that the runs have{to_rank} is judged")
        pool = replace(pool, origin=Origin(CHECKED, depth or pool.origin.pool_depth()))
        none = np.zeros(len(best), np.int64)
        rank = np.where(best < NO_RANK, best, 0).astype(np.int64)
        ordered = replace(pool, frame=DrawOrder(open_.astype(float), none, none, {}, rank))
        return cls(in_random_order(ordered, open_.astype(float), 0), runs, measure, judges)

    @property
    def frame(self) -> DrawOrder:
        """The order."""
        assert self.judgments.frame is not None  # noqa: S101
        return self.judgments.frame

    @property
    def waiting(self) -> int:
        """How many documents were drawn and wait for their grades."""
        return int((self.judgments.waiting & self.frame.drawn).sum())

    @property
    def _shared(self) -> SharedRankings:
        """The runs over the pool; those of the effects if only the order of draws is another."""
        if self.effects is not None:
            before, now = self.effects.shared, self.judgments
            if before.original.pooled is now.pooled and np.array_equal(before.original.grade, now.grade):
                return replace(before, original=now)
        return SharedRankings.of(self.judgments, self.runs)

    @cached_property
    def evidence(self) -> EstimatedEvidence:
        """What the judgments say, with what was drawn."""
        shared, measure = self._shared, self.measure
        plain = RankingsEvidence.of(shared, measure, self.judgments.origin.pool_depth())
        judges = self.judges if (self.judgments.grade >= 0).any() else None  # people say what labels mean
        population = Population.of(shared)
        assert population is not None  # noqa: S101
        before = self.effects
        if before is not None and np.array_equal(before.row, population.row):
            chance = population.predicted(before.steps, judges)
            if np.array_equal(chance, before.chance):
                return EstimatedEvidence(plain, population, before)
        return EstimatedEvidence.of(plain, population, judges)

    def at(self, judgments: Judgments) -> Holes:
        """Return the holes as they were when so much was judged."""
        return replace(self, judgments=judgments, effects=self.evidence.effects)

    def with_sizes(self, first: Ints, second: Ints, seed: int, settings: Mapping[str, Any]) -> Holes:
        """Return the holes in an order by what they may change of these contrasts."""
        found, size = self.evidence, np.zeros(len(self.judgments.grade))
        size[found.shared.name[found.population.row]] = found.effects.sizes(first, second)
        ordered = in_random_order(self.judgments, size, seed, {"measure": str(self.measure), **settings})
        return replace(self, judgments=ordered, effects=found.effects)

    def forecasts(self, first: Ints, second: Ints) -> list[Forecast]:
        """Return what further labels would show of each contrast."""
        found = self.evidence
        size = self.frame.size[found.shared.name[found.population.row]]
        spread = found.effects.spread(found.effects.of_contrasts(first, second))
        left = found.effects.left_over(first, second)
        return [Forecast(own, size, float(rest)) for own, rest in zip(spread, left, strict=True)]


def drawn(
    collection: Collection,
    measure: Measure,
    *,
    n: int,
    seed: int,
    depth: int | None = None,
    width: float | None = None,
) -> tuple[Judgments, list[str]]:
    """Draw the next n holes, or as many as intervals of a width need, by what they could change of the means.

    Also say how wide the interval of the system that is known least will be.
    """
    holes, every = Holes.of(collection, measure, depth), np.arange(len(collection.runs))
    alone = every, np.full(len(every), ALONE)
    if not holes.frame.drawn.any():
        holes = holes.with_sizes(*alone, seed, {})
    forecasts, done = holes.forecasts(*alone), int(holes.frame.drawn.sum())
    if width is not None:
        if not width > 0:
            raise UsageError(f"width is {shown(width)}, expected a number above 0, such as 0.1")
        n = max(one.needed(width / 2) for one in forecasts) - done
    judgments = with_next_batch(holes.judgments, n)
    return judgments, list(_said(replace(holes, judgments=judgments), forecasts))


def _said(holes: Holes, forecasts: Sequence[Forecast]) -> Iterator[str]:
    """Say what was drawn, how wide intervals will be, and how many labels half of that width needs."""
    frame, measure = holes.frame, holes.measure
    labels, size = int(frame.drawn.sum()), int((frame.order > 0).sum())
    waiting, runs = counted(holes.waiting, "document"), counted(len(holes.runs), "run")
    yield f"{waiting} to judge, drawn from {size:,} unjudged ones of {runs}."
    yield "Deeper documents count as not relevant."
    least = int(np.argmax([one.variance(1) for one in forecasts]))
    named, width = f"{measure} of {[*holes.runs][least]}", 2 * forecasts[least].half_width(labels)
    if width == inf:
        enough = next((n for n in range(labels, size) if forecasts[least].half_width(n) < inf), size)
        yield f"So few labels say nothing of {named}: {enough:,} are the fewest that do."
    else:
        with_labels, half = f"With {counted(labels, 'label')}", width / 4
        known = f"{with_labels} the 95 % interval of {named}"
        if len(forecasts) > 1:
            known = f"{named} is the least known. {with_labels} its 95 % interval"
        needed = counted(forecasts[least].needed(half), "label")
        yield f"{known} will be about {width:.2f} wide. Half of that width needs {needed}."


def _deepest(measure: Measure, origin: Origin, depth: int | None) -> float:
    """Return the rank down to which documents count: the measure's cutoff, or the depth of the pool."""
    cutoff = measure.given.get("cutoff", inf)
    known = depth or (origin.pool_depth() if cutoff == inf else None)
    if cutoff == inf and known is None:
        problem = f"{measure} has no cutoff, and the pool's depth is not known"
        raise UsageError(f"{problem}: say how deep documents count, as in holes(50, depth=100)")
    return float(cutoff if known is None else known)
