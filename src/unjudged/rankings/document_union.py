"""The union of the documents of judgments and runs: which of them are the same document of the same query."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, UnjudgedError
from unjudged.base.segments import places
from unjudged.formats import matching
from unjudged.formats.grouping import grouped
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Table
from unjudged.rankings.hashing import Numbers, hashes, mixed
from unjudged.rankings.judged import Integers
from unjudged.rankings.judgments import Judgments


class DocumentUnion:
    """Documents are numbered as they are met, first those of the judgments.

    They are compared by 64-bit hashes with a secret key, so no file can be written whose documents collide,
    and two of a million documents collide by chance with a probability of about 10^-7. What a run ranks below
    `depth` counts as not retrieved.
    """

    def __init__(self, judgments: Judgments, depth: float = np.inf) -> None:
        self._secret = np.frombuffer(os.urandom(8), np.uint64)[0]
        self._queries = judgments.queries
        self._depth = depth
        self._place = {name: q for q, name in enumerate(judgments.queries.tolist())}
        key = self._keys(judgments.documents, judgments.query)
        order = np.argsort(key)
        self._known, self._number = key[order], order.astype(np.int32)
        self.names: list[Ids] = [judgments.documents]
        self.query: list[NDArray[np.int32]] = [judgments.query.astype(np.int32)]
        self.ignored: list[int] = []

    def add(self, table: Table) -> tuple[NDArray[np.int32], NDArray[np.int32], Integers]:
        """Ranks and numbers of a run's documents in the order of the judgments' queries, and their counts."""
        table = grouped(table)
        order = scanner.best_first(table)
        counts = np.diff(table.starts)
        group = np.array([self._place.get(name, -1) for name in table.queries.tolist()])
        self.ignored.append(int((group < 0).sum()))
        query = np.repeat(group, counts)
        kept = np.flatnonzero(query >= 0)
        if not len(kept):
            example = f"which have queries such as {self._queries[0]!r}"
            raise InputError(f"no query in common with the judgments, {example}")
        kept = kept[np.argsort(query[kept], kind="stable")]
        rank, query = places(counts)[kept].astype(np.int32), query[kept]
        documents = table.documents.take(order[kept])
        key = self._keys(documents, query)
        order = np.argsort(key)
        if (key[order[1:]] == key[order[:-1]]).any():
            matching.index(table)  # says which document is there twice
        if self._depth < np.inf:
            top = np.flatnonzero(rank <= self._depth)
            rank, query, documents, key = rank[top], query[top], documents.take(top), key[top]
            order = np.argsort(key)
        number = self._numbered(key[order], order, documents, query)
        return rank, number, np.bincount(query, minlength=len(self._queries))

    def _numbered(self, key: Numbers, order: Integers, documents: Ids, query: Integers) -> NDArray[np.int32]:
        """The number of each document; `key` is sorted, `key[i]` is that of document `order[i]`."""
        place = np.searchsorted(self._known, key)
        old = self._known[np.minimum(place, len(self._known) - 1)] == key
        number = np.empty(len(key), np.int32)
        number[order[old]] = self._number[place[old]]
        met = np.sort(order[~old])
        number[met] = len(self._known) + np.arange(len(met), dtype=np.int32)
        self._known = np.insert(self._known, place[~old], key[~old])
        self._number = np.insert(self._number, place[~old], number[order[~old]])
        self.names.append(documents.take(met))
        self.query.append(query[met].astype(np.int32))
        return number

    def _keys(self, documents: Ids, query: Integers) -> Numbers:
        return mixed(hashes(documents, self._secret) ^ mixed(query.astype(np.uint64) + self._secret))


@contextmanager
def prefix_errors(source: object, name: str) -> Iterator[None]:
    """Say which run an error is about, where the message does not start with its file."""
    try:
        yield
    except UnjudgedError as error:
        where = os.fspath(source) if isinstance(source, str | os.PathLike) else f"run {name!r}"
        if str(error).startswith(str(where)):
            raise
        if isinstance(error, InputError) and not error.source:
            error.source = str(where)
            raise
        raise InputError(f"{where}: {error}") from None
