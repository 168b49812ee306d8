"""The bounds of AP in one pass, in the place of trying every number of relevant documents one by one.

Let N be R times AP, and let unknown documents turn relevant one after another. From the top, the j-th at
rank k adds (known relevant above k + j) / k, and 1/rank for each known relevant document below k. From the
bottom, one at rank k adds (known relevant above k + 1) / k, and 1/rank for each relevant document below k,
those that turned before it among them. The bounds are the extremes of N / (R + j).
"""

from __future__ import annotations

from math import inf

import numpy as np

from unjudged.measures.registry import ratio
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.completions import Completions


def bounds_of_ap(
    completions: Completions, more: Integers, rel: int = 1, cutoff: float = inf
) -> tuple[Floats, Floats]:
    """The smallest and the largest AP, ranking by ranking, over all completions."""
    r = completions.rankings
    hit = (r.labels >= rel) & (r.rank <= cutoff)
    hits, unknown = r.where(hit), r.where(completions.unknown[r.row])
    start = hits.total(hits.place / hits.rank)
    inverse = np.where(hit, 1 / r.rank, 0.0)
    below = (r.total(inverse)[r.ranking] - r.running(inverse, np.add))[unknown.element]
    above = r.above(unknown, hit)
    counted = unknown.rank <= cutoff

    from_top = np.where(counted, (above + unknown.place) / unknown.rank + below, 0.0)
    high = ratio(start, r.known(rel))
    reached = start[unknown.ranking] + unknown.running(from_top, np.add)
    np.maximum.at(high, unknown.ranking, reached / (r.known(rel)[unknown.ranking] + unknown.place))

    turned = np.where(counted, 1 / unknown.rank, 0.0)
    turned_below = unknown.total(turned)[unknown.ranking] - unknown.running(turned, np.add)
    from_bottom = np.where(counted, (above + 1) / unknown.rank + below + turned_below, 0.0)
    added = unknown.total(from_bottom)[unknown.ranking] - unknown.running(from_bottom, np.add) + from_bottom
    most = r.known(rel) + more
    low = ratio(start, most)
    count = (unknown.counts[unknown.ranking] - unknown.place + 1) + most[unknown.ranking]
    np.minimum.at(low, unknown.ranking, (start[unknown.ranking] + added) / count)
    return low, high
