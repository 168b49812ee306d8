"""Documents of the same score: means over all their orders, and notes on what other orders change.

Each order is as likely as any other. Documents of one kind, which have the same grade, stratum and
probability, may change places without any effect, and so may all below a cutoff. What is left are
arrangements of kinds: up to `MOST` of a ranking are enumerated, each with its probability. Of more, `DRAWS`
orders are drawn, which depend on the seed and on what is tied in this ranking alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from zlib import crc32

import numpy as np

from unjudged.base.choices import Choices
from unjudged.base.errors import UsageError
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats, Integers, places
from unjudged.data.tables import Ties
from unjudged.measures.kernel.measure import Measure, compute_all
from unjudged.rankings.judged import JudgedRankings

TIES: Choices[str] = Choices("ties", order="names descending, as trec_eval", expected="all orders")
MOST, DRAWS = 500, 1000
NOTEWORTHY = 0.001
"""A mean that other orders of tied documents change by more is noted."""
MANY = 50_000
"""With more judged documents in the rankings, nobody looks at what other orders change."""
LONGEST = 30
"""Characters of a run's name that a note shows."""
Ends = tuple[Floats, Floats]
"""Run x query x measure: the lowest and the highest value."""
Group = tuple[int, int, list[int]]
"""First rank, how many ranks matter, how many documents are of each kind; the last kind is not pooled."""


def expected_values(
    measures: Sequence[Measure], rankings: JudgedRankings, *, depth: int | None = None, seed: int = 0
) -> tuple[Floats, Floats]:
    """Ranking x measure: the mean over all orders, and its standard error, 0 where all were enumerated.

    With a `depth` rankings are cut there after their documents are in order.
    """
    values = compute_all(measures, rankings if depth is None else rankings.cut(depth))
    errors, alike = np.zeros(values.shape), dict[float, list[int]]()
    if (ties := rankings.ties) is None:
        return values, errors
    for k, measure in enumerate(measures):
        if measure.traits.across_queries or "actual" in measure.given:
            raise UsageError(f"{measure} is of one order of tied documents: leave it or ties='expected' out")
        to_cutoff = measure.traits.at == "cutoff" and len(measure.own) == len(measure.given)
        reach = float(measure.given.get("cutoff", inf)) if to_cutoff else inf
        alike.setdefault(depth or reach, []).append(k)
    for reach, own in alike.items():
        for i, copies, chance in _reordered(rankings, ties, reach, seed):
            found = compute_all([measures[k] for k in own], copies if depth is None else copies.cut(depth))
            apart = found - values[i, own]
            mean = chance @ apart
            values[i, own] += mean
            if len(chance) > MOST:
                errors[i, own] = np.sqrt(np.maximum(chance @ apart**2 - mean**2, 0) / (DRAWS - 1))
    return values, errors


def _reordered(
    r: JudgedRankings, ties: Ties, reach: float, seed: int
) -> Iterator[tuple[int, JudgedRankings, Floats]]:
    """Yield rankings with ties, in each order that matters, and how likely each order is."""
    recorded = [c for c in (r.judgments.stratum, r.judgments.probability) if c is not None]
    told = np.stack([np.maximum(r.labels, -1), *(np.nan_to_num(column[r.row]) for column in recorded)])
    ranking = r.ranking[ties.place]
    for start, stop in pairwise(np.flatnonzero(np.diff(ranking, prepend=-1, append=-1)).tolist()):
        element, first, last = (column[start:stop].astype(np.int64) for column in ties)
        kind = np.unique(told[:, element], axis=1, return_inverse=True)[1].reshape(-1)
        order, groups, kept = np.lexsort((kind, first)), list[Group](), list[Integers]()
        for own in np.split(order, np.flatnonzero(np.diff(first[order])) + 1):
            begin, size = int(first[own[0]]), int(last[own[0]] - first[own[0]] + 1)
            counts = [*np.unique(kind[own], return_counts=True)[1].tolist(), size - len(own)]
            if begin <= reach and max(counts) < size:
                groups.append((begin, int(min(size, reach - begin + 1)), counts))
                kept.append(element[own])
        if groups:
            i, (ranks, chance) = int(ranking[start]), arrangements(groups, seed)
            begin, end = r.offsets[i : i + 2].tolist()
            rank = np.tile(r.rank[begin:end], (len(ranks), 1))
            rank[:, np.concatenate(kept) - begin] = ranks
            order, offsets = rank.argsort(axis=1), np.arange(len(ranks) + 1) * (end - begin)
            rank, row = np.take_along_axis(rank, order, axis=1).ravel(), r.row[begin:end][order].ravel()
            alike = (column[np.full(len(ranks), i)] for column in (r.retrieved, r.query))
            yield i, JudgedRankings(r.judgments, rank, row, offsets, *alike), chance


def arrangements(groups: Sequence[Group], seed: int = 0) -> tuple[Integers, Floats]:
    """Return order x document: the ranks of the pooled documents of groups; and the chance of each order."""
    ranks, chance = np.zeros((1, 0), np.int64), np.ones(1)
    for first, reach, counts in groups:
        left, kinds = np.tile(counts, (len(chance), 1)), np.zeros((len(chance), 0), np.int64)
        for _ in range(reach):
            row, kind = left.nonzero()
            if len(row) > MOST:
                rng = np.random.default_rng([seed, crc32(repr(groups).encode())])
                drawn = [
                    rng.random((DRAWS, sum(c))).argsort(axis=1)[:, : sum(c[:-1])] + s for s, _, c in groups
                ]
                return np.hstack(drawn), np.full(DRAWS, 1 / DRAWS)
            chance = chance[row] * left[row, kind] / left[row].sum(axis=1)
            kinds, ranks, left = np.column_stack([kinds[row], kind]), ranks[row], left[row]
            left[np.arange(len(row)), kind] -= 1
        rest = np.repeat(np.tile(np.arange(len(counts)), len(left)), left.ravel()).reshape(len(left), -1)
        order = np.hstack([kinds, rest]).argsort(axis=1, kind="stable")
        ranks = np.hstack([ranks, order[:, : sum(counts[:-1])] + first])
    return ranks, chance


def over_orders(
    measures: Sequence[Measure], rankings: JudgedRankings, runs: int, *, depth: int | None, seed: int
) -> tuple[Floats, list[Note]]:
    """Return run x query x measure, the means over orders of tied documents, and what to know of them."""
    tables = expected_values(measures, rankings, depth=depth, seed=seed)
    values, error = (table.reshape(runs, -1, len(measures)) for table in tables)
    said = [note("expected")]
    errors = np.sqrt((error**2).sum(axis=1)).max(axis=0) / values.shape[1]
    if drawn := [str(measures[k]) for k in np.flatnonzero(errors).tolist()]:
        said.append(note("drawn-orders", drawn, error=float(errors.max())))
    return values, said


def ends_of_orders(
    measures: Sequence[Measure], rankings: JudgedRankings, values: Floats, *, depth: int | None
) -> Ends | None:
    """Return the ends of the values and those with the best documents first, or last; None if too many.

    No order gives others, if the measure never falls when a better document moves up. Where grades do not
    matter, the judged documents are first, or last.
    """
    if (ties := rankings.ties) is None or len(rankings.rank) > MANY:
        return None
    ends, labels = (values.copy(), values.copy()), rankings.labels
    best = np.where(labels > 0, labels, np.where(labels < 0, 0, -1)).astype(float)
    for key, ungraded in ((best, False), ((labels >= 0).astype(float), True)):
        traits = [measure.traits for measure in measures]
        own = [k for k, t in enumerate(traits) if t.ungraded == ungraded and not t.across_queries]
        for r in (favouring(rankings, ties, key), favouring(rankings, ties, -key)) if own else ():
            found = compute_all([measures[k] for k in own], r if depth is None else r.cut(depth))
            for end, extreme in zip(ends, (np.minimum, np.maximum), strict=True):
                end[..., own] = extreme(end[..., own], found.reshape(*values.shape[:2], -1))
    return ends


def favouring(r: JudgedRankings, ties: Ties, key: Floats) -> JudgedRankings:
    """Return the rankings with the highest keys of each group first; what is not pooled has the key 0."""
    tied, first, last = ties
    group = np.cumsum((np.diff(r.ranking[tied], prepend=-1) != 0) | (np.diff(first, prepend=0) != 0)) - 1
    place, many, rank = np.empty(len(tied), np.int64), np.bincount(group), r.rank.copy()
    place[np.lexsort((-key[tied], group))] = places(many) - 1
    rank[tied] = first + place + np.where(key[tied] < 0, last - first + 1 - many[group], 0)
    order = np.lexsort((rank, r.ranking))
    return replace(r, rank=rank[order], row=r.row[order], element=None, elsewhere=None, ties=None)


def tie_notes(
    measures: Sequence[Measure], runs: Sequence[str], rankings: JudgedRankings, ends: Ends | None
) -> Iterator[Note]:
    """Say which means lie apart by more than `NOTEWORTHY`, or how many runs have ties if nobody looked."""
    if ends is None and rankings.ties is not None:
        starts = rankings.offsets[:: len(rankings) // len(runs)]
        tied = len(np.unique(starts.searchsorted(rankings.ties.place, "right")))
        yield note("tied", tied=tied, runs=len(runs))
    changed: list[tuple[bool, float, str]] = []
    for k, measure in enumerate(measures if ends else ()):
        low, high = (measure.over_queries(end[:, :, k]) for end in ends or ())
        for i in np.flatnonzero(high - low > NOTEWORTHY).tolist():
            name = runs[i] if len(runs[i]) <= LONGEST else f"{runs[i][:LONGEST]}..."
            said = f"{measure} of {name} to {low[i]:.4f} or {high[i]:.4f}"
            changed.append((measure.traits.quality, float(high[i] - low[i]), said))
    if changed:
        yield note("tied-means", means=len(changed), least=NOTEWORTHY, widest=max(changed)[2])
