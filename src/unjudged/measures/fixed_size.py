"""Samples of fixed size: n of the N documents in each stratum of a query.

Two documents of a stratum are drawn together with probability pi_i pi_j (n - 1) N / (n (N - 1)), pi = n/N.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import sums
from unjudged.measures.kernel.registry import ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.rankings.judgments import Judgments


def cells_of(judgments: Judgments) -> tuple[Integers, Integers, int]:
    """Return the stratum of each row, its cell, a stratum of a query, and how many strata a query has.

    Without recorded strata the pool is one.
    """
    if judgments.stratum is None:
        return np.zeros(len(judgments.grade), np.int64), judgments.query, 1
    numbers, stratum = np.unique(judgments.stratum, return_inverse=True)
    strata = max(len(numbers), 1)
    return stratum, judgments.query * strata + stratum, strata


@dataclass(frozen=True, eq=False)
class Strata:
    """Stratum of each row, and how many documents each cell, a stratum of a query, has and drew."""

    stratum: Integers
    cell: Integers
    strata: int
    sampled: Floats
    size: Floats

    @classmethod
    def of(cls, judgments: Judgments) -> Strata:
        """Find the strata; probabilities that are not n/N are refused.

        One probability for all documents is taken: given how many were drawn, a query's are a simple sample.
        """
        stratum, cell, strata = cells_of(judgments)
        cells, drawn = len(judgments.queries) * strata, judgments.grade >= 0
        sampled, size = (np.bincount(c, minlength=cells).astype(float) for c in (cell[drawn], cell))
        given = judgments.probability
        uniform = judgments.stratum is None and given is not None and bool((given == given[:1]).all())
        if (
            given is not None
            and not uniform
            and not np.allclose(given[drawn], ratio(sampled, size)[cell[drawn]])
        ):
            raise UsageError(
                "pairs='joint' needs recorded strata with samples of fixed size, and the probabilities of "
                "these judgments are not n/N of any: write the sample with --format strata, or use statAP"
            )
        return cls(stratum, cell, strata, sampled, size)

    @cached_property
    def weight(self) -> Floats:
        """How many documents of its cell a drawn document stands for, of each row."""
        return ratio(self.size, self.sampled)[self.cell]

    def pair_weight(self, sampled: Floats) -> Floats:
        """Of each cell n (N - 1) / ((n - 1) N), for these n; 1 where there are no two documents."""
        n, size = sampled, self.size
        return np.where(n > 1, ratio(n * (size - 1), (n - 1) * size), 1.0)

    def of_rankings(self, values: Floats, r: JudgedRankings) -> Floats:
        """Rankings x strata: the values of cells."""
        return values.reshape(-1, self.strata)[r.query]

    def by_stratum(self, values: Floats, ranking: Integers, row: Any, rankings: int) -> Floats:
        """Rankings x strata: sums of the values of documents."""
        cells = sums(values, ranking * self.strata + self.stratum[row], rankings * self.strata)
        return cells.reshape(rankings, self.strata)

    def within(self, hits: JudgedRankings, values: Floats) -> tuple[Floats, Floats]:
        """For each document, the sum of the values above it in its ranking and stratum, and below it."""
        stratum = self.stratum[hits.row]
        above, below = np.zeros(len(values)), np.zeros(len(values))
        for number in range(self.strata):
            member = stratum == number
            own, mine = hits.where(member), values[member]
            upto = own.running(mine, np.add)
            above[member] = upto - mine
            below[member] = own.total(mine)[own.ranking] - upto
        return above, below


@dataclass(frozen=True, eq=False)
class Deletions:
    """Estimated sums of rankings, and what they become if one document of the sample is deleted.

    The sum of a ranking is S = sum of w_i x_i, to which the pairs of average precision add c w_i w_j / k_i
    for each j above i, with c the pair weight within a stratum. If a document of stratum h is deleted, the
    weights w of h grow by g = n/(n - 1) and c of h changes. So S is split into the terms with no, one and
    two factors from h. All but the last two are rankings x strata.
    """

    total: Floats
    """Rankings x 1: S."""
    changed: Floats
    """S if a document of the stratum is deleted that adds nothing to it."""
    growth: Floats
    """g; 1 if the stratum drew one document alone."""
    added: Floats
    """For each hit, what it adds to S, divided by its weight."""
    lost: Floats
    """For each hit, what S loses besides if it is the deleted one."""

    @classmethod
    def of(
        cls, strata: Strata, r: JudgedRankings, hits: JudgedRankings, first: Floats, *, pairs: bool
    ) -> Deletions:
        """`first` are the w_i x_i of the hits, or w_i / k_i for `pairs`."""
        n = strata.of_rankings(strata.sampled, r)

        def by_stratum(values: Floats) -> Floats:
            return strata.by_stratum(values, hits.ranking, hits.row, len(r))

        w = strata.weight[hits.row]
        inside = across = np.zeros(len(w))
        if pairs:
            same_above, _ = strata.within(hits, w)
            _, same_below = strata.within(hits, first)
            all_above = hits.running(w, np.add) - w
            all_below = hits.total(first)[hits.ranking] - hits.running(first, np.add)
            inside = first * same_above + w * same_below
            across = first * (all_above - same_above) + w * (all_below - same_below)

        singles, across_pairs = by_stratum(first), by_stratum(across)
        inside_pairs = by_stratum(inside) / 2
        pair_weights = (strata.pair_weight(m) for m in (strata.sampled, strata.sampled - 1))
        c, c_less = (strata.of_rankings(v, r) for v in pair_weights)
        total = (singles + c * inside_pairs + across_pairs / 2).sum(axis=1, keepdims=True)
        g = np.where(n > 1, ratio(n, n - 1), 1.0)
        others = total - singles - c * inside_pairs - across_pairs
        changed = others + g * (singles + across_pairs) + g**2 * c_less * inside_pairs
        at = hits.ranking, strata.stratum[hits.row]
        lost = g[at] * (first + across) + (g**2 * c_less)[at] * inside
        return cls(total, changed, g, ratio(first + c[at] * inside + across, w), lost)
