"""How likely an unjudged document is to be relevant, learnt from the runs that retrieve it.

A run's top documents are relevant more often if the run is good, and a document that several good runs
retrieve is relevant more often than one that a single run retrieves. A prevalence by rank alone knows
neither: it makes runs look more alike than they are. So each run is taken as an expert (Carterette, Robust
Test Collections for Retrieval Evaluation, SIGIR 2007): a logistic regression on the judged documents weighs
where each run has a document, how many runs have it, and how many relevant documents its query has. Documents
of similar score then form cells, and the share of relevant documents among the judged ones of a cell is its
prevalence, with the uncertainty of that share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.errors import UsageError
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.prevalence import ESTIMATED, Prevalence, PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings

EXPERTS = "runs"
"""The name of this prevalence, beside those of `unjudged.uncertainty.prevalence`."""

MOST_LEARNT = 20_000
"""The regression learns from at most so many judged documents, evenly spread."""

FREE, RIDGE = 1e-3, 1.0
"""The penalties of what all documents share, and of single runs and queries."""

CELLS_PER_UNIT, LOWEST, HIGHEST = 2.0, -7.0, 2.0
"""Cells are half a unit of log-odds wide, between these ends."""


def completions_of(
    shared: SharedRankings, prevalence: PrevalenceLike, *, rel: int = 1, seed: int = 0
) -> Completions:
    """Random completions, by a prevalence that is given, estimated, or learnt from the runs."""
    if not isinstance(prevalence, str) or prevalence in ESTIMATED:
        return shared.completions(prevalence, rel=rel, seed=seed)
    if prevalence != EXPERTS:
        names = ", ".join((EXPERTS, *ESTIMATED))
        raise UsageError(f"prevalence is {prevalence!r}: use a probability or one of {names}")
    flat = shared.completions(0.0, rel=rel, seed=seed)
    learnt = learnt_prevalence(shared, flat.row, rel)
    return Completions(flat.rankings, flat.row, flat.identity, learnt, rel, seed)


def learnt_prevalence(shared: SharedRankings, row: Integers, rel: int = 1) -> Prevalence:
    """The prevalence of these unjudged documents; only documents that the judgments list are evidence."""
    grade = shared.judgments.grade
    evidence = np.flatnonzero((grade >= 0) & (shared.name < len(shared.original.grade)))
    if not len(evidence):
        raise UsageError("no document is judged, so prevalence cannot be estimated: give a number")
    relevant = grade[evidence] >= rel
    learnt = np.unique(np.linspace(0, len(evidence) - 1, MOST_LEARNT).astype(np.int64))
    features = Features.of(shared)
    weights = logistic(features.table(evidence[learnt]), relevant[learnt].astype(float), features.penalties())
    score = np.clip(features.score(weights), LOWEST, HIGHEST)
    cell = np.floor(CELLS_PER_UNIT * (score - LOWEST)).astype(np.int64)
    cells = int(CELLS_PER_UNIT * (HIGHEST - LOWEST)) + 1
    judged = np.bincount(cell[evidence], minlength=cells).astype(float)
    hits = np.bincount(cell[evidence], relevant, cells).astype(float)
    empty = judged == 0
    middle = LOWEST + (np.arange(cells) + 0.5) / CELLS_PER_UNIT
    judged[empty], hits[empty] = 1.0, 1 / (1 + np.exp(-middle[empty]))
    words = "prevalence learnt from where the runs have the judged documents"
    return Prevalence(cell[row], hits / judged, words, hits, judged)


@dataclass(frozen=True, eq=False)
class Features:
    """What is known about each document of the pool: its best rank, the runs that have it, its query."""

    shared: SharedRankings
    place: Floats
    """For each element of the rankings, from nearly 1 at rank 1 to nearly 0 at the end of the longest."""
    common: Floats
    """Documents x 3: 1, the logarithms of the best rank and of 1 + the number of runs."""

    @classmethod
    def of(cls, shared: SharedRankings) -> Features:
        r, rows = shared.rankings, len(shared.judgments.grade)
        longest = np.log(int(r.retrieved.max(initial=0)) + 2)
        runs = np.bincount(r.row, minlength=rows)
        common = np.stack([np.ones(rows), np.log(shared.best_rank), np.log1p(runs)], axis=1)
        return cls(shared, 1 - np.log(r.rank) / longest, common)

    def penalties(self) -> Floats:
        single = len(self.shared.runs) + len(self.shared.queries)
        return np.concatenate([np.full(self.common.shape[1], FREE), np.full(single, RIDGE)])

    def table(self, rows: Integers) -> Any:
        """Sparse, documents x features: those that all share, one per run, one per query."""
        from scipy.sparse import csr_matrix, hstack

        r, queries = self.shared.rankings, len(self.shared.queries)
        number = np.full(len(self.common), -1)
        number[rows] = np.arange(len(rows))
        element = np.flatnonzero(number[r.row] >= 0)
        where, run = number[r.row[element]], r.ranking[element] // queries
        by_run = csr_matrix((self.place[element], (where, run)), shape=(len(rows), len(self.shared.runs)))
        query = self.shared.judgments.query[rows]
        by_query = csr_matrix((np.ones(len(rows)), (np.arange(len(rows)), query)), shape=(len(rows), queries))
        return hstack([csr_matrix(self.common[rows]), by_run, by_query]).tocsr()

    def score(self, weights: Floats) -> Floats:
        """The log-odds of relevance of every document of the pool."""
        r, queries = self.shared.rankings, len(self.shared.queries)
        first, runs = self.common.shape[1], len(self.shared.runs)
        of_run, of_query = weights[first : first + runs], weights[first + runs :]
        found: Floats = self.common @ weights[:first] + of_query[self.shared.judgments.query]
        return found + np.bincount(r.row, of_run[r.ranking // queries] * self.place, len(self.common))


def logistic(table: Any, relevant: Floats, penalties: Sequence[float] | Floats) -> Floats:
    """The weights of a logistic regression with squared penalties, by Newton's method.

    >>> import scipy.sparse
    >>> logistic(scipy.sparse.csr_matrix([[1.0], [1.0], [1.0]]), np.array([1.0, 0.0, 0.0]), [1e-9]).round(4)
    array([-0.6931])
    """
    from scipy.special import expit

    penalty = np.asarray(penalties, float)
    weights = np.zeros(table.shape[1])
    for _ in range(50):
        chance = expit(table @ weights)
        slope = table.T @ (relevant - chance) - penalty * weights
        curve = (table.T @ table.multiply((chance * (1 - chance))[:, None])).toarray() + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights += step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < 1e-8:
            break
    return weights
