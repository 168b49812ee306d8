"""Grades that several sources gave to the same documents, and coefficients of their agreement.

Coefficients are of counts of pairs of grades; leading axes are other samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import Choices
from unjudged.base.errors import InputError
from unjudged.base.segments import Integers
from unjudged.base.wording import counted
from unjudged.rankings.extension import rows_of, table_of
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments

MOST_GRADES = 64
Counts = Floats
"""`counts[..., i, j]`: documents with grade i by the first source and grade j by the second."""


class Coefficient(NamedTuple):
    """A coefficient, its name in tables, and whether it is of two sources or of all at once.

    `function(counts, grades)` has one value per table of counts. That of all sources takes coincidences: each
    document counts every ordered pair of its labels by different sources, divided by their number less one.
    """

    title: str
    function: Callable[[Counts, Floats], Floats]
    of_all: bool = False
    limits: tuple[float, float] = (-1.0, 1.0)


def same_grade(counts: Counts, grades: Floats) -> Floats:
    """Return the share of documents with the same grade."""
    return 1 - _mean_distance(counts, grades, 0)


def mean_error(counts: Counts, grades: Floats) -> Floats:
    """Return the mean distance of the two grades."""
    return _mean_distance(counts, grades, 1)


def _mean_distance(counts: Counts, grades: Floats, power: int) -> Floats:
    return _ratio((counts * _distance(grades, power)).sum((-2, -1)), counts.sum((-2, -1)))


def weighted_kappa(power: int) -> Callable[[Counts, Floats], Floats]:
    """Cohen's kappa (1960; weighted, 1968): 1 - observed / expected mean distance |i - j|^power.

    Power 0 counts every difference as one. Expected is the mean distance of independent judges who use
    each grade as often as these do.
    """

    def kappa(counts: Counts, grades: Floats) -> Floats:
        distance = _distance(grades, power)
        observed = (counts * distance).sum((-2, -1))
        expected = np.einsum("...i,ij,...j->...", counts.sum(-1), distance, counts.sum(-2))
        return 1 - _ratio(observed * counts.sum((-2, -1)), expected)

    return kappa


def krippendorff_alpha(ordinal: bool) -> Callable[[Counts, Floats], Floats]:
    """Krippendorff's alpha (1980): 1 - observed / expected squared distance, of coincidences of all sources.

    Nominal grades differ by one. The ordinal distance of two grades is the number of labels between them,
    half of those of either grade included.
    """

    def alpha(counts: Counts, grades: Floats) -> Floats:
        labels = counts.sum(-1)
        if ordinal:
            middle = labels.cumsum(-1) - labels / 2
            distance = (middle[..., :, None] - middle[..., None, :]) ** 2
        else:
            distance = np.broadcast_to(_distance(grades, 0), counts.shape)
        n = labels.sum(-1)
        observed = (counts * distance).sum((-2, -1))
        expected = (labels[..., :, None] * labels[..., None, :] * distance).sum((-2, -1))
        return 1 - _ratio(observed * (n - 1), expected)

    return alpha


def _distance(grades: Floats, power: int) -> Floats:
    apart = np.abs(grades[:, None] - grades)
    return np.asarray(apart**power if power else apart > 0, float)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, not a number where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom == 0, np.nan, top / bottom)


COEFFICIENTS: Choices[Coefficient] = Choices(
    "coefficient",
    same=Coefficient("same grade", same_grade, limits=(0.0, 1.0)),
    kappa=Coefficient("kappa", weighted_kappa(0)),
    linear=Coefficient("linear kappa", weighted_kappa(1)),
    quadratic=Coefficient("quadratic kappa", weighted_kappa(2)),
    mae=Coefficient("mean error", mean_error, limits=(0.0, np.inf)),
    alpha=Coefficient("alpha", krippendorff_alpha(ordinal=False), of_all=True),
    ordinal_alpha=Coefficient("ordinal alpha", krippendorff_alpha(ordinal=True), of_all=True),
)


def grades_of(*labels: NDArray[Any]) -> Floats:
    """Return the grades that occur, sorted; too many are no scale, and a table of them would have no end."""
    grades = np.unique(np.concatenate([np.unique(own) for own in labels]))
    if len(grades) > MOST_GRADES:
        problem = f"{counted(len(grades), 'different grade')}, expected at most {MOST_GRADES}"
        raise InputError(f"{problem}: predictions of many values are scores (kind='scores')")
    return grades.astype(float)


def tables(
    query: Integers, first: Integers, second: Integers, shape: tuple[int, int], weight: Floats | None = None
) -> Counts:
    """Count documents by query and by the places of two grades; `shape` is queries and grades."""
    queries, n = shape
    weights: Any = weight
    counts = np.bincount((query * n + first) * n + second, weights, queries * n * n)
    return counts.reshape(queries, n, n).astype(float)


@dataclass(frozen=True, eq=False)
class SharedLabels:
    """`place[d, s]` is the place in `grades` of the grade that source s gave document d, -1 for none.

    Only documents that two sources or more judged are here. `query` is the query of each.
    """

    sources: Sequence[str]
    queries: Sequence[str]
    grades: Floats
    query: Integers
    place: NDArray[np.int8]

    @classmethod
    def of(cls, sources: Mapping[str, Judgments]) -> SharedLabels:
        """Match documents by name, query by query."""
        judged = [judgments.grade >= 0 for judgments in sources.values()]
        graded = [judgments.grade[own] for judgments, own in zip(sources.values(), judged, strict=True)]
        grades = grades_of(*graded)
        names = {q: i for i, q in enumerate(dict.fromkeys(q for j in sources.values() for q in j.queries))}
        documents, count = _numbered(list(sources.values()))
        place = np.full((count, len(sources)), -1, np.int8)
        query = np.zeros(count, np.int64)
        for s, (judgments, own) in enumerate(zip(sources.values(), judged, strict=True)):
            rows = documents[s][own]
            place[rows, s] = np.searchsorted(grades, graded[s])
            query[rows] = np.array([names[name] for name in judgments.queries])[judgments.query[own]]
        shared = (place >= 0).sum(axis=1) > 1
        return cls(list(sources), list(names), grades, query[shared], place[shared])

    def pairs(self) -> list[tuple[int, int]]:
        """Return every two sources, as places."""
        return list(combinations(range(len(self.sources)), 2))

    def counts(self, first: int, second: int, weight: Floats | None = None) -> Floats:
        """Count the documents of each query by the grades of two sources: queries x grades x grades."""
        a, b = self.place[:, first].astype(np.int64), self.place[:, second].astype(np.int64)
        both = (a >= 0) & (b >= 0)
        shape = len(self.queries), len(self.grades)
        return tables(self.query[both], a[both], b[both], shape, None if weight is None else weight[both])

    def coincidences(self) -> Floats:
        """Count ordered pairs of labels per query; a document with m labels counts 1 / (m - 1) for each."""
        weight = 1 / ((self.place >= 0).sum(axis=1) - 1)
        one_way = sum((self.counts(i, j, weight) for i, j in self.pairs()), np.zeros(()))
        return np.asarray(one_way + np.swapaxes(one_way, -1, -2), float)


def _numbered(sources: Sequence[Judgments]) -> tuple[list[Integers], int]:
    """Give each document of a query one number, whichever sources list it; return how many there are."""
    numbers: list[Integers] = []
    count = 0
    for judgments in sources:
        own = np.full(len(judgments.grade), -1)
        for earlier, known in zip(sources, numbers, strict=False):
            if (own >= 0).all():
                break
            row = rows_of(earlier, table_of(judgments))
            listed = (own < 0) & (row >= 0)
            own[listed] = known[row[listed]]
        new = own < 0
        own[new] = count + np.arange(new.sum())
        count += int(new.sum())
        numbers.append(own)
    return numbers, count
