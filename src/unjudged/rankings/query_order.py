"""The rankings of a run in the order of the judgments' queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Integers, ranges
from unjudged.formats.tables import Matched


def by_query(
    matched: Matched, queries: int
) -> tuple[Integers, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Counts and sizes per query, then ranks and rows, in the order of the judgments' queries."""
    known = np.flatnonzero(matched.query >= 0)
    known = known[np.argsort(matched.query[known], kind="stable")]
    counts, retrieved = np.zeros(queries, np.int64), np.zeros(queries, np.int32)
    counts[matched.query[known]] = np.diff(matched.ends)[known]
    retrieved[matched.query[known]] = matched.retrieved[known]
    if len(known) == len(matched.query) and np.all(np.diff(known) == 1):
        return counts, retrieved, matched.rank, matched.row
    source = ranges(matched.ends[known], np.diff(matched.ends)[known])
    return counts, retrieved, matched.rank[source], matched.row[source]
