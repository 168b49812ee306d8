"""A pool: judgments, and the ranks at which runs retrieve their documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError, quoted
from unjudged.collection.collection import RunsSource, judged_rankings, name_runs
from unjudged.judging import sampling
from unjudged.judging.sampling import checked_depth, checked_share
from unjudged.measures.kernel.estimand import TAKING_AWAY, check_use
from unjudged.rankings.coverage import in_order
from unjudged.rankings.extension import documents_of
from unjudged.rankings.hashing import Numbers, unit
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.origin import A_POOL, A_SAMPLE, POOL, STRATIFIED, Origin
from unjudged.rankings.runs import Run

NOT_RETRIEVED = np.iinfo(np.int32).max
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
    def of(
        cls,
        qrels: JudgmentsSource,
        runs: RunsSource | None = None,
        *,
        on_read: Callable[[str], None] | None = None,
    ) -> Pool:
        """From judgments and runs; random samples do not need the runs."""
        judgments = Judgments.whole(qrels)
        if runs is None:
            return cls(judgments)
        named = in_order(judgments, name_runs(runs))
        return cls(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))

    @classmethod
    def of_runs(
        cls, runs: RunsSource, depth: int = 100, *, on_read: Callable[[str], None] | None = None
    ) -> Pool:
        """Return the documents among the first `depth` of any run, all unjudged, sorted by name.

        >>> from unjudged import sample
        >>> Pool.of_runs(sample.runs, depth=10).judgments
        Judgments(30 queries, 0 judged documents, 0 relevant, 1423 pooled but not judged)
        """
        depth = checked_depth(depth)
        read = {}
        for name, source in name_runs(runs).items():
            read[name] = Run.of(source)
            if on_read is not None:
                on_read(name)
        judgments = Judgments.of(documents_of(read.values(), depth))
        judgments = replace(judgments, origin=Origin(POOL, depth))
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
        return sampling.identities(self.judgments)

    @cached_property
    def _query_identity(self) -> Numbers:
        return sampling.identities_of(self.judgments.queries.tolist())

    @cached_property
    def blank(self) -> Pool:
        """The same pool with grade 0 everywhere: what a design draws from before anyone has judged."""
        grade = np.zeros_like(self.judgments.grade)
        return replace(self, judgments=replace(self.judgments.with_grades(grade), origin=A_POOL))

    def depth(self, k: int, seed: int = 0) -> Judgments:  # noqa: ARG002 (designs have a seed)
        """Judge the documents among the first `k` of any run.

        Where some of them are unjudged, the result is no pool of that depth: its origin is that of these
        judgments.
        """
        k = checked_depth(k)
        within: Mask = self.best <= k
        complete = bool((self.judgments.grade[within] >= 0).all())
        return self.only(within, Origin(POOL, k) if complete else self.judgments.origin)

    def uniform(self, share: float, seed: int = 0, *, redraw: bool = True, rel: int = 1) -> Judgments:
        """Judge a uniform sample: this share of each query's judged documents.

        With `redraw`, a sample without any relevant document (of grade `rel`) is drawn again if the query
        has one, as Yilmaz and Aslam (2008) did. The probability that a document is judged then depends on
        the number of relevant documents, so no `probability` is recorded.
        """
        share, seed, query = checked_share(share), checked_int("seed", seed), self.judgments.query
        wanted = sampling.rounded(share, self.judgments.count(0))
        chosen: Mask = self._places(seed) < wanted[query]
        if redraw:
            return self.only(self._redrawn(chosen, rel, seed), A_SAMPLE)
        probability = wanted / np.maximum(np.diff(self.judgments.offsets), 1)
        return replace(self.only(chosen, A_SAMPLE), probability=probability[query])

    def _places(self, seed: int) -> Integers:
        """Where each judged document is in the random order of its query; unjudged ones are at no place.

        Those of the last seed are kept, because the samples of all levels are taken from one order.
        """
        kept: tuple[int, Integers] | None = self.__dict__.get("_kept_places")
        if kept is None or kept[0] != seed:
            judged = np.flatnonzero(self.judgments.grade >= 0)
            number = sampling.numbers(self._identity[judged], seed)
            place = np.full(len(self.judgments.grade), np.iinfo(np.int64).max)
            place[judged] = sampling.places(number, self.judgments.query[judged], len(self.judgments.queries))
            kept = self.__dict__["_kept_places"] = seed, place
        return kept[1]

    def _redrawn(self, chosen: Mask, rel: int, seed: int) -> Mask:
        """Sample after the redraw rule, which concerns only queries without a relevant document in it."""
        grade, query = self.judgments.grade, self.judgments.query
        found = np.bincount(query[chosen & (grade >= rel)], minlength=len(self.judgments.queries))
        rows = np.flatnonzero((found == 0)[query] & (grade >= 0))
        result = chosen.copy()
        result[rows] = sampling.redrawn(
            chosen[rows],
            grade[rows] >= rel,
            query[rows],
            sampling.numbers(self._identity[rows], seed, "redraw"),
            unit(sampling.numbers(self._query_identity, seed, "redraw")),
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
        ends = sorted(by_end)
        if not ends:
            raise UsageError("no stratum given, expected depths and shares")
        stratum = 1 + np.searchsorted(np.array(ends), self.best)
        shares = [by_end[end] for end in ends]
        if ends[-1] < REST:
            shares.append(0.0)
        return self._stratified(np.minimum(stratum, len(shares)), np.array(shares), seed)

    def _stratified(self, stratum: Integers, shares: Floats, seed: int) -> Judgments:
        """Judge random shares of each query's strata: one per stratum, or one per query and stratum.

        Shares refer to the judged documents of the stratum, and probabilities to all of its pooled documents,
        judged or not.
        """
        queries, strata = len(self.judgments.queries), shares.shape[-1]
        judged = np.flatnonzero(self.judgments.grade >= 0)
        cell = self.judgments.query * strata + (stratum - 1)
        pooled, sizes = (np.bincount(cells, minlength=queries * strata) for cells in (cell, cell[judged]))
        wanted = sampling.rounded(np.broadcast_to(shares, (queries, strata)).ravel(), sizes)
        number = sampling.numbers(self._identity, checked_int("seed", seed))
        chosen = np.zeros(len(cell), bool)
        chosen[judged] = sampling.smallest(number[judged], cell[judged], wanted)
        probability = (wanted / np.maximum(pooled, 1))[cell]
        origin = Origin(STRATIFIED, self.drawable_to(probability))
        drawn = self.only(chosen, origin)
        return replace(drawn, stratum=stratum.astype(np.int32), probability=probability)

    def drawable_to(self, probability: Floats) -> int | None:
        """Rank to which every document of a run could be drawn; None if every document could be."""
        excluded = self.best[probability == 0]
        deepest = int(self.rankings.retrieved.max(initial=1))
        return min(int(excluded.min()) - 1, deepest) if len(excluded) else None

    def only(self, chosen: Mask, origin: Origin = A_SAMPLE) -> Judgments:
        """Return the same judgments of the chosen rows; all other documents are pooled and unjudged.

        `origin` says how the rows were chosen: at random, unless given. A sample, or documents that were
        chosen, are refused: a part of them would be taken for a part of the pool.

        >>> pool = Pool.of({"q": {"a": 1, "b": 0}})
        >>> pool.only(pool.judgments.grade > 0)
        Judgments(1 query, 1 judged documents, 1 relevant, 1 pooled but not judged)
        """
        if np.shape(chosen) != self.judgments.grade.shape:
            rows = len(self.judgments.grade)
            raise UsageError(f"expected one truth value for each of {rows} rows, got {np.shape(chosen)}")
        check_use(self.judgments, TAKING_AWAY)
        unjudged = np.minimum(self.judgments.grade, UNSAMPLED)
        return replace(
            self.judgments,
            grade=np.where(chosen, self.judgments.grade, unjudged).astype(np.int32),
            stratum=None,
            probability=None,
            origin=origin,
        )


def _end(depth: float) -> float:
    """Where a stratum ends: a number of at least 1, or infinity for the rest."""
    try:
        end = float(depth)
    except (TypeError, ValueError, OverflowError):
        end = 0.0
    if not end >= 1:
        raise UsageError(f"a stratum ends at depth {quoted(str(depth))}, expected a number of at least 1")
    return end
