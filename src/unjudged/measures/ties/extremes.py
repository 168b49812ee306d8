"""Lowest and highest value of a measure over all orders of tied documents.

A measure that never falls when a better document moves up (`monotone`) is highest with the best documents of
each group first, and lowest with them last. One that depends only on who is judged is so with the judged
ones first or last. For any others all orders are tried if they are few; if they are many, both of these and
some random orders, so that the range may be wider than it is said to be (`exact` is False).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.measures.kernel.measure import Measure
from unjudged.measures.ties.expected import (
    MOST,
    NONE,
    computing,
    depends_on_rows,
    groups_of,
    order_of,
    resolved,
    values_of_orders,
)
from unjudged.measures.ties.groups import TieGroups
from unjudged.rankings.judged import Floats, JudgedRankings

DRAWS = 200


@dataclass(frozen=True, eq=False)
class TieRange:
    """Lowest and highest value of each ranking; where not `exact`, other orders may lie outside."""

    low: Floats
    high: Floats
    exact: bool


def tie_range(
    measure: Measure,
    rankings: JudgedRankings,
    *,
    depth: int | None = None,
    seed: int = 0,
    quick: bool = False,
    value: Floats | None = None,
    known: dict[tuple[int, bool], TieGroups] | None = None,
) -> TieRange:
    """Return the range of each ranking's value over all orders of its tied documents.

    With a `depth` the rankings are cut there after their documents are in order. `quick` tries two orders.
    `value` is that of each ranking as it is, if known; `known` keeps the groups of rankings, which several
    measures share.
    """
    if value is None:
        value = computing(measure, depth)(rankings)
    own, plain = resolved(measure, rankings, depth)
    known, by_row = {} if known is None else known, depends_on_rows(own)
    if (id(plain), by_row) not in known:
        known[id(plain), by_row] = TieGroups.of(plain, by_row=by_row)
    groups = known[id(plain), by_row]
    if own.traits.across_queries and plain.elsewhere is not None:
        return _of_holes(plain, float(own.given["cutoff"]), value)
    if order_of(own, depth) == NONE or not len(groups):
        return TieRange(value, value, exact=True)
    compute = computing(own, depth)
    traits = own.traits_up_to(own.max_grade(plain.judgments))
    found = [compute(r) for r in (groups.by_judged if traits.ungraded else groups.by_grade)]
    found.append(value if own is measure and plain is rankings else compute(plain))
    exact = traits.monotone or traits.ungraded
    low, high = np.minimum.reduce(found), np.maximum.reduce(found)
    if not exact and not quick:
        exact = _try_orders(compute, groups, low, high, seed)
    if depth is None:
        low, high = measure.corrected(low, plain), measure.corrected(high, plain)
    ends = low, high, value
    return TieRange(np.minimum.reduce(ends), np.maximum.reduce(ends), exact)


def _try_orders(
    compute: Callable[[JudgedRankings], Floats], groups: TieGroups, low: Floats, high: Floats, seed: int
) -> bool:
    """Widen the range by all orders of rankings that have few, by random ones of others; are all few?"""
    few = groups.orders(together=True)[groups.affected] <= MOST
    tasks = groups_of(groups, groups.affected[few])
    for (ranking, _), values in zip(tasks, values_of_orders(compute, groups, tasks), strict=True):
        low[ranking], high[ranking] = min(low[ranking], values.min()), max(high[ranking], values.max())
    rng = np.random.default_rng(seed)
    for _ in range(0 if few.all() else DRAWS):
        values = compute(groups.shuffled(rng))
        np.minimum(low, values, out=low)
        np.maximum(high, values, out=high)
    return bool(few.all())


def _of_holes(r: JudgedRankings, cutoff: float, value: Floats) -> TieRange:
    """Hole: as many documents as possible that are judged for some query are among the first, or as few."""
    top = np.minimum(r.retrieved, cutoff).astype(np.int64)
    first, last = r.ranks_of_scores
    judged = r.labels >= 0
    parts: list[tuple[Any, Any, Any]] = [(r.ranking[judged], first[judged], last[judged])]
    if r.elsewhere is not None:
        parts.append((r.elsewhere[0], r.elsewhere[2], r.elsewhere[3]))
    ranking, low, high = (np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True))
    _, example, known = np.unique(np.stack([ranking, low]), axis=1, return_index=True, return_counts=True)
    ranking, low, high = ranking[example], low[example], high[example]
    inside = np.clip(top[ranking] - low + 1, 0, high - low + 1)
    most = np.bincount(ranking, np.minimum(known, inside), len(r))
    least = np.bincount(ranking, np.maximum(known - (high - low + 1 - inside), 0), len(r))
    ends = np.minimum((top - most) / cutoff, value), np.maximum((top - least) / cutoff, value)
    return TieRange(*ends, exact=True)
