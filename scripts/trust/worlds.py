"""Coverage in simulated collections, where the truth is known.

Rankings of 30 documents, each relevant with the prevalence of its rank band; a few more relevant documents
were judged and not retrieved. In the world `flat` the prevalence is the same at all ranks, in `falling` it
falls; in both a random 60 % of the ranking is judged. In `pool` it falls too, and the first ten documents and
a random 20 % of the rest are judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from held import Held

from unjudged.base.segments import Floats, Integers, Mask, ends
from unjudged.data.tables import Ids
from unjudged.evidence.completions import GivenPrevalence, band_of
from unjudged.evidence.contrast import alone
from unjudged.evidence.intervals import Asked, How
from unjudged.evidence.rankings_evidence import RankingsEvidence, StreamedRankings
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import PooledDocuments

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")
SIZES = (5, 10, 25, 50)
LENGTH, UNRETRIEVED, REPETITIONS, POPULATION = 30, 3.0, 250, 40_000
DRAWS = 500
FIELDS = {"bounds": "", "queries": "query_", "model": "estimate_"}
"""How the fields with the ends of each method begin."""
LEVEL = 0.95
ROUNDING = 1e-9
PREVALENCE: dict[str, GivenPrevalence] = {
    "flat": 0.2,
    "falling": [0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
    "pool": [0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
}
ASKED = (("bounds", False), ("queries", False), ("model", True))
"""Interval methods, and whether they are given the prevalence, which is the true one."""


@dataclass(frozen=True, eq=False)
class Queries:
    """Grades of ranked documents, which of them are judged, and how many relevant ones were not retrieved."""

    grade: Integers
    judged: Mask
    unretrieved: Integers

    @classmethod
    def drawn(cls, world: str, queries: int, rng: np.random.Generator) -> Queries:
        chance = np.atleast_1d(np.asarray(PREVALENCE[world], float))
        rank = np.arange(1, LENGTH + 1)
        probability = chance[np.minimum(band_of(rank), len(chance) - 1)]
        grade = (rng.random((queries, LENGTH)) < probability).astype(np.int64)
        judged = rng.random((queries, LENGTH)) < (0.2 if world == "pool" else 0.6)
        if world == "pool":
            judged[:, :10] = True
        return cls(grade, judged, rng.poisson(UNRETRIEVED, queries))

    def rankings(self, *, complete: bool) -> JudgedRankings:
        """One run; documents that are not judged are not in the pool."""
        seen = np.ones_like(self.judged) if complete else self.judged
        query, place = np.nonzero(seen)
        counts = seen.sum(axis=1)
        offsets = ends(counts + self.unretrieved)
        row = offsets[query] + np.arange(len(query)) - (np.cumsum(counts) - counts)[query]
        grades = np.ones(int(offsets[-1]), np.int32)
        grades[row] = self.grade[query, place]
        names = Ids.of([f"q{i}".encode() for i in range(len(seen))])
        unnamed = PooledDocuments.unnamed(offsets).documents
        return JudgedRankings(
            judgments=Judgments(PooledDocuments(names, offsets, unnamed), grades),
            rank=(place + 1).astype(np.int32),
            row=row.astype(np.int32),
            offsets=ends(counts),
            retrieved=np.full(len(seen), LENGTH, np.int32),
            query=np.arange(len(seen), dtype=np.int32),
        )


def _values(rankings: JudgedRankings, measures: Sequence[Measure]) -> Floats:
    return np.stack([measure.compute(rankings) for measure in measures], axis=-1)


def simulated_coverage(world: str, queries: int) -> list[Held]:
    """Every method in one world with so many queries."""
    measures = parse_measures(MEASURES)
    rng = np.random.default_rng([len(world), queries])
    all_queries = Queries.drawn(world, POPULATION, rng)
    population = _values(all_queries.rankings(complete=False), measures).mean(axis=0)
    held = np.zeros((REPETITIONS, len(ASKED), len(measures)), bool)
    width = np.zeros(held.shape)
    for repetition in range(REPETITIONS):
        sample = Queries.drawn(world, queries, rng)
        rankings = sample.rankings(complete=False)
        truth = {
            "bounds": _values(sample.rankings(complete=True), measures).mean(axis=0),
            "queries": population,
        }
        truth["model"] = truth["bounds"]
        streamed = StreamedRankings.of(rankings)
        contrasts = [alone(RankingsEvidence.of(streamed, measure)) for measure in measures]
        for k, (method, given) in enumerate(ASKED):
            named = f"prevalence={PREVALENCE[world]}, draws={DRAWS}" if given else ""
            asked = Asked.of(f"{method}({named})", How(LEVEL, repetition))
            made: list[Any] = [asked.columns(contrast) for contrast in contrasts]
            low, high = (np.array([own[FIELDS[method] + end][0] for own in made]) for end in ("low", "high"))
            held[repetition, k] = (low <= truth[method] + ROUNDING) & (truth[method] <= high + ROUNDING)
            width[repetition, k] = high - low
    return [
        Held(
            "simulated",
            f"{world}, {method}, {queries} queries",
            str(measure),
            1.0 if method == "bounds" else LEVEL,
            float(held[:, k, i].mean()),
            REPETITIONS,
            float(width[:, k, i].mean()),
        )
        for k, (method, _) in enumerate(ASKED)
        for i, measure in enumerate(measures)
    ]
