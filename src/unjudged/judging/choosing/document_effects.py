"""How much each document's relevance moves the values of runs, from random completions of one query.

The plain estimate is the covariance of a run's value with the document's relevance. Its error comes from all
the other documents, so what they explain is taken out first: the value is regressed on the numbers of
relevant documents per band of ranks. A document then has the effect of its band, which is estimated from many
documents, plus the covariance with what the regression leaves. That second part is shrunk by the share of its
variance that is not chance. With many completions the shrinkage vanishes, and the sum is the covariance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.segments import numbered, stable_order
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.prevalence import band_of
from unjudged.uncertainty.shared import SharedRankings

ENOUGH = 1
"""A document that is relevant in fewer completions on average has the effect of its band alone."""

RIDGE = 1e-9
"""Keeps a band without relevant documents from making the regression singular."""


@dataclass(frozen=True, eq=False)
class Bands:
    """Document `place[i]` is in band `band[i]` of run `run[i]`; the last band is for those not retrieved."""

    place: Integers
    run: Integers
    band: Integers
    starts: Integers
    ends: Integers
    runs: int
    bands: int

    @classmethod
    def of(cls, shared: SharedRankings, row: Integers) -> Bands:
        """`row` are the rows of the unknown documents."""
        r, queries = shared.rankings, len(shared.queries)
        place = numbered(row, len(shared.judgments.grade))
        element = np.flatnonzero(place[r.row] >= 0)
        where = place[r.row[element]]
        order = stable_order(where)
        element, where = element[order], where[order]
        band = band_of(r.rank[element])
        starts = np.searchsorted(shared.judgments.query[row], np.arange(queries + 1))
        run = (r.ranking[element] // queries).astype(np.int64)
        bands = int(band.max(initial=0)) + 2
        return cls(where, run, band, starts, np.searchsorted(where, starts), len(shared.runs), bands)

    def of_query(self, q: int) -> Bands:
        """Return the bands of one query's documents, counted from its first."""
        first, part = self.starts[q], slice(self.ends[q], self.ends[q + 1])
        place = self.place[part] - first
        ends = np.array([0, len(place)])
        starts = np.array([0, self.starts[q + 1] - first])
        return Bands(place, self.run[part], self.band[part], starts, ends, self.runs, self.bands)

    def counts(self, relevant: Any) -> Floats:
        """Runs x draws x bands: how many documents are relevant, from draws x documents."""
        from scipy.sparse import csr_matrix

        columns = self.run * self.bands + self.band
        retrieved = csr_matrix(
            (np.ones(len(columns)), (self.place, columns)),
            shape=(relevant.shape[1], self.runs * self.bands),
        )
        found: Floats = (relevant @ retrieved).toarray().reshape(-1, self.runs, self.bands)
        found[:, :, -1] = relevant.sum(axis=1).reshape(-1, 1) - found.sum(axis=2)
        return found.transpose(1, 0, 2)


@dataclass(frozen=True, eq=False)
class Effects:
    """Document `document[i]` is relevant in completion `completion[i]`; `values` are completions x runs."""

    document: Integers
    completion: Integers
    values: Floats
    deviation: Floats

    def standardised(self, bands: Bands) -> Floats:
        """Documents x runs: the covariance of value and relevance, over the deviation of relevance."""
        from scipy.sparse import csr_matrix

        draws = len(self.values)
        entries = np.ones(len(self.document)), (self.completion, self.document)
        relevant = csr_matrix(entries, shape=(draws, len(self.deviation)))
        centred = self.values - self.values.mean(axis=0)
        counts = bands.counts(relevant)
        counts = counts - counts.mean(axis=1, keepdims=True)
        moments = counts.transpose(0, 2, 1) @ counts + RIDGE * draws * np.eye(bands.bands)
        slope = np.linalg.solve(moments, counts.transpose(0, 2, 1) @ centred.T[:, :, None])
        left = centred - (counts @ slope)[:, :, 0].T
        rest = relevant.T @ left
        rest /= draws * np.maximum(self.deviation, np.finfo(float).tiny)[:, None]
        rest[draws * self.deviation**2 < ENOUGH] = 0.0
        rest *= _signal(rest, left, draws)
        effect = np.tile(slope[:, -1, 0], (len(rest), 1))
        effect[bands.place, bands.run] = slope[bands.run, bands.band, 0]
        effect *= self.deviation[:, None]
        rest += effect
        return np.asarray(rest)


def _signal(rest: Floats, left: Floats, draws: int) -> Floats:
    """For each run, the share of the variance of `rest` over documents that is not chance."""
    chance = left.var(axis=0) / draws
    seen = (rest**2).mean(axis=0)
    share: Floats = np.clip(1 - np.divide(chance, seen, out=np.ones_like(seen), where=seen > 0), 0.0, 1.0)
    return share
