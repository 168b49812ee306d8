"""Runs in frames, each part of which is converted on the core that matches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.formats.limits import check
from unjudged.formats.matching import Deferred
from unjudged.formats.readers.arrow import (
    LOOK_AHEAD,
    arrow_errors,
    groups_of,
    identifiers,
    ids_of_column,
    in_order,
    numbers_of,
    validate,
)
from unjudged.formats.readers.grouping import numbered
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Scattered, Table

if TYPE_CHECKING:
    import pyarrow as pa


Columns = Mapping[str, "pa.ChunkedArray | Strings"]


class Strings:
    """A column of Python objects that are strings, or else `ids` and `groups` are None."""

    def __init__(self, objects: NDArray[np.object_]) -> None:
        self.objects = objects

    def __len__(self) -> int:
        return len(self.objects)

    def slice(self, start: int, length: int) -> Strings:
        return Strings(self.objects[start : start + length])

    def ids(self) -> Ids | None:
        return scanner.ids_of_strings(self.objects)

    def groups(self) -> tuple[Ids, NDArray[np.int64]] | None:
        """The string of each stretch of equal ones, and where the stretches start."""
        found = scanner.stretches_of_strings(self.objects)
        return None if found is None else (found[0], np.append(found[1], len(self)))


def deferred(columns: Columns, whole: Callable[[], Table | Scattered]) -> Table | Scattered | Deferred:
    """The rows of a run, span by span if those of each query are together, and otherwise `whole`."""
    try:
        groups = _groups(columns)
    except InputError:  # which may not be the first one
        groups = None
    if groups is None or not len(groups[0]) or len(numbered(groups[0])[0]) < len(groups[0]):
        return whole()

    def rows(start: int, stop: int) -> tuple[Ids, NDArray[np.float64]]:
        part = {role: column.slice(start, stop - start) for role, column in columns.items()}
        with arrow_errors("damaged Arrow data"):
            return _documents(part["document"]), numbers_of(part, in_order)

    return Deferred(*groups, rows, whole)


def _groups(columns: Columns) -> tuple[Ids, NDArray[np.int64]] | None:
    """The query of each stretch of rows, and where the stretches start. None if most rows are one."""
    query = columns["query"]
    check("ROWS", len(query))
    with arrow_errors("damaged Arrow data"):
        for column in columns.values():
            if not isinstance(column, Strings):
                validate(column)
        if not isinstance(query, Strings):
            query = identifiers(query, "query", in_order)
        first = _stretches(query.slice(0, LOOK_AHEAD))
        if first is None or (2 * len(first[0]) > first[1][-1] > 1):
            return None
        return _stretches(query)


def _stretches(query: pa.ChunkedArray | Strings) -> tuple[Ids, NDArray[np.int64]] | None:
    return query.groups() if isinstance(query, Strings) else groups_of(query)


def _documents(column: pa.ChunkedArray | Strings) -> Ids:
    if not isinstance(column, Strings):
        return ids_of_column(identifiers(column, "document", in_order))
    ids = column.ids()
    if ids is None:
        raise InputError("a document is not a string")
    return ids
