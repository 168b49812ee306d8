"""Means of AP and nDCG from a random sample of the pool, and how they would differ with another sample.

A measure is S / D for each query. S sums over the sampled relevant documents, each for the w = N/n documents
of its stratum that it stands for: their gains by rank for nDCG, pairs of them for AP. D is the estimated
number of relevant documents for AP, for nDCG the DCG of their best order.

**Value.** A quotient of estimates is biased where a query has few relevant documents in the sample. The
jackknife removes most of it: with v(-i) the value after sampled document i of a stratum became unjudged,

    value = v + sum over strata of (1 - n/N) (n - 1) (v - mean of v(-i))

A query without any relevant document in the sample is taken as the mean of the others; where some strata were
judged completely, and have none for this query, as if the others had none either. It may be 0, so their mean
square is its variance.

**Variance.** A sampled document moves the value by d = v(-i) - mean, and another sample by

    V = sum over strata of (1 - n/N) (n - 1)/n sum of d^2,    V + c^2

V is 0 whenever the few documents that matter were not drawn. So the variance is that of one more relevant
document, which moves the mean by c: with s what it does to a mean by `FurtherDocument`, and d as it counts
in V,

    c = (sum of |d|^3 + s^3) / (sum of d^2 + s^2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers, Mask, numbered, sums
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.measures.stratified import Deletions, Strata
from unjudged.rankings.judged import JudgedRankings

NOTHING_LEFT = 1e-9
"""A denominator that is 0 up to rounding: weights are at least 1."""

ROUNDING = 1e-12
"""Smaller changes of a mean are none."""

QUOTIENTS = ("AP", "nDCG")
"""Measures that divide by what a sample has to estimate; the others are sums."""

Denominator = Callable[[Floats], Floats]
"""From how many documents of each gain there are (the last axis, best first) to D."""


@dataclass(frozen=True, eq=False)
class SampledMeans:
    """Values of runs x queries, and what their sum over queries varies by over samples."""

    value: Floats
    """Corrected values; a query without a sampled relevant document has the mean of those `like` it."""
    seen: Mask
    """Queries with a sampled relevant document."""
    like: Floats
    """Runs x some queries: values as if no relevant document were in a stratum that was judged completely."""
    deviations: Floats
    """Runs x deletions: the sum of their squares is the variance that a sample shows, of their sum."""
    further: FurtherDocument

    @classmethod
    def of(cls, measure: Measure, r: JudgedRankings) -> SampledMeans:
        """Estimate AP or nDCG from the stratified sample of the rankings."""
        cutoff = measure.given.get("cutoff", inf)
        strata, queries = Strata.of(r.judgments), len(r.judgments.queries)
        gain = np.where(r.judgments.grade >= 0, measure.gain(r.judgments.grade), 0.0)
        rows = np.flatnonzero(gain > 0)
        hits = r.where((gain[r.row] > 0) & (r.rank <= cutoff))
        first = strata.weight[hits.row] * added_by(measure, hits.rank, gain[hits.row])
        deletions = Deletions.of(strata, r, hits, first, pairs=measure.name == "AP")

        def per_run(values: Floats) -> Floats:
            return values.reshape(-1, queries, *values.shape[1:])

        place = hits.ranking // queries, numbered(rows, len(gain))[hits.row]

        def of_documents(values: Floats) -> Floats:
            table = np.zeros((len(r) // queries, len(rows)))
            table[place] = values
            return table

        cell = strata.cell[rows]
        n, size = (values.reshape(queries, -1) for values in (strata.sampled, strata.size))
        relevant = sums(np.ones(len(rows)), cell, n.size).reshape(n.shape)
        left_out = 1 - ratio(n, size)
        counts = Counts.of(gain[rows], strata, rows, n.shape)
        denominator = denominator_of(measure, counts.gains)
        total, changed = per_run(deletions.total)[:, :, 0], per_run(deletions.changed)
        full = denominator(counts.total)
        value = ratio(total, full)
        without = denominator(counts.without(cell))
        query, stratum = np.divmod(cell, strata.strata)
        less = np.where(
            without > NOTHING_LEFT,
            ratio(changed[:, query, stratum] - of_documents(deletions.lost), without),
            value[:, query],
        )
        other = ratio(changed, denominator(counts.reweighted))
        in_cells = np.stack([sums(row, cell, n.size).reshape(n.shape) for row in less])
        mean = np.where(n > 1, ratio(in_cells + (n - relevant) * other, n), value[:, :, None])
        corrected = value + (left_out * (n - 1) * (value[:, :, None] - mean)).sum(axis=2)
        factor = left_out * np.where(n > 1, ratio(n - 1, n), 1.0)
        deviations = np.concatenate(
            [
                np.sqrt(factor)[query, stratum]
                * (np.where(without > NOTHING_LEFT, less, 0.0) - mean[:, query, stratum]),
                (np.sqrt(factor * (n - relevant)) * (other - mean)).reshape(len(value), -1),
            ],
            axis=1,
        )
        seen = full > NOTHING_LEFT
        like = corrected[:, seen]
        certain = rows[left_out[query, stratum] == 0]
        if not seen.all() and len(certain):
            grade = r.judgments.grade.copy()
            grade[certain] = 0
            like = cls.of(measure, r.relabelled(r.judgments.with_grades(grade))).like
        corrected[:, ~seen] = like.mean(axis=1, keepdims=True) if like.size else 0.0
        grown = denominator(counts.with_further(ratio(size, n)))
        further = FurtherDocument(
            chance=left_out * ratio(relevant.sum(axis=0), relevant.sum()) * seen[:, None],
            scale=ratio(ratio(size, n), grown),
            lost=value[:, :, None] * (1 - ratio(full[:, None], grown)),
            added=of_documents(deletions.added),
            stratum=stratum,
        )
        return cls(corrected, seen, like, deviations, further)

    def variances(self, runs: Floats | None = None) -> Floats:
        """Return the variance of each mean over queries, or of combinations of them (a row each)."""
        like, size = self.like if runs is None else runs @ self.like, self._sizes(runs)
        step, unseen = self._steps(runs), int((~self.seen).sum())
        square, cube = (size**2).sum(axis=1), (size**3).sum(axis=1)
        more = ratio(cube + step**3, square + step**2)
        of_unseen = (like**2).mean(axis=1) * unseen / len(self.seen) ** 2 if unseen and like.size else 0.0
        variance: Floats = square + more**2 + of_unseen
        return variance

    def bends(self, variances: Floats, runs: Floats | None = None) -> Floats:
        """Return a third of each mean's skewness: its third cumulant, by the sampled documents, / 3 V^1.5."""
        moved = self.deviations if runs is None else runs @ self.deviations
        cumulant = -(moved**3).sum(axis=1) / len(self.seen) ** 3
        return ratio(cumulant, 3 * variances**1.5)

    def documents_behind(self, runs: Floats | None = None) -> Floats:
        """Return on how many sampled relevant documents of equal weight each mean rests."""
        size = self._sizes(runs)
        return ratio((size**2).sum(axis=1) ** 3, (size**3).sum(axis=1) ** 2)

    def _sizes(self, runs: Floats | None) -> Floats:
        """By how much each sampled document moves a mean."""
        sizes: Floats = np.abs(self.deviations if runs is None else runs @ self.deviations) / len(self.seen)
        return np.where(sizes > ROUNDING, sizes, 0.0)

    def _steps(self, runs: Floats | None) -> Floats:
        """By how much one more relevant document moves a mean."""
        further = self.further if runs is None else self.further.combined(runs)
        return further.steps() / len(self.seen)


@dataclass(frozen=True, eq=False)
class Counts:
    """How many documents of each gain a sample stands for: cells (a stratum of a query) x gains."""

    gains: Floats
    table: Floats
    level: Integers
    weight: Floats
    growth: Floats
    """n / (n - 1) of each cell, by which weights grow if one of its documents is deleted."""
    shape: tuple[int, ...]

    @classmethod
    def of(cls, gain: Floats, strata: Strata, rows: Integers, shape: tuple[int, ...]) -> Counts:
        gains, level = np.unique(-gain, return_inverse=True)
        cells, weight = len(strata.size), strata.weight[rows]
        key = strata.cell[rows] * len(gains) + level
        table = sums(weight, key, cells * len(gains)).reshape(cells, len(gains))
        n = strata.sampled
        growth = np.where(n > 1, ratio(n, n - 1), 1.0)
        return cls(-gains, table, level, weight, growth, shape)

    @property
    def total(self) -> Floats:
        """Queries x gains."""
        total: Floats = self.table.reshape(*self.shape, -1).sum(axis=1)
        return total

    @property
    def reweighted(self) -> Floats:
        """Queries x strata x gains: after a document without gain is deleted."""
        grown = (self.growth - 1)[:, None] * self.table
        return self.total[:, None] + grown.reshape(*self.shape, -1)

    def without(self, cell: Integers) -> Floats:
        """Sampled relevant documents x gains: after each of them is deleted."""
        counts = self.reweighted.reshape(len(self.table), -1)[cell]
        counts[np.arange(len(cell)), self.level] -= self.growth[cell] * self.weight
        return np.maximum(counts, 0.0)

    def with_further(self, weight: Floats) -> Floats:
        """Queries x strata x gains: with one more document, whose gain is as in its stratum."""
        of_stratum = self.table.reshape(*self.shape, -1).sum(axis=0)
        share = ratio(of_stratum, of_stratum.sum(axis=1, keepdims=True))
        return self.total[:, None] + weight[:, :, None] * share


def added_by(measure: Measure, rank: NDArray[np.integer], gain: Floats) -> Floats:
    """Return what documents add to S at these ranks; for AP, without the relevant documents above them."""
    return 1 / rank if measure.name == "AP" else gain / np.log2(rank + 1.0)


def denominator_of(measure: Measure, gains: Floats) -> Denominator:
    """Return how D follows from the numbers of documents with each of these gains, best first."""
    if measure.name == "AP":
        return lambda counts: counts.sum(axis=-1)
    cutoff = measure.given.get("cutoff", inf)

    def ideal(counts: Floats) -> Floats:
        """Best DCG, linear between whole numbers of documents."""
        filled = np.minimum(np.cumsum(counts, axis=-1), cutoff)
        most = int(np.ceil(filled.max(initial=0.0)))
        of_whole = np.append(0.0, 1 / np.log2(np.arange(2, most + 2))).cumsum()
        upto = np.interp(filled, np.arange(most + 1), of_whole)
        dcg: Floats = (gains * np.diff(upto, axis=-1, prepend=0.0)).sum(axis=-1)
        return dcg

    return ideal


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
