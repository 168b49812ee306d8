"""Relevant documents that a sample did not draw: by how much one more of them would change a mean.

The variance that a sample shows is 0 where no relevant document was drawn, and its value is wrong just there.
So one more relevant document is added to it, as drawn ones would be: a step c, which adds c^2.

`FurtherDocument`, for quotients: a query had one more relevant document in its sample, of a stratum with
probability phi, its share of all sampled relevant documents, and at a rank where those of all queries are.
`AllDocuments`, for sums and for nDCG@k: any document of the runs, drawn or not. In both the step is a mean
in which changes count by their size, as those do that make the variance: sum of change^2 / sum of |change|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.measures.fixed_size import Strata
from unjudged.measures.kernel.registry import ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

LESS = 3.0
"""Documents below the ranks that were judged completely are relevant about a third as often as those above,
by the odd topics of TREC-8."""


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

    def steps(self) -> Floats:
        """Return by how much one more document changes the sum over queries, of each run."""
        squares, sizes = np.zeros(len(self.lost)), np.zeros(len(self.lost))
        for stratum in np.unique(self.stratum).tolist():
            added = self.added[:, self.stratum == stratum]
            chance = self.chance[:, stratum, None] / added.shape[1]
            for run, own in enumerate(added):
                size = np.abs(self.scale[:, stratum, None] * own - self.lost[run, :, stratum, None])
                squares[run] += (chance * size**2).sum()
                sizes[run] += (chance * size).sum()
        return ratio(squares, sizes)


@dataclass(frozen=True, eq=False)
class AllDocuments:
    """What every document of the pool would add to the runs' means with the highest gain, drawn or not."""

    added: Any
    """Runs x rows, sparse."""
    gain: Floats
    """Gain of each row as a share of the highest; 0 if it was not drawn."""
    drawn: Floats
    rate: Floats
    """n/N of each row's stratum."""

    @classmethod
    def of(cls, strata: Strata, r: JudgedRankings, weight: Floats, gain: Floats) -> AllDocuments:
        """`weight` is what each document of the rankings adds to its query's value with gain 1."""
        from scipy.sparse import csr_array

        rows, queries, top = len(gain), len(r.judgments.queries), float(gain.max(initial=0.0)) or 1.0
        place = r.ranking // queries, r.row
        added = csr_array((top * weight / queries, place), shape=(len(r) // queries, rows))
        drawn = (r.judgments.grade >= 0).astype(float)
        rate = np.where(strata.weight > 0, ratio(np.ones(rows), strata.weight), 1.0)
        return cls(added, gain / top, drawn, rate)

    def steps(self, runs: Floats | None = None) -> Floats:
        """Return by how much one more drawn document changes the mean of each run, or of combinations."""
        added = self.added if runs is None else _combined(runs, self.added)
        squares = added.power(2) @ ((1 - self.rate) / self.rate)
        return ratio(squares, abs(added) @ (self.rate < 1).astype(float))

    @property
    def has_complete(self) -> bool:
        """Whether some stratum was judged completely."""
        return bool((self.rate[self.drawn > 0] == 1).any())

    def relevant(self, runs: Floats | None = None) -> Floats:
        """Return how many relevant documents of equal weight are to be expected among the drawn ones.

        Those of strata that were judged in part, which move a mean by a, are as (sum of a^2)^3 / (sum of
        |a|^3)^2 of equal weight, and relevant `LESS` often than all judged ones that count.
        """
        added = abs(self.added if runs is None else _combined(runs, self.added))
        moved = self.drawn * np.sqrt(1 - self.rate) / self.rate
        square, cube = added.power(2) @ moved**2, added.power(3) @ moved**3
        share = ratio(added @ (self.gain > 0).astype(float), added @ self.drawn)
        return ratio(square**3, cube**2) * share / LESS

    def limits(self) -> tuple[Floats, Floats]:
        """Return the lowest and highest mean of each run that the judgments leave possible."""
        least = self.added @ self.gain
        return least, least + self.added @ (1 - self.drawn)


def _combined(runs: Floats, added: Any) -> Any:
    """Return combinations of the runs' rows, a row each."""
    from scipy.sparse import csr_array

    return csr_array(runs) @ added
