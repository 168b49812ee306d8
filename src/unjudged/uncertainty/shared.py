"""Runs over one pool: a document that several of them retrieve is one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.formats import matching
from unjudged.formats.tables import Table
from unjudged.measures.registry import Measure
from unjudged.rankings.extension import extended
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Shared:
    """Rankings of several runs over one pool that has every document they retrieve."""

    judgments: Judgments
    rankings: JudgedRankings
    runs: int

    @classmethod
    def of(cls, judgments: Judgments, tables: Sequence[Table]) -> Shared:
        pool = extended(judgments, tables)
        matched = [matching.match(table, pool.index) for table in tables]
        return cls(pool, JudgedRankings.of(pool, matched), len(tables))

    def weights(self, measure: Measure) -> Floats:
        """Runs x rows of the pool: what each document would add to the run's mean if it were relevant."""
        queries, rows = len(self.judgments.queries), len(self.judgments.grade)
        weight = np.zeros((self.runs, rows))
        weight[self.rankings.ranking // queries, self.rankings.row] = (
            measure.weights(self.rankings.rank) / queries
        )
        return weight

    def unknown_elsewhere(self) -> Integers:
        """For each ranking, how many unjudged documents of its query's pool it did not retrieve."""
        queries = len(self.judgments.queries)
        unknown = np.bincount(self.judgments.query[self.judgments.grade < 0], minlength=queries)
        own = self.rankings.where(self.rankings.labels < 0).counts
        return np.tile(unknown, self.runs) - own

    @property
    def unknown(self) -> Mask:
        """The rows that some run retrieved and nobody judged."""
        retrieved = np.zeros(len(self.judgments.grade), bool)
        retrieved[self.rankings.row] = True
        return retrieved & (self.judgments.grade < 0)
