"""What tables of disagreement by grade would give instead: grades drawn again, and means of runs from them.

A second grade is drawn for every document from the row of its first grade in a table of another topic and
person, taken at random, so that topics are random effects; the table of all topics is mixed in, so that rows
with few documents have all grades. This is how often such intervals hold, for the same people as in
`assessor_coverage`, with NIST's grades first.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from assessor_coverage import LEVEL, MEASURES, NIST, PAIRS, Nested, judgments_of_people, runs_of_track
from coverage_tables import markdown, share

from unjudged.evaluation.collection import judged_rankings
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run

GRADES, MIXED, DRAWS = 4, 3.0, 200


def grades_table(folder: Path) -> str:
    """Return the share of intervals that held, by measure, for means and differences."""
    people, runs = judgments_of_people(folder), runs_of_track(folder)
    held: list[list[Floats]] = [[], []]
    for pair in PAIRS:
        others = [people[one] for other in PAIRS if other != pair for one in other]
        tables = np.array([table for second in others for table in _tables(people[NIST], second)])
        for one in pair:
            drawn, truth = _drawn(people[NIST], people[one], tables, runs, seed=one)
            first, second = np.triu_indices(truth.shape[-1], 1)
            held[0].append(_inside(drawn, truth))
            held[1].append(
                _inside(drawn[..., first] - drawn[..., second], truth[:, first] - truth[:, second])
            )
    rows = [
        [asked, *(share(float(one)) for one in np.mean(found, axis=0))]
        for asked, found in zip(("means", "differences"), held, strict=True)
    ]
    return markdown(["of", *MEASURES], rows)


def _tables(first: Nested, second: Nested) -> list[Floats]:
    """Count the documents of each topic by both grades."""
    found = []
    for query, own in second.items():
        table = np.zeros((GRADES, GRADES))
        for document, grade in own.items():
            if document in first.get(query, {}):
                table[first[query][document], grade] += 1
        found.append(table)
    return found


def _drawn(
    first: Nested, second: Nested, tables: Floats, runs: dict[str, Run], seed: int
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

    overall = tables.sum(axis=0) + 1 / GRADES
    chance = tables + MIXED * overall / overall.sum(axis=1, keepdims=True)
    ends = (chance / chance.sum(axis=2, keepdims=True)).cumsum(axis=2)
    found = []
    for _ in range(DRAWS):
        donor = rng.integers(len(tables), size=len(queries))[judgments.query]
        number = rng.random(len(judgments.grade))
        found.append(means((number[:, None] > ends[donor, judgments.grade][:, :-1]).sum(axis=1)))
    names = judgments.pooled.names(np.arange(len(judgments.grade)))
    return np.array(found), means(np.array([second[q][d] for q, d in names]))


def _inside(drawn: Floats, truth: Floats) -> Floats:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    inside: Floats = ((low <= truth) & (truth <= high)).mean(axis=1)
    return inside
