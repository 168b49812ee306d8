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
from unjudged.formats.tables import Ids
from unjudged.rankings.hashing import hashes, mixed
from unjudged.rankings.judged import Floats, Mask
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
        names, queries = _queries(list(sources.values()), judged)
        if _same_pool(list(sources.values())):
            documents, count = [np.flatnonzero(own) for own in judged], len(judged[0])
        else:
            documents, count = _matched(list(sources.values()), judged, queries, len(names))
        place = np.full((count, len(sources)), -1, np.int8)
        query = np.zeros(count, np.int64)
        for s, rows in enumerate(documents):
            place[rows, s] = np.searchsorted(grades, graded[s])
            query[rows] = queries[s]
        shared = (place >= 0).sum(axis=1) > 1
        return cls(list(sources), names, grades.astype(float), query[shared], place[shared])

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


def _queries(sources: Sequence[Judgments], judged: Sequence[Mask]) -> tuple[list[str], list[Integers]]:
    """Return the queries of all sources, and for each the number of the query of each judged document."""
    names = {name: q for q, name in enumerate(dict.fromkeys(q for j in sources for q in j.queries))}
    queries = []
    for judgments, own in zip(sources, judged, strict=True):
        number = np.array([names[name] for name in judgments.queries], np.int64)
        queries.append(number[judgments.query[own]])
    return list(names), queries


def _same_pool(sources: Sequence[Judgments]) -> bool:
    """Whether all sources list the same documents in the same order: judges who were given one file."""
    first, *others = (judgments.pooled for judgments in sources)
    return all(
        np.array_equal(first.offsets, other.offsets)
        and _same(first.queries, other.queries)
        and _same(first.documents, other.documents)
        for other in others
    )


def _same(first: Ids, second: Ids) -> bool:
    return np.array_equal(first.offsets, second.offsets) and np.array_equal(first.data, second.data)


def _matched(
    sources: Sequence[Judgments], judged: Sequence[Mask], queries: Sequence[Integers], count: int
) -> tuple[list[Integers], int]:
    """Number the documents of all sources, by hashes of 64 bits with a secret key."""
    secret = np.frombuffer(os.urandom(8), np.uint64)[0]
    salt = mixed(np.arange(count, dtype=np.uint64) ^ secret)
    keys = [
        hashes(judgments.documents, secret)[own] ^ salt[query]
        for judgments, own, query in zip(sources, judged, queries, strict=True)
    ]
    key, document = np.unique(np.concatenate(keys), return_inverse=True)
    return np.split(document, np.cumsum([len(own) for own in keys])[:-1]), len(key)
