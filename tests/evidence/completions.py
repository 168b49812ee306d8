"""Small collections as evidence, and every completion of the judgments of two of their systems."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.conftest import Qrels, RunDict
from tests.evidence.small_collections import shared_of
from unjudged.base.segments import Floats, Integers, Mask, ends
from unjudged.evidence.filled import anonymous
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import JudgedRankings

Several = tuple[Qrels, dict[str, RunDict]]
Grades = NDArray[np.int32]

depths = st.one_of(st.none(), st.integers(1, 4))


def evidence_of(collection: Several, name: str, depth: int | None = None) -> RankingsEvidence:
    """Return what is known of these runs by a measure; `depth` is that of the pool."""
    (measure,) = parse_measures(name)
    shared = shared_of(*collection)
    scores = measure.averaged(shared.per_run(measure.compute(shared.judged_rankings)))
    return RankingsEvidence(shared, measure, np.asarray(scores, float), depth)


def open_rows(shared: SharedRankings, a: int, b: int, depth: int | None) -> Integers:
    """Return the unjudged documents of a pair: those of the pool, and what either has down to its depth."""
    pooled = shared.name < len(shared.original.grade)
    reach = np.inf if depth is None else depth
    retrieved = np.zeros(len(pooled), bool)
    for run in (a, b):
        own = shared.rankings.run(run)
        retrieved[own.row[own.rank <= reach]] = True
    return np.flatnonzero((shared.judgments.grade < 0) & (pooled | retrieved))


@dataclass(frozen=True)
class Completed:
    """Both systems of a pair in many completions of one query: what documents are, and the two scores."""

    grades: Grades
    first: Floats
    second: Floats

    @property
    def differences(self) -> Floats:
        return self.first - self.second


def completed(
    evidence: RankingsEvidence, a: int, b: int, query: int, choices: dict[int, tuple[int, ...]]
) -> Completed:
    """Score a pair on a query in all completions: each of these rows of the pool has one of its grades."""
    shared, measure = evidence.whole, evidence.measure
    pool = shared.judgments
    start, stop = pool.offsets[query : query + 2].tolist()
    rows = [row for row in choices if start <= row < stop]
    ways = np.array(list(product(*(choices[row] for row in rows))), np.int32)
    grades = np.tile(pool.grade[start:stop], (len(ways), 1))
    grades[:, np.array(rows, int) - start] = ways
    scores = []
    for run in (a, b):
        own = shared.rankings.run(run).between(query, query + 1)
        scores.append(measure.averaged(measure.compute(_copies(own, start, grades))))
    return Completed(grades, *scores)


def _copies(one: JudgedRankings, start: int, grades: Grades) -> JudgedRankings:
    """Return a ranking once for each row of grades of its query's documents."""
    copies, documents = grades.shape
    further = documents * np.arange(copies)[:, None]
    return JudgedRankings(
        judgments=anonymous(ends(np.full(copies, documents)), grades.ravel()),
        rank=np.tile(one.rank, copies),
        row=(one.row - start + further).astype(np.int32).ravel(),
        offsets=ends(np.full(copies, len(one.rank))),
        retrieved=np.repeat(one.retrieved, copies),
        query=np.arange(copies, dtype=np.int32),
    )


def every_completion(evidence: RankingsEvidence, a: int, b: int, closed: int = -1) -> list[Completed]:
    """Complete the judgments of a pair in every way, on each query.

    What either has below the depth of the pool has the grade `closed`; others are not judged.
    """
    shared = evidence.whole
    grades = tuple(range(evidence.measure.max_grade(shared.original) + 1))
    choices: dict[int, tuple[int, ...]] = dict.fromkeys(open_rows(shared, a, b, None).tolist(), (closed,))
    choices |= dict.fromkeys(open_rows(shared, a, b, evidence.depth).tolist(), grades)
    return [completed(evidence, a, b, query, choices) for query in range(len(evidence.queries))]


def favouring_rows(evidence: RankingsEvidence, ahead: int, behind: int) -> Mask:
    """Return the open documents that the run behind ranks higher than the other, or alone retrieves."""
    shared, cutoff = evidence.whole, evidence.measure.given.get("cutoff", np.inf)
    ranks = np.full((2, len(shared.judgments.grade)), np.inf)
    for k, run in enumerate((ahead, behind)):
        own = shared.rankings.run(run)
        reached = own.rank <= cutoff
        ranks[k, own.row[reached]] = own.rank[reached]
    found = np.zeros(len(shared.judgments.grade), bool)
    found[open_rows(shared, ahead, behind, evidence.depth)] = True
    favours: Mask = found & (ranks[1] < ranks[0])
    return favours
