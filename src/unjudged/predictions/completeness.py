"""Queries that people judged completely: every document that counts for a measure."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from unjudged.base.errors import InputError
from unjudged.base.segments import Integers, Mask
from unjudged.base.wording import counted, percent
from unjudged.collection.collection import Collection, judged_rankings
from unjudged.evidence.intervals.powered import LEAST
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.runs import Run

NO_RANK = np.iinfo(np.int64).max
FIRST = 10
"""Documents down to this rank must be judged even if nothing is predicted of them."""
_RECOMMENDED = 10
DRAWN = "holes(50)"
"""The design that is advised: enough for an estimate, and people judge them in an hour."""


def with_retrieved(collection: Collection) -> JudgedRankings:
    """Match runs with judgments that have an unjudged row for each further document that they retrieve."""
    runs = {name: Run.read(run) for name, run in collection.runs.items()}
    judgments, tables = collection.judgments, [run.table for run in runs.values()]
    if any((rows_of(judgments, table) < 0).any() for table in tables):
        judgments = extended(judgments, tables)
    return judged_rankings(judgments, runs)


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

    @classmethod
    def of(cls, measure: Measure, rankings: JudgedRankings, predicted: Mask) -> Completeness:
        """Count the rows of rankings whose judgments list every document that they retrieve."""
        judgments = rankings.judgments
        best = rankings.best_rank(missing=NO_RANK)
        seen, judged = best <= measure.given.get("cutoff", inf), judgments.grade >= 0
        needed = seen & (predicted | (best <= FIRST))
        queries = len(judgments.queries)
        wanted, known = (
            np.bincount(judgments.query[rows], minlength=queries) for rows in (needed, needed & judged)
        )
        return cls(measure, wanted, known, int((seen & ~needed & ~judged).sum()))

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
        raise IncompleteError(
            f"{self.measure} needs {least} queries or more that people judged completely{depth}, and there "
            f"{'is' if complete == 1 else 'are'} {complete}: they judged {share} "
            f"({percent(judged / max(needed, 1), 1)}). Either {whole}, or "
            f'let people judge some drawn at random (unjudged next --design "{DRAWN}"). If these labels were '
            "drawn at random, from all that the runs retrieve, say so (--set judgments.how=sample)"
        )
