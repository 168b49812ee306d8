"""Relevant documents that a sample did not draw: what they may have changed.

The variance that a sample shows is 0 where no relevant document was drawn, and its value is wrong just there.

`FurtherDocument`, for quotients: each query is taken as if one more relevant document had been drawn, of a
stratum with probability phi, its share of all sampled relevant documents, and at a rank where those of all
queries are. With v(+1) the value with it, this adds

    FURTHER x sum over strata of (1 - n/N) phi E(v(+1) - v)^2

`AllDocuments`, for sums and for nDCG@k: with x what a document adds to a run's mean if it is relevant and p
the share of relevant documents among those drawn, the variance to expect is

    sum over all documents of (1 - n/N) (N/n) x^2 p
    p = (sum over drawn relevant ones of x^2 + b) / (sum over drawn ones of x^2 + 2 b)

by stratum and run, where b is the x^2 of a typical document: of n equal ones p = (relevant + 1) / (n + 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.segments import sums
from unjudged.measures.fixed_size import Strata
from unjudged.measures.kernel.registry import ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

FURTHER = 0.75
"""How often the further document counts: chosen on the odd topics of TREC-8, where 1 covers a little more."""


@dataclass(frozen=True, eq=False)
class FurtherDocument:
    """One more relevant document per query: v(+1) - v = scale x added - lost.

    `added` (runs x sampled relevant documents) is what a document adds to S, per document that it stands for.
    `chance`, phi (1 - n/N), and `scale` are queries x strata, `lost` runs x queries x strata.
    """

    chance: Floats
    scale: Floats
    lost: Floats
    added: Floats
    stratum: Integers

    def combined(self, runs: Floats) -> FurtherDocument:
        lost = np.tensordot(runs, self.lost, 1)
        return FurtherDocument(self.chance, self.scale, lost, runs @ self.added, self.stratum)

    def variances(self) -> Floats:
        """Return the sum over queries, of each run."""
        strata = self.chance.shape[1]
        count = np.bincount(self.stratum, minlength=strata)
        once, twice = (
            np.stack([ratio(sums(row, self.stratum, strata), count) for row in values])[:, None, :]
            for values in (self.added, self.added**2)
        )
        square = self.scale**2 * twice - 2 * self.scale * once * self.lost + self.lost**2
        variance: Floats = FURTHER * (self.chance * square).sum(axis=(1, 2))
        return variance


@dataclass(frozen=True, eq=False)
class AllDocuments:
    """What every document of the pool would add to the runs' means with the highest gain, drawn or not."""

    added: Any
    """Runs x rows, sparse."""
    gain: Floats
    """Squared gain of each row as a share of the highest; 0 if it was not drawn."""
    drawn: Floats
    strata: Any
    """Rows x strata, sparse: 1 for the stratum of each row."""
    rate: Floats
    """n/N of each row's stratum."""

    @classmethod
    def of(cls, strata: Strata, r: JudgedRankings, weight: Floats, gain: Floats) -> AllDocuments:
        """`weight` is what each document of the rankings adds to its query's value with gain 1."""
        from scipy.sparse import csr_array

        rows, queries, top = len(gain), len(r.judgments.queries), max(float(gain.max(initial=0.0)), 1e-300)
        place = r.ranking // queries, r.row
        added = csr_array((top * weight / queries, place), shape=(len(r) // queries, rows))
        member = csr_array((np.ones(rows), (np.arange(rows), strata.stratum)), shape=(rows, strata.strata))
        drawn = (r.judgments.grade >= 0).astype(float)
        rate = np.where(strata.weight > 0, ratio(np.ones(rows), strata.weight), 1.0)
        return cls(added, (gain / top) ** 2, drawn, member, rate)

    def expected(self, runs: Floats | None = None) -> Floats:
        """Return the variance to expect of each run's mean, or of combinations of them."""
        square = self._square(runs)

        def total(values: Floats) -> Floats:
            """Runs x strata: the sum of x^2 times these values of the rows."""
            by_stratum: Floats = (square @ self.strata.multiply(values[:, None]).tocsr()).toarray()
            return by_stratum

        one = np.ones_like(self.rate)
        typical = ratio((square.power(2) @ self.strata).toarray(), total(one))
        share = ratio(total(self.gain) + typical, total(self.drawn) + 2 * typical)
        variance: Floats = (total((1 - self.rate) / self.rate) * share).sum(axis=1)
        return variance

    def missed(self, runs: Floats | None = None) -> Floats:
        """Return how much more variance is to be expected than the drawn documents show."""
        shown = self._square(runs) @ (self.gain * (1 - self.rate) / self.rate**2)
        return np.maximum(self.expected(runs) - shown, 0.0)  # type: ignore[no-any-return]

    def limits(self) -> tuple[Floats, Floats]:
        """Return the lowest and highest mean of each run that the judgments leave possible."""
        least = self.added @ np.sqrt(self.gain)
        return least, least + self.added @ (1 - self.drawn)

    def _square(self, runs: Floats | None) -> Any:
        from scipy.sparse import csr_array

        return (self.added if runs is None else csr_array(runs) @ self.added).power(2)
