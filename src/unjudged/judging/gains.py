"""What the judgment of a document would say about the order of runs.

If an unjudged document d is relevant, it adds u_i to the mean of run i. It is relevant with probability p,
the share of the judged documents at the same ranks that are. Over the pairs of runs whose order is open,

    gain_d = sqrt(p (1 - p)) (sum of |u_i - u_j|)

Of one run alone it is sqrt(p (1 - p)) |u_i|. For sums over relevant documents, such as RBP and P, a term is
the standard deviation that d alone gives to the difference of the two means. For AP, nDCG and recall, u_i is
what d adds beside the documents that are judged. For every other measure it is 1 / rank. To a run that does
not retrieve it a document adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers, numbered
from unjudged.evidence.completions import band_of
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.shared import SharedRankings
from unjudged.evidence.tipping import importance, terms_of
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import UNSAMPLED

ELEMENTS, DOCUMENTS = 1 << 18, 1 << 13
"""Documents of rankings, and documents of the pool, that are looked at at a time."""
SLACK = 1e-9
"""Sums that differ less may be equal but for rounding."""


class Added(NamedTuple):
    """What unjudged documents would add to the means of runs: the row of each, its run, and the number."""

    row: NDArray[np.int32]
    run: NDArray[np.int32]
    number: Floats


def gains(shared: SharedRankings, measure: Measure, first: Integers, second: Integers, best: int) -> Floats:
    """Return the gain of each row of the pool over the pairs `first[k]`, `second[k]` of runs, or runs alone.

    Rows with an answer have none, nor have those that cannot be among so many of the `best`.
    """
    rows, runs = len(shared.judgments.grade), len(shared.runs) + int((second == ALONE).any())
    column = np.argsort(np.argsort(shared.runs))  # by name: sums do not depend on the order of the runs
    first, second = column[first], np.append(column, len(column))[second]  # the last one retrieves nothing
    columns = column.astype(np.int32)
    every = [Added(row, columns[run], number) for row, run, number in added(shared, measure)]
    chance = prevalence(shared, int(measure.given.get("rel", 1)))
    deviation = np.where(shared.judgments.waiting, np.sqrt(chance * (1 - chance)), 0.0)
    pairs = np.bincount(np.concatenate([first, second]), minlength=runs)
    most = deviation * sum(np.bincount(one.row, one.number * pairs[one.run], rows) for one in every)
    order = np.argsort(-most)[: np.count_nonzero(most)]
    found = np.zeros(rows)
    for start in range(0, len(order), DOCUMENTS):
        some = order[start : start + DOCUMENTS]
        if start >= best and most[some[0]] < (1 - SLACK) * np.partition(found, -best)[-best]:
            break
        table, place = np.zeros((len(some), runs)), numbered(some, rows)
        for one in every:
            own = np.flatnonzero(place[one.row] >= 0)
            table[place[one.row[own]], one.run[own]] = one.number[own]
        found[some] = deviation[some] * pair_sums(table, first, second)
    return found


def most_telling(
    shared: SharedRankings, measure: Measure, first: Integers, second: Integers, n: int
) -> tuple[Integers, Floats]:
    """Return the n rows without an answer that have the largest gains, equal ones by name, and the gains."""
    gain = gains(shared, measure, first, second, n)
    rows = np.flatnonzero((gain > 0) & shared.judgments.waiting)
    if len(rows) > n:
        rows = rows[gain[rows] >= np.partition(gain[rows], -n)[-n]]
    names = np.array(shared.names.take(shared.name[rows]).tolist(), bytes)
    rows = rows[np.lexsort((names, shared.judgments.query[rows], -gain[rows]))[:n]]
    return rows, gain[rows]


def added(shared: SharedRankings, measure: Measure) -> Iterator[Added]:
    """Yield what the unjudged documents of some runs after others would add to the means."""
    queries = len(shared.queries)
    weight = importance(measure, np.arange(int(shared.rankings.rank.max(initial=0)) + 1))
    first = 0
    for part in shared.rankings.blocks(ELEMENTS):
        counting = part.where(weight[part.rank] > 0)
        terms = terms_of(measure, counting, weight)
        unjudged = counting.where(counting.labels < 0) if terms is None else terms.unjudged
        number = weight[unjudged.rank] if terms is None else terms.alone
        if terms is not None and terms.reciprocal is not None:
            number = number * terms.reciprocal(np.ones((1, queries)))[0, unjudged.query[unjudged.ranking]]
        run = (first + unjudged.ranking) // queries
        yield Added(unjudged.row, run.astype(np.int32), number / queries)
        first += len(part)


def prevalence(shared: SharedRankings, rel: int) -> Floats:
    """Return how likely each document is to be relevant: the share of the judged ones at the same ranks.

    Of each document counts the best rank that a run gives it, in bands 1, 2, 3 to 4, 5 to 8 and so on. The
    share of the band above counts as one document more; above the first band it is a half.
    """
    band, last = band_of(shared.best_rank), shared.rankings.rank.max(initial=0)
    grade = np.where(shared.best_rank <= last, shared.judgments.grade, UNSAMPLED)
    judged = np.bincount(band[grade >= 0], minlength=band.max(initial=0) + 1)
    relevant = np.bincount(band[grade >= rel], minlength=len(judged))
    share, above = np.zeros(len(judged)), 0.5
    for b in range(len(judged)):
        share[b] = above = (relevant[b] + above) / (judged[b] + 1)
    return share[band]


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
    columns, found = np.ascontiguousarray(table.T), np.zeros(len(table))
    for run in np.flatnonzero(listed.any(axis=1)).tolist():
        found += np.abs(columns[listed[run]] - columns[run]).sum(axis=0)
    if not most:
        return found
    total: Floats = (np.sort(table, axis=1) * (2.0 * np.arange(runs) - runs + 1)).sum(axis=1)
    return np.maximum(total - found, 0.0)
