"""Documents that favour one of two systems, summed over many pairs of systems at once.

A document favours a run that ranks it higher than the other run of the pair, or that alone retrieves it. So
a pair depends on its two rankings alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers, Ints, Mask, ends, stable_order, sums
from unjudged.evidence.completions import band_of
from unjudged.evidence.shared import block_starts
from unjudged.rankings.judged import JudgedRankings

CELLS_AT_ONCE = 1 << 21
"""Ranks of documents x runs that are compared at a time, unless a query has more."""
RARE = 8
"""Documents that no more runs have are compared run by run, others in tables of documents x runs."""
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class DirectedPairs:
    """Runs ahead, and the runs behind them, among so many runs."""

    ahead: Ints
    behind: Ints
    runs: int

    @cached_property
    def order(self) -> Ints:
        """All runs, those first that are ahead most often: then those ahead of another are neighbours."""
        return np.argsort(-np.bincount(self.ahead, minlength=self.runs), kind="stable")

    def numbers(self) -> Integers:
        """Return runs x runs: the number of each pair, -1 for all others."""
        found = np.full((self.runs, self.runs), -1)
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
    summed: Floats,
    crossed: Floats | None = None,
) -> Favouring:
    """Sum numbers of unjudged documents over those that favour the run behind.

    `summed` has a number for every document of every ranking. A `crossed` number counts once for every
    favouring document that stands above its own in the same ranking. A document favours the run behind only
    where it is `open_here`, at its place in that run.

    Of the n_d favouring documents down to document d the sum is the sum of (x_d - x of the next one) n_d, and
    the crossed sum is the sum of (x_d - x of the next one) n_d (n_d - 1) / 2.
    """
    queries = len(unjudged.judgments.queries)
    kinds = 2 if crossed is None else 3
    found = np.zeros((2, kinds, len(pairs.ahead) + 1, queries))  # number -1 is not a pair
    pair = pairs.numbers()
    far, farthest = np.iinfo(np.int16).max, np.iinfo(np.int32).max
    absent = np.int16(far) if unjudged.rank.max(initial=0) < far else np.int32(farthest)
    rank = unjudged.rank.astype(absent.dtype)
    all_open = bool(open_here.all())

    @cache
    def sides(run: int) -> tuple[slice, slice, Integers]:
        to_be_behind, to_be_ahead = pair[pairs.order, run], pair[run, pairs.order]
        behind, ahead = _span(to_be_behind), _span(to_be_ahead)
        return behind, ahead, np.concatenate([to_be_behind[behind], to_be_ahead[ahead]])

    tables = [lambda own: rank[own]]
    if not all_open:
        tables.append(lambda own: np.where(open_here[own], rank[own], absent))
    for part in _by_run(unjudged, tables, absent, pairs.order):
        behind, ahead, number = sides(part.run)
        few, wide = behind.stop - behind.start, len(number)
        role = np.repeat([0, 1], [few, wide - few])
        own = rank[part.elements, None]
        chosen = np.zeros((len(own), wide + -wide % 4), rank.dtype)  # columns that fill numbers of 64 bits
        chosen[:, :few] = part.tables[0][part.rows, behind] > own
        if not all_open:
            chosen[~open_here[part.elements], :few] = 0
        chosen[:, few:wide] = part.tables[-1][part.rows, ahead] < own
        cuts = unjudged.offsets[part.run * queries :][part.queries.start : part.queries.stop + 1]
        some = np.flatnonzero(np.diff(cuts))
        if crossed is None:
            inside, starts = chosen[:, :wide].astype(float), cuts[some] - part.elements.start
            place = (number, part.queries.start + some[:, None])
            found[role, 0, *place] = np.add.reduceat(inside, starts, axis=0)
            inside *= summed[part.elements, None]
            found[role, 1, *place] = np.add.reduceat(inside, starts, axis=0)
            continue
        for q in some.tolist():
            there = slice(int(cuts[q]), int(cuts[q + 1]))
            here = chosen[there.start - part.elements.start : there.stop - part.elements.start]
            down = here.view(np.int64).cumsum(axis=0).view(rank.dtype)[:, :wide].astype(float)
            at = (number, part.queries.start + q)
            found[role, 0, *at] = down[-1]
            steps = _steps(crossed[there])
            found[role, 1, *at] = _steps(summed[there]) @ down
            once = steps @ down
            found[role, 2, *at] = (steps @ np.square(down, out=down) - once) / 2
    found = found[:, :, :-1]
    return Favouring(found[0, 0], found[0, 1:], found[1, 1:])


def _steps(number: Floats) -> Floats:
    """Return how far each number is above the next one, and the last one above 0."""
    steps = number.copy()
    steps[:-1] -= number[1:]
    return steps


def share_seen(
    rankings: JudgedRankings, open_here: Mask, pairs: DirectedPairs, weight: Floats, gain: Floats
) -> Floats:
    """Return for each pair the share of relevant documents that judging found where it is now looked for.

    Documents that favour the run behind count with the `weight` of their rank there minus the weight of their
    rank in the run ahead, in bands of rank 1, 2, 3 to 4, 5 to 8 and so on over all queries. The share of each
    band is the share of the judged documents (the `gain` of their row, from 0 to 1), and bands count by the
    weight of the unjudged ones that are `open_here`. A band without judged documents has the share of the one
    above it, the first ones take the share of all bands, then of all judged documents of the run behind, then
    1.
    """
    band = band_of(np.arange(len(weight))).astype(np.uint8)
    bands = int(band[-1]) + 1
    kind = np.where(rankings.judgments.grade < 0, 0, np.where(gain > 0, 2 * bands, bands)).astype(np.uint8)
    label = kind[rankings.row]
    closed = (label == 0) & ~open_here
    label += band[rankings.rank]
    label[closed] = 3 * bands
    whole, found = _excess(_Labelled(rankings, label, weight, gain, bands), pairs)
    shares = _of_bands(found[bands : 2 * bands] + found[2 * bands : 3 * bands], found[3 * bands :])
    judged, gained = whole[bands : 3 * bands].sum(axis=0), whole[3 * bands :].sum(axis=0)
    of_behind = np.divide(gained, judged, out=np.ones(len(judged)), where=judged > 0)
    shares = np.where(np.isnan(shares), of_behind, shares)
    open_weight = found[:bands]
    total = open_weight.sum(axis=0)
    seen = np.divide((open_weight * shares).sum(axis=0), total, out=np.ones(len(total)), where=total > 0)
    return np.asarray(np.clip(seen, 0.0, 1.0), float)


class _Labelled(NamedTuple):
    """Rankings with a label for each document: unjudged, nonrelevant and relevant ones by bands of rank.

    What is closed has the label after these. Sums by label have a fourth part: what relevant documents gain.
    """

    rankings: JudgedRankings
    label: NDArray[np.uint8]
    weight: Floats
    gain: Floats
    bands: int

    def of(self, chosen: Mask) -> _Labelled:
        """Return the same for some documents of the pool."""
        there = chosen[self.rankings.row]
        kept = replace(self.rankings.where(there), element=None)
        return self._replace(rankings=kept, label=self.label[there])

    def sums(self, cell: Integers | int, document: Integers | slice, number: Floats, cells: int) -> Floats:
        """Return cells x labels: the sums of a number of some documents, each in its cell."""
        labels = 4 * self.bands
        label, row = self.label[document], self.rankings.row[document]
        hit = (label >= 2 * self.bands) & (label < 3 * self.bands)
        place = cell * labels + label
        found = sums(number, place, cells * labels).reshape(cells, labels)
        found[:, 3 * self.bands :] = 0  # of closed ones
        gained = sums(number[hit] * self.gain[row[hit]], place[hit] + self.bands, cells * labels)
        return found + gained.reshape(cells, labels)


def _excess(labelled: _Labelled, pairs: DirectedPairs) -> tuple[Floats, Floats]:
    """Return labels x pairs: what the run behind has, and how much of it the run ahead lacks.

    What is left is 0 where it is a rounding error.
    """
    r = labelled.rankings
    cuts = r.offsets[:: len(r.judgments.queries)].tolist()
    own = [labelled.sums(0, slice(*cut), labelled.weight[r.rank[slice(*cut)]], 1) for cut in pairwise(cuts)]
    whole = np.concatenate(own)[pairs.behind].T
    times = np.bincount(r.row, minlength=len(labelled.gain))
    both = _in_tables(labelled.of(times > RARE), pairs)
    both += _in_twos(labelled.of((times > 1) & (times <= RARE)), pairs)
    excess = whole - both.T
    excess[excess <= ROUNDING * whole] = 0.0
    return whole, excess


def _in_tables(labelled: _Labelled, pairs: DirectedPairs) -> Floats:
    """Return pairs x labels: the sums of the smaller weights, by the label in the run behind."""
    r, label, bands = labelled.rankings, labelled.label, labelled.bands
    asked, found = pairs.numbers(), np.zeros((pairs.runs, 4 * bands, pairs.runs))
    for part in _by_run(r, [lambda own: labelled.weight[r.rank[own]]], 0.0, pairs.order):
        own, others, table = part.elements, _span(asked[pairs.order, part.run]), part.tables[0]
        order = np.argsort(label[own], kind="stable")
        labels, rows = label[own][order], part.rows[order]
        mine = labelled.weight[r.rank[own][order], None]
        gain, of_run = labelled.gain[r.row[own][order]], found[part.run, :, others]
        for first, last in pairwise(np.flatnonzero(np.diff(labels, prepend=255, append=255)).tolist()):
            if (kind := labels[first]) < 3 * bands:
                smaller = np.minimum(table[rows[first:last], others], mine[first:last])
                of_run[kind] += np.ones(last - first) @ smaller
                if kind >= 2 * bands:
                    of_run[kind + bands] += gain[first:last] @ smaller
    return np.asarray(found[pairs.behind, :, np.argsort(pairs.order)[pairs.ahead]])


def _in_twos(labelled: _Labelled, pairs: DirectedPairs) -> Floats:
    """Return the same, found from the runs that have each document, two runs at a time."""
    r, runs = labelled.rankings, pairs.runs
    order = stable_order(r.row)
    row = r.row[order]
    run, weight = r.ranking // len(r.judgments.queries), labelled.weight[r.rank]
    found = np.zeros((runs * runs, 4 * labelled.bands))
    for apart in range(1, RARE):
        place = np.flatnonzero(row[apart:] == row[:-apart])
        first, second = order[place], order[place + apart]
        smaller = np.minimum(weight[first], weight[second])
        for own, other in ((first, second), (second, first)):
            found += labelled.sums(run[own] * runs + run[other], own, smaller, runs * runs)
    return np.asarray(found[pairs.behind * runs + pairs.ahead])


def shared_counts(
    rankings: JudgedRankings, others: JudgedRankings, first: Integers, second: Integers
) -> Integers:
    """Return pairs x queries: how many documents of the first run's rankings the second has in `others`.

    Both are rankings of the same runs over the same pool. A run's documents are bits, each query in
    words of their own.
    """
    pool = rankings.judgments
    runs = len(rankings) // len(pool.queries)
    number, offsets = _documents_of(rankings)
    words = ends(-(-np.diff(offsets) // 64))
    bit = number[:-1] + (64 * words[:-1] - offsets[:-1])[pool.query]
    kept = np.flatnonzero(np.diff(words))
    sets = []
    for r in (rankings,) if others is rankings else (rankings, others):
        bits = np.zeros((runs, 8 * int(words[-1])), np.uint8)
        for run in range(runs):
            has, row = np.zeros(64 * int(words[-1]), bool), r.run(run).row
            has[bit[row[number[row + 1] > number[row]]]] = True
            bits[run] = np.packbits(has)
        sets.append(bits.view(np.uint64))
    found = np.zeros((len(first), len(pool.queries)), np.int64)
    for run in set(first.tolist()):
        mine = np.flatnonzero(first == run)
        both = np.bitwise_count(sets[-1][second[mine]] & sets[0][run])
        found[np.ix_(mine, kept)] = np.add.reduceat(both, words[kept], axis=1, dtype=np.int64)
    return found


def _of_bands(judged: Floats, relevant: Floats) -> Floats:
    """Return the share of each band and pair, NaN for a pair without judged documents."""
    total = judged.sum(axis=0)
    every = np.divide(relevant.sum(axis=0), total, out=np.full(len(total), np.nan), where=total > 0)
    shares, last = np.empty(judged.shape), every
    for band in range(len(judged)):
        last = np.divide(relevant[band], judged[band], out=last.copy(), where=judged[band] > 0)
        shares[band] = last
    return shares


def _documents_of(rankings: JudgedRankings) -> tuple[Integers, Integers]:
    """Return the number of each row among the rows that any ranking has, and where each query begins."""
    there = np.zeros(len(rankings.judgments.grade), bool)
    there[rankings.row] = True
    before = ends(there)
    return before, before[rankings.judgments.offsets]


def _span(pair: Integers) -> slice:
    """Return the place of the first and the last pair that is asked for, and all between them."""
    there = np.flatnonzero(pair >= 0)
    return slice(int(there[0]), int(there[-1]) + 1) if len(there) else slice(0, 0)


class Part(NamedTuple):
    """A run's elements of some queries, and their rows in tables of documents x runs."""

    run: int
    queries: range
    elements: slice
    rows: NDArray[np.integer]
    tables: Sequence[NDArray[Any]]


def _by_run(
    rankings: JudgedRankings, numbers: Sequence[Callable[[slice], NDArray[Any]]], absent: Any, order: Ints
) -> Iterator[Part]:
    """Yield what each run has of some queries after others.

    A table has the number that every run gives each document, `absent` where a run lacks it; its columns are
    runs in this order. Tables are cut between queries, so that they fit a cache.
    """
    queries, runs = len(rankings.judgments.queries), len(order)
    place, offsets = _documents_of(rankings)
    starts = block_starts(offsets, max(CELLS_AT_ONCE // runs, 1))
    cuts = np.searchsorted(offsets, starts, "right") - 1
    of_run = rankings.offsets[np.arange(runs)[:, None] * queries + cuts].tolist()
    for k, (first, last) in enumerate(pairwise(starts)):
        tables = [np.full((last - first, runs), absent) for _ in numbers]
        own = [slice(*cut[k : k + 2]) for cut in of_run]
        rows = [place[rankings.row[elements]] - first for elements in own]
        for column, run in enumerate(order.tolist()):
            for table, number in zip(tables, numbers, strict=True):
                table[rows[run], column] = number(own[run])
        for run, elements in enumerate(own):
            if len(rows[run]):
                yield Part(run, range(cuts[k], cuts[k + 1]), elements, rows[run], tables)
