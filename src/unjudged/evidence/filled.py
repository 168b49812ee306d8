"""Documents of unknown relevance in rankings, and the bounds of values that they leave open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unjudged.base.segments import Floats, Integers, Mask, ends, owners_by_ends, places, ranges
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.pooled import PooledDocuments


@dataclass(eq=False, repr=False)
class Bounds:
    """Ends of each ranking's interval; `exact` if some completion reaches each of them."""

    low: Floats
    high: Floats
    exact: bool


@dataclass(eq=False, repr=False)
class Filled:
    """Same rankings with an element for every retrieved document, and a pool per ranking.

    `unknown` marks the rows that were retrieved and not judged, pooled or not. `unseen` marks the rows that
    were not retrieved and may still be relevant: the pool's unjudged documents and `extra_relevant` others.
    """

    rankings: JudgedRankings
    unknown: Mask
    unseen: Mask

    @classmethod
    def of(cls, r: JudgedRankings, extra_relevant: int | Integers = 0) -> Filled:
        """Fill any rankings; `extra_relevant` documents outside pool and ranking may be relevant to each."""
        extra_relevant = np.broadcast_to(np.asarray(extra_relevant, np.int64), len(r))
        retrieved = r.retrieved.astype(np.int64)
        pooled = np.diff(r.judgments.offsets)[r.query]
        unpooled = retrieved - r.counts
        offsets = ends(pooled + unpooled + extra_relevant)
        first = offsets[:-1]
        grade = np.full(int(offsets[-1]), UNSAMPLED, np.int32)
        own = ranges(first, pooled)
        grade[own] = r.judgments.grade[ranges(r.judgments.offsets[r.query], pooled)]

        stops = ends(retrieved)
        rank = places(retrieved)
        has_row = np.zeros(len(rank), bool)
        at = stops[r.ranking] + r.rank - 1
        has_row[at] = True
        row = np.empty(len(rank), np.int64)
        row[at] = first[r.ranking] + r.row - r.judgments.offsets[r.query[r.ranking]]
        row[~has_row] = ranges(first + pooled, unpooled)

        judgments = anonymous(offsets, grade)
        unknown = np.zeros(len(grade), bool)
        unknown[row] = grade[row] < 0
        filled = JudgedRankings(
            judgments=judgments,
            rank=rank.astype(np.int32),
            row=row.astype(np.int32),
            offsets=stops,
            retrieved=r.retrieved,
            query=np.arange(len(r), dtype=np.int32),
        )
        return cls(filled, unknown, (grade < 0) & ~unknown)

    def complete(self, grades: ArrayLike, unseen: ArrayLike = UNSAMPLED) -> JudgedRankings:
        """Rankings with these grades for the unknown rows, in their order, and these for the unseen."""
        grade = self.rankings.judgments.grade.copy()
        grade[self.unknown] = grades
        grade[self.unseen] = unseen
        return self.rankings.relabelled(self.rankings.judgments.with_grades(grade))

    @cached_property
    def ranking(self) -> Integers:
        """Ranking of each unknown row."""
        return self.rankings.judgments.query[self.unknown]

    @cached_property
    def rank(self) -> NDArray[np.int32]:
        """Rank of each unknown row."""
        rank = np.zeros(len(self.unknown), np.int32)
        rank[self.rankings.row] = self.rankings.rank
        return rank[self.unknown]

    @cached_property
    def place(self) -> Integers:
        """Place of each unknown row among the unknown rows of its ranking, from the top, from 1."""
        order = np.lexsort((self.rank, self.ranking))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(1, len(order) + 1)
        return place - ends(self.count)[self.ranking]

    @cached_property
    def count(self) -> Integers:
        """How many unknown documents each ranking has."""
        return np.bincount(self.ranking, minlength=len(self.rankings))

    @property
    def unseen_place(self) -> Integers:
        """Place of each unseen row among the unseen rows of its ranking, from 1."""
        return places(np.bincount(self.rankings.judgments.query[self.unseen], minlength=len(self.rankings)))


def anonymous(offsets: Integers, grade: NDArray[np.int32]) -> Judgments:
    """Judgments of documents without names."""
    return Judgments(PooledDocuments.unnamed(offsets), grade)


def unseen_counts(r: JudgedRankings) -> Integers:
    """For each ranking, the unjudged documents of its query's pool that it did not retrieve."""
    return r.known(-inf, 0) - r.where(r.labels < 0).counts


def count_above(
    counted: JudgedRankings, ranking: Integers, rank: ArrayLike, side: Literal["left", "right"] = "left"
) -> Integers:
    """Return how many counted documents of these rankings stand above these ranks; `right`: or at them."""
    deepest = int(counted.retrieved.max(initial=0)) + 2
    wanted = ranking * deepest + np.minimum(rank, deepest - 1).astype(np.int64)
    place = np.searchsorted(counted.ranking * deepest + counted.rank, wanted, side)
    return place - counted.offsets[ranking]


def unknown_documents(r: JudgedRankings) -> JudgedRankings:
    """Return the retrieved documents that are not judged, pooled or not; only their ranks mean anything."""
    retrieved = r.retrieved.astype(np.int64)
    stops = ends(retrieved)
    unjudged = np.ones(int(stops[-1]), bool)
    judged = r.where(r.labels >= 0)
    unjudged[stops[judged.ranking] + judged.rank - 1] = False
    place = np.flatnonzero(unjudged)
    offsets = np.searchsorted(place, stops)
    return JudgedRankings(
        judgments=r.judgments,
        rank=(place - stops[owners_by_ends(offsets)] + 1).astype(np.int32),
        row=np.zeros(len(place), np.int32),
        offsets=offsets,
        retrieved=r.retrieved,
        query=r.query,
    )
