"""Search for completions that reverse the order of two systems.

A completion that is found proves that unjudged documents can reverse the order; finding none proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered, places
from unjudged.comparison.reversal.favouring import rank_by_row
from unjudged.comparison.testing.pairs import ROUNDING, Ints, Pairs
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty.bounding.filled import anonymous
from unjudged.uncertainty.shared import SharedRankings, selected_runs

Rows = NDArray[np.integer]
DEPTHS = (inf, 100, 30, 10, 3, 1)
MOST_PAIRS = 300
"""The second search takes each pair alone, and leaves off after so many."""


def reversible(shared: SharedRankings, measure: Measure, pairs: Pairs, wanted: Mask) -> Mask:
    """Return the wanted pairs for which a completion was found that changes the sign of the difference.

    For a difference of 0 a completion counts that gives it either sign.
    """
    found = np.zeros(len(pairs), bool)
    if not wanted.any():
        return found
    chosen = np.flatnonzero(wanted)
    turned = pairs.difference[chosen] > 0
    behind = np.where(turned, pairs.second[chosen], pairs.first[chosen])
    ahead = np.where(turned, pairs.first[chosen], pairs.second[chosen])
    equal = pairs.difference[chosen] == 0
    pair = np.concatenate([chosen, chosen[equal]])
    search = _Search(
        shared,
        measure,
        np.concatenate([behind, ahead[equal]]),
        np.concatenate([ahead, behind[equal]]),
        pairs.scores,
    )
    search.system_by_system()
    search.pair_by_pair()
    found[pair[search.found]] = True
    return found


class _Search:
    """Looks for completions in which `behind[k]` scores higher than `ahead[k]`.

    Completions of different queries are independent, so each query keeps the best one that was tried:
    `gap[k]` has, per query, how far the system behind gets ahead.
    """

    def __init__(
        self, shared: SharedRankings, measure: Measure, behind: Ints, ahead: Ints, scores: Floats
    ) -> None:
        self.hypothetical, self.behind, self.ahead = Hypothetical.of(shared, measure), behind, ahead
        self.best_first = np.argsort(-scores.mean(axis=1), kind="stable")
        self.place = np.argsort(self.best_first, kind="stable")
        self.gap = scores[behind] - scores[ahead]
        self.found = np.zeros(len(behind), bool)

    def system_by_system(self) -> None:
        """Unjudged documents of the system behind, down to some depth, are relevant."""
        ordered = self.hypothetical.only(self.best_first.tolist())
        for depth in DEPTHS:
            for system in np.unique(self.place[self.behind[~self.found]]).tolist():
                mine = np.flatnonzero(~self.found & (self.place[self.behind] == system))
                own = ordered.rankings.run(system)
                row = own.row[(own.labels < 0) & (own.rank <= depth)]
                for rows in self._with_diluting(row):
                    others = self.place[self.ahead[mine]]
                    values = ordered.values(rows, 1 + max(system, int(others.max())))
                    self._keep(mine, values[system] - values[others])
                    mine = mine[~self.found[mine]]
                    if not len(mine):
                        break

    def pair_by_pair(self) -> None:
        """Only those of them are relevant that the system ahead ranks lower, or does not retrieve."""
        for k in np.flatnonzero(~self.found)[:MOST_PAIRS].tolist():
            two = self.hypothetical.only([int(self.behind[k]), int(self.ahead[k])])
            own, other = two.rankings.run(0), two.rankings.run(1)
            better = (own.labels < 0) & (own.rank < rank_by_row(other)[own.row])
            for depth in DEPTHS:
                for rows in self._with_diluting(own.row[better & (own.rank <= depth)]):
                    if not self.found[k]:
                        values = two.values(rows)
                        self._keep(np.array([k]), (values[0] - values[1])[None])

    def _with_diluting(self, row: Rows) -> Iterator[Rows]:
        """Yield the rows, then with documents that lower all values: a gap that cannot be closed shrinks."""
        yield row
        if len(diluting := self.hypothetical.diluting):
            yield np.concatenate([row, diluting])

    def _keep(self, mine: Ints, gap: Floats) -> None:
        self.gap[mine] = np.maximum(self.gap[mine], gap)
        self.found[mine] = self.gap[mine].mean(axis=1) > ROUNDING


@dataclass(frozen=True, eq=False)
class Hypothetical:
    """Rankings without the documents that cannot matter to a measure, ready for any choice of documents."""

    measure: Measure
    rankings: JudgedRankings
    origin: Integers
    """The row of each row in the rankings that these were made from."""
    top: int
    """The grade that a chosen document gets, the highest of the scale."""
    sparse: bool
    """The measure needs only the documents that are relevant in the completion."""
    diluting: Integers
    """Rows of unjudged documents that no run retrieves above the cutoff: relevant, they lower every value."""

    @classmethod
    def of(cls, shared: SharedRankings, measure: Measure) -> Hypothetical:
        """Most measures need no document of grade 0; whether this one does is tried out."""
        r, pool, top = shared.rankings, shared.judgments, measure.max_grade(shared.judgments)
        nonrelevant = r.relabelled(pool.with_grades(np.maximum(pool.grade, 0)))
        traits = measure.traits_up_to(top)
        sparse = (traits.pointwise or traits.diluted) and not traits.skips_unjudged
        if sparse:
            alone = measure.compute(nonrelevant.where(nonrelevant.labels > 0))
            sparse = np.array_equal(alone, measure.compute(nonrelevant))
        if not sparse:
            return cls(measure, r, np.arange(len(pool.grade)), top, sparse, np.zeros(0, np.int64))
        cutoff = measure.given.get("cutoff", inf) if measure.traits.at == "cutoff" else inf
        matters = pool.grade > 0
        matters[r.row[(r.labels < 0) & (r.rank <= cutoff)]] = True
        diluting = np.flatnonzero(~matters & (pool.grade < 0))
        if traits.diluted:
            counts = np.bincount(pool.query[diluting], minlength=len(pool.queries))
            diluting = diluting[places(counts) <= cutoff]
            matters[diluting] = True
        origin = np.flatnonzero(matters)
        row = numbered(origin, len(matters))
        kept = anonymous(np.searchsorted(origin, pool.offsets), pool.grade[origin])
        diluting = row[diluting[matters[diluting]]]
        moved = r.where(r.rank <= cutoff).moved(kept, row)
        return cls(measure, moved, origin, top, sparse, diluting)

    def only(self, runs: Sequence[int]) -> Hypothetical:
        """Return the same for some of the runs, in this order."""
        return replace(self, rankings=selected_runs(self.rankings, runs))

    def values(self, row: NDArray[np.integer], runs: int | None = None) -> Floats:
        """Runs x queries: what is averaged when the documents of these rows have the highest grade.

        With `runs`, only of so many runs from the first on.
        """
        r, pool = self.rankings, self.rankings.judgments
        queries = len(pool.queries)
        grade = np.maximum(pool.grade, 0)
        grade[row] = self.top
        stop = len(r) if runs is None else runs * queries
        end = int(r.offsets[stop])
        element = np.flatnonzero((grade > 0)[self._row[:end]]) if self.sparse else np.arange(end)
        completed = JudgedRankings(
            judgments=pool.with_grades(grade),
            rank=r.rank[element],
            row=r.row[element],
            offsets=np.searchsorted(element, r.offsets[: stop + 1]),
            retrieved=r.retrieved[:stop],
            query=r.query[:stop],
        )
        return self.measure.averaged(self.measure.compute(completed)).reshape(-1, queries)

    @cached_property
    def _row(self) -> Integers:
        """Rows as NumPy's own integers: converting them would take as long as what they are for."""
        return self.rankings.row.astype(np.int64)
