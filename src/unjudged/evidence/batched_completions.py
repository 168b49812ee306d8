"""Many completions of the same rankings at once, end to end, as one set of rankings that a measure takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import count_before, ends, numbered, owners, ranges, stable_order
from unjudged.evidence.bounds.filled import anonymous
from unjudged.rankings.judged import Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments


@dataclass(frozen=True, eq=False)
class DrawnGrades:
    """`document[i]` has `grade[i]` in completion `completion[i]` of `size`, in ascending order of both."""

    completion: Integers
    document: Integers
    grade: NDArray[np.int32]
    size: int


StackedPool = tuple[Judgments, Integers]
"""Judgments of some completions, and the row of each drawn document in them."""


@dataclass(frozen=True, eq=False)
class BatchedCompletions:
    """Rankings, and `row`, the rows of their unknown documents, in ascending order of their queries.

    With `dense` every document counts in each completion. Otherwise only relevant ones do, down to `cutoff`:
    the known ones, and those that turn out so. A dense completion has other unknown documents as
    nonrelevant, or with `partial` as not judged.
    """

    rankings: JudgedRankings
    row: Integers
    dense: bool = True
    cutoff: float = inf
    partial: bool = False

    def stacked(self, drawn: DrawnGrades, pool: StackedPool | None = None) -> JudgedRankings:
        """Rankings of some completions; `pool` is that of the same completions, where it is known."""
        if self.dense:
            return self._all(drawn)
        return self._relevant(drawn, pool or self.pool(drawn))

    def _all(self, drawn: DrawnGrades) -> JudgedRankings:
        r, pool, size = self.rankings, self.rankings.judgments, drawn.size
        rows, copies = len(pool.grade), np.arange(size)[:, None]
        grades = np.tile(pool.grade if self.partial else np.maximum(pool.grade, 0), size)
        grades[drawn.completion * rows + self.row[drawn.document]] = drawn.grade
        return self._rankings(
            judgments=anonymous(ends(np.tile(np.diff(pool.offsets), size)), grades),
            rank=np.tile(r.rank, size),
            row=(r.row[None, :] + rows * copies).ravel(),
            counts=np.tile(r.counts, size),
            size=size,
        )

    def pool(self, drawn: DrawnGrades) -> StackedPool:
        """Relevant documents of each query and completion: those known before, then those drawn."""
        known, queries = self._known, len(self.rankings.judgments.queries)
        query = self._query[drawn.document]
        group = drawn.completion * queries + query
        added = np.bincount(group, minlength=queries * drawn.size)
        offsets = ends(np.tile(known.per_query, drawn.size) + added)
        row = (offsets[:-1] - ends(added)[:-1] + np.tile(known.per_query, drawn.size))[group]
        row += np.arange(len(group))
        grade = np.empty(int(offsets[-1]), np.int32)
        grade[row] = drawn.grade
        grade[_others(row, len(grade))] = np.tile(known.grade, drawn.size)
        return anonymous(offsets, grade), row

    def _relevant(self, drawn: DrawnGrades, pool: StackedPool) -> JudgedRankings:
        """Known relevant documents are the same in every completion; the others are put between them."""
        r, known, size, (judgments, row_of_drawn) = self.rankings, self._known, drawn.size, pool
        which, element = self._elements_of(drawn.document)
        at = drawn.completion[which]
        if not self._ascending:
            order = np.argsort(at * len(r.rank) + element)
            which, element, at = which[order], element[order], at[order]
        place = np.arange(len(which)) + at * len(known.element) + known.before[element]
        rank = np.empty(len(which) + size * len(known.element), np.int32)
        row = np.empty(len(rank), np.int32)
        rank[place], row[place] = r.rank[element], row_of_drawn[which]
        known_place = _others(place, len(rank))
        rank[known_place] = np.tile(known.rank, size)
        first = judgments.offsets[:-1].astype(np.int32).reshape(size, -1)
        row[known_place] = (first.take(known.query, axis=1) + known.local).ravel()
        ranking = at * len(r) + r.ranking[element]
        counts = np.tile(known.per_ranking, size) + np.bincount(ranking, minlength=len(r) * size)
        return self._rankings(judgments, rank, row, counts, size)

    def _rankings(
        self,
        judgments: Judgments,
        rank: NDArray[np.int32],
        row: NDArray[np.integer],
        counts: Integers,
        size: int,
    ) -> JudgedRankings:
        queries = len(self.rankings.judgments.queries)
        query = self.rankings.query[None, :] + queries * np.arange(size, dtype=np.int32)[:, None]
        return JudgedRankings(
            judgments=judgments,
            rank=rank,
            row=row.astype(np.int32, copy=False),
            offsets=ends(counts),
            retrieved=np.tile(self.rankings.retrieved, size),
            query=query.ravel().astype(np.int32),
        )

    @cached_property
    def _query(self) -> Integers:
        """Query of each unknown document."""
        return self.rankings.judgments.query[self.row]

    @cached_property
    def _known(self) -> _Known:
        r, pool = self.rankings, self.rankings.judgments
        relevant = np.flatnonzero(pool.grade > 0)
        first = np.searchsorted(relevant, pool.offsets)
        new_row = numbered(relevant, len(pool.grade)).astype(np.int32)
        known = (new_row[r.row] >= 0) & (r.rank <= self.cutoff)
        element = np.flatnonzero(known)
        query = r.query[r.ranking[element]].astype(np.int64)
        return _Known(
            grade=pool.grade[relevant],
            per_query=np.diff(first),
            element=element,
            rank=r.rank[element],
            query=query,
            local=(new_row[r.row[element]] - first[query]).astype(np.int32),
            per_ranking=np.bincount(r.ranking[element], minlength=len(r)),
            before=count_before(known),
        )

    def _elements_of(self, document: Integers) -> tuple[Integers, Integers]:
        """Where each of these documents stands, down to the cutoff: its place in the list, the element."""
        first, count, element = self._elements
        if self._once:
            found = self._only_element[document]
            which = np.flatnonzero(found >= 0)
            return which, found[which]
        counts = count[document]
        return owners(counts), element[ranges(first[document], counts)]

    @cached_property
    def _once(self) -> bool:
        """Whether no document is there twice: the rankings are of one run."""
        return bool(self._elements[1].max(initial=0) <= 1)

    @cached_property
    def _only_element(self) -> Integers:
        """Where each unknown document stands if no document is there twice, else -1."""
        _, count, element = self._elements
        found = np.full(len(count), -1)
        found[count > 0] = element
        return found

    @cached_property
    def _ascending(self) -> bool:
        """Whether elements are in the order of their documents, so that drawn documents need no sorting."""
        element = self._elements[2]
        return self._once and not np.count_nonzero(element[1:] < element[:-1])

    @cached_property
    def _elements(self) -> tuple[Integers, Integers, Integers]:
        """Where the elements of each unknown document begin in the list, how many they are, and the list."""
        r = self.rankings
        number = numbered(self.row, len(r.judgments.grade)).astype(np.int32)
        wanted: Mask = (number[r.row] >= 0) & (r.rank <= self.cutoff)
        element = np.flatnonzero(wanted)
        document = number[r.row[element]]
        count = np.bincount(document, minlength=len(self.row))
        return ends(count)[:-1], count, element[stable_order(document)]


@dataclass(frozen=True, eq=False)
class _Known:
    """Known relevant documents: grades query by query, and the elements that show them."""

    grade: NDArray[np.int32]
    per_query: Integers
    element: Integers
    rank: NDArray[np.int32]
    query: Integers
    local: NDArray[np.int32]
    per_ranking: Integers
    before: NDArray[np.int32]
    """For each element of the rankings, how many of these come before it."""


def _others(places: Integers, size: int) -> Integers:
    """Return the places from 0 to `size` that are not among these."""
    other = np.ones(size, bool)
    other[places] = False
    return np.flatnonzero(other)
