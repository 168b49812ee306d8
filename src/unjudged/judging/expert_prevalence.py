"""How likely an unjudged document is to be relevant, learnt from the runs that retrieve it.

A run's top documents are relevant more often if the run is good, and a document that several good runs
retrieve is relevant more often than one that a single run retrieves. A prevalence by rank alone knows
neither: it makes runs look more alike than they are. So each run is taken as an expert (Carterette, Robust
Test Collections for Retrieval Evaluation, SIGIR 2007): a logistic regression on the judged documents weighs
where each run has a document, that it has it, how many runs have it, and the band of its best rank.

Queries differ: in how many documents are relevant, in how fast relevance falls with rank, and in how good
each run is. The weights of a query deviate accordingly. Without these deviations, documents of a query that
one run retrieves would be independent of each other, and the order of runs would seem far surer than it is.

Completions draw all weights from their posterior distribution. From band to band the weights are a random
walk, so the deeper a band is below what is judged, the less is known of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import numbered, stable_order
from unjudged.evidence.completions import Completions
from unjudged.evidence.prevalence import Prevalence, band_of
from unjudged.evidence.shared import SharedRankings
from unjudged.judging.grouped_logistic import FIXED, GroupedLogistic, GroupedRows, Priors
from unjudged.rankings.hashing import mixed, salt, uniforms
from unjudged.rankings.judged import Floats, Integers

NODES = 21
"""The points of the Gauss-Hermite quadrature."""

MOST_LEARNT = 20_000
"""Most judged documents that the regression learns from, evenly spread."""

FREE, RIDGE = 1e-3, 1.0
"""The precision of the priors of what all documents share, and of steps from band to band and single runs."""

OF_QUERY, OF_STEP, OF_RUN = 1.0, 2.0, 0.16
"""That of how a query deviates: in general, in steps from band to band, and in the places in each run. All
but those of what all documents share and of steps only begin with this: how much they vary is learnt."""

MOST_DEVIATIONS = 2_000_000
"""If their covariances take more numbers, queries deviate in general only: with about a hundred runs and
fifty queries, learning how good each run is for each query would take longer than all else."""

CELLS_PER_UNIT, LOWEST, HIGHEST = (2.0, 1.0, 0.5), -10.0, 5.0
"""Documents of one query, band and best run form a cell if their log-odds, cut at these ends, are alike: in
one half unit, or more if there are too many cells."""

AT_ONCE = 1024
"""Features of so many documents fit a cache."""

MOST_CELLS = 100_000
"""With more cells, those of different queries are one, and the uncertainty of single queries is left out."""


def completions_of(shared: SharedRankings, *, rel: int = 1, seed: int = 0) -> Completions:
    """Random completions, by a prevalence that is learnt from the runs."""
    flat = shared.completions(0.0, rel=rel, seed=seed)
    learnt = learnt_prevalence(shared, flat.row, rel)
    return Completions(flat.rankings, flat.row, flat.identity, learnt, rel, seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntPrevalence(Prevalence):
    """Log-odds of cell c are `log_odds[c]` and what weights deviate, for the features of document `row[c]`.

    Cells are in order of their queries, and deviations of queries count, if each is of one `single` query.
    """

    features: Features
    fit: GroupedLogistic
    row: Integers
    log_odds: Floats
    single: bool

    def table(self, completions: int, seed: int) -> Floats:
        from scipy.special import expit

        query, deviations = self.features.shared.judgments.query[self.row], len(self.fit.varying)
        shared = _normal(len(self.fit.weights), completions, salt(seed, "weights"))
        own = None
        if self.single:
            queries = int(query.max(initial=0)) + 1
            numbers = _normal(queries * deviations, completions, salt(seed, "queries"))
            own = numbers.reshape(queries, deviations, completions)
        score = np.empty((len(self.row), completions))
        for part, table in self.features.tables(self.row):
            score[part] = self.fit.drawn(table, query[part], shared, own)
        score += self.log_odds[:, None]
        return np.asarray(expit(score, out=score))


def learnt_prevalence(shared: SharedRankings, row: Integers, rel: int = 1) -> LearntPrevalence:
    """Prevalence of these unjudged documents; only documents that the judgments list are evidence."""
    from scipy.special import expit

    grade, query = shared.judgments.grade, shared.judgments.query
    evidence = np.flatnonzero((grade >= 0) & (shared.name < len(shared.original.grade)))
    if not len(evidence):
        raise UsageError(
            "no document is judged, so nothing is known of what is relevant: judge a pool first, as pool(10)"
        )
    learnt = evidence[np.unique(np.linspace(0, len(evidence) - 1, MOST_LEARNT).astype(np.int64))]
    features, relevant = Features.of(shared), (grade[learnt] >= rel).astype(float)
    fit = features.fit(learnt, relevant)
    score = features.score(fit)[row]
    first, cell, single = cells_of(features, row, score)
    mean, deviation = np.bincount(cell, score) / np.bincount(cell), np.empty(len(first))
    for part, table in features.tables(row[first]):
        spread, own = fit.spread(table, query[row[first[part]]])
        deviation[part] = np.sqrt((spread**2).sum(axis=1) + single * (own**2).sum(axis=1))
    chance = np.zeros(len(mean))  # the mean of probabilities whose log-odds are normal, by quadrature
    for point, weight in np.transpose(np.polynomial.hermite_e.hermegauss(NODES)).tolist():
        chance += weight / np.sqrt(2 * np.pi) * expit(mean + deviation * point)
    return LearntPrevalence(
        cell=cell,
        probability=chance,
        assumption="prevalence learnt from where the runs have the judged documents",
        features=features,
        fit=fit,
        row=row[first],
        log_odds=mean,
        single=single,
    )


def cells_of(features: Features, row: Integers, score: Floats) -> tuple[Integers, Integers, bool]:
    """Return the first document of each cell, the cell of each document, whether each has one query alone."""
    query, band = features.shared.judgments.query[row], features.band[row]
    kind = query.astype(np.int64) * len(features.shared.runs) + features.best_run[row]
    for per_unit, by_query in (*((n, True) for n in CELLS_PER_UNIT), (CELLS_PER_UNIT[0], False)):
        level = np.floor(per_unit * (np.clip(score, LOWEST, HIGHEST) - LOWEST)).astype(np.int64)
        levels = int(per_unit * (HIGHEST - LOWEST)) + 1
        key = (by_query * kind * (int(band.max(initial=0)) + 1) + band) * levels + level
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        if len(first) <= MOST_CELLS:
            break
    return first, cell, by_query


@dataclass(frozen=True, eq=False)
class Features:
    """What is known about each document of the pool: its best rank, the runs that have it, its query."""

    shared: SharedRankings
    place: Floats
    """For each rank, from nearly 1 at rank 1 to nearly 0 at the end of the longest ranking."""
    common: Floats
    """Documents x 3: 1, the logarithms of the best rank and of 1 + the number of runs."""
    band: Integers

    @classmethod
    def of(cls, shared: SharedRankings) -> Features:
        r, rows = shared.rankings, len(shared.judgments.grade)
        ranks = np.arange(int(r.retrieved.max(initial=0)) + 1)
        place = 1 - np.log(np.maximum(ranks, 1)) / np.log(len(ranks) + 1)
        runs = np.bincount(r.row, minlength=rows)
        common = np.stack([np.ones(rows), np.log(shared.best_rank), np.log1p(runs)], axis=1)
        return cls(shared, place, common, band_of(shared.best_rank))

    def elements(self) -> list[slice]:
        """Return the elements of each run."""
        cuts = self.shared.rankings.offsets[:: len(self.shared.queries)].tolist()
        return [slice(*cut) for cut in pairwise(cuts)]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """How many columns there are: those that all share, steps between bands, places in runs, runs."""
        runs = len(self.shared.runs)
        return self.common.shape[1], int(self.band.max(initial=0)), runs, runs

    @property
    def best_run(self) -> Integers:
        """First of the runs that have each document at its best rank."""
        r, best = self.shared.rankings, self.shared.best_rank
        found = np.zeros(len(self.common), np.int64)
        for run, own in reversed(list(enumerate(self.elements()))):
            row = r.row[own]
            found[row[r.rank[own] == best[row]]] = run
        return found

    def fit(self, rows: Integers, relevant: Floats) -> GroupedLogistic:
        """Return the regression on these documents; the weights of a query deviate in `varying` columns."""
        common, steps, runs, _ = self.sizes
        precision = np.repeat([FREE, RIDGE, RIDGE, RIDGE], self.sizes)
        varying = np.concatenate([[0], np.arange(common, common + steps + runs)])
        deviating = np.repeat([OF_QUERY, OF_STEP, OF_RUN], [1, steps, runs])
        kind = np.repeat([0, 1, 2], [1, steps, runs])
        queries = len(self.shared.queries)
        if queries * len(varying) * (len(varying) + len(precision)) > MOST_DEVIATIONS:
            varying, deviating, kind = varying[:1], deviating[:1], kind[:1]
        ((_, table),) = self.tables(rows, max(len(rows), 1))
        grouped = GroupedRows.of(table, self.shared.judgments.query[rows], relevant, varying, queries)
        priors = Priors(precision, np.repeat([FIXED, FIXED, 0, 1], self.sizes))
        return grouped.fit(priors, Priors(deviating, kind))

    def tables(self, rows: Integers, at_once: int = AT_ONCE) -> Iterator[tuple[slice, Floats]]:
        """Yield documents x features, some documents after others."""
        r, (common, steps, runs, _) = self.shared.rankings, self.sizes
        number = numbered(rows, len(self.common))
        element = np.flatnonzero(number[r.row] >= 0)
        document = number[r.row[element]]
        order = stable_order(document)
        element, document = element[order], document[order]
        run = np.searchsorted([own.stop for own in self.elements()], element, "right")
        place = self.place[r.rank[element]]
        for start in range(0, len(rows), at_once):
            part = slice(start, start + at_once)
            inside = slice(*np.searchsorted(document, [start, start + at_once]).tolist())
            found = np.zeros((len(rows[part]), sum(self.sizes)))
            found[:, :common] = self.common[rows[part]]
            found[:, common : common + steps] = self.band[rows[part], None] > np.arange(steps)
            at = document[inside] - start, common + steps + run[inside]
            found[at] = place[inside]
            found[at[0], at[1] + runs] = 1.0
            yield part, found

    def score(self, fit: GroupedLogistic) -> Floats:
        """Return the log-odds of relevance of every document of the pool."""
        r, query = self.shared.rankings, self.shared.judgments.query
        common, steps, places, runs = np.split(fit.of_groups, np.cumsum(self.sizes)[:-1], axis=1)
        walk = np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)
        found = np.einsum("ij,ij->i", self.common, common[query]) + walk[query, self.band]
        by_runs = np.zeros(len(found))
        for run, own in enumerate(self.elements()):
            row = r.row[own]
            by_runs[row] += places[query[row], run] * self.place[r.rank[own]] + runs[query[row], run]
        return np.asarray(found + by_runs)


def _normal(rows: int, columns: int, seed: np.uint64) -> Floats:
    """Independent standard normal numbers; the first columns are the same however many there are."""
    from scipy.special import ndtri

    numbers = mixed(np.arange(1, rows + 1, dtype=np.uint64))
    share = uniforms(numbers[:, None], seed, np.arange(columns)[None, :])
    return np.asarray(ndtri(np.clip(share, 1e-12, 1 - 1e-12)))
