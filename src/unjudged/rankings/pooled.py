"""Documents of a pool: those that have a line in the judgments, judged or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Integers, Mask, ends, owners_by_ends, places
from unjudged.data import matching
from unjudged.data.scan.scanner import Index
from unjudged.data.tables import NO_LINES, Ids, Keys, Table


@dataclass(eq=False, repr=False)
class PooledDocuments:
    """Rows that judgments give grades to: query q has rows `offsets[q]` to `offsets[q + 1]`.

    Judgments with the same object here are judgments of the same pool, so rankings matched against one can
    be relabelled with another.
    """

    queries: Final[Ids]
    offsets: Final[Integers]
    documents: Final[Ids]

    @classmethod
    def from_table(cls, table: Table, index: Index | None = None) -> PooledDocuments:
        """Take a table that has each query's rows together; a document listed twice is an error."""
        pooled = cls(table.queries, table.starts, table.documents)
        if table.keys is not None:
            pooled._keys = table.keys
        else:
            pooled.index = index or matching.index(table)
        return pooled

    def of_queries(self, chosen: Mask) -> PooledDocuments:
        """Return the documents of some queries."""
        offsets = ends(np.diff(self.offsets)[chosen])
        rows = np.flatnonzero(chosen[self.query])
        return PooledDocuments(self.queries.take(np.flatnonzero(chosen)), offsets, self.documents.take(rows))

    def table(self, numbers: NDArray[Any]) -> Table:
        """Return the documents as a table, with a number for each."""
        column = numbers.astype(float)[:, None]
        return Table(self.queries, self.offsets, self.documents, column, NO_LINES)

    def query_names(self) -> list[str]:
        """Return the names of the queries."""
        return list(self.queries)

    def names(self, rows: Integers) -> list[tuple[str, str]]:
        """Return the query and the document of these rows."""
        queries = list(self.queries)
        documents = self.documents.take(rows)
        return [(queries[q], d) for q, d in zip(self.query[rows].tolist(), documents, strict=True)]

    @classmethod
    def unnamed(cls, offsets: Integers) -> PooledDocuments:
        """Queries and documents without names, for rankings that are matched already."""
        nothing = np.zeros(0, np.uint8)
        queries = Ids(nothing, np.zeros(len(offsets), np.int64))
        return cls(queries, offsets, Ids(nothing, np.zeros(int(offsets[-1]) + 1, np.int64)))

    @cached_property
    def index(self) -> Index:
        """Finds the row of a query's document by name."""
        self._check_named()
        return matching.index(self.table(np.zeros(len(self.documents))))

    def keys(self, queries: Iterable[Any]) -> Keys:
        """Return the names of queries, and of the documents of these queries, as keys of dicts."""
        keys = self._keys
        if keys.all_there:
            return keys
        names = list(queries)  # another thread may change the dict itself
        for q in {keys.queries[name] for name in names if name in keys.queries}:
            start, stop = self.offsets[q : q + 2].tolist()
            if start < stop and keys.documents[start] is None:
                keys.documents[start:stop] = map(self.documents.__getitem__, range(start, stop))
        return keys

    @cached_property
    def _keys(self) -> Keys:
        """The names of queries as a dict has them."""
        self._check_named()
        return Keys({name: q for q, name in enumerate(self.queries)}, [None] * len(self.documents), False)

    def _check_named(self) -> None:
        """Refuse to match documents that have no names."""
        known = "index" in self.__dict__ or "_keys" in self.__dict__
        if not known and len(self.documents) and not len(self.documents.data):
            raise UsageError("the documents of this pool have no names, so no run can be matched with them")

    @cached_property
    def query(self) -> Integers:
        """Query of each row."""
        return owners_by_ends(self.offsets)

    def judged_share(self, judged: Mask, stratum: NDArray[np.int32] | None) -> Floats:
        """Return for each row the judged share of its query's stratum; without strata, of its query."""
        strata, stratum_of = np.unique([0] if stratum is None else stratum, return_inverse=True)
        cell = self.query * len(strata) + stratum_of
        sizes = np.bincount(cell)
        share: Floats = np.bincount(cell[judged], minlength=len(sizes))[cell] / sizes[cell]
        return share

    def __getstate__(self) -> dict[str, Any]:
        """Only the columns are pickled; the index is built again where it is needed."""
        return {"queries": self.queries, "offsets": self.offsets, "documents": self.documents}


Numbers = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(x: Numbers) -> Numbers:
    """Finaliser of SplitMix64: every bit of the result depends on every bit of x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def salt(*seed: int | str) -> np.uint64:
    """Return one number for a seed of several parts."""
    from hashlib import blake2b  # an evaluation needs none, and it loads OpenSSL

    digest = blake2b(" ".join(map(str, seed)).encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def uniforms(identity: Numbers, seed: np.uint64, counter: int | NDArray[np.integer] = 0) -> Floats:
    """Return numbers in (0, 1], one per identity and counter, independent of one another."""
    steps = np.asarray(counter, np.uint64) * _GOLDEN
    return unit(mixed(mixed(identity ^ seed) + steps)) + 2.0**-53


def unit(number: Numbers) -> Floats:
    """Turn numbers of 64 bits into numbers from 0 to below 1, with 53 bits."""
    shares: Floats = (number >> np.uint64(11)).astype(float) * 2.0**-53
    return shares


def fingerprint(numbers: Numbers) -> str:
    """Return sixteen hexadecimal digits that depend on all numbers, not on their order."""
    return f"{int(mixed(numbers).sum(dtype=np.uint64)):016x}"


def hashes(names: Ids, key: np.uint64) -> Numbers:
    """A number per name: the sum of its bytes times random numbers, one per position (multilinear hashing).

    Two different names have the same number with a probability of at most 2^-56 over the choice of the key.
    """
    lengths = np.diff(names.offsets)
    data = names.data[names.offsets[0] : names.offsets[-1]]
    start = names.offsets[:-1] - names.offsets[0]
    place = places(lengths) - 1
    longest = int(lengths.max(initial=0))
    factors = mixed(key + np.arange(1, longest + 1, dtype=np.uint64) * _GOLDEN) | np.uint64(1)
    sums = np.zeros(len(lengths), np.uint64)
    filled = lengths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(data * factors[place], start[filled])
    return mixed(sums + lengths.astype(np.uint64) * _GOLDEN)
