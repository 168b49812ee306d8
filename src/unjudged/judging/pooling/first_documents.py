"""Which documents a pool has: the first of every run, and those that an earlier pool lacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from unjudged.base.segments import ends, places
from unjudged.rankings.extension import chosen_rows, rows_of, table_of_pool
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.runs import Run


def documents_of(runs: Iterable[Run], depth: int) -> dict[str, dict[str, int]]:
    """Return the first documents of every run, by query, sorted by name, all unjudged."""
    found: dict[str, set[str]] = {}
    depth = min(depth, np.iinfo(np.int32).max)
    for run in runs:
        top = places(np.diff(run.offsets)) <= depth
        names = run.documents.take(np.flatnonzero(top))
        stops = ends(np.minimum(np.diff(run.offsets), depth)).tolist()
        documents = list(names)
        for q, query in enumerate(run.queries):
            found.setdefault(query, set()).update(documents[stops[q] : stops[q + 1]])
    return {query: dict.fromkeys(sorted(documents), UNSAMPLED) for query, documents in found.items()}


def new_documents(judgments: Judgments, since: Judgments) -> Judgments:
    """Return the documents that an earlier pool lacks; alone they are a pool to no depth.

    >>> new_documents(Judgments.of({"q": {"a": -1, "b": -1}}), Judgments.of({"q": {"a": 1}})).documents[0]
    'b'
    """
    new = chosen_rows(judgments, rows_of(since, table_of_pool(judgments.pooled)) < 0)
    return replace(new, origin=replace(new.origin, depth=None))
