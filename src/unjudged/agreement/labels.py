"""Grades that several sources gave to the same documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.base.segments import Integers
from unjudged.base.wording import counted
from unjudged.rankings.hashing import hashes, mixed
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
        """Match documents by name; documents are compared by hashes of 64 bits with a secret key."""
        judged = [judgments.grade >= 0 for judgments in sources.values()]
        graded = [judgments.grade[judgments.grade >= 0] for judgments in sources.values()]
        grades = np.unique(np.concatenate([np.unique(own) for own in graded]))
        if len(grades) > MOST_GRADES:
            raise InputError(f"{counted(len(grades), 'different grade')}, expected at most {MOST_GRADES}")
        names = {
            name: q for q, name in enumerate(dict.fromkeys(q for j in sources.values() for q in j.queries))
        }
        secret = np.frombuffer(os.urandom(8), np.uint64)[0]
        keys, queries = [], []
        for judgments, own in zip(sources.values(), judged, strict=True):
            number = np.array([names[name] for name in judgments.queries], np.int64)
            query = number[judgments.query[own]]
            salt = mixed(np.arange(len(names), dtype=np.uint64) ^ secret)
            keys.append(hashes(judgments.documents, secret)[own] ^ salt[query])
            queries.append(query)
        key, document = np.unique(np.concatenate(keys), return_inverse=True)
        place = np.full((len(key), len(sources)), -1, np.int8)
        query = np.zeros(len(key), np.int64)
        for s, rows in enumerate(np.split(document, np.cumsum([len(own) for own in graded])[:-1])):
            place[rows, s] = np.searchsorted(grades, graded[s])
            query[rows] = queries[s]
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
