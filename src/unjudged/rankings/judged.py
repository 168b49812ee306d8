"""Hub: the judged documents of every ranking, in rank order, all rankings end to end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unjudged.base.errors import UsageError
from unjudged.base.lazy import computed_once
from unjudged.base.segments import (
    Floats,
    Integers,
    Mask,
    count_before,
    ends,
    numbered,
    owners_by_ends,
    places_by_ends,
    ranges,
    running,
    sums,
)
from unjudged.data.scan import scanner
from unjudged.data.tables import Matched, Ties, joined_ties, ties_among
from unjudged.rankings.judgments import UNSAMPLED, Judgments


@dataclass(
    eq=False, repr=False
)  # final, not frozen: that takes as long as to select the documents of a short ranking
class JudgedRankings:
    """Rankings of some runs, reduced to the documents that have a line in the judgments.

    Ranking s holds elements `offsets[s]` to `offsets[s + 1]` of `rank` (from 1) and `row` (the line in the
    judgments). It retrieved `retrieved[s]` documents in all; those without a line were not pooled. Each run
    has one ranking per query of the judgments, empty where the run lacks the query. Ranking s is for query
    `query[s]`, and the rankings of a run are adjacent.

    `relabelled` applies other judgments of the same pool without reading, sorting or joining anything again.
    """

    judgments: Final[Judgments]
    rank: Final[NDArray[np.int32]]
    row: Final[NDArray[np.int32]]
    offsets: Final[Integers]
    retrieved: Final[NDArray[np.int32]]
    query: Final[NDArray[np.int32]]
    element: Final[Integers | None] = None
    """Where each document was in the rankings from which `where` selected it."""
    elsewhere: Final[tuple[Integers, Integers] | None] = None
    """Ranking and rank of each unjudged document judged for another query; None if not looked up."""
    ignored: Final[tuple[int, ...]] = ()
    """How many queries each run has that are not in the judgments; empty if not counted."""
    ties: Final[Ties | None] = None
    """None if no document has the score of another one of its ranking, and after `where`."""
    _relevant: dict[tuple[int, float], JudgedRankings] = field(init=False, repr=False, default_factory=dict)

    @classmethod
    def from_matches(cls, judgments: Judgments, runs: Iterable[Matched]) -> JudgedRankings:
        """Make one ranking for every run and query, in this order.

        Each run is appended to the others as it comes, so that nothing is held twice.
        """
        queries = len(judgments.queries)
        every = np.arange(queries, dtype=np.int32)
        runs = iter(runs)
        first, second = next(runs), next(runs, None)
        if second is None and first.query.tobytes() == every.tobytes():
            return cls(
                *(judgments, first.rank, first.row, first.ends, first.retrieved, every),
                ignored=(0,),
                ties=first.ties,
            )
        counts, retrieved, ties, sizes, ignored = [], [], [], [], []
        rank, row = bytearray(), bytearray()
        for matched in chain([first] if second is None else [first, second], runs):
            count, length, ranks, rows, tied = matched.by_query(queries)
            counts.append(count)
            retrieved.append(length)
            ties.append(tied)
            sizes.append(len(ranks))
            ignored.append(int((matched.query < 0).sum()))
            rank += np.ascontiguousarray(ranks).data
            row += np.ascontiguousarray(rows).data
        return cls(
            judgments=judgments,
            rank=np.frombuffer(rank, np.int32),
            row=np.frombuffer(row, np.int32),
            offsets=ends(np.concatenate(counts)),
            retrieved=np.concatenate(retrieved),
            query=np.tile(every, len(sizes)),
            ignored=tuple(ignored),
            ties=joined_ties(ties, sizes),
        )

    @classmethod
    def spelled(cls, labels: str, missed: str = "") -> JudgedRankings:
        """One ranking from text: for each document its grade, `U` (pooled, not judged) or `N` (not pooled).

        `missed` lists the documents of the judgments that the ranking did not retrieve; `N` is ignored there.

        >>> JudgedRankings.spelled("0 1 U N 1", missed="1 0 0").labels
        array([ 0,  1, -1,  1], dtype=int32)
        """
        states = _states(labels)
        lines = [state for state in (*states, *_states(missed)) if state is not None]
        judgments = Judgments.read({"q": {f"d{i}": grade for i, grade in enumerate(lines)}})
        ranks = [rank for rank, state in enumerate(states, 1) if state is not None]
        return cls(
            judgments=judgments,
            rank=np.array(ranks, np.int32),
            row=np.arange(len(ranks), dtype=np.int32),
            offsets=np.array([0, len(ranks)], np.int64),
            retrieved=np.array([len(states)], np.int32),
            query=np.zeros(1, np.int32),
        )

    def __len__(self) -> int:
        """Return the number of rankings."""
        return len(self.query)

    def run(self, i: int) -> JudgedRankings:
        """Return the rankings of run `i`."""
        return self.runs(i, i + 1)

    def runs(self, first: int, last: int) -> JudgedRankings:
        """Return the rankings of runs `first` to `last`, the latter not included."""
        queries = len(self.judgments.queries)
        own = self.between(first * queries, last * queries)
        return replace(own, ignored=self.ignored[first:last])

    def between(self, first: int, last: int) -> JudgedRankings:
        """Return rankings `first` to `last`, the latter not included."""
        start, stop = self.offsets[first], self.offsets[last]
        return replace(
            self,
            rank=self.rank[start:stop],
            row=self.row[start:stop],
            offsets=self.offsets[first : last + 1] - start,
            retrieved=self.retrieved[first:last],
            query=self.query[first:last],
            element=None,
            elsewhere=None,
            ignored=(),
            ties=None if self.ties is None else self.ties.between(start, stop),
        )

    def selected(self, which: Integers) -> JudgedRankings:
        """Return these rankings, in this order."""
        element = ranges(self.offsets[which], self.counts[which])
        return replace(
            self,
            rank=self.rank[element],
            row=self.row[element],
            offsets=ends(self.counts[which]),
            retrieved=self.retrieved[which],
            query=self.query[which],
            element=None,
            elsewhere=None,
            ignored=(),
            ties=ties_among(self.ties, element),
        )

    def of_queries(self, chosen: Mask) -> JudgedRankings:
        """Return the rankings for some queries, under the judgments of these queries."""
        own = self.selected(np.flatnonzero(chosen[self.query]))
        rows = np.flatnonzero(chosen[self.judgments.query])
        row = numbered(rows, len(self.judgments.grade))[own.row].astype(np.int32)
        query = numbered(np.flatnonzero(chosen), len(chosen))[own.query].astype(np.int32)
        return replace(own, judgments=self.judgments.of_queries(chosen), row=row, query=query)

    def blocks(self, size: int) -> Iterator[JudgedRankings]:
        """Yield rankings after rankings, with about `size` documents or one ranking each."""
        inner = self.offsets.searchsorted(np.arange(size, len(self.rank), size))
        cuts = sorted({0, *inner.tolist(), len(self.query)})
        return (self.between(first, last) for first, last in pairwise(cuts))

    def best_rank(self, missing: int) -> Integers:
        """Return the best rank that any ranking gives each row of the judgments, `missing` if none has it."""
        best = np.full(len(self.judgments.grade), missing, np.int64)
        np.minimum.at(best, self.row, self.rank.astype(np.int64))
        return best

    def relabelled(self, judgments: Judgments) -> JudgedRankings:
        """Return the same rankings under other judgments of the same pool."""
        if judgments.pooled is not self.judgments.pooled:
            raise UsageError("the new judgments are of another pool; make them with `with_grades`")
        return replace(self, judgments=judgments, elsewhere=None)

    def moved(self, judgments: Judgments, row: Integers) -> JudgedRankings:
        """Same rankings under judgments of another pool; `row` maps old rows to new ones, -1 for none."""
        kept = self.where(row[self.row] >= 0)
        moved = row[kept.row].astype(np.int32)
        ties = ties_among(self.ties, cast("Integers", kept.element))
        return replace(kept, judgments=judgments, row=moved, element=None, elsewhere=None, ties=ties)

    def cut(self, depth: int) -> JudgedRankings:
        """Return the rankings as if only their first `depth` documents had been retrieved."""
        depth = min(depth, int(np.iinfo(np.int32).max))
        top, retrieved = self.where(self.rank <= depth), np.minimum(self.retrieved, depth).astype(np.int32)
        return replace(top, retrieved=retrieved, element=None, elsewhere=self.elsewhere)

    def lengthened(self, length: int) -> JudgedRankings:
        """Return the rankings as if they went on to at least this rank, with unjudged documents."""
        return replace(self, retrieved=np.maximum(self.retrieved, length).astype(np.int32))

    def where(self, mask: Mask) -> JudgedRankings:
        """Return the same rankings with only the documents of the mask; `above` counts what was left out."""
        element = mask.nonzero()[0]
        every = len(element) == len(self.rank)
        return JudgedRankings(
            self.judgments,
            self.rank if every else self.rank.take(element),
            self.row if every else self.row.take(element),
            self.offsets if every else element.searchsorted(self.offsets),
            self.retrieved,
            self.query,
            element,
            None,
            self.ignored,
        )

    def relevant(self, rel: int, cutoff: float = np.inf) -> JudgedRankings:
        """Return the documents of grade `rel` or higher; kept, because most measures start from them."""
        found = self._relevant.get((rel, cutoff))
        if found is None and cutoff == np.inf:
            found = self.where(self.labels >= rel)
        elif found is None:
            all_ranks = self.relevant(rel)
            top = all_ranks.where(all_ranks.rank <= cutoff)
            found = replace(top, element=cast("Integers", all_ranks.element)[top.element])
        self._relevant[rel, cutoff] = found
        return found

    @computed_once
    def _judged_above(self) -> dict[Any, Integers]:
        return {}

    @computed_once
    def labels(self) -> NDArray[np.int32]:
        """Grade of each document, negative where it is pooled and not judged."""
        return self.judgments.grade.take(self.row)

    @computed_once
    def counts(self) -> Integers:
        """How many documents each ranking has here."""
        return self.offsets[1:] - self.offsets[:-1]

    @computed_once
    def ranking(self) -> Integers:
        """Ranking that each document is in."""
        return owners_by_ends(self.offsets)

    @computed_once
    def place(self) -> Integers:
        """Place of each document among those that its ranking has here, from 1."""
        return places_by_ends(self.offsets, self.ranking)

    def above(self, chosen: JudgedRankings, mask: Mask | None = None) -> Integers:
        """For each document that `where` selected from these, how many of these are above it in its ranking.

        With a mask, only the documents of the mask are counted.
        """
        element, first = self._places(chosen)
        if mask is None:
            return element - first
        before = count_before(mask)
        return (before[element] - before[first]).astype(np.int64)

    def judged_above(self, chosen: JudgedRankings) -> Integers:
        """For each document that `where` selected from these, how many judged ones are above it."""
        key = next((key for key, kept in self._relevant.items() if kept is chosen), None)
        if key in self._judged_above:
            return self._judged_above[key]
        element, first = self._places(chosen)
        counts = (self._judged_before[element] - self._judged_before[first]).astype(np.int64)
        if key is not None:
            self._judged_above[key] = counts
        return counts

    @computed_once
    def _judged_before(self) -> NDArray[np.int32]:
        return count_before(self.labels >= 0)

    def _places(self, chosen: JudgedRankings) -> tuple[Integers, Integers]:
        """Return the element of each chosen document, and the element where its ranking begins."""
        if chosen.element is None or chosen.offsets.shape != self.offsets.shape:
            raise UsageError("`above` needs documents that `where` selected from these rankings")
        return chosen.element, self.offsets[:-1].repeat(chosen.counts)

    def total(self, values: ArrayLike) -> Floats:
        """Return the sum of the values of each ranking's documents, added in rank order."""
        return sums(values, self.ranking, len(self.query))

    def sum_precisions(self, rel: int, cutoff: float = np.inf) -> Floats:
        """Return the sum of the precisions at each ranking's relevant documents, down to the cutoff."""
        return scanner.sum_precisions(self.labels, self.rank, self.offsets, rel, cutoff)

    def sum_gains(self, gain: Floats, discount: Floats) -> Floats:
        """Return the sum of the gains of each ranking's documents, each divided by the discount of its rank.

        There is a gain per row of the judgments. Documents at ranks that have no discount add nothing.
        """
        return scanner.sum_gains(gain, self.row, self.rank, self.offsets, discount)

    def known(self, low: float, high: float = np.inf) -> Integers:
        """How many documents of each ranking's query, retrieved or not, have `low` <= grade < `high`."""
        return self.judgments.count(low, high).take(self.query)

    def running(self, values: Floats, combine: np.ufunc) -> Floats:
        """For each document, `combine` (add, multiply) over the values at its rank and above it."""
        return running(values, self.offsets, self.place, combine)

    def condensed(self) -> JudgedRankings:
        """Return the rankings without their unjudged documents, pooled or not."""
        judged = self.where(self.labels >= 0)
        place, counts = judged.place.astype(np.int32), judged.counts.astype(np.int32)
        return replace(judged, rank=place, retrieved=counts, element=None, elsewhere=None)

    def as_nonrelevant(self) -> JudgedRankings:
        """Return the rankings as if every document pooled and not judged were judged nonrelevant."""
        return self.relabelled(self.judgments.with_grades(np.maximum(self.judgments.grade, 0)))


def _states(labels: str) -> list[int | None]:
    """Return the grades in a ranking that is spelled as words, such as `1 U 0 N`."""
    words = labels.split()
    for word in words:
        if word not in ("N", "U") and not word.isdecimal():
            raise UsageError(f"invalid label {word!r}: use a grade, U (unjudged) or N (not pooled)")
    return [None if word == "N" else UNSAMPLED if word == "U" else int(word) for word in words]
