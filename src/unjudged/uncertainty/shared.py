"""Several runs over one pool: a document that several of them retrieve is one document, judged or not."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.formats import matching
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Table
from unjudged.measures.registry import Measure
from unjudged.rankings.hashing import Numbers, hashes, mixed, salt
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.runs import RunSource, run_table
from unjudged.uncertainty.completions import Completions, Evidence
from unjudged.uncertainty.filled import anonymous
from unjudged.uncertainty.prevalence import PrevalenceLike


@dataclass(frozen=True, eq=False)
class SharedRankings:
    """Rankings of several runs over one pool that has every document they retrieve.

    Row r of the pool is document `source_place[r]` of `sources[source[r]]`: the judgments' documents, then
    those of each run.
    """

    judgments: Judgments
    rankings: JudgedRankings
    runs: Sequence[str]
    queries: Ids
    sources: Sequence[Ids]
    source: NDArray[np.int32]
    source_place: Integers

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        runs: Mapping[str, RunSource],
        on_read: Callable[[str], None] | None = None,
    ) -> SharedRankings:
        """Read every run once and find out which documents they share."""
        secret = np.frombuffer(os.urandom(8), np.uint64)[0]
        places = {name: q for q, name in enumerate(judgments.queries.tolist())}
        parts = [_part_of_judgments(judgments, secret)]
        for name, run in runs.items():
            parts.append(_part_of_run(run_table(run), places, secret))
            if on_read is not None:
                on_read(name)
        return cls._merged(judgments, parts, list(runs))

    @classmethod
    def _merged(cls, judgments: Judgments, parts: list[_Part], runs: list[str]) -> SharedRankings:
        key = np.concatenate([part.key for part in parts])
        query = np.concatenate([part.query for part in parts])
        order = np.argsort(key, kind="stable")
        new = np.concatenate([[True], np.diff(key[order]) != 0])
        first = order[new]  # of each document, where it was met first
        by_query = np.lexsort((first, query[first]))
        row_of = np.empty(len(first), np.int32)
        row_of[by_query] = np.arange(len(first), dtype=np.int32)
        row = np.empty(len(key), np.int32)
        row[order] = row_of[np.cumsum(new) - 1]
        first = first[by_query]
        sizes = np.cumsum([0, *(len(part.key) for part in parts)])
        source = (np.searchsorted(sizes, first, "right") - 1).astype(np.int32)
        queries = len(judgments.queries)
        offsets = np.searchsorted(query[first], np.arange(queries + 1))
        grade = np.full(len(first), UNSAMPLED, np.int32)
        grade[row[: len(judgments.grade)]] = judgments.grade
        pool = anonymous(offsets.astype(np.int64), grade)
        counts = np.concatenate([np.bincount(part.query, minlength=queries) for part in parts[1:]])
        rankings = JudgedRankings(
            judgments=pool,
            rank=np.concatenate([part.rank for part in parts[1:]]),
            row=row[len(judgments.grade) :],
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            retrieved=counts.astype(np.int32),
            query=np.tile(np.arange(queries, dtype=np.int32), len(runs)),
        )
        sources = [part.documents for part in parts]
        return cls(pool, rankings, runs, judgments.queries, sources, source, first - sizes[source])

    @property
    def unknown(self) -> Integers:
        """The rows that nobody judged."""
        return np.flatnonzero(self.judgments.grade < 0)

    @cached_property
    def best_rank(self) -> Integers:
        """The best rank that any run gives each row; one more than the longest ranking if none has it."""
        best = np.full(len(self.judgments.grade), int(self.rankings.retrieved.max(initial=0)) + 1)
        np.minimum.at(best, self.rankings.row, self.rankings.rank)
        return best

    def document(self, row: int) -> str:
        """The name of the document in a row."""
        return self.sources[self.source[row]][int(self.source_place[row])]

    def query(self, row: int) -> str:
        """The query of a row."""
        return self.queries[int(self.judgments.query[row])]

    def per_run(self, values: Floats) -> Floats:
        """Values of rankings as runs x queries (the last axes)."""
        return values.reshape(*values.shape[:-1], len(self.runs), len(self.queries))

    def completions(self, given: PrevalenceLike, *, rel: int = 1, seed: int = 0) -> Completions:
        """Completions that all runs share; one prevalence for all, by the best rank of each document."""
        row = self.unknown
        prevalence = Evidence.of(self.rankings, rel).prevalence(
            given, self.judgments.query[row], self.best_rank[row], len(self.queries)
        )
        return Completions(self.rankings, row, self._identity(row), prevalence, rel, seed)

    def _identity(self, row: Integers) -> Numbers:
        """The numbers that decide the draws: of query and document alone."""
        document = np.empty(len(row), np.uint64)
        for i, ids in enumerate(self.sources):
            own = np.flatnonzero(self.source[row] == i)
            document[own] = hashes(ids.take(self.source_place[row[own]]), salt("document"))
        names = hashes(self.queries, salt("query"))
        return mixed(names[self.judgments.query[row]] ^ document)

    def unknown_weights(self, measure: Measure) -> UnknownWeights:
        """What unjudged documents would add to the mean of each run, for a sum over relevant documents."""
        r = self.rankings.where(self.rankings.labels < 0)
        weight = measure.weights(r.rank) / len(self.queries)
        counts = weight > 0
        run = r.ranking // len(self.queries)
        return UnknownWeights(run[counts], r.row[counts], weight[counts], len(self.runs), len(self.judgments.grade))

    def unretrieved_unknown(self) -> Integers:
        """For each ranking, how many unjudged documents of its query's pool it did not retrieve."""
        unknown = self.judgments.count(-np.inf, 0)
        own = self.rankings.where(self.rankings.labels < 0).counts
        return unknown[self.rankings.query] - own


@dataclass(frozen=True, eq=False)
class UnknownWeights:
    """Run `run[i]` would gain `weight[i]` if the document of row `row[i]` were relevant."""

    run: Integers
    row: NDArray[np.int32]
    weight: Floats
    runs: int
    rows: int

    def total(self) -> Floats:
        """The sum per run."""
        return np.bincount(self.run, self.weight, self.runs).astype(float)

    def shared(self) -> Floats:
        """Runs x runs: the sum over documents of the smaller of the two weights."""
        shared = np.zeros((self.runs, self.runs))
        starts = np.searchsorted(self.run, np.arange(self.runs + 1))
        dense = np.zeros(self.rows)
        for i in range(self.runs):
            own = slice(starts[i], starts[i + 1])
            dense[self.row[own]] = self.weight[own]
            others = slice(starts[i], None)
            smaller = np.minimum(dense[self.row[others]], self.weight[others])
            shared[i] = np.bincount(self.run[others], smaller, self.runs)
            dense[self.row[own]] = 0
        upper = np.triu(shared)
        return upper + np.triu(shared, 1).T


@dataclass(frozen=True, eq=False)
class _Part:
    """Documents of the judgments or of one run, by query, best first: a key each, and their ranks."""

    query: NDArray[np.int32]
    key: Numbers
    rank: NDArray[np.int32]
    documents: Ids


def _part_of_judgments(judgments: Judgments, secret: np.uint64) -> _Part:
    query = judgments.query.astype(np.int32)
    return _Part(query, _keys(judgments.documents, query, secret), np.zeros(0, np.int32), judgments.documents)


def _part_of_run(table: Table, places: Mapping[bytes, int], secret: np.uint64) -> _Part:
    table = table.grouped()
    order = scanner.best_first(table)
    group = np.array([places.get(name, -1) for name in table.queries.tolist()], np.int32)
    counts = np.diff(table.starts)
    rank = np.arange(1, len(order) + 1) - np.repeat(table.starts[:-1] - table.starts[0], counts)
    query = np.repeat(group, counts)
    kept = _by_query(query)
    documents = table.documents.take(order[kept])
    key = _keys(documents, query[kept], secret)
    if len(np.unique(key)) < len(key):
        matching.index(table)  # says which document is there twice
    return _Part(query[kept], key, rank[kept].astype(np.int32), documents)


def _by_query(query: NDArray[np.int32]) -> Integers:
    known: Mask = query >= 0
    kept = np.flatnonzero(known)
    return kept[np.argsort(query[kept], kind="stable")]


def _keys(documents: Ids, query: NDArray[np.int32], secret: np.uint64) -> Numbers:
    return mixed(hashes(documents, secret) ^ mixed(query.astype(np.uint64) + secret))
