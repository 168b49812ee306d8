"""What the judgment of a document would say about the order of runs, for every measure.

In a random completion of the judgments, x_d is 1 where document d turns out relevant, and D is the difference
of two runs' means. Judging d explains the share Cov(D, x_d)^2 / (Var(D) Var(x_d)) of the variance of D, so

    gain_d = |Cov(D, x_d)| / sd(x_d),  summed over the pairs of runs whose order is still open.

For sums over relevant documents, such as RBP and P, this is |w_A - w_B| sqrt(p (1 - p)), with the weights of
the document in both runs and its probability p of being relevant. For other measures it is estimated from
random completions that all runs share. A document matters only to its own query, so the covariance is taken
there.

The plain estimate is the covariance of a run's value with the document's relevance. Its error comes from all
the other documents, so what they explain is taken out first: the value is regressed on the numbers of
relevant documents per band of ranks. A document then has the effect of its band, which is estimated from many
documents, plus the covariance with what the regression leaves. That second part is shrunk by the share of its
variance that is not chance. With many completions the shrinkage vanishes, and the sum is the covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered, owners, ranges, stable_order, sums
from unjudged.evidence.completions import Completions, in_threads
from unjudged.evidence.prevalence import band_of
from unjudged.evidence.shared import SharedRankings
from unjudged.evidence.unjudged_sums import is_sum
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers

DRAWS = 60
DOCUMENTS_AT_ONCE = 1024
"""Effects of so many documents in all runs fit a cache."""
SLACK = 1e-9
"""Sums that differ less may be equal but for rounding."""


def gains(
    shared: SharedRankings,
    completions: Completions,
    measure: Measure,
    first: Integers,
    second: Integers,
    *,
    draws: int = DRAWS,
    best: float = inf,
) -> Floats:
    """Gain of each row of the pool, summed over the pairs `first[k]`, `second[k]` of runs; 0 if answered.

    Only the gains of so many of the `best` need be exact: others may be more than they are, but no more than
    these.

    Completions by a prevalence that is learnt from the runs also vary it. So a document's gain has what its
    judgment says about others that are alike, and kinds of documents of which none is judged come early. The
    closed form for sums takes the prevalence at its mean.
    """
    if is_sum(measure):
        return gains_of_sum(shared, completions, measure, first, second)
    return estimated_gains(shared, completions, measure, first, second, draws=draws, best=best)


def gains_of_sum(
    shared: SharedRankings, completions: Completions, measure: Measure, first: Integers, second: Integers
) -> Floats:
    """Return the closed form for sums over relevant documents."""
    weights = shared.unknown_weights(measure)
    place = numbered(completions.row, weights.rows)
    deviation = deviations(completions)
    found = np.zeros(weights.rows)
    order = np.argsort(weights.row, kind="stable")
    row, run, weight = weights.row[order], weights.run[order], weights.weight[order]
    for part in _blocks(row, weights.runs):
        own, local = np.unique(row[part], return_inverse=True)
        table = np.zeros((len(own), weights.runs))
        table[local, run[part]] = weight[part]
        found[own] = pair_sums(table, first, second) * deviation[place[own]]
    return found


def estimated_gains(
    shared: SharedRankings,
    completions: Completions,
    measure: Measure,
    first: Integers,
    second: Integers,
    *,
    draws: int,
    best: float = inf,
) -> Floats:
    """Return the gains by covariances over completions, query by query.

    A document whose gain cannot be among the best, because `Effects.most` is less, keeps that number.
    """
    batches = [(drawn, values) for _, drawn, (values,) in completions.batches([measure], draws)]
    by_query = shared.per_run(np.concatenate([values for _, values in batches])) / len(shared.queries)
    document = np.concatenate([drawn.document for drawn, _ in batches])
    completion = np.concatenate([drawn.completion for drawn, _ in batches])
    order = stable_order(document)
    document, completion = document[order], completion[order]
    starts = np.searchsorted(shared.judgments.query[completions.row], np.arange(len(shared.queries) + 1))
    ends = np.searchsorted(document, starts)
    deviation = deviations(completions)
    bands_of = Bands.by_query(shared, completions.row, starts)
    waiting = shared.judgments.waiting[completions.row]
    found = np.zeros(len(shared.judgments.grade))
    highest = np.zeros(0)  # of threads that add to it at once one may be lost, which does no harm

    def look_at(q: int) -> None:
        nonlocal highest
        own, part = slice(starts[q], starts[q + 1]), slice(ends[q], ends[q + 1])
        entries = np.ones(ends[q + 1] - ends[q]), (completion[part], document[part] - own.start)
        effects = standardised(entries, by_query[:, :, q], deviation[own], bands_of(q))
        gain = np.where(waiting[own], effects.most(first, second), 0.0)
        order = np.argsort(-gain)[: np.count_nonzero(gain)]
        for start in range(0, len(order), DOCUMENTS_AT_ONCE):
            some = order[start : start + DOCUMENTS_AT_ONCE]
            if len(highest) >= best and gain[some[0]] < (1 - SLACK) * highest[0]:
                break
            gain[some] = pair_sums(effects.of(some), first, second)
            if best < inf:
                highest = np.sort(np.concatenate([highest, gain[some]]))[-int(best) :]
        found[completions.row[own]] = gain

    for _ in in_threads(look_at, np.flatnonzero(np.diff(starts)).tolist()):
        pass
    return found


def deviations(completions: Completions) -> Floats:
    """Return sqrt(p (1 - p)) of each unknown document."""
    chance = completions.prevalence.chance
    return np.sqrt(chance * (1 - chance))


def pair_sums(table: Floats, first: Integers, second: Integers) -> Floats:
    """For each row of a table with one column per run, the sum over pairs of |difference of two columns|.

    Over all pairs, the k-th smallest of n values, counted from 0, counts 2k - n + 1 times. If most pairs are
    wanted, the others are taken from that.
    """
    runs = table.shape[1]
    wanted = np.zeros((runs, runs), bool)
    wanted[first, second] = wanted[second, first] = True
    most = 2 * wanted.sum() > runs * (runs - 1)
    listed = np.triu(~wanted if most else wanted, 1)
    found = np.zeros(len(table))
    for start in range(0, len(table), DOCUMENTS_AT_ONCE):
        part = slice(start, start + DOCUMENTS_AT_ONCE)
        columns = np.ascontiguousarray(table[part].T)
        for run in np.flatnonzero(listed.any(axis=1)).tolist():
            apart = columns[listed[run]]
            apart -= columns[run]
            found[part] += np.ones(len(apart)) @ np.abs(apart, out=apart)
    if not most:
        return found
    total: Floats = np.einsum("ij,j->i", np.sort(table, axis=1), 2.0 * np.arange(runs) - runs + 1)
    return np.maximum(total - found, 0.0)


def _blocks(row: NDArray[np.int32], runs: int, cells: int = 1 << 22) -> list[slice]:
    """Slices of sorted rows, so that a table of distinct rows and runs stays small and no row is split."""
    starts = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]])) if len(row) else np.zeros(0, int)
    cuts = [*starts[:: max(1, cells // max(runs, 1))].tolist(), len(row)]
    return [slice(a, b) for a, b in zip(cuts, cuts[1:], strict=False) if a < b]


ENOUGH = 1
"""A document that is relevant in fewer completions on average has the effect of its band alone."""

RIDGE = 1e-9
"""Keeps a band without relevant documents from making the regression singular."""


@dataclass(frozen=True, eq=False)
class Bands:
    """Document `place[i]` is in band `band[i]` of run `run[i]`; the last band is for those not retrieved."""

    place: Integers
    run: Integers
    band: Integers
    runs: int
    bands: int

    @classmethod
    def by_query(cls, shared: SharedRankings, row: Integers, starts: Integers) -> Callable[[int], Bands]:
        """Make the bands of a query's unknown documents: `row[starts[q]:starts[q + 1]]` are its rows."""
        r, queries = shared.rankings, len(shared.queries)
        place = numbered(row, len(shared.judgments.grade))
        sizes = len(shared.runs), int(band_of(r.rank.max(initial=1))) + 2

        def of(q: int) -> Bands:
            ranking = np.arange(q, len(r), queries)
            counts = r.counts[ranking]
            element, run = ranges(r.offsets[ranking], counts), owners(counts)
            where = place[r.row[element]]
            there = where >= 0
            return cls(where[there] - starts[q], run[there], band_of(r.rank[element[there]]), *sizes)

        return of

    def counts(self, relevant: Any) -> Floats:
        """Runs x draws x bands: how many documents are relevant, from draws x documents."""
        from scipy.sparse import csr_matrix

        columns = self.run * self.bands + self.band
        retrieved = csr_matrix(
            (np.ones(len(columns)), (self.place, columns)),
            shape=(relevant.shape[1], self.runs * self.bands),
        )
        found: Floats = (relevant @ retrieved).toarray().reshape(-1, self.runs, self.bands)
        found[:, :, -1] = relevant.sum(axis=1).reshape(-1, 1) - found.sum(axis=2)
        return found.transpose(1, 0, 2)


@dataclass(frozen=True, eq=False)
class Effects:
    """Documents x runs: the covariance of value and relevance, over the deviation of relevance.

    That of a document is `deviation` times what the bands of runs say, and the `rest` if it has one.
    """

    deviation: Floats
    bands: Bands
    slope: Floats
    """Runs x bands."""
    with_rest: Integers
    rest: Floats

    def of(self, documents: Integers) -> Floats:
        """Return the effects of some documents."""
        number = numbered(documents, len(self.deviation))
        place = number[self.bands.place]
        listed = place >= 0
        run, band = self.bands.run[listed], self.bands.band[listed]
        found = np.tile(self.slope[:, -1], (len(documents), 1))
        found[place[listed], run] = self.slope[run, band]
        found *= self.deviation[documents, None]
        place = number[self.with_rest]
        found[place[place >= 0]] += self.rest[place >= 0]
        return found

    def most(self, first: Integers, second: Integers) -> Floats:
        """Return what no document's sum over pairs exceeds.

        What is not retrieved has the same effects but for the deviation. Whatever moves one run from there
        moves each of its pairs by no more.
        """
        bands, size = self.bands, len(self.deviation)
        pairs = np.bincount(np.concatenate([first, second]), minlength=bands.runs)
        moved = np.abs(self.slope - self.slope[:, -1:]) * pairs[:, None]
        found = sums(moved[bands.run, bands.band], bands.place, size)
        found = found + pair_sums(self.slope[None, :, -1], first, second)
        found *= self.deviation
        found[self.with_rest] += np.abs(self.rest) @ pairs
        return found


def standardised(entries: Any, values: Floats, deviation: Floats, bands: Bands) -> Effects:
    """Return the effects; `entries` are ones, in which completions, for which documents.

    `values` are completions x runs.
    """
    from scipy.sparse import csr_matrix

    draws = len(values)
    relevant = csr_matrix(entries, shape=(draws, len(deviation)))
    centred = values - values.mean(axis=0)
    counts = bands.counts(relevant)
    counts = counts - counts.mean(axis=1, keepdims=True)
    moments = counts.transpose(0, 2, 1) @ counts + RIDGE * draws * np.eye(bands.bands)
    slope = np.linalg.solve(moments, counts.transpose(0, 2, 1) @ centred.T[:, :, None])
    left = centred - (counts @ slope)[:, :, 0].T
    enough = np.flatnonzero(draws * deviation**2 >= ENOUGH)
    rest = relevant[:, enough].T @ left
    rest /= draws * deviation[enough, None]
    rest *= _signal(rest, left, draws, len(deviation))
    return Effects(deviation, bands, slope[:, :, 0], enough, np.asarray(rest))


def _signal(rest: Floats, left: Floats, draws: int, documents: int) -> Floats:
    """For each run, the share of the variance over all documents that is not chance."""
    chance = left.var(axis=0) / draws
    seen = np.einsum("ij,ij->j", rest, rest) / documents
    return np.where(seen > 0, np.clip(1 - ratio(chance, seen), 0.0, 1.0), 0.0)
