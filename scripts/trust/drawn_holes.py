"""Runs that few others were pooled with, and what people would say of their unjudged documents.

Five runs of as many groups are the pool; the first documents of each are judged. Three runs of other groups
are new. What these have among their first documents and nobody judged is the frame. The truth is the score
with the whole frame judged; a document without a judgment of the track is not relevant.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.drawn.by_design import Design, Sequential
from unjudged.evidence.drawn.effects import Effects, steps_of
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.judges import Judges, Predictions
from unjudged.evidence.drawn.population import Population
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.extension import extended
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run

POOLED, NEW = 5, 3
Grades = dict[str, dict[str, int]]


@dataclass(frozen=True, eq=False)
class Track:
    """Judgments, rankings of the pooled runs to the depth of the pool, their groups, and models' labels."""

    name: str
    depth: int
    rel: int
    grades: Grades
    rankings: dict[str, dict[str, list[str]]]
    group: dict[str, str]
    models: dict[str, Path]

    @classmethod
    def trec8(cls, folder: Path, depth: int = 30) -> Track:
        """All topics of TREC-8, with 71 pooled runs of 40 groups, pooled to this depth."""
        with (folder / "run-info.tsv").open() as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if row["pooled"] == "yes"]
        files = {row["run"]: folder / "runs" / f"input.{row['run']}.gz" for row in rows}
        grades = grades_of(folder / "qrels.trec8.gz")
        group = {row["run"]: row["group"] for row in rows}
        return cls("TREC-8", depth, 1, grades, rankings_of(files, grades, depth), group, {})

    @classmethod
    def dl2019(cls, folder: Path, rest: int | None = 0) -> Track:
        """Every second topic of DL-2019 by its number, with 37 official runs of 12 groups."""
        home = folder.parent / "dl2019"
        with (home / "track/runs.tsv").open() as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if row["kind"] == "official"]
        files = {row["run"]: home / f"track/runs/{row['run']}.gz" for row in rows}
        every = grades_of(home / "qrels.dl2019-passage.gz")
        grades = {q: own for q, own in every.items() if rest is None or int(q) % 2 == rest}
        models = {
            "Llama": home / "llama70b-scores.tsv.gz",
            "flan-t5": home / "track/flan-t5-scores.tsv.gz",
        }
        group = {row["run"]: row["group"] for row in rows}
        half = {None: "", 0: ", even topics", 1: ", odd topics"}[rest]
        return cls(f"DL-2019{half}", 10, 2, grades, rankings_of(files, grades, 10), group, models)

    def named(self, measure: str) -> str:
        """Return a measure with the track's lowest relevant grade."""
        if self.rel == 1 or measure.startswith("nDCG"):
            return measure
        name, at, cutoff = measure.partition("@")
        kept = name[:-1] + ", " if name.endswith(")") else name + "("
        return f"{kept}rel={self.rel}){at}{cutoff}"

    def judges(self, model: str | None) -> Judges | None:
        """Return the labels of a model."""
        if model is None:
            return None
        scores: dict[str, dict[str, float]] = {}
        with gzip.open(self.models[model], "rt") as lines:
            for query, document, score in csv.reader(lines, delimiter="\t"):
                if query in self.grades:
                    scores.setdefault(query, {})[document] = float(score)
        return Judges.of({model: Predictions.of(scores)})

    def scene(self, rng: np.random.Generator) -> Scene:
        """Choose pooled runs, and new ones of other groups."""
        groups = sorted(set(self.group.values()))
        chosen = rng.permutation(len(groups))[: POOLED + NEW].tolist()
        names = sorted(self.group)
        runs = [str(rng.choice([r for r in names if self.group[r] == groups[g]])) for g in chosen]
        return Scene(self, runs[NEW:], runs[:NEW])


@dataclass(frozen=True, eq=False)
class Scene:
    """A pool of some runs, and those that are asked about."""

    track: Track
    pooled: list[str]
    runs: list[str]

    def of_equals(self) -> Scene:
        """Return two equal systems: each query is there twice, the second time with their labels swapped."""
        track, (a, b) = self.track, self.runs[:2]
        every = {run: track.rankings[run] for run in self.pooled}
        one = {**twice(track.rankings[a]), **again(track.rankings[b])}
        two = {**twice(track.rankings[b]), **again(track.rankings[a])}
        rankings = {run: {**twice(own), **again(own)} for run, own in every.items()} | {"1": one, "2": two}
        grades = {**twice(track.grades), **again(track.grades)}
        doubled = replace(track, grades=grades, rankings=rankings)
        return Scene(doubled, self.pooled, ["1", "2"])

    def frame(self, measure: str, judges: Judges | None, depth: int | None = None) -> Frame:
        """Return the documents that are to be drawn for a measure, with their effects."""
        track, depth = self.track, self.track.depth if depth is None else depth
        known = {
            q: {d: own.get(d, 0) for run in self.pooled for d in track.rankings[run].get(q, [])}
            for q, own in track.grades.items()
        }
        if not self.pooled:  # a pool needs a row of each query
            known = {q: {own[0]: -1} for q, own in track.rankings[self.runs[0]].items()}
        cut = {run: {q: own[:depth] for q, own in track.rankings[run].items()} for run in self.runs}
        made = {
            run: Run.read({q: {d: -float(k) for k, d in enumerate(own)} for q, own in queries.items()})
            for run, queries in cut.items()
        }
        pool = extended(Judgments.read(known), [run.table for run in made.values()])
        shared = SharedRankings.of(pool, made)
        grade = np.array(
            [track.grades[shared.query(row)].get(shared.document(row), 0) for row in range(len(shared.name))],
            np.int32,
        )
        return Frame.of(shared, measure, grade, judges)


@dataclass(frozen=True, eq=False)
class Frame:
    """The unjudged documents of some runs, what each may change of a measure, and the truth."""

    evidence: EstimatedEvidence
    grade: NDArray[np.int32]
    """Grades of all documents of the pool."""
    judges: Judges | None
    known_bounds: dict[bytes, tuple[Floats, Floats]] = field(default_factory=dict)
    known_effects: dict[bytes, Effects] = field(default_factory=dict)

    @classmethod
    def of(cls, shared: SharedRankings, name: str, grade: NDArray[np.int32], judges: Judges | None) -> Frame:
        measure = parse_measure(name)
        row = np.flatnonzero(shared.judgments.grade < 0)
        none = np.zeros(len(row), bool)
        nothing = Sequential(np.ones(len(row)), np.zeros(0, np.int64))
        population = Population(shared, row, nothing, none, np.ones(len(row)))
        scores = measure.averaged(shared.per_run(measure.compute(shared.judged_rankings)))
        plain = RankingsEvidence(shared, measure, scores)
        steps = steps_of(measure, grade)
        effects = Effects.of(shared, measure, row, steps, population.predicted(steps, judges))
        return cls(EstimatedEvidence(plain, population, effects), grade, judges)

    @cached_property
    def size(self) -> Floats:
        """How much each document may change the means of the runs."""
        runs = len(self.evidence.systems)
        return self.evidence.effects.sizes(np.arange(runs), np.full(runs, ALONE))

    def bounds(self, first: Integers, second: Integers) -> tuple[Floats, Floats]:
        """Return the lowest and the highest mean of contrasts before anything was drawn."""
        key = first.tobytes() + second.tobytes()
        if key not in self.known_bounds:
            ends = self.evidence.plain.contrast(first, second).ends
            assert ends is not None  # noqa: S101
            self.known_bounds[key] = ends.low, ends.high
        return self.known_bounds[key]

    @property
    def row(self) -> Integers:
        """Rows of the pool that are to be drawn."""
        return self.evidence.population.row

    @cached_property
    def truth(self) -> Floats:
        """Systems x queries with the whole frame judged."""
        shared, measure = self.evidence.shared, self.evidence.measure
        whole = shared.rankings.relabelled(shared.judgments.with_grades(self.grade))
        return np.asarray(measure.averaged(shared.per_run(measure.compute(whole))))

    def true(self, first: Integers, second: Integers) -> Floats:
        """Return the true means of contrasts."""
        means = mean_over_queries(self.truth)
        return means[first] if int(second[0]) == ALONE else means[first] - means[second]

    def order(self, size: Floats, rng: np.random.Generator) -> Integers:
        """Return the documents in a random order by size."""
        return np.argsort(rng.exponential(size=len(size)) / size)

    def drawn(self, size: Floats, front: Integers, first: int) -> EstimatedEvidence:
        """Return the evidence after these documents were drawn and judged, so many in the first batch."""
        population, effects = self._sequential(size, front), self.evidence.effects
        batch = front[:first].tobytes()
        if batch not in self.known_effects:
            begun = population if len(front) <= first else self._sequential(size, front[:first])
            chance = begun.predicted(effects.steps, self.judges)
            own = begun.shared, effects.measure, effects.row, effects.steps, chance
            self.known_effects.clear()
            self.known_effects[batch] = Effects.of(*own)
        plain = replace(self.evidence.plain, shared=population.shared)
        return EstimatedEvidence(plain, population, self.known_effects[batch])

    def _sequential(self, size: Floats, front: Integers) -> Population:
        return self.judged(Sequential(size, front), front, np.ones(len(size)))

    def judged(self, design: Design, drawn: Integers, chance: Floats) -> Population:
        """Return the population when people judged these documents."""
        shared, rows = self.evidence.shared, self.row[drawn]
        grade = shared.judgments.grade.copy()
        grade[rows] = self.grade[rows]
        pool = shared.judgments.with_grades(grade)
        listed = shared.original.grade.copy()
        listed[shared.name] = grade
        original, rankings = shared.original.with_grades(listed), shared.rankings.relabelled(pool)
        there = np.zeros(len(self.row), bool)
        there[drawn] = True
        judged = replace(shared, judgments=pool, rankings=rankings, original=original)
        return Population(judged, self.row, design, there, chance)


def twice(of_queries: dict[str, Any]) -> dict[str, Any]:
    """Return what belongs to queries under the names of their first copies."""
    return {f"{query}-1": own for query, own in of_queries.items()}


def again(of_queries: dict[str, Any]) -> dict[str, Any]:
    """Return it under the names of their second copies."""
    return {f"{query}-2": own for query, own in of_queries.items()}


TRACKS = {"TREC-8": Track.trec8, "DL-2019": Track.dl2019}


def grades_of(path: Path) -> Grades:
    """Read the grades of a file by query and document."""
    found: Grades = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            query, _, document, grade = line.split()
            found.setdefault(query, {})[document] = int(grade)
    return found


def rankings_of(files: dict[str, Path], grades: Grades, depth: int) -> dict[str, dict[str, list[str]]]:
    """Read the first documents of runs, by score and name as everywhere."""
    found = {}
    for name, path in files.items():
        own = Run.read(path)
        found[name] = {q: own.ranking(q)[:depth] for q in own.queries if q in grades}
    return found
