"""Evidence where documents were drawn: scores that are estimated from what is known, drawn and predicted.

The mean of a system, or of a difference, is estimated as what is expected of it, plus the estimated total of
what the drawn documents' grades change, plus what a straight line leaves of the queries with drawn documents.
The range of what judging could make of it stays beside the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.evidence.contrast import (
    ALONE,
    Contrast,
    Further,
    Tip,
    alone,
    ends_of_estimates,
    is_alone,
    moved_inside,
)
from unjudged.evidence.drawn.by_design import Sequential, Totals, bent, reach, sizes_left
from unjudged.evidence.drawn.effects import Effects, steps_of
from unjudged.evidence.drawn.judges import Judges
from unjudged.evidence.drawn.population import Population
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import weights_of

CELLS = 1 << 20
"""Contrasts x documents x steps that are looked at together."""
MOST_STEPS = 600
"""Steps of the documents of a query; regressing on more takes too long."""


@dataclass(eq=False, repr=False)
class EstimatedEvidence(Further):
    """Systems as runs, by one measure, of whose unjudged documents some were drawn.

    `plain` is what the judgments say without the estimate. A system with too few labels keeps its score as
    judged.
    """

    plain: RankingsEvidence
    population: Population
    effects: Effects

    @classmethod
    def of(
        cls, plain: RankingsEvidence, population: Population, judges: Judges | None = None
    ) -> EstimatedEvidence:
        """Estimate by the measure of some evidence; one that cannot be estimated is refused."""
        measure, shared = plain.measure, plain.whole
        measure.check_completable()
        check_mean(measure)
        steps = steps_of(measure, shared.judgments.grade)
        if weights_of(measure, shared.rankings.rank) is None:
            most = int(np.bincount(shared.judgments.query[population.row]).max()) * len(steps)
            if most > MOST_STEPS:
                raise UsageError(
                    f"{most} grades of one query are open, and at most {MOST_STEPS} can be predicted"
                )
        chance = population.predicted(steps, judges)
        return cls(plain, population, Effects.of(shared, measure, population.row, steps, chance))

    @property
    def shared(self) -> SharedRankings:
        """The runs over one pool."""
        return self.plain.whole

    @cached_property
    def _changes(self) -> Floats:
        """Systems x documents: what a drawn document's grade changes of the mean, less what was expected."""
        grade = self.population.grade
        steps = (self.effects.reached(grade) - self.effects.chance) * self.population.drawn[:, None]
        found: Floats = (self.effects.effect * steps).sum(axis=2)
        return found

    @cached_property
    def _remainder(self) -> Floats:
        """Systems x queries: what the straight line leaves."""
        drawn = np.flatnonzero(self.population.drawn)
        return self.effects.remainder(drawn, self.population.grade[drawn])

    @cached_property
    def by_query(self) -> Floats:
        """Systems x queries: estimates whose mean is the estimated mean."""
        queries = len(self.queries)
        weighted = self._changes * self.population.design.weight
        found = self.effects.base + self._remainder
        for system, own in enumerate(weighted):
            found[system] = found[system] + queries * np.bincount(self.effects.query, own, queries)
        return found

    def estimates(self, first: Ints, second: Ints) -> Totals:
        """Estimate some contrasts, many at a time."""
        size = max(1, CELLS // max(self.effects.chance.size, 1))
        parts = [
            self._estimated(first[start : start + size], second[start : start + size])
            for start in range(0, len(first), size)
        ]
        return Totals(*map(np.concatenate, zip(*parts, strict=True)))

    def _estimated(self, first: Ints, second: Ints) -> Totals:
        """Return the estimates of contrasts, and how sure they are."""
        alone = is_alone(second)
        z, rest = self._changes[first], mean_over_queries(self._remainder)
        by_query = mean_over_queries(self.by_query)
        value, left = by_query[first], rest[first]
        if not alone:
            z, value, left = z - self._changes[second], value - by_query[second], left - rest[second]
        moments = self.effects.moments(self.effects.of_contrasts(first, second))
        spread, design = moments.spread, self.population.design
        totals = design.totals(z, moments)
        open_share = 1 - (design.count / len(spread.T)) ** 2
        variance = totals.variance + 4 * self.effects.left_over(first, second) * open_share + left**2
        nothing = spread.max(axis=1, initial=0) <= 0
        labels = np.where(nothing, inf, totals.labels)
        return Totals(value, np.where(nothing, 0.0, variance), labels, totals.bend)

    @cached_property
    def alone(self) -> Totals:
        """Estimates of each system."""
        every = np.arange(len(self.systems))
        return self.estimates(every, np.full(len(every), ALONE))

    @cached_property
    def scores(self) -> Floats:
        """Systems x queries: estimates with possible means, and scores as judged where labels are too few."""
        moved = moved_inside(self.by_query, self.possible)
        return np.where(self.alone.given[:, None], moved, self.plain.scores)

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:
        """Return these contrasts: estimates where there are enough labels, with the range beside them."""
        made, alone = self.plain.contrast(first, second, by_query=by_query), is_alone(second)
        found = self.estimates(first, second)
        given = found.given & self.alone.given[first]
        if not alone:
            given &= self.alone.given[second]
        judged = mean_over_queries(made.values)
        error = np.where(given, np.sqrt(found.variance), np.nan)
        return replace(
            made,
            scores=self.scores,
            error=error,
            labels=np.where(np.isinf(found.labels), np.nan, found.labels),
            reach=lambda confidence: self.reach(found, confidence),
            tips=None if made.tips is None else self._tips(made.tips),
            facts={**made.facts, "as_judged": self.measure.sign * judged},
        )

    @property
    def _looks(self) -> tuple[int | None, int | None]:
        """How many looks were declared, and how many labels were expected; (None, None) of a single look."""
        frame = self.shared.original.frame
        settings: Mapping[str, Any] = {} if frame is None else frame.settings
        sequential = isinstance(self.population.design, Sequential)
        return (settings.get("looks"), settings.get("expected")) if sequential else (None, None)

    def reach(self, found: Totals, confidence: float) -> tuple[Floats, Floats]:
        """Return how many standard errors intervals reach down and up."""
        return bent(self._reach(found.labels, confidence), found.bend, np.sqrt(found.variance), confidence)

    def _reach(self, labels: Floats, confidence: float) -> Floats:
        """Return how many standard errors an interval reaches, where people look often farther."""
        looks, planned = self._looks
        if looks is None and planned is None:
            return reach(labels, 1 - confidence)
        frame, design = self.shared.original.frame, self.population.design
        assert frame is not None and isinstance(design, Sequential)  # noqa: S101, PT018
        alpha = (1 - confidence) / max(len(frame.settings.get("pairs") or ()), 1)
        if looks:
            return reach(labels, alpha, int(looks))
        expected = float((sizes_left(design.size, int(planned or 1)) ** -2.0).sum())
        return reach(labels, alpha, None, design.information.sum(), expected)

    @cached_property
    def _framed(self) -> Mask:
        """Rows of the pool that could be drawn."""
        framed = np.zeros(len(self.shared.judgments.grade), bool)
        framed[self.population.row] = True
        return framed

    @cached_property
    def _closed(self) -> RankingsEvidence | None:
        """The evidence in which documents count as the estimate takes them; None if none is unknown."""
        grade = self.shared.judgments.grade.copy()
        grade[self.population.row] = self.population.grade
        return self.plain.closed(self._framed, grade)

    def _tips(self, plain: Callable[[Ints, Ints], Tip]) -> Callable[[Ints, Ints], Tip]:
        """Return what judging could turn of estimated differences, from that of plain ones."""

        def tips(ahead: Ints, behind: Ints) -> Tip:
            open_tip = plain(ahead, behind)
            estimated = self.alone.given[ahead] & self.alone.given[behind]
            estimated &= self.estimates(ahead, behind).given
            start = self.scores[ahead] - self.scores[behind]
            before = self.plain.scores[ahead] - self.plain.scores[behind]
            closed: Tip | None = None
            if self._closed is not None:
                closed = self._closed.tip(ahead, behind)
                before = np.where(
                    estimated[:, None], self._closed.scores[ahead] - self._closed.scores[behind], before
                )
            return EstimatedTip(open_tip, closed, start, start - before, estimated)

        return tips

    def notes(self, confidence: float = 0.95) -> Iterator[Note]:
        """Say what estimates rest on, by the system that they change most, and which systems have none."""
        design, measure, given = self.population.design, str(self.measure), self.alone.given
        contrast = alone(self)
        value = mean_over_queries(contrast.scores)
        low, high = ends_of_estimates(contrast, value, confidence, self.measure.range)
        judged = mean_over_queries(self.plain.scores)
        if given.any():
            k = int(np.argmax(np.where(given, np.abs(value - judged), -1.0)))
            looks, planned = self._looks
            often = f"at each of {looks} looks" if looks else "however often you look"
            yield note(
                "drawn",
                [self.systems[k]],
                measure=measure,
                drawn=design.count,
                of=len(self.population.row),
                how="checked" if isinstance(design, Sequential) else "drawn and judged",
                value=float(value[k]),
                low=float(low[k]),
                high=float(high[k]),
                judged=float(judged[k]),
                looks=f" The interval holds {often}." if looks or planned else "",
            )
        if given.any() and self.plain.takes_others_for_nonrelevant(self._framed):
            yield note("undrawn", [measure])
        if few := [name for name, enough in zip(self.systems, given, strict=True) if not enough]:
            labels = float(self.alone.labels[~given].max())
            code = "few-labels" if given.any() else "no-estimate"
            yield note(code, few, labels=labels, drawn=design.count, measure=measure)


def check_mean(measure: Measure) -> None:
    """Refuse a measure whose mean is not a mean of values that judging a document moves."""
    traits = measure.traits
    if traits.skips_unjudged or not traits.quality or traits.across_queries or measure.geometric:
        raise UsageError(f"{measure} is not estimated from drawn documents")


@dataclass(eq=False, repr=False)
class EstimatedTip:
    """What unjudged documents would change of estimated differences.

    Documents that could have been drawn are in the estimate, and the test over queries allows for them; only
    others count at a share. `closed` is without them, None where no other is open. Where labels are too few,
    all unjudged documents count, as in `open`.
    """

    drawn: ClassVar[bool] = False
    open: Tip
    closed: Tip | None
    start: Floats
    change: Floats
    estimated: Mask

    @property
    def seen(self) -> Floats:
        """Share seen of each pair."""
        return self.open.seen

    def at(self, share: Floats) -> Floats:
        """Return the expected differences at a share per pair."""
        rest = self.start if self.closed is None else self.closed.at(share) + self.change
        if self.estimated.all():
            return rest
        return np.where(self.estimated[:, None], rest, self.open.at(share))

    def at_worst(self) -> Floats:
        """Return the differences if all that favours the systems behind is relevant."""
        return self.open.at_worst()

    def only(self, pairs: Ints) -> EstimatedTip:
        """Return the same for some of the pairs."""
        closed = None if self.closed is None else self.closed.only(pairs)
        own = self.start[pairs], self.change[pairs], self.estimated[pairs]
        return EstimatedTip(self.open.only(pairs), closed, *own)

    def over(self, queries: Mask) -> EstimatedTip:
        """Return the same on some of the queries."""
        closed = None if self.closed is None else self.closed.over(queries)
        own = self.start[:, queries], self.change[:, queries], self.estimated
        return EstimatedTip(self.open.over(queries), closed, *own)
