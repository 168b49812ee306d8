"""What a pool is made of, as text."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.judging.contributions import Groups, contributions, leave_one_out, sizes
from unjudged.judging.designs import DEPTHS
from unjudged.judging.pool import Pool
from unjudged.measures.registry import Measure
from unjudged.report.tables import aligned


def statistics_of(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> str:
    """The size of the pool at each depth and what each run or group brought.

    With measures, for which there must be judgments: how many of these are relevant, and every run's score
    with and without what its own group brought alone.
    """
    return "\n".join(
        [
            _sizes(pool, [*(k for k in DEPTHS if k < depth), depth], judged=bool(measures)),
            _contributions(pool, depth, groups, judged=bool(measures)),
            *([_without_its_own(pool, depth, groups, measures)] if measures else []),
        ]
    )


def _sizes(pool: Pool, depths: Sequence[int], judged: bool) -> str:
    found = sizes(pool, depths)
    rows = [[str(s.depth), str(s.documents), f"{s.per_query:.1f}"] for s in found]
    if not judged:
        return aligned(["depth", "documents", "a query"], rows)
    rows = [[*row, str(s.relevant)] for row, s in zip(rows, found, strict=True)]
    return aligned(["depth", "documents", "a query", "relevant"], rows)


def _contributions(pool: Pool, depth: int, groups: Groups | None, judged: bool) -> str:
    head = ["group" if groups else "run", "documents", "unique"]
    brought = contributions(pool, depth, groups)
    if not judged:
        return aligned(head, [[c.name, str(c.documents), str(c.unique)] for c in brought], labels=1)
    rows = [
        [c.name, str(c.documents), str(c.unique), str(c.relevant), str(c.unique_relevant)] for c in brought
    ]
    return aligned([*head, "relevant", "unique relevant"], rows, labels=1)


def _without_its_own(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> str:
    head = ["run", *(word for name in map(str, measures) for word in (name, f"{name} without its own"))]
    rows = []
    for one in leave_one_out(pool, measures, depth, groups):
        pairs = zip(one.actual, one.without, strict=True)
        rows.append([one.run, *(f"{value:.4f}" for pair in pairs for value in pair)])
    return aligned(head, rows)
