"""Pooled groups as if each had not taken part: its own documents unjudged, the truth known.

A group is a team or a family of systems. U_g are the judged documents that only group g brought to the pool,
down to its depth. With U_g unjudged, the runs of g are like a new run: unseen by the judging.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import ends
from unjudged.base.wording import percent
from unjudged.evidence.bounds.filled import anonymous
from unjudged.evidence.bounds.value_bounds import bounds
from unjudged.measures.kernel.estimand import LEAVING_OUT, check_permitted
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.coverage import few_judged
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.origin import UNIFORM

TOP = 10
FIRST = 30
USUAL = 0.95
"""Runs above this share of the left-out runs are unlike them."""
POOLED_SHARE = 0.9
"""Of the listed documents that runs have in their first ten, a pool has at least this share judged."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rankings of pooled runs cut at the pool's depth, and the group of each run (0, 1, ...)."""

    rankings: JudgedRankings
    group: Integers

    @classmethod
    def of(cls, rankings: JudgedRankings, group: Sequence[int] | Integers, depth: int) -> LeftOut:
        return cls(rankings.cut(depth), np.asarray(group, np.int64))

    @property
    def groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def run(self) -> Integers:
        """Run of each ranking."""
        return np.arange(len(self.rankings)) // len(self.rankings.judgments.queries)

    @cached_property
    def contributors(self) -> Mask:
        """Rows x groups: which groups brought each document to the pool."""
        found = np.zeros((len(self.rankings.judgments.grade), self.groups), bool)
        found[self.rankings.row, self.group[self.run[self.rankings.ranking]]] = True
        return found

    @cached_property
    def sole_group(self) -> Integers:
        """Only group that brought each judged document, -1 if there are several or none."""
        return np.where(self.rankings.judgments.grade >= 0, self.only_group, -1)

    @cached_property
    def only_group(self) -> Integers:
        """Only group that brought each document, judged or not; -1 if there are several or none."""
        return np.where(self.contributors.sum(axis=1) == 1, self.contributors.argmax(axis=1), -1)

    def each(self) -> JudgedRankings:
        """Every run over a pool of its own, in which the documents of its group alone are unjudged.

        A hidden document that the run did not retrieve is not in its pool: a new run would not know of it.
        """
        r, hidden = self.rankings, self.sole_group[None, :] == self.group[:, None]
        runs, rows = hidden.shape
        copy = self.run[r.ranking] * rows + r.row
        grade = np.where(hidden, -1, r.judgments.grade[None, :]).astype(np.int32).ravel()
        kept = ~hidden.ravel()
        kept[copy] = True
        new_row = (np.cumsum(kept) - 1).astype(np.int32)
        starts = (r.judgments.offsets[None, :-1] + rows * np.arange(runs)[:, None]).ravel()
        offsets = np.append(ends(kept)[starts], kept.sum())
        return JudgedRankings(
            judgments=anonymous(offsets, grade[kept]),
            rank=r.rank,
            row=new_row[copy],
            offsets=ends(r.counts),
            retrieved=r.retrieved,
            query=np.arange(len(r), dtype=np.int32),
        )

    def means(self, measure: Measure, rankings: JudgedRankings) -> Floats:
        """Return the mean of each run."""
        return mean_over_queries(measure.compute(rankings).reshape(-1, len(self.rankings.judgments.queries)))


@dataclass(frozen=True, eq=False)
class FirstDocuments:
    """Per run, of its first 30 documents over all queries: the unjudged share, and the relevant share.

    They tell whether a new run is like the left-out ones. If far more of it is unjudged it is not. Nor is it
    if its judged documents are relevant far more often: it finds what the others do not, and among its
    unjudged documents are relevant ones, too. The relevant share is that of the judged documents with one
    relevant and one nonrelevant document added, so it is never 0.
    """

    unjudged: Floats
    relevant: Floats

    @classmethod
    def of(cls, rankings: JudgedRankings, queries: int) -> FirstDocuments:
        first, labels = rankings.rank <= FIRST, rankings.labels
        judged, relevant = (
            rankings.where(first & chosen).counts.reshape(-1, queries).sum(axis=1)
            for chosen in (labels >= 0, labels >= 1)
        )
        retrieved = np.minimum(rankings.retrieved, FIRST).reshape(-1, queries).sum(axis=1)
        return cls(1 - judged / np.maximum(retrieved, 1), (relevant + 1) / (judged + 2))


def unusual(new: FirstDocuments, known: FirstDocuments) -> Mask:
    """Return which runs have a larger share than 95 % of the known runs: the ceil(.95 (n + 1))-th, or all."""
    place = min(math.ceil((len(known.unjudged) + 1) * USUAL - 1e-9), len(known.unjudged))
    limits = [np.sort(share)[place - 1] if place else 0.0 for share in (known.unjudged, known.relevant)]
    above: Mask = (new.unjudged > limits[0] + 1e-12) | (new.relevant > limits[1] + 1e-12)
    return above


def check_pooled(measures: Sequence[Measure], rankings: JudgedRankings, depth: int = TOP) -> None:
    """Refuse judgments that are a sample: left-out runs would seem to lose what was only not drawn.

    Lines with grade -1 may mean a sample, or a pool that was judged to some rank. The first documents of
    the runs, down to the pool's depth, tell which, and whether these runs were pooled at all.
    """
    judgments = rankings.judgments
    for measure in measures:
        check_permitted(measure, judgments, LEAVING_OUT)
    depth = min(TOP, depth)
    why = few_judged(rankings, depth)
    if judgments.origin.kind == UNIFORM:
        labels = rankings.labels[rankings.rank <= depth]
        judged = np.count_nonzero(labels >= 0)
        if judged < POOLED_SHARE * len(labels):
            share = f"{percent(judged / len(labels), 0)} of the listed documents"
            why = f"{share} in the first {depth} of the runs are judged"
    if why is not None:
        raise UsageError(f"{LEAVING_OUT.name} needs a pool of these runs, and {why}: {LEAVING_OUT.instead}")


def mean_bounds(measure: Measure, rankings: JudgedRankings, queries: int) -> tuple[Floats, Floats]:
    """Return the bounds of each run's mean; documents after the end of a ranking do not count."""
    found = bounds(measure, rankings, after_end=False)
    low, high = (mean_over_queries(end.reshape(-1, queries)) for end in (found.low, found.high))
    return low, high
