"""What runs and judgments share, warnings where it is too little, and whether a sample can be random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import (
    ExtraQueriesWarning,
    InputError,
    MissingQueriesWarning,
    NothingJudgedWarning,
    UnjudgedWarning,
    announce,
    quoted,
)
from unjudged.base.notes import note
from unjudged.base.segments import Floats
from unjudged.base.wording import percent
from unjudged.data.scan import scanner
from unjudged.data.sources import name_in_errors, run_name
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run, RunSource

HIGHEST_GRADE = 10
MANY_DIFFER, NEARLY_ALL_DIFFER = 0.25, 0.9
"""Shares of a query's grades that differ from each other."""

FEW = 10
"""With fewer documents, scores and grades cannot be told apart."""

MANY = 5
"""A run that lacks more than one of so many queries is said to at once."""


def coverage_warnings(
    runs: Sequence[str], queries: Sequence[str], rankings: JudgedRankings
) -> Iterator[UnjudgedWarning]:
    """Queries that runs lack, queries that only they have, and runs that retrieved nothing that is judged.

    Runs with the same queries share a warning.
    """
    by_run = rankings.offsets if len(queries) == 1 else rankings.offsets[:: len(queries)].copy()
    judged = scanner.count_grades(rankings.labels, by_run, 0, np.inf).tolist()
    complete = np.count_nonzero(rankings.retrieved) == len(rankings.query)
    if complete and 0 not in judged and not any(rankings.ignored):
        return
    empty = {} if complete else missing_queries(runs, queries, rankings)
    lacking = _alike({run: tuple(lacked) for run, lacked in empty.items()})
    ignored = dict(zip(runs, rankings.ignored or [0] * len(runs), strict=True))
    extra = _alike({run: n for run, n in ignored.items() if n})
    nothing = not any(judged) and not (rankings.judgments.grade >= 0).any()
    for i, run in enumerate(runs):
        if run in lacking:
            code = "many-missing" if MANY * len(empty[run]) > len(queries) else "missing-queries"
            lack = note(code, lacking[run], missing=empty[run], queries=len(queries))
            yield MissingQueriesWarning(lack)
        if run in extra:
            yield ExtraQueriesWarning(note("extra-queries", extra[run], ignored=ignored[run]))
        if not judged[i] and not nothing:
            documents = rankings.judgments.documents
            example = f" ({quoted(documents[0])})" if len(documents) and documents[0] else ""
            yield NothingJudgedWarning(note("nothing-judged-of-run", [run], example=example))
    if nothing:
        yield NothingJudgedWarning(note("nothing-judged"))


def _alike(values: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the runs of each value, under the first of them."""
    groups: dict[object, list[str]] = {}
    for run, value in values.items():
        groups.setdefault(value, []).append(run)
    return {group[0]: group for group in groups.values()}


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


def in_order(judgments: Judgments, runs: dict[str, RunSource]) -> dict[str, RunSource]:
    """Return the runs; refuse judgments that were given as a run, and a run in their place.

    Judgments are scores if nearly all of a query's grades differ. Only if many differ are the runs looked at,
    and read for it. If not nearly all do, or documents are few, runs that hold grades give a warning.
    """
    if judgments.scale is None and judgments.highest <= HIGHEST_GRADE:
        return runs
    judged = judgments.grade >= 0
    cells = np.stack([judgments.query[judged], judgments.grade[judged]], axis=1)
    differ = len(np.unique(cells, axis=0)) / max(len(cells), 1)
    if differ < MANY_DIFFER:
        return runs
    read: dict[str, RunSource] = {name: Run.read(source) for name, source in runs.items()}
    for name, run in read.items():
        assert isinstance(run, Run)  # noqa: S101
        query = np.repeat(np.arange(len(run.queries)), np.diff(run.offsets))
        if not are_grades(query, run.scores):
            continue
        if differ < NEARLY_ALL_DIFFER or min(len(cells), len(query)) < FEW:
            announce([UnjudgedWarning(note("wrong-order", [name]))])
            continue
        with name_in_errors(runs[name], run_name(name)):
            grades = f"its scores are grades: whole numbers up to {run.scores.max():g}, most of them the same"
            scores = "the grades of the judgments are scores: nearly all differ"
            raise InputError(f"{grades}; {scores}; judgments come before runs")
    return read


def are_grades(query: NDArray[np.integer], numbers: Floats) -> bool:
    """Whether numbers of queries are grades: whole, at most 10, and most of a query's are the same."""
    kinds = np.unique(numbers)
    if (kinds % 1).any() or kinds[-1] > HIGHEST_GRADE:
        return False
    return len(kinds) == 1 or len(np.unique(np.stack([query, numbers], axis=1), axis=0)) <= len(query) / 2


TOP, FAR = 10, 6.0
"""Ranks at which judged documents are counted, and how many deviations more than expected is too far."""

JUDGED_SHARE = 0.5
"""Of all documents in the first ten of pooled runs, listed or not, at least this share is judged."""


def few_judged(r: JudgedRankings, depth: int = TOP) -> str | None:
    """Say how few of the first documents of the runs are judged, if too few for a pool of these runs.

    >>> print(few_judged(JudgedRankings.spelled("1 U U U")))
    25 % of the documents in the first 10 of the runs are judged
    """
    judged = np.count_nonzero(r.judgments.grade[r.row[r.rank <= depth]] >= 0)
    retrieved = np.minimum(r.retrieved, depth).sum()
    if judged >= JUDGED_SHARE * retrieved:
        return None
    return f"{percent(judged / retrieved, 0)} of the documents in the first {depth} of the runs are judged"


def not_random(r: JudgedRankings, rate: Floats) -> str | None:
    """Say why the judged documents cannot be a random sample of their strata, or return None.

    `rate` is the judged share of each row's stratum, not a number for rows that could not be drawn. The
    number judged among the first ten of the runs is compared with the one to expect: a pool that was judged
    to some rank has far more there.

    >>> r = JudgedRankings.spelled(" ".join(["1"] * 10 + ["U"] * 90))
    >>> print(str(not_random(r, np.full(100, 0.1))).partition(", and")[0])
    10 of the 10 listed documents among the first 10 of the runs are judged
    """
    top = np.flatnonzero((r.where(r.rank <= TOP).best_rank(missing=TOP + 1) <= TOP) & np.isfinite(rate))
    expected, spread = float(rate[top].sum()), float(np.sqrt((rate[top] * (1 - rate[top])).sum()))
    judged = int((r.judgments.grade[top] >= 0).sum())
    if judged - expected <= FAR * spread:
        return None
    return (
        f"{judged:,} of the {len(top):,} listed documents among the first {TOP} of the runs are judged, and "
        f"a random sample would have {expected:,.0f} of them: these judgments are not a random sample"
    )
