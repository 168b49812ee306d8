"""Columns of Arrow as identifiers and numbers.

Each function takes `wrong`, which makes the error about a row out of the row and the problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, missing_package, quoted, reason_of
from unjudged.base.segments import Integers
from unjudged.data.columns import descending, expected, unfit
from unjudged.data.tables import Ids
from unjudged.data.values import NUMBER, Wrong

if TYPE_CHECKING:
    import pyarrow as pa

LOOK_AHEAD = 1 << 10
TEXTS = {"string", "large_string", "string_view", "binary", "large_binary", "binary_view"}


def pyarrow_module(purpose: str) -> Any:
    try:
        import pyarrow.compute
    except ModuleNotFoundError:
        raise missing_package("pyarrow", purpose) from None
    return pyarrow


@contextmanager
def arrow_errors(problem: str) -> Iterator[None]:
    """Whatever Arrow cannot do with an input is an error of the input."""
    arrow = pyarrow_module("Arrow data")
    try:
        yield
    except (arrow.ArrowException, UnicodeError) as error:
        raise InputError(f"{problem}: {reason_of(error)}") from None


def validate(column: pa.ChunkedArray) -> None:
    """Refuse wrong offsets and codes, which Arrow's readers do not check and which lead out of our memory.

    Identifiers are bytes, so text need not be UTF-8.
    """
    import pyarrow as pa

    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type)
    with arrow_errors("damaged Arrow data"):
        for chunk in column.chunks:
            (chunk.view(as_bytes) if as_bytes else chunk).validate(full=True)


def groups_of(column: pa.ChunkedArray, role: str, wrong: Wrong) -> tuple[Ids, Integers]:
    """Return the name of each stretch of rows that have the same one, and where the stretches start.

    Where most stretches are of one row, each row is one: looking for the others would take longer.
    """
    column = _identifiers(column, role, wrong)
    if not len(column):
        return Ids.of([]), np.zeros(1, np.int64)
    first = column.slice(0, LOOK_AHEAD)
    if 2 * len(_stretches(first)[0]) > len(first) > 1:
        return _ids(column), np.arange(len(column) + 1)
    names, ends = _stretches(column)
    return _ids(names), np.concatenate([[0], ends]).astype(np.int64)


def _stretches(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Integers]:
    """Return the value of each stretch of rows that have the same one, and where it ends."""
    import pyarrow as pa
    from pyarrow import compute

    if str(column.type).endswith("_view"):
        column = _as_bytes(column)
    whole = column.combine_chunks() if column.num_chunks > 1 else column.chunk(0)
    category = pa.types.is_dictionary(whole.type)
    encoded = compute.run_end_encode(whole.indices if category else whole, run_end_type=pa.int64())
    names = whole.dictionary.take(encoded.values) if category else encoded.values
    return pa.chunked_array([names]), encoded.run_ends.to_numpy()


def ids_of(column: pa.ChunkedArray, role: str, wrong: Wrong) -> Ids:
    """Return names as identifiers; whole numbers become their decimal digits."""
    return _ids(_identifiers(column, role, wrong))


def _identifiers(column: pa.ChunkedArray, role: str, wrong: Wrong) -> pa.ChunkedArray:
    """An identifier is text, bytes or a whole number; it may be in a dictionary (a category)."""
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if len(column) and str(kind) not in TEXTS and not types.is_integer(kind):
        raise InputError(f"the {role} is of type {kind}, expected text or whole numbers")
    if types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(kind)
    _refuse_nulls(column, role, wrong)
    return column


def _refuse_nulls(column: pa.ChunkedArray, role: str, wrong: Wrong) -> None:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy()))
        raise wrong(row, f"the {role} is null, expected a value in every row")


def _ids(column: pa.ChunkedArray) -> Ids:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.large_string())
    narrow = column.type in (pa.string(), pa.binary())
    if not narrow and column.type not in (pa.large_string(), pa.large_binary()):
        column = _as_bytes(column)
    kind = np.int32 if narrow else np.int64
    parts = [_bytes(chunk, kind) for chunk in column.chunks if len(chunk)]
    if len(parts) == 1:
        return Ids(parts[0].data, parts[0].offsets.astype(np.int64, copy=False))
    return Ids.joined(parts) if parts else Ids.of([])


def _as_bytes(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return column.cast(pa.large_binary())


def _bytes(array: pa.Array, kind: type[np.integer]) -> Ids:
    """An array of bytes, with offsets of a kind, as identifiers."""
    _, ends, data = array.buffers()
    offsets = np.frombuffer(ends, kind, array.offset + len(array) + 1)[array.offset :]
    own = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return Ids(own, offsets)


def numbers_of(column: pa.ChunkedArray, role: str, wrong: Wrong) -> NDArray[np.float64]:
    """Return the numbers of a column, the highest best; NaN where one is missing that may be."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if role != "probability":
        _refuse_nulls(column, role, wrong)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string())  # and from there to the nearest double, as text is read
    try:
        numbers = column.cast(pa.float64(), safe=False).to_numpy()
        bad = unfit(role, numbers)
        row = int(np.argmax(bad)) if bad.any() else None
    except pa.ArrowNotImplementedError:
        raise InputError(f"the {role} is of type {column.type}, expected numbers") from None
    except pa.ArrowInvalid:
        row = next(row for row, text in enumerate(column.to_pylist()) if not NUMBER.fullmatch(str(text)))
    if row is None:
        return descending(role, numbers)
    value = column[row].as_py()
    raise wrong(row, f"the {role} is {quoted(str(value))}, expected {expected(role, value, fractions=True)}")
