"""What a page shows of documents: how much is judged, and the first ones of every ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unjudged.base.wording import plain
from unjudged.collection.description import Description
from unjudged.evidence.shared import SharedRankings
from unjudged.report.result_plots import choices_figure, judged_by_rank, judged_figure
from unjudged.results.result import Result

TOP = 10
DEPTHS = (20, TOP, 5)
"""Documents of each ranking that a page may hold: the more rankings there are, the fewer."""
MOST = 80_000
"""Most documents of a page in all, unless even the smallest depth needs more."""
NOT_POOLED = -3
DEPTH = 100
"""Ranks of the figure of judged shares."""
LONGEST_TEXT = 160
"""Characters of a text on the page."""


NONE: Mapping[str, Any] = {
    "judged": {},
    "counts": [["judgments", "unknown: the scores come from a table"]],
}
"""What a page shows where there are no documents."""


def documents_of(
    shared: SharedRankings, origin: str, described: Description, choices: Result | None
) -> dict[str, Any]:
    """Return what a page shows of documents: counts, judged shares, figures, holes and rankings.

    `choices` are two systems under every choice of measure, whose figure stands beside.
    """
    by_rank = judged_by_rank(shared.judged_rankings, len(shared.runs), DEPTH)
    figures = {"by-rank": judged_figure(shared.runs, *by_rank)}
    figures |= {} if choices is None else {"choices": choices_figure(choices)}
    return {
        "judged": _judged_shares(shared),
        "counts": counts_of(shared, origin),
        "figures": {place: figure.svg(styled=False) for place, figure in figures.items()},
        "holes": holes_of(shared),
        "rankings": rankings_of(shared, described),
    }


def counts_of(shared: SharedRankings, origin: str) -> list[list[str]]:
    """Return what is known of the judgments: words and texts."""
    grade = shared.original.grade
    retrieved = np.zeros(len(shared.judgments.grade), bool)
    retrieved[shared.rankings.row] = True
    judged, relevant, pooled = (int(mask.sum()) for mask in (grade >= 0, grade >= 1, grade < 0))
    unjudged_ones = int((retrieved & (shared.judgments.grade < 0)).sum())
    return [
        ["judgments", f"{judged:,} documents, {relevant:,} of them relevant; {pooled:,} more in the pool"],
        ["how they were made", origin],
        ["retrieved, not judged", f"{unjudged_ones:,} documents"],
    ]


def depth_kept(shared: SharedRankings) -> int:
    """Return how many documents of each ranking the page holds."""
    longest = int(shared.rankings.retrieved.max(initial=1))
    fitting = (depth for depth in DEPTHS if len(shared.rankings) * min(depth, longest) <= MOST)
    return min(longest, next(fitting, DEPTHS[-1]))


def judged_top(shared: SharedRankings) -> tuple[Any, Any]:
    """Return by run and query how many of the first ten documents are judged, and how many there are."""
    rankings, shape = shared.rankings, (len(shared.runs), len(shared.queries))
    ten = rankings.where((rankings.labels >= 0) & (rankings.rank <= TOP))
    judged = np.bincount(ten.ranking, minlength=len(rankings)).reshape(shape)
    return judged, np.minimum(rankings.retrieved, TOP).reshape(shape)


def _judged_shares(shared: SharedRankings) -> dict[str, float]:
    """Return the share of each run's first ten documents that a page shows as judged, over ranked queries."""
    judged, ranked = judged_top(shared)
    shares = judged.sum(axis=1) / np.maximum(ranked.sum(axis=1), 1)
    return dict(zip(shared.runs, shares.tolist(), strict=True))


def rankings_of(shared: SharedRankings, described: Description) -> dict[str, Any]:
    """Return the first documents of each ranking.

    `documents[q]` names the documents of query q that any ranking shows, `grades[q]` has their grades (-1:
    pooled, not judged; -2: cannot be judged; -3: not pooled), and `shown[s]` the places among these of the
    documents of ranking s, best first. `queries` and `texts` are words, if the collection has them.
    """
    depth, queries = depth_kept(shared), len(shared.queries)
    top = shared.rankings.where(shared.rankings.rank <= depth)
    rows, place = np.unique(top.row, return_inverse=True)
    query = shared.judgments.query[rows]
    first = np.searchsorted(query, np.arange(queries + 1))
    pooled = shared.name[rows] < len(shared.original.grade)
    grade = np.where(pooled, shared.judgments.grade[rows], NOT_POOLED).tolist()
    names = list(map(plain, shared.names.take(shared.name[rows])))
    within = (place.ravel() - first[shared.rankings.query[top.ranking]]).tolist()
    ends = np.cumsum([0, *top.counts.tolist()]).tolist()
    parts = [slice(a, b) for a, b in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)]
    unjudged = {name for name, own in zip(names, grade, strict=True) if own < 0}
    return {
        "depth": depth,
        "documents": [names[part] for part in parts],
        "grades": [grade[part] for part in parts],
        "shown": [within[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)],
        **texts_of(described, list(shared.queries), unjudged),
    }


def texts_of(described: Description, queries: list[str], documents: set[str]) -> dict[str, Any]:
    """Return the words of queries, and the first ones of documents that nobody judged."""
    from unjudged.judging.judging_page import read_documents, read_queries

    found: dict[str, Any] = {}
    if described.queries:
        topics = read_queries(described.queries, queries)
        found["queries"] = [_line(topics[query].title) if query in topics else "" for query in queries]
    if described.documents:
        texts = read_documents(described.documents, documents)
        found["texts"] = {plain(name): _line(text.whole) for name, text in texts.items()}
    return found


def _line(text: str) -> str:
    """Return a text of a document as one line, cut at its longest."""
    line = " ".join(text.split())
    return plain(line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…")


def holes_of(shared: SharedRankings) -> dict[str, Any]:
    """Return how much is judged among the first ten documents, by run and query."""
    judged, ranked = judged_top(shared)
    return {"top": TOP, "judged": judged.tolist(), "ranked": ranked.tolist()}
