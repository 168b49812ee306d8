"""How much each document's relevance moves the values of runs, from random completions of one query.

The plain estimate is the covariance of a run's value with the document's relevance. Its error comes from all
the other documents, so what they explain is taken out first: the value is regressed on the numbers of
relevant documents per band of ranks. A document then has the effect of its band, which is estimated from many
documents, plus the covariance with what the regression leaves. That second part is shrunk by the share of its
variance that is not chance. With many completions the shrinkage vanishes, and the sum is the covariance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.prevalence import band_of
from unjudged.uncertainty.shared import SharedRankings

RIDGE = 1e-9
"""Keeps a band without relevant documents from making the regression singular."""


@dataclass(frozen=True, eq=False)
class Bands:
    """The rank band of every unknown document in every run; the last band is for those not retrieved."""

    band: NDArray[np.int8]
    place: Integers
    run: Integers
    starts: Integers
    ends: Integers
    runs: int
    bands: int

    @classmethod
    def of(cls, shared: SharedRankings, row: Integers) -> Bands:
        """`row` are the rows of the unknown documents."""
        r, queries = shared.rankings, len(shared.queries)
        place = np.full(len(shared.judgments.grade), -1)
        place[row] = np.arange(len(row))
        element = np.flatnonzero(place[r.row] >= 0)
        where = place[r.row[element]]
        order = np.argsort(where, kind="stable")
        element, where = element[order], where[order]
        band = band_of(r.rank[element])
        starts = np.searchsorted(shared.judgments.query[row], np.arange(queries + 1))
        run = (r.ranking[element] // queries).astype(np.int64)
        bands = int(band.max(initial=0)) + 2
        ends = np.searchsorted(where, starts)
        return cls(band.astype(np.int8), where, run, starts, ends, len(shared.runs), bands)

    def of_query(self, q: int) -> NDArray[np.int8]:
        """Documents x runs; a run's column is contiguous."""
        first, last = self.starts[q], self.starts[q + 1]
        table = np.full((last - first, self.runs), self.bands - 1, np.int8, order="F")
        part = slice(self.ends[q], self.ends[q + 1])
        table[self.place[part] - first, self.run[part]] = self.band[part]
        return table


@dataclass(frozen=True, eq=False)
class Effects:
    """Document `document[i]` is relevant in completion `completion[i]`; `values` are completions x runs."""

    document: Integers
    completion: Integers
    values: Floats
    deviation: Floats

    def standardised(self, band: NDArray[np.int8]) -> Floats:
        """Documents x runs: the covariance of value and relevance, over the deviation of relevance."""
        from scipy.sparse import csr_matrix

        draws, bands = len(self.values), int(band.max(initial=0)) + 1
        entries = np.ones(len(self.document)), (self.document, self.completion)
        relevant = csr_matrix(entries, shape=(len(self.deviation), draws))
        centred = self.values - self.values.mean(axis=0)
        effect, left = np.empty(band.shape, order="F"), np.empty(centred.shape, order="F")
        for run in range(band.shape[1]):
            key = self.completion * bands + band[self.document, run]
            counts = np.bincount(key, minlength=draws * bands).reshape(draws, bands).astype(float)
            counts -= counts.mean(axis=0)
            moments = counts.T @ counts + RIDGE * draws * np.eye(bands)
            slope = np.linalg.solve(moments, counts.T @ centred[:, run])
            left[:, run] = centred[:, run] - counts @ slope
            effect[:, run] = slope[band[:, run]]
        effect *= self.deviation[:, None]
        rest = relevant @ left
        rest /= draws * np.maximum(self.deviation, np.finfo(float).tiny)[:, None]
        rest[self.deviation == 0] = 0.0
        rest *= _signal(rest, left, draws)
        rest += effect
        return np.ascontiguousarray(rest)


def _signal(rest: Floats, left: Floats, draws: int) -> Floats:
    """For each run, the share of the variance of `rest` over documents that is not chance."""
    chance = left.var(axis=0) / draws
    seen = (rest**2).mean(axis=0)
    share: Floats = np.clip(1 - np.divide(chance, seen, out=np.ones_like(seen), where=seen > 0), 0.0, 1.0)
    return share
