"""Random completions of the judgments: the one place that draws them, for every method that needs them.

A completion gives each unjudged document a grade. It is drawn once and shared by all rankings of the pool, so
a document is equally relevant to a query whichever run retrieved it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from os import cpu_count
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import ends
from unjudged.base.threads import Threads
from unjudged.evidence.batched_completions import BatchedCompletions, DrawnGrades
from unjudged.evidence.bounds.filled import Filled
from unjudged.evidence.draws import Drawn, drawn_relevant
from unjudged.evidence.prevalence import GivenPrevalence, Prevalence, given_prevalence
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.hashing import Numbers, hashes, mixed, salt
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

BATCH_ELEMENTS = 1 << 18
ENOUGH_GRADES = 10
"""A query with fewer relevant judged documents takes the grades of all queries."""

MOST_THREADS = 4
FIRST_RANKS, MOST_RANKS = 1 << 8, 1 << 16
UNSEEN_WEIGHT = 1e-13
"""What the ranks together weigh that no user reaches."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Completions:
    """Rankings in which every unknown document has a row.

    `row` are these rows, in ascending order of their queries; `identity` are numbers that decide their draws.
    """

    rankings: JudgedRankings
    row: Integers
    identity: Numbers
    prevalence: Prevalence
    rel: int = 1
    seed: int = 0
    _sparse: dict[str, bool] = field(init=False, default_factory=dict)
    _batched: dict[float, BatchedCompletions] = field(init=False, default_factory=dict)

    @classmethod
    def of_run(cls, r: JudgedRankings, given: GivenPrevalence, *, rel: int = 1, seed: int = 0) -> Completions:
        """Completions of one run, whose documents outside the pool are known by query and rank only."""
        filled = Filled.of(r)
        pool, own = filled.rankings.judgments, r.judgments
        rank = np.repeat(r.retrieved.astype(np.int64) + 1, np.diff(pool.offsets))
        rank[filled.rankings.row] = filled.rankings.rank
        row = np.flatnonzero(pool.grade < 0)
        row = row[np.lexsort((rank[row], pool.query[row]))]
        ranking = pool.query[row]
        query = r.query[ranking].astype(np.int64)
        local = row - pool.offsets[ranking]
        pooled = local < np.diff(own.offsets)[query]
        names = hashes(own.queries, salt("query"))[query]
        identity = mixed(names + rank[row].astype(np.uint64))
        source = (own.offsets[query] + local)[pooled]
        identity[pooled] = mixed(names[pooled] ^ hashes(own.documents.take(source), salt("document")))
        return cls(filled.rankings, row, identity, given_prevalence(given, rank[row]), rel, seed)

    def values(self, measures: Sequence[Measure], draws: int) -> list[Floats]:
        """For each measure, draws x rankings: its values in this number of completions."""
        results = [np.empty((draws, len(self.rankings))) for _ in measures]
        done = 0
        for size, _, values in self.batches(measures, draws):
            for result, value in zip(results, values, strict=True):
                result[done : done + size] = value
            done += size
        return results

    def batches(self, measures: Sequence[Measure], draws: int) -> Iterator[tuple[int, Drawn, list[Floats]]]:
        """Batch by batch: how many completions, the documents that are relevant, each measure's values."""
        batches = [self._batched_for(measure) for measure in measures]
        batch = int(max(1, min(draws, BATCH_ELEMENTS // max(self._elements_per_draw, 1))))
        done = 0
        for drawn in drawn_relevant(self.identity, self.prevalence, draws, batch, self.seed):
            size = min(batch, draws - done)
            grade = self._grades(drawn.document, drawn.share)
            chosen = DrawnGrades(drawn.completion - done, drawn.document, grade, size)
            sparse = next((batch for _, batch in batches if not batch.dense), None)
            pool = None if sparse is None else sparse.pool(chosen)
            stacked = {key: batch.stacked(chosen, pool) for key, batch in dict(batches).items()}
            computed = zip(measures, batches, strict=True)
            yield size, drawn, [m.compute(stacked[key]).reshape(size, -1) for m, (key, _) in computed]
            done += size

    @property
    def _elements_per_draw(self) -> float:
        known = int((self.rankings.judgments.grade >= self.rel).sum())
        share = len(self.rankings.rank) / max(len(self.rankings.judgments.grade), 1)
        return (known + float(self.prevalence.chance.sum())) * max(share, 1.0)

    def _batched_for(self, measure: Measure) -> tuple[float, BatchedCompletions]:
        """Documents that can matter to a measure, and the cutoff that tells it from others; -1 is all.

        A cutoff leaves out what is below it. A measure that takes unjudged documents as nonrelevant is
        computed from the relevant ones alone; whether it does is checked when no document turns relevant.
        """
        if str(measure) not in self._sparse:
            self._sparse[str(measure)] = self._is_sparse(measure)
        key = _cutoff(measure) if self._sparse[str(measure)] else -1.0
        return key, self._batched_to(key)

    def _batched_to(self, key: float) -> BatchedCompletions:
        if key not in self._batched:
            self._batched[key] = BatchedCompletions(self.rankings, self.row, key < 0, key)
        return self._batched[key]

    def _is_sparse(self, measure: Measure) -> bool:
        if not (measure.traits.pointwise or measure.traits.diluted):
            return False
        pool, nothing = self.rankings.judgments, np.zeros(0, np.int64)
        sparse = self._batched_to(_cutoff(measure))
        alone = measure.compute(sparse.stacked(DrawnGrades(nothing, nothing, nothing.astype(np.int32), 1)))
        nonrelevant = self.rankings.relabelled(pool.with_grades(np.maximum(pool.grade, 0)))
        return np.array_equal(alone, measure.compute(nonrelevant), equal_nan=True)

    def _grades(self, document: Integers, share: Floats) -> NDArray[np.int32]:
        """Grades of relevant documents: those of the query's relevant judged documents, at random."""
        grades, first, count = self._grade_table
        query = self.rankings.judgments.query[self.row[document]]
        place = first[query] + np.minimum((share * count[query]).astype(np.int64), count[query] - 1)
        return grades[place].astype(np.int32)

    @cached_property
    def _grade_table(self) -> tuple[np.ndarray, Integers, Integers]:
        """Relevant grades query by query, then those of all; where each query's begin, and how many."""
        pool = self.rankings.judgments
        relevant = np.flatnonzero(pool.grade >= self.rel)
        query = pool.query[relevant]
        order = relevant[np.lexsort((pool.grade[relevant], query))]
        count = np.bincount(query, minlength=len(pool.queries))
        first = ends(count)[:-1]
        every = np.sort(pool.grade[relevant]) if len(relevant) else np.array([self.rel], np.int32)
        few = count < ENOUGH_GRADES
        return (
            np.concatenate([pool.grade[order], every]),
            np.where(few, len(order), first),
            np.where(few, len(every), count),
        )


def _cutoff(measure: Measure) -> float:
    return float(measure.given.get("cutoff", inf)) if measure.traits.at == "cutoff" else inf


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the results of the work on each item, in their order."""
    with Threads(min(MOST_THREADS, cpu_count() or 1)) as threads:
        yield from threads.map(work, items)


def last_rank(measure: Measure) -> int:
    """Return the rank below which a measure whose user goes on after the end of a ranking sees nothing."""
    tail, ranks = measure.traits.tail, FIRST_RANKS
    if tail is None:
        return 0
    while ranks < MOST_RANKS and tail(np.array([ranks]), **measure.own)[0] > UNSEEN_WEIGHT:
        ranks *= 2
    return int((tail(np.arange(1, ranks), **measure.own) > UNSEEN_WEIGHT).sum()) + 1
