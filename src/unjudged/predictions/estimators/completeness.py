"""Queries that people judged completely, as deep as a measure looks and as far as predictions reach."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from unjudged.base.errors import InputError
from unjudged.base.wording import counted
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.judged import Integers, JudgedRankings, Mask

FIRST = 10
"""Documents down to this rank must be judged even if nothing is predicted of them."""
LEAST = 3
"""Fewest complete queries for an interval over queries."""
_RECOMMENDED = 10
STATE_IT = (
    "Nothing says that these labels were drawn at random: if they were, from all that the runs retrieve, say "
    "so (--sampled uniformly, in Python judging.stated_sample)"
)
"""Advice for labels that are scattered over the rankings and record no design."""


class IncompleteError(InputError):
    """People judged too few queries completely."""


@dataclass(frozen=True, eq=False)
class Completeness:
    """Counts by query of the retrieved documents that must be judged for the measure, and that are.

    Those are the documents that a run has down to the measure's cutoff and that have a prediction or are
    among its first ten. What neither people nor predictions label counts as nonrelevant, as a document
    outside the pool does; `unlabelled` counts it.
    """

    measure: Measure
    needed: Integers
    judged: Integers
    unlabelled: int
    labels: int
    """Judgments of people in all."""

    @classmethod
    def of(cls, measure: Measure, rankings: JudgedRankings, predicted: Mask) -> Completeness:
        """Count the rows of rankings whose judgments list every document that they retrieve."""
        judgments = rankings.judgments
        best = np.full(len(judgments.grade), inf)
        np.minimum.at(best, rankings.row, rankings.rank)
        seen, judged = best <= measure.given.get("cutoff", inf), judgments.grade >= 0
        needed = seen & (predicted | (best <= FIRST))
        queries = len(judgments.queries)
        wanted, known = (
            np.bincount(judgments.query[rows], minlength=queries) for rows in (needed, needed & judged)
        )
        return cls(measure, wanted, known, int((seen & ~needed & ~judged).sum()), int(judged.sum()))

    @property
    def complete(self) -> Mask:
        """True for queries in which nothing is missing."""
        complete: Mask = self.judged == self.needed
        return complete

    def check(self, least: int = LEAST) -> None:
        """Raise IncompleteError if fewer queries are complete; it says what is judged and what would do."""
        complete = int(self.complete.sum())
        if complete >= least:
            return
        cutoff = self.measure.given.get("cutoff")
        depth = "" if cutoff is None else f" to rank {cutoff:g}"
        needed, judged = int(self.needed.sum()), int(self.judged.sum())
        share = f"{judged} of the {needed} documents that count in {counted(len(self.needed), 'query')}"
        missing = np.sort((self.needed - self.judged)[~self.complete])[: max(_RECOMMENDED - complete, 1)]
        queries = counted(complete + len(missing), "query")
        whole = f"judge {counted(int(missing.sum()), 'more document')}, which completes {queries}"
        drawn = f"unjudged sample --for predictions --budget {max(self.labels, 1)}"
        raise IncompleteError(
            f"{self.measure} needs {least} queries or more that people judged completely{depth}, and there "
            f"{'is' if complete == 1 else 'are'} {complete}: they judged {share} "
            f"({judged / max(needed, 1):.1%}). Either {whole}, or, for P, RBP and DCG, let people judge "
            f"as many documents drawn at random ({drawn}). {STATE_IT}"
        )
