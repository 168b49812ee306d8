"""Segments of queries, such as head and tail: which query is in which."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from unjudged.base.errors import ExtraQueriesWarning, InputError, UsageError, announce
from unjudged.base.segments import Mask
from unjudged.base.wording import counted, shortlist
from unjudged.data.columns import NAMES, folded, listed
from unjudged.data.sources import FILE, MAPPING, kind_of_source, name_in_errors, read_small_table
from unjudged.data.tabular import TabularBlock
from unjudged.data.text_tables import Headless
from unjudged.data.values import is_missing

SegmentsSource = Mapping[str, str] | str | os.PathLike[str] | Any
"""A mapping of queries to segments, or a file or frame with a column of queries and one of segments.

`file:column` names the column of a file that has several.
"""
COLUMNS = {
    "segment": ("segment", "group", "category", "class", "type"),
    "cluster": ("cluster", "session", "group", "source", "topic"),
}
"""Names of columns by what they say of queries."""
PAIRS = Headless(
    ("query", "segment"), lambda fields: len(fields) == 2 and not {*map(folded, fields)} & {*NAMES["query"]}
)
"""Lines of a query and its segment."""
EVERY = "all"
"""The row of all queries."""


def segments_of(source: SegmentsSource, queries: Sequence[str]) -> dict[str, Mask]:
    """Return which of the queries are in each segment, in the order of the queries; each must be in one."""
    own = labels_of(source, queries)
    numbers = {name: k for k, name in enumerate(dict.fromkeys(own))}
    number = np.array([numbers[name] for name in own])
    return {name: number == k for name, k in numbers.items()}


def labels_of(source: SegmentsSource, queries: Sequence[str], what: str = "segment") -> list[str]:
    """Return the segment of each query, or its cluster; each must have one.

    A warning says how many others have a segment.
    """
    known = frozenset(queries)
    label_of = _read(source, known, what)
    lacking = [query for query in queries if query not in label_of]
    others = [query for query in label_of if query not in known]
    if lacking:
        many = f"{counted(len(lacking), 'query')} of {len(queries)} {'has' if len(lacking) == 1 else 'have'}"
        found = f" (found {what}s of {shortlist(others)})" if others else ""
        with name_in_errors(file_and_column(source)[0], f"{what}s"):
            raise InputError(f"{many} no {what}: {shortlist(lacking)}; give each query one{found}")
    if others:
        many = f"{what.capitalize()}s of {counted(len(others), 'other query')} are ignored"
        announce([ExtraQueriesWarning(f"{many}: {shortlist(others)}.")])
    return [label_of[query] for query in queries]


def several_segments(source: SegmentsSource, queries: Sequence[str]) -> dict[str, Mask]:
    """Return the same if there are two or more: one alone would be all queries once more.

    None may be called like the row of all queries.
    """
    segments = segments_of(source, queries)
    if len(segments) < 2:
        raise UsageError(f"all queries are in one segment, {next(iter(segments), '')!r}: give two or more")
    if EVERY in segments:
        raise UsageError(f"a segment is called {EVERY!r}, which is the row of all queries: rename it")
    return segments


def _read(source: Any, queries: AbstractSet[str], what: str) -> dict[str, str]:
    """Return the label of each query in a mapping, a file or a frame."""
    kind = kind_of_source(source)
    file, chosen = file_and_column(source)
    with name_in_errors(file, f"{what}s"):
        if kind == MAPPING and not any(isinstance(value, list | tuple) for value in source.values()):
            table = TabularBlock({"query": [*source], "segment": [*source.values()]})
        else:
            table = read_small_table(file, PAIRS)
        query = table.column("query", {}, NAMES["query"])
        if query is None and kind == FILE and len(table) == 1:  # a mapping in JSON
            names, values = [*table.columns], [values[0] for values in table.columns.values()]
            table, query = TabularBlock({"query": names, "segment": values}), "query"
        others = [name for name in table.columns if name != query]
        usual = table.column(what, {}, COLUMNS[what])
        segment = chosen or usual or (others[0] if len(others) == 1 else None)
        if query is None or segment not in others:
            among = f"among {listed(list(table.columns))}, expected"
            if query is None:
                raise InputError(f"no column for the query {among} one of {', '.join(NAMES['query'])}")
            raise InputError(f"no column for the {what} {among} `{chosen or what}`, or FILE:COLUMN")
        of, by = ("query", query), (what, segment)
        return table.labels(of, by, lambda name, value: is_missing(value) and name not in queries)


def file_and_column(source: Any) -> tuple[Any, str | None]:
    """Return a source and the column of its segments that `file:column` names, None for another source.

    >>> file_and_column("segments.csv")
    ('segments.csv', None)
    """
    if isinstance(source, str) and not os.path.exists(source):
        file, colon, column = source.rpartition(":")
        if colon and column and os.path.exists(file):
            return file, column
    return source, None


def with_every(segments: Mapping[str, Mask], queries: int) -> dict[str, Mask]:
    """Return the segments and all queries."""
    return {**segments, EVERY: np.ones(queries, bool)}
