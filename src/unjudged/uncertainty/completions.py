"""Random completions of the judgments: the one place that draws them, for every method that needs them.

A completion gives each unjudged document a grade. It is drawn once and shared by all rankings of the pool, so
a document is equally relevant to a query whichever run retrieved it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from unjudged.measures.registry import Measure
from unjudged.rankings.hashing import Numbers, hashes, mixed, salt
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.uncertainty.draws import Drawn, drawn_relevant
from unjudged.uncertainty.filled import Filled, anonymous
from unjudged.uncertainty.prevalence import Prevalence, PrevalenceLike, prevalence_of

BATCH_ELEMENTS = 1 << 20
ENOUGH_GRADES = 10
"""A query with fewer relevant judged documents takes the grades of all queries."""

Progress = Callable[[int, int], None]
"""Called with the work done and the work in all."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about relevance: the query, best rank and relevance of each judged, retrieved document."""

    query: Integers
    rank: Integers
    relevant: np.ndarray

    @classmethod
    def of(cls, rankings: JudgedRankings, rel: int) -> Evidence:
        judged = rankings.where(rankings.labels >= 0)
        best = np.full(len(rankings.judgments.grade), np.iinfo(np.int64).max)
        np.minimum.at(best, judged.row, judged.rank)
        row = np.flatnonzero(best < np.iinfo(np.int64).max)
        return cls(rankings.judgments.query[row], best[row], rankings.judgments.grade[row] >= rel)

    def prevalence(self, given: PrevalenceLike, query: Integers, rank: Integers, queries: int) -> Prevalence:
        return prevalence_of(given, query, rank, self.query, self.rank, self.relevant, queries)


@dataclass(frozen=True, eq=False)
class _View:
    """Rankings as a measure needs them: the rows of the unknown documents, and whether all rows count."""

    rankings: JudgedRankings
    row: Integers
    dense: bool


@dataclass(frozen=True, eq=False)
class Completions:
    """Rankings whose every unknown document has a row: `row` are these, `identity` decides their draws."""

    rankings: JudgedRankings
    row: Integers
    identity: Numbers
    prevalence: Prevalence
    rel: int = 1
    seed: int = 0

    @classmethod
    def of_run(
        cls, r: JudgedRankings, given: PrevalenceLike, evidence: Evidence, *, rel: int = 1, seed: int = 0
    ) -> Completions:
        """The completions of one run, whose documents outside the pool are known by query and rank only."""
        filled = Filled.of(r)
        pool, own = filled.rankings.judgments, r.judgments
        row = np.flatnonzero(pool.grade < 0)
        ranking = pool.query[row]
        rank = np.repeat(r.retrieved.astype(np.int64) + 1, np.diff(pool.offsets))
        rank[filled.rankings.row] = filled.rankings.rank
        query = r.query[ranking].astype(np.int64)
        local = row - pool.offsets[ranking]
        pooled = local < np.diff(own.offsets)[query]
        names = hashes(own.queries, salt("query"))[query]
        identity = mixed(names + rank[row].astype(np.uint64))
        source = (own.offsets[query] + local)[pooled]
        identity[pooled] = mixed(names[pooled] ^ hashes(own.documents.take(source), salt("document")))
        prevalence = evidence.prevalence(given, query, rank[row], len(own.queries))
        return cls(filled.rankings, row, identity, prevalence, rel, seed)

    def values(
        self, measures: Sequence[Measure], draws: int, on_progress: Progress | None = None
    ) -> list[Floats]:
        """For each measure, draws x rankings: its values in so many completions."""
        results = [np.empty((draws, len(self.rankings))) for _ in measures]
        views = [self._view(measure) for measure in measures]
        batch = int(max(1, min(draws, BATCH_ELEMENTS // max(self._elements_per_draw, 1))))
        done = 0
        for drawn in drawn_relevant(self.identity, self.prevalence, draws, batch, self.seed):
            size = min(batch, draws - done)
            for k, measure in enumerate(measures):
                stacked = self._stacked(views[k], drawn, done, size)
                results[k][done : done + size] = measure.compute(stacked).reshape(size, -1)
            done += size
            if on_progress is not None:
                on_progress(done, draws)
        return results

    def chosen_values(self, measure: Measure, chosen: Sequence[Integers]) -> Floats:
        """Completions x rankings: the values when these unknown documents have the highest grade there is."""
        completion = np.repeat(np.arange(len(chosen)), [len(documents) for documents in chosen])
        document = np.concatenate(chosen)
        drawn = Drawn(completion, document, np.ones(len(document)))
        stacked = self._stacked(self._view(measure), drawn, 0, len(chosen))
        return measure.compute(stacked).reshape(len(chosen), -1)

    @property
    def _elements_per_draw(self) -> float:
        known = int((self.rankings.judgments.grade >= self.rel).sum())
        share = len(self.rankings.rank) / max(len(self.rankings.judgments.grade), 1)
        return (known + float(self.prevalence.chance.sum())) * max(share, 1.0)

    def _view(self, measure: Measure) -> _View:
        """The documents that can matter to a measure.

        A cutoff leaves out what is below it. A measure that takes unjudged documents as nonrelevant is
        computed from the relevant ones alone; whether it does is checked when no document turns relevant.
        """
        pool = self.rankings.judgments
        every = _View(self.rankings, self.row, dense=True)
        if not (measure.traits.pointwise or measure.traits.diluted):
            return every
        cutoff = measure.given.get("cutoff", inf) if measure.traits.at == "cutoff" else inf
        lean = self._lean
        if cutoff != inf:
            lean = replace(lean, rankings=lean.rankings.where(lean.rankings.rank <= cutoff))
        nothing = Drawn(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        nonrelevant = self.rankings.relabelled(pool.with_grades(np.maximum(pool.grade, 0)))
        alone = measure.compute(self._stacked(lean, nothing, 0, 1))
        return lean if np.array_equal(alone, measure.compute(nonrelevant), equal_nan=True) else every

    @cached_property
    def _lean(self) -> _View:
        """The rankings without the documents that are judged nonrelevant."""
        pool = self.rankings.judgments
        kept = np.flatnonzero(pool.grade != 0)
        new_row = np.full(len(pool.grade), -1)
        new_row[kept] = np.arange(len(kept))
        lean = anonymous(np.searchsorted(kept, pool.offsets), pool.grade[kept])
        return _View(self.rankings.moved(lean, new_row), new_row[self.row], dense=False)

    def _stacked(self, view: _View, drawn: Drawn, first: int, size: int) -> JudgedRankings:
        """The rankings of completions `first` to `first + size`, end to end."""
        r, pool = view.rankings, view.rankings.judgments
        parts = np.searchsorted(drawn.completion, np.arange(first, first + size + 1))
        grades, ranks, rows, counts, sizes = [], [], [], [], []
        shift = 0
        grade = np.maximum(pool.grade, 0)
        counted = np.ones(len(grade), bool) if view.dense else grade > 0
        slot = np.zeros(len(grade), np.int32)
        for i in range(size):
            part = slice(parts[i], parts[i + 1])
            document = drawn.document[part]
            row = view.row[document]
            grade[row] = self._grades(self.row[document], drawn.share[part])
            counted[row] = True
            row_now = np.flatnonzero(counted)
            slot[row_now] = np.arange(shift, shift + len(row_now))
            element = np.flatnonzero(counted[r.row])
            grades.append(grade[row_now])
            ranks.append(r.rank[element])
            rows.append(slot[r.row[element]])
            counts.append(np.diff(np.searchsorted(element, r.offsets)))
            sizes.append(np.diff(np.searchsorted(row_now, pool.offsets)))
            shift += len(row_now)
            grade[row] = 0
            counted[row] = view.dense
        judgments = anonymous(np.concatenate([[0], np.cumsum(np.concatenate(sizes))]), np.concatenate(grades))
        query = r.query[None, :] + len(pool.queries) * np.arange(size, dtype=np.int32)[:, None]
        return JudgedRankings(
            judgments=judgments,
            rank=np.concatenate(ranks),
            row=np.concatenate(rows),
            offsets=np.concatenate([[0], np.cumsum(np.concatenate(counts))]),
            retrieved=np.tile(r.retrieved, size),
            query=query.ravel().astype(np.int32),
        )

    def _grades(self, row: Integers, share: Floats) -> np.ndarray:
        """The grades of relevant documents: those of the query's relevant judged documents, at random."""
        grades, first, count = self._grade_table
        query = self._query_of_row[row]
        return grades[first[query] + np.minimum((share * count[query]).astype(np.int64), count[query] - 1)]

    @cached_property
    def _query_of_row(self) -> Integers:
        return self.rankings.judgments.query

    @cached_property
    def _grade_table(self) -> tuple[np.ndarray, Integers, Integers]:
        """Relevant grades query by query, then those of all; where each query's begin, and how many."""
        pool = self.rankings.judgments
        relevant = np.flatnonzero(pool.grade >= self.rel)
        order = relevant[np.lexsort((pool.grade[relevant], self._query_of_row[relevant]))]
        count = np.bincount(self._query_of_row[relevant], minlength=len(pool.queries))
        first = np.cumsum(count) - count
        every = np.sort(pool.grade[relevant]) if len(relevant) else np.array([self.rel], np.int32)
        few = count < ENOUGH_GRADES
        return (
            np.concatenate([pool.grade[order], every]),
            np.where(few, len(order), first),
            np.where(few, len(every), count),
        )


def by_rel(measures: Sequence[Measure]) -> Iterator[tuple[int, list[int]]]:
    """The lowest relevant grade, and the measures that share it: they can share completions."""
    rels = [int(measure.given.get("rel", 1)) for measure in measures]
    for rel in dict.fromkeys(rels):
        yield rel, [k for k, own in enumerate(rels) if own == rel]
