"""Which documents were drawn, by which design, and what their grades can be predicted from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask
from unjudged.evidence.completions import band_of
from unjudged.evidence.drawn.by_design import Design, Poisson, Sequential
from unjudged.evidence.drawn.grades import Learnt
from unjudged.evidence.drawn.judges import Judges
from unjudged.evidence.shared import SharedRankings
from unjudged.measures.kernel.registry import ratio
from unjudged.measures.stratified import cells_of
from unjudged.rankings.judgments import CANNOT_JUDGE, Judgments
from unjudged.rankings.origin import UNIFORM

SUREST = 0.9999
"""A document that was drawn with a higher probability counts as judged before."""


@dataclass(frozen=True, eq=False)
class Population:
    """Documents that could be drawn, `row` of the pool in ascending order, by their design."""

    shared: SharedRankings
    row: Integers
    design: Design
    drawn: Mask
    """Which of them were drawn and count."""
    chance: Floats
    """How likely each was to be drawn, nearly; only predictions that are learnt from drawn documents ask."""

    @classmethod
    def of(cls, shared: SharedRankings) -> Population | None:
        """Return the documents that judgments record as drawn or not drawn, None if they record none."""
        judgments = shared.original
        found = _in_order(judgments) or _one_by_one(judgments)
        if found is None or not len(found[0]):
            return None
        rows, design, drawn, chance = found
        place = np.full(len(judgments.grade), -1)
        own = np.flatnonzero(shared.name < len(judgments.grade))
        place[shared.name[own]] = own
        row = place[rows]
        if isinstance(design, Poisson) and (judgments.grade >= 0).all():  # only what was judged is listed
            deepest = np.inf if judgments.origin.depth is None else judgments.origin.depth
            more = np.flatnonzero((shared.name >= len(judgments.grade)) & (shared.best_rank <= deepest))
            row, drawn = np.append(row, more), np.append(drawn, np.zeros(len(more), bool))
            chance = np.append(chance, np.full(len(more), chance.min()))
            design = Poisson(chance, drawn)
        order = np.argsort(row)
        return cls(shared, row[order], design.taken(order), drawn[order], chance[order])

    @property
    def grade(self) -> Integers:
        """Grade of each document that was drawn, 0 of the others."""
        return np.where(self.drawn, np.maximum(self.shared.judgments.grade[self.row], 0), 0).astype(np.int64)

    @cached_property
    def known(self) -> Mask:
        """Rows of the pool that were judged before anything was drawn."""
        known: Mask = self.shared.judgments.grade >= 0
        known[self.row] = False
        return known

    def predicted(self, steps: Integers, judges: Judges | None) -> Floats:
        """Return documents x steps: how likely each document is to reach a grade."""
        shared, rows = self.shared, len(self.shared.judgments.grade)
        drawn, chance = np.zeros(rows, bool), np.ones(rows)
        drawn[self.row], chance[self.row] = self._first, self.chance
        reached = shared.judgments.grade[:, None] >= steps
        by_strata = judges is None and self._is_of_strata
        learnt = Learnt(
            *(reached, self.known, drawn, chance, self._scores(judges)),
            *(self._stratum if by_strata else self._band, shared.judgments.query, by_strata),
        )
        return learnt.predicted(self.row)

    @property
    def _is_of_strata(self) -> bool:
        """Whether all documents of a stratum were drawn alike, or all of the pool."""
        original = self.shared.original
        alike = original.stratum is not None or original.origin.kind == UNIFORM
        return original.frame is None and (alike or original.probability is None)

    @property
    def _stratum(self) -> Integers:
        """Stratum of each row; ranks would depend on which runs are asked about."""
        stratum, name = self.shared.original.stratum, self.shared.name
        if stratum is None:
            return np.zeros(len(name), np.int64)
        own = name < len(stratum)
        return np.where(own, stratum[np.where(own, name, 0)], 0).astype(np.int64)

    @property
    def _first(self) -> Mask:
        """Which of them were drawn in the first batch: predictions must not change from look to look."""
        frame = self.shared.original.frame
        if frame is None:
            return self.drawn
        first: Mask = self.drawn & (frame.batch[self.shared.name[self.row]] <= 1)
        return first

    @property
    def _band(self) -> Integers:
        """Band of the best rank; that in the runs which the frame is of, if it is recorded."""
        frame, best = self.shared.original.frame, self.shared.best_rank
        if frame is None or frame.rank is None:
            return band_of(best)
        own = self.shared.name < len(frame.rank)
        known = frame.rank[np.where(own, self.shared.name, 0)]
        deepest = int(frame.rank.max(initial=0)) + 1
        return band_of(np.where(own & (known > 0), known, deepest))

    def _scores(self, judges: Judges | None) -> Floats:
        """Return judges x documents: the predicted scores, NaN where there is none."""
        rows = len(self.shared.judgments.grade)
        if judges is None:
            return np.zeros((0, rows))
        listed = judges.aligned(self.shared.original)
        own = self.shared.name < len(self.shared.original.grade)
        found = np.full((len(judges), rows), np.nan)
        found[:, own] = listed[:, self.shared.name[own]]
        return found


Found = tuple[Integers, Design, Mask, Floats]
"""Rows of the judgments that could be drawn, the design, which were drawn, and how likely they were."""


def _in_order(judgments: Judgments) -> Found | None:
    """Return the frame of documents that are drawn in an order; what cannot be judged leaves it."""
    frame = judgments.frame
    if frame is None:
        return None
    rows = np.flatnonzero((frame.order > 0) & (judgments.grade != CANNOT_JUDGE))
    place = np.full(len(judgments.grade), -1)
    place[rows] = np.arange(len(rows))
    front = place[frame.front(judgments.waiting)]
    front = front[front >= 0]
    drawn = np.zeros(len(rows), bool)
    drawn[front] = True
    size = frame.size[rows]
    chance = np.clip(len(front) * ratio(size, size.sum()), 1e-6, 1.0)
    return rows, Sequential(size, front), drawn, chance


def _one_by_one(judgments: Judgments) -> Found | None:
    """Return documents that were drawn with known probabilities; of strata their drawn shares are taken."""
    judged = judgments.grade >= 0
    if judgments.probability is not None and judgments.stratum is None:
        chance = judgments.probability
    elif judgments.origin.sampled:
        _, cell, _ = cells_of(judgments)
        chance = ratio(np.bincount(cell[judged], minlength=cell.max() + 1), np.bincount(cell))[cell]
    else:
        return None
    rows = np.flatnonzero((chance > 0) & (chance < SUREST) & (judgments.grade != CANNOT_JUDGE))
    return rows, Poisson(chance[rows], judged[rows]), judged[rows], chance[rows]
