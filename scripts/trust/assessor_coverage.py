"""How often intervals for another assessor hold: by simulated people, and by the assessors of DL-2019.

DL-2019 has a second and a third judgment for 23 topics, by four pairs of people. The interval learns from
some pairs and is asked about the others: the mean of a run, or the difference of two, by the grades of
somebody who was not seen.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from coverage_tables import Cell, markdown, share, shortfalls

from unjudged.evaluation.collection import judged_rankings
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run
from unjudged.uncertainty.second_assessors import SecondAssessors, prediction

Nested = dict[str, dict[str, int]]
PAIRS = ((1, 2), (3, 4), (5, 6), (7, 8))
NIST = 0
MEASURES = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)")
LEVEL = 0.95
PEOPLE, RATIOS, ASKED, STUDIES = (2, 3, 5, 8), (0.0, 0.5, 1.0), 40, 4000
TOPICS_EACH = 6
WHY = "With two or three people the spread between them is known badly."


class Simulated(NamedTuple):
    """Second assessors, their spread by that of topics, and the share of studies in which intervals held."""

    people: int
    ratio: float
    held: float


def simulated_coverage(people: int, ratio: float) -> Simulated:
    """Draw people and topics, learn, and ask about another person on other topics."""
    rng = np.random.default_rng([people, int(10 * ratio)])
    person = np.repeat(np.arange(people), TOPICS_EACH)
    shift = rng.normal(0, ratio, (STUDIES, people))[:, person] + rng.normal(0, 1, (STUDIES, len(person)))
    truth = rng.normal(0, ratio, STUDIES) + rng.normal(0, 1, (STUDIES, ASKED)).mean(axis=1)
    middle, half = prediction(shift, person, ASKED, LEVEL)
    return Simulated(people, ratio, float((np.abs(truth - middle) <= half).mean()))


def simulated_table(cases: list[Simulated]) -> str:
    """Return a row per number of people and a column per spread."""
    held = {(case.people, case.ratio): share(case.held) for case in cases}
    rows = [[str(people), *(held[people, ratio] for ratio in RATIOS)] for people in PEOPLE]
    cells = [Cell(f"{c.people} people, {c.ratio:g}", c.held, LEVEL, STUDIES) for c in cases]
    return markdown(["second assessors", *(f"{r:g}" for r in RATIOS)], rows) + shortfalls(cells, WHY)


class Assessed(NamedTuple):
    """Who judged first, how many pairs were learnt from, what was asked, and the share by held-out pair."""

    first: str
    learnt: int
    asked: str
    held: Floats
    """Held-out pair x measure."""
    width: Floats
    """Median width of the intervals, by measure."""


def assessor_coverage(folder: Path) -> list[Assessed]:
    """Learn from two or three pairs of DL-2019's assessors, and ask about the others."""
    runs, grades = runs_of_track(folder), judgments_of_people(folder)
    found: dict[tuple[int, int], Floats] = {}
    for pair in PAIRS:
        for a, b in (pair, pair[::-1], (NIST, pair[0]), (NIST, pair[1])):
            found[a, b] = _shifts(grades[a], grades[b], runs)
    return [
        _held(found, first, learnt, asked)
        for first in ("NIST", "the other of the pair")
        for learnt in (2, 3)
        for asked in ("means", "differences")
    ]


def runs_of_track(folder: Path) -> dict[str, Run]:
    """Return the 61 runs, by name."""
    files = sorted((folder.parent / "dl2019" / "track" / "runs").glob("*.gz"))
    return {path.name.removesuffix(".gz"): Run.of(path) for path in files}


def judgments_of_people(folder: Path) -> dict[int, Nested]:
    """Return the grades of the eight people, and of NIST's."""
    data = folder.parent / "dl2019"
    grades = {i: grades_of(data / "track" / "assessors" / f"assessor-{i}.qrels") for i in range(1, 9)}
    return {NIST: grades_of(data / "qrels.dl2019-passage.gz"), **grades}


def _shifts(first: Nested, second: Nested, runs: dict[str, Run]) -> Floats:
    """Return the shifts of measures x runs x topics, from the documents that both judged."""
    common = {q: {d: first[q][d] for d in own if d in first[q]} for q, own in second.items() if q in first}
    rankings = judged_rankings(Judgments.of(common), runs)
    second_one = SecondAssessors.of({"second": second})
    return np.stack([second_one.shifts(m, rankings, len(runs)).shift for m in parse_measures(MEASURES)])


def _splits(
    found: dict[tuple[int, int], Floats], first: str, learnt: int
) -> Iterator[tuple[list[Floats], int, Floats]]:
    """Yield what is learnt from, the held-out pair, and what is asked about."""
    for known in combinations(range(len(PAIRS)), learnt):
        for who in product((0, 1), repeat=learnt):
            from_ = [_of(found, first, PAIRS[p], w) for p, w in zip(known, who, strict=True)]
            for held_out in set(range(len(PAIRS))) - set(known):
                for w in (0, 1):
                    yield from_, held_out, _of(found, first, PAIRS[held_out], w)


def _of(found: dict[tuple[int, int], Floats], first: str, pair: tuple[int, int], second: int) -> Floats:
    return found[NIST if first == "NIST" else pair[1 - second], pair[second]]


def _held(found: dict[tuple[int, int], Floats], first: str, learnt: int, asked: str) -> Assessed:
    held: list[list[Floats]] = [[] for _ in PAIRS]
    width = []
    for known, held_out, other in _splits(found, first, learnt):
        shift, person = np.concatenate(known, axis=-1), np.repeat(range(learnt), [k.shape[-1] for k in known])
        if asked == "differences":
            a, b = np.triu_indices(shift.shape[1], 1)
            shift = shift[:, a] - shift[:, b]
        truth = other[:, a] - other[:, b] if asked == "differences" else other
        middle, half = prediction(shift, person, other.shape[-1], LEVEL)
        held[held_out].append((np.abs(truth.mean(axis=-1) - middle) <= half).mean(axis=1))
        width.append(2 * np.median(half, axis=1))
    by_pair = np.stack([np.mean(own, axis=0) for own in held])
    return Assessed(first, learnt, asked, by_pair, np.median(width, axis=0))


def assessor_table(cases: list[Assessed]) -> str:
    """Return a row per question: shares by measure, their mean with its standard error over pairs, widths."""
    rows = []
    for case in cases:
        pairs = case.held.mean(axis=1)
        error = float(pairs.std(ddof=1) / np.sqrt(len(pairs)))
        shares = [share(float(one)) for one in case.held.mean(axis=0)]
        all_ = f"{share(float(pairs.mean()))} ± {share(error)}"
        last = [all_, share(float(pairs.min())), f"{case.width.mean():.2f}"]
        rows.append([case.first, str(case.learnt), case.asked, *shares, *last])
    head = ["first judged by", "pairs learnt from", "of", *MEASURES]
    head += ["all ± standard error", "worst pair", "median width"]
    return markdown(head, rows)


def grades_of(path: Path) -> Nested:
    """Read the grades of a file by query and document."""
    found: Nested = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            query, _, document, grade = line.split()
            found.setdefault(query, {})[document] = int(grade)
    return found
