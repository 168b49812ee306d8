"""How far judges agree beyond chance: Cohen's kappa for two, Fleiss' kappa for several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unjudged.grids.grid import Column, Grid, blank
from unjudged.rankings.judged import Floats

Answers = Mapping[str, int]
"""The grade that each judge gave a document."""


class ByChance(NamedTuple):
    """Observed agreement of two judges, and that of independent judges who use each grade as often.

    `each` has, for each document, how often the other judge uses the grades that these two gave it, summed.
    """

    observed: float
    expected: float
    each: Floats

    @property
    def kappa(self) -> float:
        if self.expected == 1:
            return float("nan")
        return (self.observed - self.expected) / (1 - self.expected)


def by_chance(first: ArrayLike, second: ArrayLike, weight: ArrayLike | None = None) -> ByChance:
    """How often two judges agree, and would by chance; a document counts as often as its weight says."""
    grades, codes = np.unique(np.concatenate([np.asarray(first), np.asarray(second)]), return_inverse=True)
    a, b = np.split(codes, 2)
    w = np.ones(len(a)) if weight is None else np.asarray(weight, float)
    w = w / w.sum()
    of_first, of_second = (np.bincount(given, w, len(grades)) for given in (a, b))
    expected = 1.0 if len(grades) == 1 else float(of_first @ of_second)
    each: Floats = np.asarray(of_second[a] + of_first[b], float)
    return ByChance(float(w @ (a == b)), expected, each)


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Cohen's kappa (1960): (observed - expected) / (1 - expected) agreement of two judges.

    Expected agreement is that of independent judges who use each grade as often as these two do. Not a number
    where both judges use one grade only, the same.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    return by_chance(first, second).kappa if len(np.asarray(first)) else float("nan")


def fleiss_kappa(counts: ArrayLike) -> float:
    """Fleiss' kappa (1971), from documents x grades: how many judges gave each grade.

    Every document must have the same number of judges, two or more. Not a number where all judges use one
    grade only.

    >>> round(fleiss_kappa([[3, 0], [2, 1], [0, 3]]), 4)
    0.55
    """
    table = np.asarray(counts, float)
    judges = table.sum(axis=1)
    if not len(table) or judges[0] < 2 or (judges != judges[0]).any():
        return float("nan")
    n = judges[0]
    agreement = ((table**2).sum(axis=1) - n) / (n * (n - 1))
    share = table.sum(axis=0) / table.sum()
    expected = float((share**2).sum())
    return float("nan") if expected == 1 else float((agreement.mean() - expected) / (1 - expected))


class Agreement(NamedTuple):
    """How far judges agree on the documents that they share."""

    who: str
    documents: int
    same_grade: float
    kappa: float
    same_relevance: float
    kappa_of_relevance: float


def agreements(answers: Sequence[Answers], rel: int = 1) -> list[Agreement]:
    """One row for each pair of judges who share documents, then one for all documents with several judges.

    The last row has Fleiss' kappa over the documents with the most frequent number of judges above one.
    """
    several = [given for given in answers if len(given) > 1]
    shared: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for given in several:
        for one, other in combinations(sorted(given), 2):
            shared.setdefault((one, other), []).append((given[one], given[other]))
    rows = []
    for (one, other), grades in sorted(shared.items()):
        a, b = np.array(grades).T
        ra, rb = a >= rel, b >= rel
        same = float((a == b).mean()), cohen_kappa(a, b), float((ra == rb).mean()), cohen_kappa(ra, rb)
        rows.append(Agreement(f"{one} and {other}", len(a), *same))
    if len(shared) > 1:
        rows.append(_all(several, rel))
    return rows


def _all(several: Sequence[Answers], rel: int) -> Agreement:
    sizes = np.bincount([len(given) for given in several])
    judges = int(np.argmax(sizes))
    grades = np.array([sorted(given.values()) for given in several if len(given) == judges])
    known = np.unique(grades)
    counts = (grades[:, :, None] == known).sum(axis=1)
    relevant = (grades >= rel).sum(axis=1)
    return Agreement(
        f"all, {judges} judges each",
        len(grades),
        float((grades[:, 0] == grades[:, -1]).mean()),
        fleiss_kappa(counts),
        float(((relevant == 0) | (relevant == judges)).mean()),
        fleiss_kappa(np.stack([relevant, judges - relevant], axis=1)),
    )


def agreement_grid(rows: Sequence[Agreement], title: str, label: str = "judges") -> Grid:
    numbers = ("same grade", "kappa", "same relevance", "kappa of relevance")
    columns = [Column(label, "label"), Column("documents", "integer"), *map(Column, numbers)]
    shown = [[blank(value) if isinstance(value, float) else value for value in row] for row in rows]
    one_grade = "A kappa is blank where only one grade was given, which leaves nothing to agree on by chance."
    notes = [one_grade] if any(None in row for row in shown) else []
    return Grid(columns, shown, title, notes)


def agreements_by_topic(answers: Mapping[tuple[str, str], Answers], rel: int = 1) -> list[Agreement]:
    """One row per topic that has documents with several judges; kappa is Fleiss'."""
    topics: dict[str, list[Answers]] = {}
    for (query, _), given in answers.items():
        if len(given) > 1:
            topics.setdefault(query, []).append(given)
    return [_all(several, rel)._replace(who=query) for query, several in topics.items()]
