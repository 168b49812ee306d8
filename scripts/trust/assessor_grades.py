"""What tables of disagreement by grade would give instead: grades drawn again, and means of runs from them.

A second grade is drawn for every document from the row of its first grade in a table of another topic and
person, taken at random, so that topics are random effects; the table of all topics is mixed in, so that rows
with few documents have all grades. People are random effects too if all topics of a draw take the tables of
one person. This is how often such intervals hold, for the same people as in `assessor_coverage`, with NIST's
grades first.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from assessor_coverage import LEVEL, MEASURES, NIST, PAIRS, Nested, judgments_of_people, runs_of_track
from coverage_tables import markdown, share

from unjudged.evaluation.collection import judged_rankings
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run

GRADES, MIXED, DRAWS = 4, 3.0, 200


EFFECTS = {
    "grade; topics": (False, False),
    "grade; topics and people": (True, False),
    "grade and rank; topics and people": (True, True),
}
"""What tables are by, and random effects: whether a draw takes one person for all topics, and whether
documents that a run has among its first ten have tables of their own."""
FIRST = 10
Pairs = set[tuple[str, str]]


def grades_table(folder: Path) -> str:
    """Return the share of intervals that held, by measure, for means and differences, and their width."""
    people, runs = judgments_of_people(folder), runs_of_track(folder)
    judgments = Judgments.of(people[NIST])
    best = judged_rankings(judgments, runs).best_rank(missing=FIRST + 1)
    first_ones = set(judgments.pooled.names(np.flatnonzero(best <= FIRST)))
    rows = []
    for effects, (one_person, by_rank) in EFFECTS.items():
        near = first_ones if by_rank else set()
        held: dict[str, list[Floats]] = {"means": [], "differences": []}
        width: dict[str, list[float]] = {"means": [], "differences": []}
        for pair in PAIRS:
            others = [
                _tables(people[NIST], people[one], near) for other in PAIRS if other != pair for one in other
            ]
            tables = np.array([table for own in others for table in own])
            person = np.repeat(np.arange(len(others)), [len(own) for own in others])
            for one in pair:
                donors = Donors(tables, person if one_person else np.zeros_like(person), near)
                drawn, truth = _drawn(people[NIST], people[one], donors, runs, seed=one)
                first, second = np.triu_indices(truth.shape[-1], 1)
                gaps = drawn[..., first] - drawn[..., second], truth[:, first] - truth[:, second]
                for asked, found in (("means", (drawn, truth)), ("differences", gaps)):
                    inside, wide = _inside(*found)
                    held[asked].append(inside)
                    width[asked].append(wide)
        for asked, inside_all in held.items():
            shares = [share(float(one)) for one in np.mean(inside_all, axis=0)]
            rows.append([effects, asked, *shares, f"{np.median(width[asked]):.2f}"])
    return markdown(["tables by; random effects", "of", *MEASURES, "median width"], rows)


class Donors(NamedTuple):
    """Tables of disagreement, one per topic and person, and which of them a draw takes together."""

    tables: Floats
    """Tables x first grades, those of documents near the top after the others, x second grades."""
    person: Integers
    near: Pairs

    def ends(self) -> Floats:
        """Return where the share of each second grade ends, by table and first grade."""
        overall = self.tables.sum(axis=0) + 1 / GRADES
        chance = self.tables + MIXED * overall / overall.sum(axis=1, keepdims=True)
        found: Floats = (chance / chance.sum(axis=2, keepdims=True)).cumsum(axis=2)
        return found

    def of_topics(self, rng: np.random.Generator, topics: int) -> Integers:
        """Choose a person, and a table of theirs for each topic."""
        own = np.flatnonzero(self.person == rng.choice(np.unique(self.person)))
        return rng.choice(own, topics)


def _tables(first: Nested, second: Nested, near: Pairs) -> list[Floats]:
    """Count the documents of each topic by both grades."""
    found = []
    for query, own in second.items():
        table = np.zeros((2 * GRADES, GRADES))
        for document, grade in own.items():
            if document in first.get(query, {}):
                table[first[query][document] + GRADES * ((query, document) in near), grade] += 1
        found.append(table)
    return found


def _drawn(
    first: Nested, second: Nested, donors: Donors, runs: dict[str, Run], seed: int
) -> tuple[Floats, Floats]:
    """Return the means of runs by drawn grades (draws x measures x runs), and by the second grades."""
    rng, measures = np.random.default_rng(seed), parse_measures(MEASURES)
    common = {q: {d: first[q][d] for d in own if d in first[q]} for q, own in second.items() if q in first}
    judgments = Judgments.of(common)
    rankings = judged_rankings(judgments, runs)
    queries = list(judgments.queries)

    def means(grade: np.ndarray) -> Floats:
        again = rankings.relabelled(judgments.with_grades(grade.astype(np.int32)))
        return np.stack([m.compute(again).reshape(len(runs), len(queries)).mean(axis=1) for m in measures])

    names = judgments.pooled.names(np.arange(len(judgments.grade)))
    row = judgments.grade + GRADES * np.array([name in donors.near for name in names])
    ends, found = donors.ends(), []
    for _ in range(DRAWS):
        donor = donors.of_topics(rng, len(queries))[judgments.query]
        number = rng.random(len(judgments.grade))
        found.append(means((number[:, None] > ends[donor, row][:, :-1]).sum(axis=1)))
    return np.array(found), means(np.array([second[q][d] for q, d in names]))


def _inside(drawn: Floats, truth: Floats) -> tuple[Floats, float]:
    """Return the share of runs whose truth is inside, by measure, and the median width."""
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    inside: Floats = ((low <= truth) & (truth <= high)).mean(axis=1)
    return inside, float(np.median(high - low))
