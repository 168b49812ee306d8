"""Tables of columns: identifiers in one block of bytes, numbers in arrays, rows in groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import ends, numbered, ranges

Int32 = NDArray[np.int32]
Places = NDArray[np.intp]
NO_LINES = np.zeros(0, np.int64)
"""The lines of rows that do not come from a file of text."""


class Ids(Sequence[str]):
    """Identifiers end to end in one block of bytes: item i is `data[offsets[i]:offsets[i + 1]]`.

    Bytes are kept as they were in the input. As text they are UTF-8; bytes that are not UTF-8 are escaped so
    that they can be written back unchanged.
    """

    __slots__ = ("data", "offsets")

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def of(cls, texts: Iterable[str | bytes]) -> Ids:
        """Return texts or bytes as identifiers."""
        texts = list(texts)
        lengths, data, in_ascii = list(map(len, texts)), b"", False
        if set(map(type, texts)) <= {str}:
            joined = "".join(cast("list[str]", texts))
            data = encode(joined)
            in_ascii = len(data) == len(joined)
        if not in_ascii:
            encoded = [text if isinstance(text, bytes) else encode(text) for text in texts]
            data, lengths = b"".join(encoded), list(map(len, encoded))
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(np.frombuffer(data, np.uint8), offsets)

    @classmethod
    def joined(cls, parts: Sequence[Ids]) -> Ids:
        """Copy identifiers, one block after another."""
        offsets = np.zeros(sum(map(len, parts)) + 1, np.int64)
        rows, data = 0, []
        for part in parts:
            start, stop = int(part.offsets[0]), int(part.offsets[-1])
            own = offsets[rows + 1 : rows + 1 + len(part)]
            np.add(part.offsets[1:], int(offsets[rows]) - start, out=own, dtype=np.int64)
            data.append(part.data[start:stop])
            rows += len(part)
        return cls(np.concatenate(data), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def raw(self, i: int) -> bytes:
        """Return the bytes of an identifier, as its column of the table holds them."""
        return self.data[self.offsets[i] : self.offsets[i + 1]].tobytes()

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        return decode(self.raw(i % len(self)))

    def __iter__(self) -> Iterator[str]:
        whole, ends = self.data.tobytes(), self.offsets.tolist()
        if not whole.isascii():
            return map(decode, self.tolist())
        text = whole.decode()
        return (text[a:b] for a, b in zip(ends, ends[1:], strict=False))

    def tolist(self) -> list[bytes]:
        """Return the bytes of every identifier."""
        whole, ends = self.data.tobytes(), self.offsets.tolist()
        return [whole[a:b] for a, b in zip(ends, ends[1:], strict=False)]

    def take(self, rows: NDArray[np.integer]) -> Ids:
        """Return the identifiers of some rows of the table."""
        starts = self.offsets[:-1][rows]
        lengths = self.offsets[1:][rows] - starts
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        source = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Ids(self.data[source], offsets)

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (self.data, self.offsets)


class Texts(Ids):
    """A column of identifiers whose texts are at hand; their bytes are made when someone asks for them."""

    __slots__ = ("texts",)

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in Ids.__slots__:
            raise AttributeError(name)
        made = Ids.of(self.texts)
        self.data, self.offsets = made.data, made.offsets
        return made.data if name == "data" else made.offsets

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)


class Keys(NamedTuple):
    """The number of each query, and the document of each row, as dicts name them.

    No name is repeated. The documents of a query may be None until they are needed, unless all are there.
    """

    queries: dict[str, int]
    documents: list[str | None]
    all_there: bool = True


@dataclass(eq=False, repr=False)  # final, not frozen: that takes longer than to read a few documents
class Table:
    """Rows in groups: group g holds rows `starts[g]` to `starts[g + 1]`, all of one query.

    A query whose rows are apart has several groups. `lines` is the line of each row in its file, and empty
    for rows that did not come from a file. `numbers` has one column per number of the layout; in a run the
    first one holds the scores.
    """

    queries: Final[Ids]
    starts: Final[NDArray[np.int64]]
    documents: Final[Ids]
    numbers: Final[NDArray[np.float64]]
    lines: Final[NDArray[np.int64]]
    keys: Final[Keys | None] = None
    """If the table was made from plain dicts: their keys."""
    extent: Final[tuple[int, int] | None] = None
    """Lowest and highest number, if all are known to be whole numbers of 32 bits."""

    def query_of(self, row: int) -> bytes:
        """Return the query of a row."""
        return self.queries.raw(int(np.searchsorted(self.starts, row, "right")) - 1)

    def at(self, rows: NDArray[np.intp]) -> Table:
        """The rows at some places, in order."""
        query = np.repeat(np.arange(len(self.queries)), np.diff(self.starts))[rows]
        first = np.flatnonzero(np.diff(query, prepend=-1))
        return Table(
            self.queries.take(query[first]),
            np.append(first, len(rows)),
            self.documents.take(rows),
            self.numbers[rows],
            self.lines[rows] if len(self.lines) else self.lines,
        )

    @classmethod
    def joined(cls, parts: Sequence[Table]) -> Table:
        """Copy the rows of tables, one after another; a group that goes on in the next table is one."""
        own = [slice(part.starts[0], part.starts[-1]) for part in parts]
        before = np.cumsum([0, *(rows.stop - rows.start for rows in own)])
        starts = [p.starts[:-1] - p.starts[0] + b for p, b in zip(parts, before, strict=False)]
        documents = [
            Ids(part.documents.data, part.documents.offsets[rows.start : rows.stop + 1])
            for part, rows in zip(parts, own, strict=True)
        ]
        names, begins = Ids.joined([part.queries for part in parts]), np.concatenate(starts)
        first = np.cumsum([len(part.queries) for part in parts])[:-1]
        again = [g for g in first.tolist() if 0 < g < len(names) and names.raw(g) == names.raw(g - 1)]
        if again:
            new = np.delete(np.arange(len(names)), again)
            names, begins = names.take(new), begins[new]
        return cls(
            queries=names,
            starts=np.append(begins, before[-1]).astype(np.int64),
            documents=Ids.joined(documents),
            numbers=np.concatenate([part.numbers[rows] for part, rows in zip(parts, own, strict=True)]),
            lines=np.concatenate([part.lines[rows] for part, rows in zip(parts, own, strict=True)]),
        )

    def span(self, first: int, last: int) -> Table:
        """The groups from `first` to just before `last`, over the same rows."""
        queries = Ids(self.queries.data, self.queries.offsets[first : last + 1])
        return Table(queries, self.starts[first : last + 1], self.documents, self.numbers, self.lines)


class Ties(NamedTuple):
    """The tied documents of a list: their places in it, and the first and last ranks that have their score.

    Few documents of most runs are tied, so the others are not recorded.
    """

    place: Places
    first: Int32
    last: Int32

    @classmethod
    def of(cls, first: Int32, last: Int32) -> Ties | None:
        """Find the tied documents by the first and the last rank with the score of each; None if none is."""
        place = np.flatnonzero(first < last)
        return cls(place, first[place], last[place]) if len(place) else None

    def among(self, source: Places) -> Ties | None:
        """Return the ties of the documents `source` of the list."""
        size = max(int(source.max(initial=-1)), int(self.place[-1])) + 1
        found = numbered(self.place, size)[source]
        return self._some(np.flatnonzero(found >= 0), found[found >= 0])

    def between(self, start: int, stop: int) -> Ties | None:
        """Return the ties of documents `start` to `stop` of the list, the latter not included."""
        first, last = self.place.searchsorted([start, stop])
        return self._some(self.place[first:last] - start, slice(first, last))

    def _some(self, place: Places, own: Places | slice) -> Ties | None:
        return Ties(place, self.first[own], self.last[own]) if len(place) else None


def joined_ties(ties: Sequence[Ties | None], sizes: Sequence[int]) -> Ties | None:
    """Return the ties of several lists of documents of these sizes, end to end; None if nothing is tied."""
    before = np.cumsum([0, *sizes])
    known = [(one, start) for one, start in zip(ties, before, strict=False) if one is not None]
    if not known:
        return None
    place = np.concatenate([one.place + start for one, start in known])
    return Ties(place, *(np.concatenate([one[k] for one, _ in known]) for k in (1, 2)))


def ties_among(ties: Ties | None, source: Places) -> Ties | None:
    """Return the ties of some documents of a list; None if nothing is tied."""
    return None if ties is None else ties.among(source)


class Matched(NamedTuple):
    """What a run holds of the judged documents, group by group, each in rank order.

    `query[g]` is the number of group g's query in the judgments, or -1; its judged documents are
    `ends[g]` to `ends[g + 1]` of `rank` and `row`.
    """

    query: NDArray[np.int32]
    retrieved: NDArray[np.int32]
    ends: NDArray[np.int64]
    rank: NDArray[np.int32]
    row: NDArray[np.int32]
    unjudged: Ids | None = None
    """The names of the queries whose number is -1, if this is a part and they may be in another one too."""
    ties: Ties | None = None
    """None if no judged document has the score of another document of its ranking."""

    @classmethod
    def joined(cls, parts: Sequence[Matched]) -> Matched:
        """Copy what parts of a run hold, one after another."""
        before = np.cumsum([0, *(part.ends[-1] for part in parts)])
        names = [part.unjudged for part in parts]
        ends = [part.ends[1:] + first for part, first in zip(parts, before, strict=False)]
        return cls(
            query=np.concatenate([part.query for part in parts]),
            retrieved=np.concatenate([part.retrieved for part in parts]),
            ends=np.concatenate([np.zeros(1, np.int64), *ends]),
            rank=np.concatenate([part.rank for part in parts]),
            row=np.concatenate([part.row for part in parts]),
            unjudged=None if None in names else Ids.joined([part for part in names if part is not None]),
            ties=joined_ties([part.ties for part in parts], [len(part.rank) for part in parts]),
        )

    def with_unjudged_once(self) -> Matched:
        """One group for each query that is not judged; such groups hold no judged document."""
        first: dict[bytes, int] = {}
        names = [] if self.unjudged is None else self.unjudged.tolist()
        new = [first.setdefault(name, place) == place for place, name in enumerate(names)]
        if all(new):
            return self
        kept = np.ones(len(self.query), bool)
        kept[self.query < 0] = new
        ends = np.concatenate([self.ends[:1], self.ends[1:][kept]])
        return self._replace(
            query=self.query[kept], retrieved=self.retrieved[kept], ends=ends, unjudged=Ids.of(first)
        )

    def by_query(self, queries: int) -> tuple[NDArray[np.int64], Int32, Int32, Int32, Ties | None]:
        """Return counts and sizes per query, ranks, rows and ties, in the order of the judgments' queries."""
        known = np.flatnonzero(self.query >= 0)
        known = known[np.argsort(self.query[known], kind="stable")]
        in_order = len(known) == len(self.query) and np.all(np.diff(known) == 1)
        own = self if in_order else self.of_groups(known)
        counts, retrieved = np.zeros(queries, np.int64), np.zeros(queries, np.int32)
        counts[own.query] = np.diff(own.ends)
        retrieved[own.query] = own.retrieved
        return counts, retrieved, own.rank, own.row, own.ties

    def of_groups(self, groups: Places) -> Matched:
        """Return these groups, in this order."""
        hits = np.diff(self.ends)[groups]
        source = ranges(self.ends[groups], hits)
        return Matched(
            query=self.query[groups],
            retrieved=self.retrieved[groups],
            ends=ends(hits),
            rank=self.rank[source],
            row=self.row[source],
            ties=ties_among(self.ties, source),
        )

    def repeats_a_query(self) -> bool:
        """Whether two groups are of one judged query."""
        known = self.query[self.query >= 0]
        return len(known) > 0 and int(np.bincount(known).max()) > 1


def encode(text: str) -> bytes:
    """Return an identifier's text as UTF-8, with bytes that are not UTF-8 as they were."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Return the text of an identifier; bytes that are not UTF-8 are escaped."""
    return data.decode("utf-8", "surrogateescape")
