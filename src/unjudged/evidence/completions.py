"""Completions of the judgments: each unjudged document has a grade, at random or as it was chosen.

A document of the pool is equally relevant to a query whichever run retrieved it. Many completions of the same
rankings are scored at once, end to end, as one set of rankings.

Random ones follow a prevalence, the probability that an unjudged document is relevant. A document's draws
depend on its identity and the seed alone: not on the other documents, the number of runs, the number of
threads or the size of a batch. Only relevant documents are enumerated, by the gaps between them, so one that
stays nonrelevant costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from os import cpu_count
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import (
    Floats,
    Integers,
    Mask,
    count_before,
    ends,
    numbered,
    owners,
    ranges,
    stable_order,
)
from unjudged.base.threads import Threads
from unjudged.evidence.filled import Filled, anonymous
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import Numbers, hashes, mixed, salt, uniforms

BATCH_ELEMENTS = 1 << 18
ENOUGH_GRADES = 10
"""A query with fewer relevant judged documents takes the grades of all queries."""
MOST_THREADS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Completions:
    """The rankings of one run, in which every unknown document has a row.

    `row` are these rows, in ascending order of their queries; `identity` are numbers that decide their draws.
    """

    rankings: JudgedRankings
    row: Integers
    identity: Numbers
    prevalence: Prevalence
    rel: int = 1
    seed: int = 0

    @classmethod
    def of_run(cls, r: JudgedRankings, given: GivenPrevalence, *, rel: int = 1, seed: int = 0) -> Completions:
        """Completions of one run, whose documents outside the pool are known by query and rank only."""
        filled = Filled.of(r)
        pool, own = filled.rankings.judgments, r.judgments
        rank = np.repeat(r.retrieved.astype(np.int64) + 1, np.diff(pool.offsets))
        rank[filled.rankings.row] = filled.rankings.rank
        row = np.flatnonzero(pool.grade < 0)
        row = row[np.lexsort((rank[row], pool.query[row]))]
        ranking = pool.query[row]
        query = r.query[ranking].astype(np.int64)
        local = row - pool.offsets[ranking]
        pooled = local < np.diff(own.offsets)[query]
        names = hashes(own.queries, salt("query"))[query]
        identity = mixed(names + rank[row].astype(np.uint64))
        source = (own.offsets[query] + local)[pooled]
        identity[pooled] = mixed(names[pooled] ^ hashes(own.documents.take(source), salt("document")))
        return cls(filled.rankings, row, identity, given_prevalence(given, rank[row]), rel, seed)

    def values(self, measure: Measure, draws: int) -> Floats:
        """Return draws x rankings: the values in this number of completions."""
        batched = Batched.of(measure, self.rankings, self.row)
        batch = int(max(1, min(draws, BATCH_ELEMENTS // max(self._elements_per_draw, 1))))
        found, done = [], 0
        for drawn in drawn_relevant(self.identity, self.prevalence.chance, draws, batch, self.seed):
            size = min(batch, draws - done)
            grade = self._grades(drawn.document, drawn.share)
            found.append(batched.values(Grades(drawn.completion - done, drawn.document, grade, size)))
            done += size
        return np.concatenate(found)

    @property
    def _elements_per_draw(self) -> float:
        """About how many elements the rankings of one completion have."""
        known = int((self.rankings.judgments.grade >= self.rel).sum())
        share = len(self.rankings.rank) / max(len(self.rankings.judgments.grade), 1)
        return (known + float(self.prevalence.chance.sum())) * max(share, 1.0)

    def _grades(self, document: Integers, share: Floats) -> NDArray[np.int32]:
        """Grades of relevant documents, drawn from the relevant judged documents of the query."""
        grades, first, count = self._grade_table
        query = self.rankings.judgments.query[self.row[document]]
        place = first[query] + np.minimum((share * count[query]).astype(np.int64), count[query] - 1)
        return grades[place].astype(np.int32)

    @cached_property
    def _grade_table(self) -> tuple[np.ndarray, Integers, Integers]:
        """Relevant grades query by query, then of all; where each query's begin, and how many."""
        pool = self.rankings.judgments
        relevant = np.flatnonzero(pool.grade >= self.rel)
        query = pool.query[relevant]
        order = relevant[np.lexsort((pool.grade[relevant], query))]
        count = np.bincount(query, minlength=len(pool.queries))
        first = ends(count)[:-1]
        every = np.sort(pool.grade[relevant]) if len(relevant) else np.array([self.rel], np.int32)
        few = count < ENOUGH_GRADES
        return (
            np.concatenate([pool.grade[order], every]),
            np.where(few, len(order), first),
            np.where(few, len(every), count),
        )


@dataclass(frozen=True, eq=False)
class Grades:
    """`document[i]` has `grade[i]` in completion `completion[i]` of `size`, in ascending order of both."""

    completion: Integers
    document: Integers
    grade: NDArray[np.int32]
    size: int


@dataclass(frozen=True, eq=False)
class Batched:
    """Rankings, and `row`, the rows of their unknown documents, in ascending order of their queries.

    By a `sparse` measure only relevant documents count, down to the cutoff: the known ones, and those that
    turn out so. By others every document counts in each completion, and unknown ones that have no grade are
    nonrelevant, or with `partial` not judged.
    """

    measure: Measure
    rankings: JudgedRankings
    row: Integers
    sparse: bool
    partial: bool = False

    @classmethod
    def of(cls, measure: Measure, rankings: JudgedRankings, row: Integers) -> Batched:
        """Most measures need no document of grade 0; whether this one does is tried out."""
        return cls(measure, rankings, row, needs_relevant_alone(measure, rankings))

    def values(self, given: Grades) -> Floats:
        """Return completions x rankings."""
        completed = self.relevant(given) if self.sparse else self._every(given)
        return self.measure.compute(completed).reshape(given.size, -1)

    def _every(self, given: Grades) -> JudgedRankings:
        """Return the rankings once for each completion, with all of its grades."""
        r, pool, size = self.rankings, self.rankings.judgments, given.size
        rows, copies = len(pool.grade), np.arange(size)[:, None]
        grades = np.tile(pool.grade if self.partial else np.maximum(pool.grade, 0), size)
        grades[given.completion * rows + self.row[given.document]] = given.grade
        judgments = anonymous(ends(np.tile(np.diff(pool.offsets), size)), grades)
        row = (r.row[None, :] + rows * copies).ravel()
        return self._copies(judgments, np.tile(r.rank, size), row, np.tile(r.counts, size), size)

    def relevant(self, given: Grades) -> JudgedRankings:
        """Return the relevant documents of the rankings: those given are put between those known."""
        r, known, size = self.rankings, self._known, given.size
        judgments, row_of_given = self._pool(given)
        first, count, elements = self._elements
        counts = count[given.document]
        which, element = owners(counts), elements[ranges(first[given.document], counts)]
        at = given.completion[which]
        order = np.argsort(at * len(r.rank) + element)
        which, element, at = which[order], element[order], at[order]
        place = np.arange(len(which)) + at * len(known.element) + known.before[element]
        rank = np.empty(len(which) + size * len(known.element), np.int32)
        row = np.empty(len(rank), np.int32)
        rank[place], row[place] = r.rank[element], row_of_given[which]
        known_place = _others(place, len(rank))
        rank[known_place] = np.tile(known.rank, size)
        starts = judgments.offsets[:-1].astype(np.int32).reshape(size, -1)
        row[known_place] = (starts.take(known.query, axis=1) + known.local).ravel()
        ranking = at * len(r) + r.ranking[element]
        counts = np.tile(known.per_ranking, size) + np.bincount(ranking, minlength=len(r) * size)
        return self._copies(judgments, rank, row, counts, size)

    def _pool(self, given: Grades) -> tuple[Judgments, Integers]:
        """Return judgments of the relevant documents, known ones first, and the row of each given one."""
        known, queries = self._known, len(self.rankings.judgments.queries)
        query = self.rankings.judgments.query[self.row[given.document]]
        group = given.completion * queries + query
        added = np.bincount(group, minlength=queries * given.size)
        before = np.tile(known.per_query, given.size)
        offsets = ends(before + added)
        row = (offsets[:-1] - ends(added)[:-1] + before)[group] + np.arange(len(group))
        grade = np.empty(int(offsets[-1]), np.int32)
        grade[row] = given.grade
        grade[_others(row, len(grade))] = np.tile(known.grade, given.size)
        return anonymous(offsets, grade), row

    def _copies(
        self,
        judgments: Judgments,
        rank: NDArray[np.int32],
        row: NDArray[np.integer],
        counts: Integers,
        size: int,
    ) -> JudgedRankings:
        """Return the rankings once for each completion, with these rows of its judgments."""
        queries = len(self.rankings.judgments.queries)
        query = self.rankings.query[None, :] + queries * np.arange(size, dtype=np.int32)[:, None]
        return JudgedRankings(
            judgments=judgments,
            rank=rank,
            row=row.astype(np.int32, copy=False),
            offsets=ends(counts),
            retrieved=np.tile(self.rankings.retrieved, size),
            query=query.ravel().astype(np.int32),
        )

    @cached_property
    def _known(self) -> _Known:
        """The relevant documents that are known, and where they stand in the rankings."""
        r, pool = self.rankings, self.rankings.judgments
        relevant = np.flatnonzero(pool.grade > 0)
        first = np.searchsorted(relevant, pool.offsets)
        new_row = numbered(relevant, len(pool.grade)).astype(np.int32)
        known = (new_row[r.row] >= 0) & (r.rank <= cutoff_of(self.measure))
        element = np.flatnonzero(known)
        query = r.query[r.ranking[element]].astype(np.int64)
        return _Known(
            grade=pool.grade[relevant],
            per_query=np.diff(first),
            element=element,
            rank=r.rank[element],
            query=query,
            local=(new_row[r.row[element]] - first[query]).astype(np.int32),
            per_ranking=np.bincount(r.ranking[element], minlength=len(r)),
            before=count_before(known),
        )

    @cached_property
    def _elements(self) -> tuple[Integers, Integers, Integers]:
        """Where the elements of each unknown document begin in the list, how many they are, and the list."""
        r = self.rankings
        number = numbered(self.row, len(r.judgments.grade)).astype(np.int32)
        wanted: Mask = (number[r.row] >= 0) & (r.rank <= cutoff_of(self.measure))
        element = np.flatnonzero(wanted)
        document = number[r.row[element]]
        count = np.bincount(document, minlength=len(self.row))
        return ends(count)[:-1], count, element[stable_order(document)]


@dataclass(frozen=True, eq=False)
class _Known:
    """Known relevant documents: grades query by query, and the elements that show them."""

    grade: NDArray[np.int32]
    per_query: Integers
    element: Integers
    rank: NDArray[np.int32]
    query: Integers
    local: NDArray[np.int32]
    per_ranking: Integers
    before: NDArray[np.int32]
    """For each element of the rankings, how many of these come before it."""


def needs_relevant_alone(measure: Measure, rankings: JudgedRankings) -> bool:
    """Whether a measure is computed from relevant documents alone if no unjudged one is relevant."""
    pool = rankings.judgments
    traits = measure.traits_up_to(measure.max_grade(pool))
    if not (traits.pointwise or traits.diluted) or traits.skips_unjudged:
        return False
    nonrelevant = rankings.relabelled(pool.with_grades(np.maximum(pool.grade, 0)))
    top = nonrelevant.where((nonrelevant.labels > 0) & (nonrelevant.rank <= cutoff_of(measure)))
    return np.array_equal(measure.compute(top), measure.compute(nonrelevant), equal_nan=True)


def cutoff_of(measure: Measure) -> float:
    """Return the rank below which nothing counts."""
    return float(measure.given.get("cutoff", inf)) if measure.traits.at == "cutoff" else inf


def _others(places: Integers, size: int) -> Integers:
    """Return the places from 0 to `size` that are not among these."""
    other = np.ones(size, bool)
    other[places] = False
    return np.flatnonzero(other)


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the results of the work on each item, in their order."""
    with Threads(min(MOST_THREADS, cpu_count() or 1)) as threads:
        yield from threads.map(work, items)


AT_ONCE = 1 << 14
"""How many steps of documents are computed together."""

GivenPrevalence = float | Sequence[float]
"""A probability, or a probability per rank band 1, 2, 3-4, 5-8, ..."""


class Prevalence(NamedTuple):
    """The probability of each document, and where it is from."""

    chance: Floats
    assumption: str


def given_prevalence(given: GivenPrevalence, rank: Integers) -> Prevalence:
    """Return the prevalence of documents at these ranks by a number, or by a number per rank band."""
    values = np.atleast_1d(np.asarray(given, float))
    if not (values.ndim == 1 and len(values) and (values >= 0).all() and (values <= 1).all()):
        raise UsageError(f"prevalence is {given!r}: use a probability from 0 to 1, or one per rank band")
    if len(values) == 1:
        return Prevalence(np.full(len(rank), values[0]), f"given prevalence {values[0]:g}")
    shown = ", ".join(f"{value:.3g}" for value in values)
    chance = values[np.minimum(band_of(rank), len(values) - 1)]
    return Prevalence(chance, f"given prevalence {shown} at ranks 1, 2, 3-4, 5-8, ...")


def band_of(rank: ArrayLike) -> Integers:
    """Return the band of each rank: 0 for rank 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ..."""
    band: Integers = np.ceil(np.log2(np.maximum(np.asarray(rank, float), 1))).astype(np.int64)
    return band


class DrawnRelevant(NamedTuple):
    """Relevant documents of some completions: `document[i]` is relevant in completion `completion[i]`.

    `share` is a uniform number that decides the document's grade there.
    """

    completion: Integers
    document: Integers
    share: Floats


def drawn_relevant(
    identity: Numbers, chance: Floats, completions: int, batch: int, seed: int
) -> Iterator[DrawnRelevant]:
    """Documents that are relevant, in batches of completions, sorted by completion, then by document."""
    gaps, grading = salt(seed, "gap"), salt(seed, "grade")
    document = np.flatnonzero(chance > 0)
    chance, own = chance[document], identity[document]
    with np.errstate(divide="ignore"):
        scale = 1 / np.log1p(-chance)
    step = np.zeros(len(document), np.int64)
    position = _gap(uniforms(own, gaps, step), scale) - 1
    none = np.zeros(0, np.int64)
    for first in range(0, completions, batch):
        last = min(first + batch, completions)
        found = [(none, none, none)]
        which = np.flatnonzero(position < last)
        at, steps = position[which], step[which]
        while len(which):
            ahead = _steps_ahead(last - at, chance[which])
            following = steps[:, None] + np.arange(1, ahead + 1)
            gap = _gap(uniforms(own[which][:, None], gaps, following), scale[which][:, None])
            places = np.cumsum(np.concatenate([at[:, None], gap], axis=1), axis=1)  # documents x steps
            inside = places < last
            row, more = np.nonzero(inside[:, :ahead])
            found.append((places[row, more], which[row], steps[row] + more))
            passed = np.minimum(inside.sum(axis=1), ahead)
            at, steps = places[np.arange(len(which)), passed], steps + passed
            position[which], step[which] = at, steps
            again = np.flatnonzero(at < last)
            which, at, steps = which[again], at[again], steps[again]
        at, which, steps = map(np.concatenate, zip(*found, strict=True))
        order = np.argsort((at - first) * len(document) + which)
        at, which, steps = at[order], document[which[order]], steps[order]
        yield DrawnRelevant(at, which, uniforms(identity[which], grading, steps))


def _steps_ahead(completions: Integers, chance: Floats) -> int:
    """How many relevant completions of each document are looked for at once: those to expect, within reason.

    Looking for many at once takes memory, and for one at a time as many turns as a document has of them.
    """
    expected = 1 + float((completions * chance).max())
    return int(min(expected, max(1, AT_ONCE // len(completions))))


def _gap(uniform: Floats, scale: Floats) -> Integers:
    """How many completions until the next in which the document is relevant: geometric."""
    gap: Integers = np.minimum(1 + np.floor(np.log(uniform) * scale), 2.0**40).astype(np.int64)
    return gap
