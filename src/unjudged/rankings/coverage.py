"""What runs and judgments have in common, and the warnings where that is too little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.errors import (
    ExtraQueriesWarning,
    MissingQueriesWarning,
    NothingJudgedWarning,
    UnjudgedWarning,
    quoted,
)
from unjudged.rankings.judged import JudgedRankings


def coverage_warnings(
    runs: Sequence[str], queries: Sequence[str], rankings: JudgedRankings
) -> Iterator[UnjudgedWarning]:
    """For each run: queries it lacks, queries that only it has, nothing judged of what it retrieved."""
    all_there = np.count_nonzero(rankings.retrieved) == len(rankings)
    empty = {} if all_there else missing_queries(runs, queries, rankings)
    judged, starts = rankings.labels >= 0, rankings.offsets[:: len(queries)].tolist()
    for i, run in enumerate(runs):
        if run in empty:
            lacks = f"{run} has no ranking for {_many(len(empty[run]))} of {len(queries)}"
            yield MissingQueriesWarning(f"{lacks}: {_some(list(empty[run]))}. Each counts as empty.")
        if rankings.ignored and rankings.ignored[i]:
            has = f"{run} has rankings for {_many(rankings.ignored[i])} that the judgments do not have"
            yield ExtraQueriesWarning(f"{has}. They are ignored.")
        if not np.count_nonzero(judged[starts[i] : starts[i + 1]]):
            yield NothingJudgedWarning(_nothing_judged(run, rankings))


def missing_queries(
    runs: Sequence[str], queries: Sequence[str], rankings: JudgedRankings
) -> dict[str, list[str]]:
    """For each run that lacks some, the queries it has no ranking for."""
    absent = (rankings.retrieved == 0).reshape(len(runs), len(queries))
    return {
        run: [queries[q] for q in np.flatnonzero(row).tolist()]
        for run, row in zip(runs, absent, strict=True)
        if row.any()
    }


def _nothing_judged(run: str, rankings: JudgedRankings) -> str:
    documents = rankings.judgments.documents
    example = f" ({quoted(documents[0])})" if len(documents) and documents[0] else ""
    problem = f"no document that {run} retrieved is judged, so its scores say nothing about it"
    return f"{problem}. Check that the run names documents as the judgments do{example}."


def _some(queries: Sequence[str]) -> str:
    return ", ".join(queries[:5]) + (", ..." if len(queries) > 5 else "")


def _many(queries: int) -> str:
    return "1 query" if queries == 1 else f"{queries} queries"
