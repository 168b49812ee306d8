"""Pools of documents for judging, random samples of them by a seed and names, and groups left out in turn.

Every document has a pseudorandom number that depends only on its query, its name and the seed; a sample takes
the documents with the smallest numbers. So a query's sample does not depend on the order of the judgments, on
other queries or on the machine, and a larger sample with the same seed contains the smaller one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from unjudged.base import segments
from unjudged.base.choices import checked_int, shown
from unjudged.base.errors import UsageError, quoted
from unjudged.base.notes import DOUBT, Note
from unjudged.base.segments import Floats, Integers, Mask, numbered
from unjudged.base.wording import percent
from unjudged.collection.collection import judged_rankings
from unjudged.evidence.calibration import LeftOut, check_pooled
from unjudged.measures.kernel.measure import means_of_runs, ratio
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.permitted import TAKING_AWAY, check_use_permitted
from unjudged.rankings.coverage import in_order
from unjudged.rankings.extension import chosen_rows, documents_of
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.origin import A_POOL, A_SAMPLE, POOL, STRATIFIED, Origin
from unjudged.rankings.pooled import Numbers, PooledDocuments, mixed, unit
from unjudged.rankings.runs import Run, RunsSource, name_runs
from unjudged.results.result import Result

_CELL_BITS = np.uint64(24)


def identities(judgments: Judgments) -> Numbers:
    """Return a number for each row, made from its query and its document."""
    return identities_of_rows(judgments.pooled, np.arange(len(judgments.grade)))


def identities_of_rows(pooled: PooledDocuments, rows: Integers) -> Numbers:
    """Return the numbers of some rows of a pool."""
    begun = [blake2b(query + b" ", digest_size=8).copy for query in pooled.queries.tolist()]
    digests = []
    for q, document in zip(pooled.query[rows].tolist(), pooled.documents.take(rows).tolist(), strict=True):
        digest = begun[q]()
        digest.update(document)
        digests.append(digest.digest())
    return _from_digests(digests)


def identities_of(names: Sequence[bytes]) -> Numbers:
    """Return a hash of each name, by which documents are drawn."""
    return _from_digests(blake2b(name, digest_size=8).digest() for name in names)


def _from_digests(digests: Iterable[bytes]) -> Numbers:
    """Return hashes of names as numbers."""
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def numbers(identity: Numbers, *seed: int | str) -> Numbers:
    """Pseudorandom numbers, independent between seeds (the finaliser of SplitMix64, twice)."""
    salt = blake2b(" ".join(map(str, seed)).encode(), digest_size=16).digest()
    first, second = np.frombuffer(salt, "<u8").astype(np.uint64)
    return mixed(mixed(identity ^ first) ^ second)


def smallest(number: Numbers, cell: Integers, wanted: Integers) -> Mask:
    """Return the `wanted[c]` rows with the smallest numbers of each cell c."""
    chosen: Mask = places_in_cells(number, cell, len(wanted)) < wanted[cell]
    return chosen


def places_in_cells(number: Numbers, cell: Integers, cells: int) -> Integers:
    """Return how many rows of its cell have a smaller number, for each row."""
    if cells < 1 << int(_CELL_BITS):  # both fit in one number, which sorts faster than two
        order = np.argsort(
            (cell.astype(np.uint64) << (64 - _CELL_BITS)) | (number >> _CELL_BITS), kind="stable"
        )
    else:
        order = np.lexsort((number, cell))
    sizes = np.bincount(cell, minlength=cells)
    place = np.empty(len(cell), np.int64)
    place[order] = segments.places(sizes) - 1
    return place


def rounded_sizes(share: float | Floats, sizes: Integers) -> Integers:
    """Size of this share of each cell: the nearest whole number, at least one if the share is above 0."""
    nearest = np.floor(np.asarray(share) * sizes + 0.5 + 1e-9).astype(np.int64)
    return np.minimum(np.where(np.asarray(share) > 0, np.maximum(nearest, 1), 0), sizes)


def redrawn(chosen: Mask, relevant: Mask, query: Integers, number: Numbers, chance: Floats) -> Mask:
    """Return the sample after the redraw rule.

    A query's sample without any of its relevant documents is discarded and drawn again until it has one
    (Yilmaz and Aslam, 2008). Repeated drawing may take very long; it ends with k relevant documents with the
    probability of k given k > 0, so k is drawn from that distribution at once. `chance` has one number from 0
    to 1 per query, which decides k.
    """
    queries = len(chance)
    size, held, found = (
        np.bincount(query[rows], minlength=queries) for rows in (chosen, relevant, chosen & relevant)
    )
    again = np.flatnonzero((found == 0) & (held > 0) & (size > 0))
    if not len(again):
        return chosen
    documents = np.bincount(query, minlength=queries)
    wanted = np.zeros((queries, 2), np.int64)
    for q in again.tolist():
        odds = np.cumsum(counts_of_relevant(int(documents[q]), int(held[q]), int(size[q])))
        wanted[q, 1] = 1 + np.searchsorted(odds[:-1], chance[q], "right")
        wanted[q, 0] = size[q] - wanted[q, 1]
    drawn = smallest(number, 2 * query + relevant, wanted.ravel())
    return np.where(np.isin(query, again), drawn, chosen)


def counts_of_relevant(documents: int, relevant: int, size: int) -> Floats:
    """Return the probabilities of 1, 2, ... relevant documents in a random sample, given that there is one.

    For samples that may contain none: size <= documents - relevant.
    """
    k = np.arange(1, min(relevant, size))
    ratio = (relevant - k) * (size - k) / ((k + 1.0) * (documents - relevant - size + k + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratio))])
    weights = np.exp(logs - logs.max())
    share: Floats = weights / weights.sum()
    return share


NOT_RETRIEVED = np.iinfo(np.int32).max
DEEPEST = NOT_RETRIEVED - 1
"""No ranking is deeper: ranks have 32 bits, and the last one stands for documents that no run retrieves."""
REST = float("inf")
Strata = Mapping[float, float] | Mapping[int, float]
"""The share of each stratum by its last rank."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Judgments and the runs that their documents came from: what a judgment design chooses from.

    Each method returns judgments of the same pool. Documents that are not chosen become unjudged (-1), and
    documents that were unjudged stay so. `stratum` and `probability` record how the judged documents were
    chosen, for the measures that use them.

    >>> from unjudged import sample
    >>> pool = Pool.of(sample.qrels, sample.runs)
    >>> pool.depth(5)
    Judgments(30 queries, 671 judged documents, 214 relevant, 1459 pooled but not judged)
    >>> pool.uniform(0.1, seed=1)
    Judgments(30 queries, 162 judged documents, 47 relevant, 1968 pooled but not judged)
    """

    judgments: Judgments
    matched: JudgedRankings | None = field(default=None, repr=False)
    runs: Sequence[str] = ()

    @classmethod
    def of(cls, qrels: JudgmentsSource, runs: RunsSource | None = None) -> Pool:
        """From judgments and runs; random samples do not need the runs."""
        judgments = Judgments.whole(qrels)
        if runs is None:
            return cls(judgments)
        named = in_order(judgments, name_runs(runs))
        return cls(judgments, judged_rankings(judgments, named), list(named))

    @classmethod
    def of_runs(cls, runs: RunsSource, depth: int = 100) -> Pool:
        """Return the documents among the first `depth` of any run, all unjudged, sorted by name.

        >>> from unjudged import sample
        >>> Pool.of_runs(sample.runs, depth=10).judgments
        Judgments(30 queries, 0 judged documents, 0 relevant, 1423 pooled but not judged)
        """
        depth = checked_depth(depth)
        read = {name: Run.read(source) for name, source in name_runs(runs).items()}
        judgments = replace(Judgments.read(documents_of(read.values(), depth)), origin=Origin(POOL, depth))
        return cls(judgments, judged_rankings(judgments, read), list(read))

    @property
    def rankings(self) -> JudgedRankings:
        """Rankings of the runs."""
        if self.matched is None:
            raise UsageError("this design uses ranks: give the runs of the pool")
        return self.matched

    @cached_property
    def best(self) -> NDArray[np.int32]:
        """Best rank that any run gives each document of the pool."""
        return self.rankings.best_rank(NOT_RETRIEVED).astype(np.int32)

    @cached_property
    def _identity(self) -> Numbers:
        return identities(self.judgments)

    @cached_property
    def blank(self) -> Pool:
        """The same pool with grade 0 everywhere: what a design draws from before anyone has judged."""
        grade = np.zeros_like(self.judgments.grade)
        return replace(self, judgments=replace(self.judgments.with_grades(grade), origin=A_POOL))

    def depth(self, k: int, seed: int = 0) -> Judgments:  # noqa: ARG002 (designs have a seed)
        """Judge the documents among the first `k` of any run.

        If some of them are unjudged, the pool does not reach that depth, and the origin stays as it was.
        """
        k = checked_depth(k)
        within: Mask = self.best <= k
        complete = bool((self.judgments.grade[within] >= 0).all())
        return self.only(within, Origin(POOL, k) if complete else self.judgments.origin)

    def uniform(self, share: float, seed: int = 0, *, redraw: bool = True, rel: int = 1) -> Judgments:
        """Judge a uniform sample: this share of each query's judged documents.

        With `redraw`, a sample without a relevant document (of grade `rel`) is drawn again if the query
        has one, as Yilmaz and Aslam (2008) did. The probability that a document is judged then depends on
        the number of relevant documents, so no `probability` is recorded.
        """
        one = np.ones(len(self.judgments.grade), np.int64)
        chosen, probability = self._drawn(one, np.array([checked_share(share)]), seed)
        if redraw:
            return self.only(self._redrawn(chosen, rel, seed), A_SAMPLE)
        return replace(self.only(chosen, A_SAMPLE), probability=probability)

    def _redrawn(self, chosen: Mask, rel: int, seed: int) -> Mask:
        """Draw again for queries whose sample has no relevant document although they have one."""
        grade, query = self.judgments.grade, self.judgments.query
        found = np.bincount(query[chosen & (grade >= rel)], minlength=len(self.judgments.queries))
        rows = np.flatnonzero((found == 0)[query] & (grade >= 0))
        queries = identities_of(self.judgments.queries.tolist())
        result = chosen.copy()
        result[rows] = redrawn(
            chosen[rows],
            grade[rows] >= rel,
            query[rows],
            numbers(self._identity[rows], seed, "redraw"),
            unit(numbers(queries, seed, "redraw")),
        )
        return result

    def mixed(self, k: int, seed: int = 0) -> Judgments:
        """Judge the depth-`k` pool and as many documents drawn at random from the rest of the query."""
        stratum = np.where(self.best <= checked_depth(k), 1, 2)
        judged = self.judgments.grade >= 0
        query, queries = self.judgments.query, len(self.judgments.queries)
        top, rest = (np.bincount(query[judged & (stratum == s)], minlength=queries) for s in (1, 2))
        share = np.minimum(top, rest) / np.maximum(rest, 1)
        return self._stratified(stratum, np.stack([np.ones(queries), share], axis=1), seed)

    def stratified(self, share: float | Strata, seed: int = 0, *, top: int = 10) -> Judgments:
        """Judge the depth-`top` pool and this share of the rest, or a share of its own for each depth.

        By `{10: 1.0, 50: 0.3, inf: 0.1}`, stratum 1 holds the documents among the first 10 of any run,
        stratum 2 the others among the first 50, stratum 3 the rest.

        >>> from unjudged import sample
        >>> drawn = Pool.of(sample.qrels, sample.runs).stratified({5: 1.0, REST: 0.2}, seed=1)
        >>> sorted(set(drawn.stratum.tolist()))
        [1, 2]
        """
        strata: Strata = share if isinstance(share, Mapping) else {checked_depth(top): 1.0, REST: share}
        by_end = {_end(end): checked_share(one, lowest=0.0) for end, one in strata.items()}
        if not by_end:
            raise UsageError("no stratum given, expected depths and shares")
        ends = sorted(by_end | {REST: by_end.get(REST, 0.0)})
        stratum = 1 + np.searchsorted(np.array(ends), self.best)
        return self._stratified(stratum, np.array([by_end.get(end, 0.0) for end in ends]), seed)

    def _stratified(self, stratum: Integers, shares: Floats, seed: int) -> Judgments:
        """Judge shares of each query's strata, and record both."""
        chosen, probability = self._drawn(stratum, shares, seed)
        drawn = self.only(chosen, Origin(STRATIFIED, self._drawable_to(probability)))
        return replace(drawn, stratum=stratum.astype(np.int32), probability=probability)

    def _drawn(self, stratum: Integers, shares: Floats, seed: int) -> tuple[Mask, Floats]:
        """Draw shares of each query's strata: one per stratum, or one per query and stratum.

        Shares refer to the judged documents of the stratum, and probabilities to all of its pooled documents,
        judged or not.
        """
        queries, strata = len(self.judgments.queries), shares.shape[-1]
        judged = np.flatnonzero(self.judgments.grade >= 0)
        cell = self.judgments.query * strata + (stratum - 1)
        pooled, sizes = (np.bincount(cells, minlength=queries * strata) for cells in (cell, cell[judged]))
        wanted = rounded_sizes(np.broadcast_to(shares, (queries, strata)).ravel(), sizes)
        number = numbers(self._identity[judged], checked_int("seed", seed))
        chosen = np.zeros(len(cell), bool)
        chosen[judged] = smallest(number, cell[judged], wanted)
        return chosen, (wanted / np.maximum(pooled, 1))[cell]

    def _drawable_to(self, probability: Floats) -> int | None:
        """Rank to which every document of a run could be drawn; None if every document could be."""
        excluded = self.best[probability == 0]
        deepest = int(self.rankings.retrieved.max(initial=1))
        return min(int(excluded.min()) - 1, deepest) if len(excluded) else None

    def only(self, chosen: Mask, origin: Origin = A_SAMPLE) -> Judgments:
        """Return the same judgments of the chosen rows; all other documents are pooled and unjudged.

        `origin` says how the rows were chosen: at random, unless given. Of judgments that are a sample, or
        that were chosen, no part is taken.

        >>> pool = Pool.of({"q": {"a": 1, "b": 0}})
        >>> pool.only(pool.judgments.grade > 0)
        Judgments(1 query, 1 judged documents, 1 relevant, 1 pooled but not judged)
        """
        if np.shape(chosen) != self.judgments.grade.shape:
            rows = len(self.judgments.grade)
            raise UsageError(f"expected one truth value for each of {rows} rows, got {np.shape(chosen)}")
        check_use_permitted(self.judgments, TAKING_AWAY)
        unjudged = np.minimum(self.judgments.grade, UNSAMPLED)
        return replace(
            self.judgments,
            grade=np.where(chosen, self.judgments.grade, unjudged).astype(np.int32),
            stratum=None,
            probability=None,
            origin=origin,
        )


def checked_share(value: float, lowest: float = 1e-300) -> float:
    """Return a share of the documents: above 0 and at most 1."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not lowest <= number <= 1:
        raise UsageError(f"share is {shown(value)}, expected a number above 0 and at most 1 (0.1 for 10 %)")
    return number


def checked_depth(value: float) -> int:
    """Return the depth of a pool: a whole number of at least 1."""
    return min(checked_int("depth", value, least=1), DEEPEST)


def _end(depth: float) -> float:
    """Where a stratum ends: a number of at least 1, or infinity for the rest."""
    try:
        end = float(depth)
    except (TypeError, ValueError, OverflowError):
        end = 0.0
    if not end >= 1:
        raise UsageError(f"a stratum ends at depth {quoted(str(depth))}, expected a number of at least 1")
    return end


Groups = Mapping[str, str]
"""The group of each run; a run without an entry forms its own group."""


def left_out_groups(
    pool: Pool, measure: MeasureLike = "AP", *, depth: int = 100, groups: Groups | None = None
) -> Result:
    """Leave each group out of the pool, and see how far off its runs are, in score and in place.

    All runs are scored without the judgments of documents that only this group has among its first `depth`
    documents, as if it came later. A place is 1 and the number of runs with a higher mean.

    >>> from unjudged import sample
    >>> print(left_out_groups(Pool.of(sample.qrels, sample.runs), depth=20))
    Groups left out of the pool; AP
    system    group       mean  left out  change (%)  rank  rank left out
    boolean   boolean   0.0939    0.0840      -10.49     6              6
    lexical   lexical   0.2272    0.2175       -4.31     4              4
    expanded  expanded  0.2736    0.2410      -11.90     3              3
    fused     fused     0.3321    0.2867      -13.66     2              2
    reranked  reranked  0.4374    0.3867      -11.59     1              1
    dense     dense     0.2057    0.2057        0.00     5              5
    <BLANKLINE>
    Left out, a run's AP changes by 8.66 % on average, 13.66 % at most (fused), its
    place by 0.0 on average, 0 at most.
    """
    chosen = parse_measure(measure)
    if not chosen.traits.estimates:  # an estimate from samples asks for itself
        check_pooled([chosen], pool.rankings)
    names, left_out = left_out_by_group(pool, depth, groups)
    if len(names) < 2:
        raise UsageError("one group only: nothing can be left out")
    actual = means_of_runs(chosen, pool.rankings)
    rest, first = np.zeros_like(actual), _ranks(actual)
    place = np.zeros_like(first)
    for g in range(len(names)):
        own, kept = left_out.group == g, left_out.only_group != g
        judgments, row = chosen_rows(pool.judgments, kept), numbered(np.flatnonzero(kept), len(kept))
        means = means_of_runs(chosen, pool.rankings.moved(judgments, row))
        rest[own], place[own] = means[own], _ranks(means)[own]
    change = ratio(rest - actual, actual)
    names_of = [names[g] for g in left_out.group.tolist()]
    fields = ("system", "group", "mean", "mean_left_out", "change", "rank", "rank_left_out")
    values = (actual, rest, 100 * change, first, place)
    lists = (pool.runs, names_of, *(one.tolist() for one in values))
    rows = [dict(zip(fields, row, strict=True)) for row in zip(*lists, strict=True)]
    finding = f"No mean {chosen} is above 0, so there is nothing to lose."
    if (actual > 0).any():
        size, moved = np.abs(change), np.abs(place - first)
        most = int(np.argmax(size))
        finding = (
            f"Left out, a run's {chosen} changes by {percent(size.mean(), 2)} on average, "
            f"{percent(size[most], 2)} at most ({pool.runs[most]}), its place by "
            f"{moved.mean():.1f} on average, {moved.max()} at most."
        )
    titles = {"left out": f"Groups left out of the pool; {chosen}"}
    return Result({"left out": rows}, [Note(finding, weight=DOUBT)], {"titles": titles})


def _ranks(means: Floats) -> Integers:
    """Return 1 and the number of higher means, for each mean."""
    ranks: Integers = 1 + (means[None, :] > means[:, None]).sum(axis=1)
    return ranks


def left_out_by_group(pool: Pool, depth: int, groups: Groups | None) -> tuple[list[str], LeftOut]:
    """Return the names of the groups, and what each of them brought to the pool."""
    known = groups or {}
    for run in pool.runs:
        if run not in known and run in known.values():
            raise UsageError(f"run {run!r} is in no group, and a group has the same name: give it a group")
    group = [known.get(run, run) for run in pool.runs]
    names = list(dict.fromkeys(group))
    return names, LeftOut.of(pool.rankings, [names.index(name) for name in group], depth)
