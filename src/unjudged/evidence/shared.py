"""Several runs over one pool: a document that several of them retrieve is one document, judged or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from unjudged.base.errors import UnjudgedWarning
from unjudged.base.segments import Integers, ends
from unjudged.data.sources import name_in_errors, run_name
from unjudged.data.tables import Ids, joined_ties
from unjudged.evidence.filled import anonymous
from unjudged.rankings.coverage import coverage_warnings
from unjudged.rankings.extension import DocumentUnion
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.pooled import Numbers, hashes, mixed, salt
from unjudged.rankings.runs import RunSource, run_table

NEGLIGIBLE = 1e-18
"""A weight that no sum of millions of documents could notice in double precision."""


@dataclass(frozen=True, eq=False)
class SharedRankings:
    """Rankings of several runs over one pool that has every document they retrieve.

    Row r of the pool is document `name[r]` of `names`, which begin with the `original` judgments.
    """

    judgments: Judgments
    rankings: JudgedRankings
    runs: Sequence[str]
    queries: Ids
    names: Ids
    name: Integers
    original: Judgments

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        runs: Mapping[str, RunSource],
        on_read: Callable[[str], None] | None = None,
        depth: float = np.inf,
    ) -> SharedRankings:
        """Read every run once, to this depth, and find out which documents they share."""
        union = DocumentUnion(judgments, depth)
        parts = []
        for name, run in runs.items():
            with name_in_errors(run, run_name(name)):
                parts.append(union.add(run_table(run, run_name(name))))
            if on_read is not None:
                on_read(name)
        ranks, documents, counts, ties = zip(*parts, strict=True)
        query = np.concatenate(union.query)
        name_of_row = np.argsort(query, kind="stable")
        row = np.empty(len(query), np.int32)
        row[name_of_row] = np.arange(len(query), dtype=np.int32)
        grade = np.full(len(query), UNSAMPLED, np.int32)
        grade[row[: len(judgments.grade)]] = judgments.grade
        queries = len(judgments.queries)
        pool = anonymous(ends(np.bincount(query, minlength=queries)), grade)
        retrieved = np.concatenate(counts)
        rankings = JudgedRankings(
            judgments=pool,
            rank=np.concatenate(ranks),
            row=row[np.concatenate(documents)],
            offsets=ends(retrieved),
            retrieved=retrieved.astype(np.int32),
            query=np.tile(np.arange(queries, dtype=np.int32), len(runs)),
            ignored=tuple(union.ignored),
            ties=joined_ties(ties, list(map(len, ranks))),
        )
        names = Ids.joined(union.names)
        return cls(pool, rankings, list(runs), judgments.queries, names, name_of_row, judgments)

    @cached_property
    def warnings(self) -> list[UnjudgedWarning]:
        """Warnings that comparisons mean less than they seem to: little in common with the judgments."""
        return list(coverage_warnings(self.runs, list(self.queries), self.judged_rankings))

    @cached_property
    def judged_rankings(self) -> JudgedRankings:
        """Same rankings over the original pool, as `evaluate` has them."""
        row = np.where(self.name < len(self.original.grade), self.name, -1)
        return self.rankings.moved(self.original, row)

    def with_judged_elsewhere(self) -> JudgedRankings:
        """Return the rankings over the original pool, with the documents judged for another query."""
        grades = self.original.grade
        judged = set(self.original.documents.take(np.flatnonzero(grades >= 0)).tolist())
        unjudged = self.rankings.where(self.rankings.labels < 0)
        known = np.array([name in judged for name in self.names.tolist()], bool)[self.name[unjudged.row]]
        element = cast("Integers", unjudged.element)[known]
        rank = self.rankings.rank[element].astype(np.int64)
        return replace(self.judged_rankings, elsewhere=(unjudged.ranking[known], rank))

    @cached_property
    def best_rank(self) -> Integers:
        """Best rank that any run gives each row; one more than the longest ranking if none has it."""
        return self.rankings.best_rank(missing=int(self.rankings.retrieved.max(initial=0)) + 1)

    def document(self, row: int) -> str:
        """Return the name of the document in a row."""
        return self.names[int(self.name[row])]

    def query(self, row: int) -> str:
        """Return the query of a row."""
        return self.queries[int(self.judgments.query[row])]

    def per_run(self, values: Any) -> Any:
        """Values of rankings as runs x queries (the last axes)."""
        return values.reshape(*values.shape[:-1], len(self.runs), len(self.queries))

    @cached_property
    def identity(self) -> Numbers:
        """Number of each row that decides the draws: of query and document alone."""
        document = hashes(self.names, salt("document"))[self.name]
        return mixed(hashes(self.queries, salt("query"))[self.judgments.query] ^ document)


def selected_runs(rankings: JudgedRankings, runs: Sequence[int]) -> JudgedRankings:
    """Return the rankings of these runs, in this order; the pool keeps the documents of the others."""
    queries = np.arange(len(rankings.judgments.queries))
    return rankings.selected((np.array(runs)[:, None] * len(queries) + queries).ravel())


def block_starts(offsets: Integers, size: int) -> list[int]:
    """Cut rows between queries, at most `size` rows apart unless a query has more; the last cut is the end.

    >>> block_starts(np.array([0, 2, 4, 9, 10]), 4)
    [0, 4, 9, 10]
    """
    starts = [int(offsets[0])]
    while starts[-1] < offsets[-1]:
        fitting = int(np.searchsorted(offsets, starts[-1] + size, "right")) - 1
        following = int(np.searchsorted(offsets, starts[-1], "right"))
        starts.append(int(offsets[max(fitting, following)]))
    return starts
