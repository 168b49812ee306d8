"""Rankings as a page holds them: the first documents of each, and how many of them are judged."""

from __future__ import annotations

import numpy as np

from unjudged.grids.escapes import plain
from unjudged.rankings.judgments import Judgments
from unjudged.report.page.packed import Packed
from unjudged.uncertainty.shared import SharedRankings

DEPTHS = (100, 20, 10, 5)
"""Documents of each ranking that a page may hold: the more rankings there are, the fewer."""

MOST = 200_000
"""Most documents of a page in all, unless even the smallest depth needs more."""

BY_RANK = 100
TOP = 10
NOT_POOLED = -2


def depth_kept(shared: SharedRankings) -> int:
    """Return how many documents of each ranking the page holds."""
    longest = int(shared.rankings.retrieved.max(initial=1))
    fitting = (depth for depth in DEPTHS if len(shared.rankings) * min(depth, longest) <= MOST)
    return min(longest, next(fitting, DEPTHS[-1]))


def add_rankings(packed: Packed, shared: SharedRankings, judgments: Judgments, depth: int) -> None:
    """Add the first documents of each ranking.

    `documents[q]` names the documents of query q that any ranking shows; `grades` has their grades in this
    order (-1: pooled, not judged; -2: not pooled). Ranking s shows `shown_counts[s]` documents; `shown` has
    the place of each among the documents of its query, ranking after ranking.
    """
    top = shared.rankings.where(shared.rankings.rank <= depth)
    rows, place = np.unique(top.row, return_inverse=True)
    query = shared.judgments.query[rows]
    first = np.searchsorted(query, np.arange(len(shared.queries) + 1))
    pooled = shared.name[rows] < len(judgments.grade)
    grade = np.where(pooled, shared.judgments.grade[rows], NOT_POOLED)
    names = list(map(plain, shared.names.take(shared.name[rows])))
    packed.add_json("documents", [names[a:b] for a, b in zip(first[:-1], first[1:], strict=True)])
    packed.add("grades", grade, "i4")
    packed.add("shown_counts", top.counts, "u2")
    packed.add("shown", place.ravel() - first[shared.rankings.query[top.ranking]], "i4")


def add_holes(packed: Packed, shared: SharedRankings) -> None:
    """Add how many documents are judged by run and rank, and in the first ten of each ranking."""
    rankings, runs, queries = shared.rankings, len(shared.runs), len(shared.queries)
    run = np.arange(len(rankings)) // queries
    top = rankings.where((rankings.labels >= 0) & (rankings.rank <= BY_RANK))
    cell = run[top.ranking] * BY_RANK + top.rank - 1
    packed.add("judged_at", np.bincount(cell, minlength=runs * BY_RANK), "i4")
    ranked = [(shared.per_run(rankings.retrieved) >= rank).sum(axis=1) for rank in range(1, BY_RANK + 1)]
    packed.add("ranked_at", np.stack(ranked, axis=1), "i4")
    ten = top.where(top.rank <= TOP)
    packed.add("judged_top", np.bincount(ten.ranking, minlength=len(rankings)), "u1")
    packed.add("retrieved_top", np.minimum(rankings.retrieved, TOP), "u1")
