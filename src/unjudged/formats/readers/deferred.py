"""Runs in frames, each part of which is converted on the core that matches it; columns of pandas.

Arrow infers one type for a column of Python objects. It crashes on some mixtures of NumPy's scalars, and it
cuts off the fractions of others, so these are read value by value. The scanner is faster with strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.formats.limits import check
from unjudged.formats.matching import Deferred
from unjudged.formats.readers.arrow_columns import (
    LOOK_AHEAD,
    arrow_errors,
    arrow_of_ids,
    identifiers,
    ids_of_column,
    in_order,
    numbers_of,
    stretches_of,
    validate,
)
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Table

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa


Columns = Mapping[str, "pa.ChunkedArray | Strings"]
Groups = tuple[Ids, NDArray[np.int64]]


class Strings:
    """A column of Python objects, which should be strings."""

    def __init__(self, objects: NDArray[np.object_]) -> None:
        self.objects = objects

    def __len__(self) -> int:
        return len(self.objects)

    def slice(self, start: int, length: int) -> Strings:
        return Strings(self.objects[start : start + length])


def deferred(columns: Columns, whole: Callable[[], Table]) -> Table | Deferred:
    """Return the rows of a run, converted span by span; `whole` if there are none, or wrong ones."""
    try:
        groups = _groups(columns)
    except InputError:  # which may not be the first one
        return whole()

    def span(start: int, stop: int) -> Table:
        part = {role: column.slice(start, stop - start) for role, column in columns.items()}
        with arrow_errors("damaged Arrow data"):
            if groups is None:
                own = _ids(part["query"], "query"), np.arange(stop - start + 1)
            else:
                own = _between(groups, start, stop)
            return Table(
                *own, _ids(part["document"], "document"), numbers_of(part, in_order), np.zeros(0, np.int64)
            )

    rows = len(columns["query"])
    if not rows:
        return whole()
    return Deferred(rows, span, whole, None if groups is None else groups[1])


def _groups(columns: Columns) -> Groups | None:
    """Return the query of each stretch of rows, and where they start; None if a query has several."""
    query = columns["query"]
    check("ROWS", len(query))
    with arrow_errors("damaged Arrow data"):
        for column in columns.values():
            if not isinstance(column, Strings):
                validate(column)
        if not isinstance(query, Strings):
            query = identifiers(query, "query", in_order)
        first, starts = _stretches(query.slice(0, LOOK_AHEAD))
        if 2 * len(first) > starts[-1] > 1:
            return None
        queries, starts = _stretches(query)
    return (queries, starts) if len(scanner.number_names(queries)[1]) == len(queries) else None


def _between(groups: Groups, start: int, stop: int) -> Groups:
    """Return the groups from one row to another, both of which start one."""
    queries, starts = groups
    first, last = np.searchsorted(starts, [start, stop]).tolist()
    return Ids(queries.data, queries.offsets[first : last + 1]), starts[first : last + 1] - start


def _stretches(query: pa.ChunkedArray | Strings) -> Groups:
    if not isinstance(query, Strings):
        return stretches_of(query)
    stretches = scanner.stretches_of_strings(query.objects)
    if stretches is None:
        raise InputError("a query is not a string")
    return stretches[0], np.append(stretches[1], len(query))


def _ids(column: pa.ChunkedArray | Strings, role: str) -> Ids:
    if not isinstance(column, Strings):
        return ids_of_column(identifiers(column, role, in_order))
    ids = scanner.ids_of_strings(column.objects)
    if ids is None:
        raise InputError(f"a {role} is not a string")
    return ids


UNIFORM = ("string", "bytes", "integer", "empty")
"""What pandas calls the objects of a column that Arrow takes as they are."""


class PandasColumns:
    """Columns of a frame, each of which has a name of its own. They are converted when they are needed."""

    def __init__(self, frame: pandas.DataFrame, names: Iterable[str]) -> None:
        self.columns = {name: frame[name] for name in names}

    def are_mixed(self, names: Iterable[str]) -> bool:
        """Whether a column holds objects of several types."""
        import pandas

        for column in map(self.columns.__getitem__, names):
            category = isinstance(column.dtype, pandas.CategoricalDtype)
            objects = column.cat.categories if category else column
            if objects.dtype == object and pandas.api.types.infer_dtype(objects) not in UNIFORM:
                return True
        return False

    def values(self) -> dict[str, list[Any]]:
        return {name: column.tolist() for name, column in self.columns.items()}

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        import pandas
        import pyarrow as pa

        column = self.columns[name]
        ids = scanner.ids_of_strings(column.to_numpy()) if column.dtype == object else None
        if ids is not None:
            return pa.chunked_array([arrow_of_ids(ids).view(pa.large_string())])
        frame = pandas.DataFrame({name: column}, copy=False)
        return pa.Table.from_pandas(frame, preserve_index=False)[name]

    def strings(self, name: str) -> pa.ChunkedArray | Strings:
        """Return the same, but if the column holds Python objects, they are not converted yet."""
        column = self.columns[name]
        return Strings(column.to_numpy()) if column.dtype == object else self[name]
