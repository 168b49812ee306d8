"""Documents that favour one of two systems, summed over many pairs of systems at once.

A document favours a run that ranks it higher than the other run of the pair, or that alone retrieves it. So
a pair depends on its two rankings alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import sums
from unjudged.evidence.contrast import Ints
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty.shared import block_starts

CELLS_AT_ONCE = 1 << 20
"""Ranks of documents x runs that are compared at a time, unless a query has more."""
FAR = np.iinfo(np.int16).max
ROUNDING = 1e-12


class DirectedPairs(NamedTuple):
    """Runs ahead, and the runs behind them."""

    ahead: Ints
    behind: Ints

    def numbers(self, runs: int) -> Integers:
        """Return runs x runs: the number of each pair, -1 for all others."""
        found = np.full((runs, runs), -1)
        found[self.ahead, self.behind] = np.arange(len(self.ahead))
        return found


@dataclass(frozen=True, eq=False)
class Favouring:
    """Sums over the documents that favour the run behind, for each pair of a run ahead and one behind.

    `count` is how many there are: pairs x queries. `behind` and `ahead` have the sums of what these
    documents bring to either run: sums x pairs x queries.
    """

    count: Floats
    behind: Floats
    ahead: Floats


def favouring(
    unjudged: JudgedRankings,
    open_here: Mask,
    pairs: DirectedPairs,
    summed: Sequence[Floats],
    crossed: Floats | None = None,
) -> Favouring:
    """Sum numbers of unjudged documents over those that favour the run behind.

    Each of `summed` has a number for every document of every ranking. A `crossed` number counts once for
    every favouring document that stands above its own in the same ranking; its sum comes last. A document
    favours the run behind only where it is `open_here`, at its place in that run.
    """
    queries = len(unjudged.judgments.queries)
    runs = len(unjudged) // queries
    found = np.zeros((2, len(summed) + 2, len(pairs.ahead), queries))
    pair = pairs.numbers(runs)
    numbers = np.stack([np.ones(len(unjudged.rank)), *summed])
    rank = unjudged.rank.astype(np.int32 if unjudged.rank.max(initial=0) >= FAR else np.int16)
    absent = int(np.iinfo(np.int32 if rank.dtype == np.int32 else np.int16).max)
    query = unjudged.query[unjudged.ranking].astype(np.int64)
    open_rank = np.where(open_here, rank, absent).astype(rank.dtype)
    all_open = bool(open_here.all())
    for run, own, rows, table, open_table in _by_run(unjudged, rank, None if all_open else open_rank, runs):
        behind, ahead = np.flatnonzero(pair[:, run] >= 0), np.flatnonzero(pair[run] >= 0)
        there = table.take(rows, axis=0)  # the ranks that all runs give this run's documents
        chosen = np.empty((len(own), len(behind) + len(ahead)), bool)
        np.greater(there[:, behind], rank[own, None], out=chosen[:, : len(behind)])
        if not all_open:
            chosen[~open_here[own], : len(behind)] = False
            there = open_table.take(rows, axis=0)
        np.less(there[:, ahead], rank[own, None], out=chosen[:, len(behind) :])
        number = np.concatenate([pair[behind, run], pair[run, ahead]])
        role = np.repeat([0, 1], [len(behind), len(ahead)])
        first = np.flatnonzero(np.diff(query[own], prepend=-1)).tolist()
        for start, stop in pairwise([*first, len(own)]):
            part, some = chosen[start:stop], own[start:stop]
            as_numbers, at = part.astype(float), int(query[own[start]])
            found[role, :-1, number, at] = (numbers[:, some] @ as_numbers).T
            if crossed is not None:
                above = np.cumsum(part, axis=0, dtype=np.int32 if stop - start > FAR else np.int16)
                as_numbers *= above - part
                found[role, -1, number, at] = crossed[some] @ as_numbers
    kept = slice(1, None if crossed is not None else -1)
    return Favouring(found[0, 0], found[0, kept], found[1, kept])


def share_seen(
    rankings: JudgedRankings, open_here: Mask, pairs: DirectedPairs, weight: Floats, gain: Floats
) -> Floats:
    """Return for each pair the share of relevant documents that judging found where it is now looked for.

    Documents that favour the run behind count with the weight of their rank there minus that of their rank in
    the run ahead, in bands of rank 1, 2, 3 to 4, 5 to 8 and so on over all queries. The share of each band
    is that of the judged documents (`gain` from 0 to 1), and bands count by the weight of the unjudged ones
    that are `open_here`. A band without judged documents has the share of the one above it, the first ones
    that of all bands, then that of all judged documents of the run behind, then 1.
    """
    runs = len(rankings) // len(rankings.judgments.queries)
    band = np.ceil(np.log2(np.maximum(rankings.rank, 1))).astype(np.int64)
    bands = int(band.max(initial=0)) + 1
    judged = rankings.labels >= 0
    kind = np.where(judged, 1, np.where(open_here, 0, 2))
    pair, many = pairs.numbers(runs), len(pairs.ahead)
    found = np.zeros((3, bands, many))
    for run, every, rows, table, _ in _by_run(rankings, weight, None, runs, absent=0.0):
        others = np.flatnonzero(pair[:, run] >= 0)
        if not len(others):
            continue
        known, label = pair[others, run], kind[every] * bands + band[every]
        order = np.argsort(label, kind="stable")
        order = order[: np.count_nonzero(label < 2 * bands)]
        own, label = every[order], label[order]
        less = _taken(table, rows[order], others)  # the excess is the weight less the smaller of both
        np.minimum(less, weight[own, None], out=less)
        _add(found.reshape(-1, many), known, label, weight[own], less)
        hits = np.flatnonzero(judged[own] & (gain[own] > 0))
        worth = gain[own[hits]]
        _add(found[2], known, label[hits] - bands, worth * weight[own[hits]], worth[:, None] * less[hits])
    open_weight, judged_weight, relevant_weight = found
    shares = _of_bands(judged_weight, relevant_weight)
    run_of = rankings.ranking // len(rankings.judgments.queries)
    whole = sums(np.where(judged, weight, 0.0), run_of, runs)
    relevant = sums(np.where(judged, weight * gain, 0.0), run_of, runs)
    of_run = np.divide(relevant, whole, out=np.ones(runs), where=whole > 0)[pairs.behind]
    shares = np.where(np.isnan(shares), of_run, shares)
    total = open_weight.sum(axis=0)
    seen = np.divide((open_weight * shares).sum(axis=0), total, out=np.ones(many), where=total > 0)
    return np.asarray(np.clip(seen, 0.0, 1.0), float)


def shared_counts(rankings: JudgedRankings, chosen: JudgedRankings, pairs: DirectedPairs) -> Floats:
    """Return pairs x queries: how many chosen documents of the runs behind the runs ahead have too.

    Both are rankings of the same runs over the same pool.
    """
    queries = len(rankings.judgments.queries)
    runs = len(rankings) // queries
    found = np.zeros((len(pairs.ahead), queries))
    first = rankings.judgments.offsets
    tables = []
    for r in (rankings, chosen):
        order = np.argsort(r.row, kind="stable")
        row = r.row[order]
        tables.append((row, (r.ranking // queries)[order], np.searchsorted(row, first)))
        if chosen is rankings:
            tables.append(tables[0])
            break
    for q in range(queries):
        has = []
        for row, run, cuts in tables:
            own = slice(int(cuts[q]), int(cuts[q + 1]))
            table = np.zeros((runs, int(first[q + 1] - first[q])), np.float32)
            table[run[own], row[own] - first[q]] = 1.0
            has.append(table)
        found[:, q] = (has[0] @ has[1].T)[pairs.ahead, pairs.behind]
    return found


def _add(found: Floats, pairs: Ints, label: Integers, whole: Floats, less: Floats) -> None:
    """Add to the row of each label the sum of its numbers, in order of labels, less sums of rows of numbers.

    What is left is 0 where it is a rounding error.
    """
    if len(label):
        first = np.flatnonzero(np.diff(label, prepend=-1))
        total = np.add.reduceat(whole, first)[:, None]
        left = total - np.add.reduceat(less, first, axis=0)
        left[left <= ROUNDING * total] = 0.0
        found[label[first, None], pairs] += left


def _of_bands(judged: Floats, relevant: Floats) -> Floats:
    """Return the share of each band and pair, NaN for a pair without judged documents."""
    total = judged.sum(axis=0)
    every = np.divide(relevant.sum(axis=0), total, out=np.full(len(total), np.nan), where=total > 0)
    shares, last = np.empty(judged.shape), every
    for band in range(len(judged)):
        last = np.divide(relevant[band], judged[band], out=last.copy(), where=judged[band] > 0)
        shares[band] = last
    return shares


def _taken(table: NDArray[Any], rows: Integers, columns: Integers) -> NDArray[Any]:
    """Return some rows and columns of a table; neighbouring columns are copied together."""
    first, last = int(columns[0]), int(columns[-1]) + 1
    if len(columns) == table.shape[1]:
        return table.take(rows, axis=0)
    return table[rows, first:last] if last - first == len(columns) else table[rows[:, None], columns]


def _by_run(
    rankings: JudgedRankings, number: NDArray[Any], second: NDArray[Any] | None, runs: int, absent: Any = None
) -> Iterator[tuple[int, Any, Any, NDArray[Any], NDArray[Any]]]:
    """Yield a run, its elements in some queries and their rows in two tables: documents x runs.

    The tables have the number, and the second number, that every run gives each document, and what stands
    for none where a run lacks it. They are cut between queries, so that they fit a cache.
    """
    run = rankings.ranking // len(rankings.judgments.queries)
    none = np.iinfo(number.dtype).max if absent is None else absent
    starts = block_starts(rankings.judgments.offsets, max(CELLS_AT_ONCE // runs, 1))
    block = np.searchsorted(starts, rankings.row, "right") - 1
    order = np.argsort(block, kind="stable")
    inside = np.searchsorted(block[order], np.arange(len(starts)))
    for k, (first, last) in enumerate(pairwise(starts)):
        some = order[inside[k] : inside[k + 1]]
        table = np.full((last - first, runs), none, number.dtype)
        table[rankings.row[some] - first, run[some]] = number[some]
        other = table
        if second is not None:
            other = np.full((last - first, runs), none, second.dtype)
            other[rankings.row[some] - first, run[some]] = second[some]
        until = np.searchsorted(run[some], np.arange(runs + 1))
        for this, (start, end) in enumerate(pairwise(until)):
            if start < end:
                own = some[start:end]
                yield this, own, rankings.row[own] - first, table, other
