"""Grades that several sources gave to the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.base.segments import Integers
from unjudged.base.wording import counted
from unjudged.rankings.extension import rows_of, table_of
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments

MOST_GRADES = 64


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
        grades = np.unique(np.concatenate([np.unique(own) for own in graded]))
        if len(grades) > MOST_GRADES:
            raise InputError(f"{counted(len(grades), 'different grade')}, expected at most {MOST_GRADES}")
        names = {q: i for i, q in enumerate(dict.fromkeys(q for j in sources.values() for q in j.queries))}
        documents, count = _numbered(list(sources.values()))
        place = np.full((count, len(sources)), -1, np.int8)
        query = np.zeros(count, np.int64)
        for s, (judgments, own) in enumerate(zip(sources.values(), judged, strict=True)):
            rows = documents[s][own]
            place[rows, s] = np.searchsorted(grades, graded[s])
            query[rows] = np.array([names[name] for name in judgments.queries])[judgments.query[own]]
        shared = (place >= 0).sum(axis=1) > 1
        return cls(list(sources), list(names), grades.astype(float), query[shared], place[shared])

    def pairs(self) -> list[tuple[int, int]]:
        """Return every two sources, as places."""
        return list(combinations(range(len(self.sources)), 2))

    def counts(self, first: int, second: int, weight: Floats | None = None) -> Floats:
        """Count the documents of each query by the grades of two sources: queries x grades x grades."""
        a, b = self.place[:, first].astype(np.int64), self.place[:, second].astype(np.int64)
        both, n = (a >= 0) & (b >= 0), len(self.grades)
        cell = (self.query[both] * n + a[both]) * n + b[both]
        of_documents: Any = None if weight is None else weight[both]
        counts = np.bincount(cell, of_documents, len(self.queries) * n * n)
        return counts.reshape(len(self.queries), n, n).astype(float)

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
