"""Contributions of runs, or groups of runs, to a pool, the pool without them, and tables of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import numbered
from unjudged.base.wording import shortlist
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.judging.pooling.designs import DEPTHS
from unjudged.judging.pooling.pool import Pool
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.left_out import LeftOut

Groups = Mapping[str, str]
"""The group of each run; a run without an entry forms its own group."""


class PoolSize(NamedTuple):
    """Number of documents in a pool of some depth."""

    depth: int
    documents: int
    per_query: float
    relevant: int


class Contribution(NamedTuple):
    """How many documents of the pool a run or group retrieved, and how many only it retrieved."""

    name: str
    documents: int
    relevant: int
    unique: int
    unique_relevant: int


class LeftOutRun(NamedTuple):
    """A run's means with all judgments, and without the documents that only its group contributed."""

    run: str
    group: str
    actual: Floats
    without: Floats


def sizes(pool: Pool, depths: Iterable[int]) -> list[PoolSize]:
    """Return the size of the pool at each depth (Yilmaz and Aslam, 2008, table 1).

    >>> from unjudged import sample
    >>> [size.per_query for size in sizes(Pool.of(sample.qrels, sample.runs), (1, 10))]
    [5.166666666666667, 41.333333333333336]
    """
    relevant = pool.judgments.grade >= 1
    found = []
    for depth in depths:
        top = pool.best <= depth
        many = int(top.sum())
        found.append(PoolSize(depth, many, many / len(pool.judgments.queries), int((top & relevant).sum())))
    return found


def contributions(pool: Pool, depth: int = 100, groups: Groups | None = None) -> list[Contribution]:
    """What each run or group contributed to the pool of this depth."""
    names, owner = _owners(pool.runs, groups)
    left_out = LeftOut.of(pool.rankings, owner, depth)
    row, owner = left_out.contributors.nonzero()
    relevant = pool.judgments.grade[row] >= 1
    unique = left_out.only_group[row] >= 0
    counts = [
        np.bincount(owner[chosen], minlength=len(names)).tolist()
        for chosen in (np.ones(len(row), bool), relevant, unique, unique & relevant)
    ]
    return [Contribution(name, *numbers) for name, *numbers in zip(names, *counts, strict=True)]


def without(pool: Pool, left_out: str, depth: int = 100, groups: Groups | None = None) -> Judgments:
    """Return the judgments as if a run or group had not taken part.

    Documents that only it has among its first `depth` documents would not have been pooled; they have no row.
    """
    names, owner = _owners(pool.runs, groups)
    if left_out not in names:
        raise UsageError(f"no run or group is named {left_out!r}; there are: {shortlist(names)}")
    only_group = LeftOut.of(pool.rankings, owner, depth).only_group
    return chosen_rows(pool.judgments, only_group != names.index(left_out))


def leave_one_out(
    pool: Pool,
    measures: MeasureLike | Iterable[MeasureLike] = "AP",
    depth: int = 100,
    groups: Groups | None = None,
) -> list[LeftOutRun]:
    """Every run's means with all judgments, and without the documents that only its group contributed.

    >>> from unjudged import sample
    >>> found = leave_one_out(Pool.of(sample.qrels, sample.runs), depth=20)
    >>> [(one.run, round(float(one.actual[0] - one.without[0]), 4)) for one in found][:2]
    [('boolean', 0.0098), ('lexical', 0.0098)]
    """
    chosen = parse_measures(measures)
    names, owner = _owners(pool.runs, groups)
    only_group = LeftOut.of(pool.rankings, owner, depth).only_group
    found: dict[int, LeftOutRun] = {}
    for g, group in enumerate(names):
        kept = only_group != g
        judgments, row = chosen_rows(pool.judgments, kept), numbered(np.flatnonzero(kept), len(kept))
        for i in np.flatnonzero(owner == g).tolist():
            own = pool.rankings.run(i)
            pair = own, own.moved(judgments, row)
            means = (np.array([m.over_queries(m.compute(r)) for m in chosen]) for r in pair)
            found[i] = LeftOutRun(pool.runs[i], group, *means)
    return [found[i] for i in sorted(found)]


def _owners(runs: Sequence[str], groups: Groups | None) -> tuple[list[str], Integers]:
    """Return the names of the groups, and the group of each run."""
    known = groups or {}
    for run in runs:
        if run not in known and run in known.values():
            raise UsageError(f"run {run!r} is in no group, and a group has the same name: give it a group")
    group = [known.get(run, run) for run in runs]
    names = list(dict.fromkeys(group))
    return names, np.array([names.index(name) for name in group], np.int64)


def pool_grids(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> list[Grid]:
    """Return the size of the pool at each depth, and what each run or group contributed.

    With measures, which need judgments: also how many of these documents are relevant, and every run's score
    with and without the documents that only its own group contributed.
    """
    judged = bool(measures)
    columns = [Column("depth", "integer"), Column("documents", "integer"), Column("per query", decimals=1)]
    columns += [Column("relevant", "integer")] if judged else []
    depths = [*(k for k in DEPTHS if k < depth), depth]
    made = [Grid(columns, [size[: len(columns)] for size in sizes(pool, depths)])]
    names = ["documents", "unique", *(["relevant", "unique relevant"] if judged else [])]
    rows: list[list[Cell]] = [
        [c.name, c.documents, c.unique, *([c.relevant, c.unique_relevant] if judged else [])]
        for c in contributions(pool, depth, groups)
    ]
    label = Column("group" if groups else "run", "label")
    made.append(Grid([label, *(Column(name, "integer") for name in names)], rows))
    return [*made, _left_out(pool, depth, groups, measures)] if judged else made


def _left_out(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> Grid:
    columns = [Column("run", "label")]
    for name in map(str, measures):
        columns += [Column(name), Column(f"{name} without its own")]
    rows = []
    for one in leave_one_out(pool, measures, depth, groups):
        pairs = zip(one.actual.tolist(), one.without.tolist(), strict=True)
        rows.append([one.run, *(value for pair in pairs for value in pair)])
    return Grid(columns, rows)
