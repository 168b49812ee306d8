"""A pool: judgments, and the ranks at which runs have their documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import UsageError
from unjudged.evaluation import RunsSource, judged_rankings, name_runs
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.judging import sampling
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.runs import Run

NOT_RETRIEVED = np.iinfo(np.int32).max
REST = float("inf")


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Shown):
    """Judgments and the runs that their documents came from: what a judgment design chooses from.

    Each design gives judgments of the same pool, in which the documents that it does not choose are pooled
    and not judged (-1); what was not judged stays so. `stratum` and `probability` record how the judged were
    chosen, for the measures that ask.

    >>> from unjudged import sample
    >>> pool = Pool.of(sample.qrels, sample.runs)
    >>> pool.depth(5)
    Judgments(30 queries, 671 judged documents, 214 relevant, 1459 pooled but not judged)
    >>> pool.random(0.1, seed=1)
    Judgments(30 queries, 162 judged documents, 47 relevant, 1968 pooled but not judged)
    """

    judgments: Judgments
    matched: JudgedRankings | None = None
    runs: Sequence[str] = ()

    @classmethod
    def of(cls, qrels: JudgmentsSource, runs: RunsSource | None = None) -> Pool:
        """From judgments and runs; random samples can do without the runs."""
        judgments = Judgments.of(qrels)
        if runs is None:
            return cls(judgments)
        named = name_runs(runs)
        return cls(judgments, judged_rankings(judgments, named), list(named))

    @classmethod
    def of_runs(
        cls, runs: RunsSource, depth: int = 100, *, on_read: Callable[[str], None] | None = None
    ) -> Pool:
        """The documents among the first `depth` of any run, none of them judged, sorted by name.

        >>> from unjudged import sample
        >>> Pool.of_runs(sample.runs, depth=10).judgments
        Judgments(30 queries, 0 judged documents, 0 relevant, 1423 pooled but not judged)
        """
        _check_depth(depth)
        read = {}
        for name, source in name_runs(runs).items():
            read[name] = Run.of(source)
            if on_read is not None:
                on_read(name)
        judgments = Judgments.of(documents_of(read.values(), depth))
        return cls(judgments, judged_rankings(judgments, read), list(read))

    def grid(self) -> Grid:
        """How many queries, documents, judgments and runs the pool has."""
        grade = self.judgments.grade
        counts = {
            "queries": len(self.judgments.queries),
            "documents": len(grade),
            "judged": int((grade >= 0).sum()),
            "relevant": int((grade >= 1).sum()),
            "runs": len(self.runs),
        }
        return Grid([Column(name, "integer") for name in counts], [list(counts.values())], "Pool")

    @property
    def rankings(self) -> JudgedRankings:
        """The rankings of the runs."""
        if self.matched is None:
            raise UsageError("this looks at ranks: give the runs of the pool")
        return self.matched

    @cached_property
    def best(self) -> NDArray[np.int32]:
        """The best rank that any run gives each document of the pool."""
        best = np.full(len(self.judgments.grade), NOT_RETRIEVED, np.int32)
        np.minimum.at(best, self.rankings.row, self.rankings.rank)
        return best

    @cached_property
    def _identity(self) -> sampling.Numbers:
        return sampling.identities(self.judgments)

    @cached_property
    def _query_identity(self) -> sampling.Numbers:
        return sampling.identities_of(self.judgments.queries.tolist())

    def depth(self, k: int) -> Judgments:
        """Judged are the documents among the first `k` of any run."""
        _check_depth(k)
        return self._design(self.best <= k)

    def random(self, share: float, *, seed: int = 0, redraw: bool = True, rel: int = 1) -> Judgments:
        """Judged is a uniform sample, this share of each query's judged documents.

        With `redraw`, a sample without any relevant document (of grade `rel`) is drawn again where the query
        has one, as Yilmaz and Aslam (2008) did. How likely a document is to be judged then depends on how
        many relevant ones there are, so no `probability` is recorded.
        """
        _check_share(share)
        chosen, probability = self._sample(np.ones_like(self.judgments.grade), np.array([share]), seed)
        if redraw:
            return self._design(self._redrawn(chosen, rel, seed))
        return replace(self._design(chosen), probability=probability)

    def _redrawn(self, chosen: Mask, rel: int, seed: int) -> Mask:
        judged = np.flatnonzero(self.judgments.grade >= 0)
        chance = sampling.uniforms(sampling.numbers(self._query_identity, seed, "redraw"))
        result = chosen.copy()
        result[judged] = sampling.redrawn(
            chosen[judged],
            self.judgments.grade[judged] >= rel,
            self.judgments.query[judged],
            sampling.numbers(self._identity, seed, "redraw")[judged],
            chance,
        )
        return result

    def mixed(self, k: int, *, seed: int = 0) -> Judgments:
        """Judged is the depth-`k` pool and as many documents drawn at random from the rest of the query."""
        _check_depth(k)
        stratum = np.where(self.best <= k, 1, 2)
        judged = self.judgments.grade >= 0
        query, queries = self.judgments.query, len(self.judgments.queries)
        top, rest = (np.bincount(query[judged & (stratum == s)], minlength=queries) for s in (1, 2))
        share = np.minimum(top, rest) / np.maximum(rest, 1)
        return self._stratified(stratum, np.stack([np.ones(queries), share], axis=1), seed)

    def stratified(self, strata: Mapping[float, float] | Mapping[int, float], *, seed: int = 0) -> Judgments:
        """Judged is a sample with a share of its own for each depth: `{10: 1.0, 50: 0.3, inf: 0.1}`.

        Stratum 1 are the documents among the first 10 of any run, stratum 2 the others among the first 50,
        stratum 3 the rest.

        >>> from unjudged import sample
        >>> drawn = Pool.of(sample.qrels, sample.runs).stratified({5: 1.0, REST: 0.2}, seed=1)
        >>> sorted(set(drawn.stratum.tolist()))
        [1, 2]
        """
        by_end = {float(end): share for end, share in strata.items()}
        ends = sorted(by_end)
        if not ends:
            raise UsageError("no stratum given, expected depths and shares")
        for end in ends:
            _check_share(by_end[end], lowest=0.0)
            if end < 1:
                raise UsageError(f"a stratum ends at depth {end:g}, expected at least 1")
        stratum = 1 + np.searchsorted(np.array(ends), self.best)
        shares = [by_end[end] for end in ends]
        if ends[-1] < REST:
            shares.append(0.0)
        return self._stratified(np.minimum(stratum, len(shares)), np.array(shares), seed)

    def _stratified(self, stratum: Integers, shares: Floats, seed: int) -> Judgments:
        strata = stratum.astype(np.int32)
        chosen, probability = self._sample(strata, shares, seed)
        return replace(self._design(chosen), stratum=strata, probability=probability)

    def _sample(self, stratum: NDArray[np.int32], shares: Floats, seed: int) -> tuple[Mask, Floats]:
        """What is chosen of each query's strata, and how likely each document was to be.

        `shares` has one number for each stratum, or one for each query and stratum. They are of the judged
        documents; the probability is of those of the pool, judged to begin with or not.
        """
        queries, strata = len(self.judgments.queries), shares.shape[-1]
        judged = np.flatnonzero(self.judgments.grade >= 0)
        cell = self.judgments.query * strata + (stratum - 1)
        sizes = np.bincount(cell[judged], minlength=queries * strata)
        wanted = sampling.rounded(np.broadcast_to(shares, (queries, strata)).ravel(), sizes)
        number = sampling.numbers(self._identity, seed)
        chosen = np.zeros(len(cell), bool)
        chosen[judged] = sampling.smallest(number[judged], cell[judged], wanted)
        pooled = np.bincount(cell, minlength=queries * strata)
        return chosen, (wanted / np.maximum(pooled, 1))[cell]

    def _design(self, chosen: Mask) -> Judgments:
        unjudged = np.minimum(self.judgments.grade, UNSAMPLED)
        return replace(
            self.judgments,
            grade=np.where(chosen, self.judgments.grade, unjudged).astype(np.int32),
            stratum=None,
            probability=None,
        )


def documents_of(runs: Iterable[Run], depth: int) -> dict[str, dict[str, int]]:
    """The first documents of every run, by query, sorted by name; each one not judged."""
    found: dict[str, set[str]] = {}
    depth = min(depth, NOT_RETRIEVED)
    for run in runs:
        top = np.arange(len(run.documents)) - np.repeat(run.offsets[:-1], np.diff(run.offsets)) < depth
        names = run.documents.take(np.flatnonzero(top))
        ends = np.concatenate([[0], np.cumsum(np.minimum(np.diff(run.offsets), depth))]).tolist()
        documents = list(names)
        for q, query in enumerate(run.queries):
            found.setdefault(query, set()).update(documents[ends[q] : ends[q + 1]])
    return {query: dict.fromkeys(sorted(documents), UNSAMPLED) for query, documents in found.items()}


def _check_depth(depth: int) -> None:
    if depth < 1:
        raise UsageError(f"depth is {depth}, expected a whole number of at least 1")


def _check_share(share: float, lowest: float = 1e-300) -> None:
    if not lowest <= share <= 1:
        raise UsageError(f"share is {share:g}, expected a number above 0 and up to 1 (0.1 for 10 %)")
