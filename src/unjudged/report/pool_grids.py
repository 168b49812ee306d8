"""Grids of a pool: its size, and who contributed to it."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.grids.grid import Cell, Column, Grid
from unjudged.judging.pooling.contributions import Groups, contributions, leave_one_out, sizes
from unjudged.judging.pooling.designs import DEPTHS
from unjudged.judging.pooling.pool import Pool
from unjudged.measures.kernel.registry import Measure


def pool_grids(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> list[Grid]:
    """Return the size of the pool at each depth, and what each run or group contributed.

    With measures, which need judgments: also how many of these documents are relevant, and every run's score
    with and without the documents that only its own group contributed.
    """
    judged = bool(measures)
    made = [_sizes(pool, [*(k for k in DEPTHS if k < depth), depth], judged)]
    made.append(_contributions(pool, depth, groups, judged))
    return [*made, _left_out(pool, depth, groups, measures)] if judged else made


def _sizes(pool: Pool, depths: Sequence[int], judged: bool) -> Grid:
    columns = [
        Column("depth", "integer"),
        Column("documents", "integer"),
        Column("per query", decimals=1),
        *([Column("relevant", "integer")] if judged else []),
    ]
    return Grid(columns, [size[: len(columns)] for size in sizes(pool, depths)])


def _contributions(pool: Pool, depth: int, groups: Groups | None, judged: bool) -> Grid:
    label = Column("group" if groups else "run", "label")
    names = ["documents", "unique", *(["relevant", "unique relevant"] if judged else [])]
    rows: list[list[Cell]] = [
        [c.name, c.documents, c.unique, *([c.relevant, c.unique_relevant] if judged else [])]
        for c in contributions(pool, depth, groups)
    ]
    return Grid([label, *(Column(name, "integer") for name in names)], rows)


def _left_out(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> Grid:
    columns = [Column("run", "label")]
    for name in map(str, measures):
        columns += [Column(name), Column(f"{name} without its own")]
    rows = []
    for one in leave_one_out(pool, measures, depth, groups):
        pairs = zip(one.actual.tolist(), one.without.tolist(), strict=True)
        rows.append([one.run, *(value for pair in pairs for value in pair)])
    return Grid(columns, rows)
