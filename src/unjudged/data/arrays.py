"""Arrays as tables: the best documents of each query, or a matrix with a column per document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, UsageError, quoted, reason_of
from unjudged.base.segments import ends
from unjudged.base.wording import kind_of
from unjudged.data.columns import expected, no_rows, unfit
from unjudged.data.limits import check
from unjudged.data.matching import InPieces
from unjudged.data.nested_dicts import RELEVANT
from unjudged.data.scan import scanner
from unjudged.data.scan.checks import checked_ids
from unjudged.data.tables import NO_LINES, Ids, Table
from unjudged.data.values import ids_of, unplaced

BLOCK = 1 << 17
"""Rows of a piece: what is converted fits a cache until it is matched."""
PADDING = -1
"""The number of a document where a query has fewer than others, as faiss has it."""

UNSIGNED = 4
"""From this number of bytes on, the highest number of an unsigned type is a -1 that was converted."""

LEFT_OUT = "-inf for scores and NaN for grades"


def rows_of_arrays(
    documents: Any, numbers: Any, number: str, queries: Any = None, names: Any = None
) -> tuple[Ids, InPieces]:
    """Return the queries, and their rows, which become tables where they are matched.

    `number` is "score" or "grade". Everything is checked here, and arrays are copied: the caller may change
    them. Without documents, each column of the numbers is one; without numbers, places count, or grade 1.
    """
    matrix = None if documents is None else _whole(_matrix(documents, "documents"))
    values = None if numbers is None else _numbers(numbers, f"{number}s")
    shapes = [array.shape for array in (matrix, values) if array is not None]
    if not shapes:
        raise UsageError(f"expected documents, {number}s, or both")
    rows, columns = shape = shapes[0]
    if shapes[-1] != shape:
        raise UsageError(f"the documents have the shape {shape}, the {number}s {shapes[-1]}, expected one")
    check("ROWS", rows * columns)
    query_ids = _queries(queries, rows)
    known = None if names is None else _names(names, "names", "name")
    if matrix is None:
        if known is not None and len(known) != columns:
            raise UsageError(f"names: {len(known)} of them, expected one for each of {columns} columns")
        matrix = np.tile(np.arange(columns, dtype=np.int32), (rows, 1))
    ids_at, kept = _documents(matrix, known, query_ids)
    if values is None and number == "grade":
        values = np.full(shape, float(RELEVANT))
    elif values is None:
        values = np.tile(-1.0 - np.arange(columns), (rows, 1))
    else:
        kept &= _there(values, number, kept, query_ids)
    if not kept.any():
        raise no_rows()
    ids_at = ids_at or _named(matrix, kept)

    def table(first: int, last: int) -> Table:
        places = first * columns + np.flatnonzero(kept[first:last])
        found = values.reshape(-1)[places]
        own = Ids(query_ids.data, query_ids.offsets[first : last + 1])
        counts = np.count_nonzero(kept[first:last], axis=1)
        return Table(own, ends(counts), ids_at(places), found[:, None], NO_LINES)

    def pieces() -> list[Callable[[], Table]]:
        step = max(1, BLOCK // columns)
        return [partial(table, first, min(first + step, rows)) for first in range(0, rows, step)]

    return query_ids, InPieces(pieces)


def _numbers(given: Any, what: str) -> NDArray[Any]:
    """Return an array of ranks, scores or grades as numbers, query by query."""
    values = _matrix(given, what)
    if values.dtype.kind not in "fiub":
        raise UsageError(f"{what}: an array of {values.dtype}, expected numbers")
    with np.errstate(over="ignore"):  # infinite ones are refused
        return values.astype(np.float64, copy=False)


def _matrix(given: Any, what: str) -> NDArray[Any]:
    """Return a copy with two dimensions, row after row."""
    array = _array(given, what)
    if array.ndim != 2 or not array.shape[0]:
        shape = f"expected two dimensions, a row per query, found the shape {array.shape}"
        raise UsageError(f"{what}: {shape}; give [row] for one query, and pad short rows with {PADDING}")
    return array


def _whole(array: NDArray[Any]) -> NDArray[Any]:
    """Return row numbers that are Python's objects, as pandas may have them, in an array of whole numbers."""
    kinds = {*map(type, array.flat)} if array.dtype.kind == "O" else {str}
    if bool in kinds or not all(issubclass(kind, Integral) for kind in kinds):
        return array
    try:
        return array.astype(np.int64)
    except OverflowError:
        return array


def _array(given: Any, what: str, dtype: Any = None) -> NDArray[Any]:
    """Return a copy of anything that NumPy can hold: what has `__array__`, DLPack, or lists.

    Names in lists stay Python's strings: NumPy's all take as much memory as the longest.
    """
    if np.ma.is_masked(given):
        fill = f"documents.filled({PADDING}), scores.filled(-np.inf) or grades.filled(np.nan)"
        raise UsageError(f"{what}: some are masked, expected a value in every place; give {fill}")
    if hasattr(given, "toarray"):
        problem = f"{what}: a sparse {type(given).__name__}, expected an array with a number in every place"
        raise UsageError(f"{problem}; give matrix.toarray(), with {LEFT_OUT} where nothing is stored")
    try:
        if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
            return np.array(np.from_dlpack(given), order="C")
        array = np.array(given, dtype, order="C")
        if array.dtype.kind in "US" and isinstance(given, list | tuple):
            array = np.array(given, object)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        problem = f"{what}: {kind_of(given)} cannot be read as an array: {reason_of(error)}"
        remedy = "expected rows of one length; a tensor is given as tensor.detach().float().cpu()"
        raise UsageError(f"{problem}; {remedy}") from None
    return array


def _queries(given: Any, rows: int) -> Ids:
    """Return the names of an array's rows: as given, else their numbers from 0."""
    if given is None:
        return scanner.ids_of_numbers(np.arange(rows))
    ids = _names(given, "queries", "query")
    if len(ids) != rows:
        raise UsageError(f"queries: {len(ids)} names, expected one for each of {rows} rows")
    _, first = scanner.number_names(ids)
    if len(first) < rows:
        repeated = next(row for row in range(rows) if row >= len(first) or first[row] != row)
        raise InputError(f"query {quoted(ids.raw(repeated))} appears twice, expected each query once")
    return ids


def _names(given: Any, what: str, role: str) -> Ids:
    """Return a list or an array of names as identifiers."""
    array = _array(given, what, None if hasattr(given, "__array__") else object)
    if array.ndim != 1 or array.dtype.kind not in "iuOUST":
        problem = f"an array of {array.dtype} with the shape {array.shape}"
        raise UsageError(f"{what}: {problem}, expected a list of names or of whole numbers")
    return ids_of(array.astype(object), role, unplaced)


def _documents(
    matrix: NDArray[Any], names: Ids | None, queries: Ids
) -> tuple[Callable[[NDArray[np.int64]], Ids] | None, NDArray[np.bool_]]:
    """Return what gives the identifiers of some places, None for names, and which places hold a document."""
    if matrix.dtype.kind not in "iu":
        if matrix.dtype.kind not in "OUST":
            problem = f"documents: an array of {matrix.dtype}, expected row numbers or names"
            raise UsageError(f"{problem}; documents come before scores and grades")
        if names is not None:
            raise UsageError("names: the documents have names already, expected row numbers")
        kept: NDArray[np.bool_] = matrix.astype(object) != None  # noqa: E711 (of each element)
        return None, kept
    known = None if names is None else checked_ids(names)
    count = np.inf if names is None else len(names)
    if matrix.dtype.kind == "i":
        absent, wrong = matrix == PADDING, (matrix < PADDING) | (matrix >= count)
    else:
        absent = (matrix == np.iinfo(matrix.dtype).max) & (matrix.itemsize >= UNSIGNED)
        wrong = (matrix >= min(count, 2**63)) & ~absent
    if wrong.any():
        row, place = np.argwhere(wrong)[0].tolist()
        most = f", or {PADDING}" if count == np.inf else f" to {count - 1}, as there are names, or {PADDING}"
        problem = f"document {matrix[row, place]}, expected a row number from 0{most}"
        raise _problem(queries, row, place, problem)
    numbers = matrix.reshape(-1).astype(np.int64, copy=False)
    if known is None:
        return lambda at: scanner.ids_of_numbers(numbers[at]), ~absent
    return lambda at: scanner.take_names(known, numbers[at]), ~absent


def _named(matrix: NDArray[Any], kept: NDArray[np.bool_]) -> Callable[[NDArray[np.int64]], Ids]:
    """Return what gives the identifiers of some of the places that are kept; all names are read at once."""
    names = ids_of(matrix[kept].astype(object), "document", unplaced)
    place_of = (np.cumsum(kept) - 1).astype(np.int64)
    return lambda at: scanner.take_names(names, place_of[at])


def _there(values: NDArray[Any], number: str, kept: NDArray[np.bool_], queries: Ids) -> NDArray[np.bool_]:
    """Return which places have a number; numbers that are not valid are refused where a document is."""
    there: NDArray[np.bool_] = values != -np.inf if number == "score" else ~np.isnan(values)
    bad = unfit(number, values) & kept & there
    if bad.any():
        row, place = np.argwhere(bad)[0].tolist()
        value = values[row, place]
        what = "-inf for what was not retrieved" if number == "score" else "NaN for what has no judgment"
        right = expected(number, float(value), fractions=True)
        raise _problem(queries, row, place, f"the {number} is {value}, expected {right}, or {what}")
    return there


def _problem(queries: Ids, row: int, place: int, problem: str) -> InputError:
    """Return an error about one place in an array."""
    return InputError(f"query {quoted(queries.raw(row))}, place {place} (from 0): {problem}")
