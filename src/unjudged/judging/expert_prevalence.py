"""How likely an unjudged document is to be relevant, learnt from the runs that retrieve it.

A run's top documents are relevant more often if the run is good, and a document that several good runs
retrieve is relevant more often than one that a single run retrieves. A prevalence by rank alone knows
neither: it makes runs look more alike than they are. So each run is taken as an expert (Carterette, Robust
Test Collections for Retrieval Evaluation, SIGIR 2007): a logistic regression on the judged documents weighs
where each run has a document, how many runs have it, the band of its best rank, and its query.

Completions draw the weights of the regression from their posterior distribution. Where nothing is judged yet,
as below the depth of a pool, the weight of the band is only known from its prior, and no pair is settled
by an extrapolation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.errors import UsageError
from unjudged.judging.grouped_logistic import GroupedLogistic
from unjudged.rankings.hashing import mixed, salt, uniforms
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.prevalence import ESTIMATED, Prevalence, PrevalenceLike, band_of
from unjudged.uncertainty.shared import SharedRankings

EXPERTS = "runs"
"""The name of this prevalence, beside those of `unjudged.uncertainty.prevalence`."""

MOST_LEARNT = 20_000
"""The regression learns from at most so many judged documents, evenly spread."""

FREE, RIDGE = 1e-3, 1.0
"""The penalties of what all documents share, and of single bands, runs and queries."""

CELLS_PER_UNIT, LOWEST, HIGHEST = 2.0, -10.0, 5.0
"""Documents of one query and band form a cell if their log-odds, cut at these ends, are in one half unit."""

MOST_CELLS = 50_000
"""With more cells, those of different queries are one, and the uncertainty of single queries is left out."""


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


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntPrevalence(Prevalence):
    """The log-odds of cell c are `log_odds[c] + spread[c] @ z + own[c] * u[query[c]]`, z and u normal."""

    log_odds: Floats
    spread: Floats
    own: Floats
    query: Integers

    @property
    def known(self) -> bool:
        return False

    def table(self, completions: int, seed: int) -> Floats:
        from scipy.special import expit

        shared = _normal(self.spread.shape[1], completions, salt(seed, "weights"))
        queries = _normal(int(self.query.max(initial=0)) + 1, completions, salt(seed, "queries"))
        score = self.spread @ shared
        score += self.own[:, None] * queries[self.query]
        score += self.log_odds[:, None]
        return np.asarray(expit(score, out=score))


def learnt_prevalence(shared: SharedRankings, row: Integers, rel: int = 1) -> LearntPrevalence:
    """The prevalence of these unjudged documents; only documents that the judgments list are evidence."""
    grade, query = shared.judgments.grade, shared.judgments.query
    evidence = np.flatnonzero((grade >= 0) & (shared.name < len(shared.original.grade)))
    if not len(evidence):
        raise UsageError("no document is judged, so prevalence cannot be estimated: give a number")
    learnt = evidence[np.unique(np.linspace(0, len(evidence) - 1, MOST_LEARNT).astype(np.int64))]
    features, relevant = Features.of(shared), (grade[learnt] >= rel).astype(float)
    ridge = np.full(len(shared.queries), RIDGE)
    fit = GroupedLogistic.fit(features.table(learnt), query[learnt], relevant, features.penalties(), ridge)
    score = features.score(fit)[row]
    first, cell = cells(query[row], features.band[row], score)
    together = len(first) > MOST_CELLS
    if together:
        first, cell = cells(np.zeros_like(row), features.band[row], score)
    spread, own = fit.spread(features.table(row[first]), query[row[first]])
    if together:
        own = np.zeros_like(own)
    mean = np.bincount(cell, score) / np.bincount(cell)
    variance = (spread**2).sum(axis=1) + own**2
    return LearntPrevalence(
        cell=cell,
        probability=1 / (1 + np.exp(-mean / np.sqrt(1 + np.pi / 8 * variance))),
        assumption="prevalence learnt from where the runs have the judged documents",
        log_odds=mean,
        spread=spread,
        own=own,
        query=query[row[first]].astype(np.int64),
    )


def cells(query: Integers, band: Integers, score: Floats) -> tuple[Integers, Integers]:
    """The first document of each cell, and the cell of each document."""
    level = np.floor(CELLS_PER_UNIT * (np.clip(score, LOWEST, HIGHEST) - LOWEST)).astype(np.int64)
    levels = int(CELLS_PER_UNIT * (HIGHEST - LOWEST)) + 1
    key = (query.astype(np.int64) * (int(band.max(initial=0)) + 1) + band) * levels + level
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    return first, cell


@dataclass(frozen=True, eq=False)
class Features:
    """What is known about each document of the pool: its best rank, the runs that have it, its query."""

    shared: SharedRankings
    place: Floats
    """For each element of the rankings, from nearly 1 at rank 1 to nearly 0 at the end of the longest."""
    common: Floats
    """Documents x 3: 1, the logarithms of the best rank and of 1 + the number of runs."""
    band: Integers

    @classmethod
    def of(cls, shared: SharedRankings) -> Features:
        r, rows = shared.rankings, len(shared.judgments.grade)
        longest = np.log(int(r.retrieved.max(initial=0)) + 2)
        runs = np.bincount(r.row, minlength=rows)
        common = np.stack([np.ones(rows), np.log(shared.best_rank), np.log1p(runs)], axis=1)
        return cls(shared, 1 - np.log(r.rank) / longest, common, band_of(shared.best_rank))

    @property
    def bands(self) -> int:
        return int(self.band.max(initial=0)) + 1

    def penalties(self) -> Floats:
        single = self.bands + len(self.shared.runs)
        return np.concatenate([np.full(self.common.shape[1], FREE), np.full(single, RIDGE)])

    def table(self, rows: Integers) -> Floats:
        """Documents x features: those that all share, one per band, one per run."""
        r, first = self.shared.rankings, self.common.shape[1]
        number = np.full(len(self.common), -1)
        number[rows] = np.arange(len(rows))
        element = np.flatnonzero(number[r.row] >= 0)
        run = r.ranking[element] // len(self.shared.queries)
        found = np.zeros((len(rows), first + self.bands + len(self.shared.runs)))
        found[:, :first] = self.common[rows]
        found[np.arange(len(rows)), first + self.band[rows]] = 1.0
        found[number[r.row[element]], first + self.bands + run] = self.place[element]
        return found

    def score(self, fit: GroupedLogistic) -> Floats:
        """The log-odds of relevance of every document of the pool."""
        r, queries = self.shared.rankings, len(self.shared.queries)
        first = self.common.shape[1]
        common, of_band, of_run = np.split(fit.weights, [first, first + self.bands])
        found: Floats = self.common @ common + of_band[self.band] + fit.groups[self.shared.judgments.query]
        return found + np.bincount(r.row, of_run[r.ranking // queries] * self.place, len(self.common))


def _normal(rows: int, columns: int, seed: np.uint64) -> Floats:
    """Independent standard normal numbers; the first columns are the same however many there are."""
    from scipy.special import ndtri

    numbers = mixed(np.arange(1, rows + 1, dtype=np.uint64))
    share = uniforms(numbers[:, None], seed, np.arange(columns)[None, :])
    return np.asarray(ndtri(np.clip(share, 1e-12, 1 - 1e-12)))
