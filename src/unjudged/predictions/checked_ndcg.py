"""nDCG@k in a spot check: a sum in each query, to first order around what is expected.

With DCG N and best DCG I, nDCG = N / I depends on the gain y of an unjudged document through both. Around the
expected gains m, one more unit of gain at a document of discount w changes it by

    h = (w - (N / I) (I(+1) - I) / top) / I

where I(+1) is the best DCG with one more document of the highest gain, top. So nDCG is estimated as the sum
of these changes, like RBP as the sum of its weights. What is left out, of second order, is small: a query has
few unjudged documents in its first k. Documents that the run has below k count as judged before or not
relevant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.sampled_means import denominator_of


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """Values at the expected gains, runs x queries, and the change per unit of gain, runs x rows."""

    value: Floats
    change: Floats

    @classmethod
    def of(
        cls, measure: Measure, weight: Floats, m: Floats, gain: Floats, *, known: Mask, query: Integers
    ) -> FirstOrder:
        """`weight` (DCG's discounts) and `m` are runs x rows; `gain` is of each row, where it is `known`."""
        queries = int(query.max(initial=-1)) + 1
        top = max(1.0, float(gain[known].max(initial=0.0)))
        gains = np.unique(np.append(gain[known & (gain > 0)], top))[::-1]
        counts = np.zeros((queries, len(gains)))
        for level, own in enumerate(gains.tolist()):
            counts[:, level] = np.bincount(query[known & (gain == own)], minlength=queries)
        values, changes = [], []
        best = denominator_of(measure, gains)
        for w, expected in zip(weight, m, strict=True):
            y = np.where(known, gain, expected)
            here = counts.copy()
            here[:, 0] += np.bincount(query, np.where(known | (w == 0), 0.0, expected / top), queries)
            one_more = here.copy()
            one_more[:, 0] += 1
            ideal = best(here)
            value = ratio(np.bincount(query, w * y, queries), ideal)
            slope = value * (best(one_more) - ideal) / top
            changes.append(np.where(w > 0, ratio(w - slope[query], ideal[query]), 0.0))
            values.append(value)
        return cls(np.array(values), np.array(changes))
