"""Arrow columns as tables: validated, identifiers as bytes, numbers checked, rows grouped by query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, missing_package, quoted, reason_of
from unjudged.base.threads import Threads, cores
from unjudged.formats.columns import descending, expected, unfit
from unjudged.formats.limits import check
from unjudged.formats.matching import SMALLEST_PART
from unjudged.formats.readers.values import NUMBER
from unjudged.formats.tables import Ids, Table

if TYPE_CHECKING:
    import pyarrow as pa


Result = TypeVar("Result")
Where = Callable[[int], str]
Columns = Mapping[str, "pa.ChunkedArray"]
LOOK_AHEAD = 1 << 14
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


def in_order(row: int, before: int = 0) -> str:
    return f"row {before + row} (from 0)"


def table_of_arrow(columns: Columns, where: Where = in_order) -> Table:
    """Return the column of each role as a table; `where` says in errors where a row is."""
    with arrow_errors("damaged Arrow data"):
        for column in columns.values():
            validate(column)
        check("ROWS", len(columns["query"]))
        query = identifiers(columns["query"], "query", where)
        documents = ids_of_column(identifiers(columns["document"], "document", where))
        numbers = numbers_of(columns, where)
        return Table(*groups_of(query), documents, numbers, np.zeros(0, np.int64))


def validate(column: pa.ChunkedArray) -> None:
    """Refuse wrong offsets and codes, which Arrow's readers do not check and which lead out of our memory.

    Identifiers are bytes, so text need not be UTF-8.
    """
    import pyarrow as pa

    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type)
    for chunk in column.chunks:
        (chunk.view(as_bytes) if as_bytes else chunk).validate(full=True)


def numbers_of(columns: Columns, where: Where) -> NDArray[np.float64]:
    """The numbers of each row."""
    numbers = [_numbers(columns[role], role, where) for role in columns if role not in ("query", "document")]
    return np.stack(numbers, axis=1) if len(numbers) > 1 else numbers[0][:, None]


def are_apart(query: pa.ChunkedArray) -> bool:
    """Whether the query changes at most of the first rows."""
    first = query.slice(0, LOOK_AHEAD)
    return 2 * len(stretches_of(first)[0]) > len(first) > 1


def identifiers(column: pa.ChunkedArray, role: str, where: Where) -> pa.ChunkedArray:
    """An identifier is text, bytes or a whole number; it may be in a dictionary (a category)."""
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if len(column) and str(kind) not in TEXTS and not types.is_integer(kind):
        raise InputError(f"the {role} is of type {kind}, expected text or whole numbers")
    if types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(kind)
    _refuse_nulls(column, role, where)
    return column


def _refuse_nulls(column: pa.ChunkedArray, role: str, where: Where) -> None:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy()))
        raise InputError(f"{where(row)}: the {role} is null, expected a value in every row")


def groups_of(column: pa.ChunkedArray) -> tuple[Ids, NDArray[np.int64]]:
    """Return the query of each stretch of rows that have the same one, and where the stretches start.

    Where most stretches are of one row, each row is one: looking for the others would take longer.
    """
    if are_apart(column):
        return ids_of_column(column), np.arange(len(column) + 1)
    return stretches_of(column)


def stretches_of(column: pa.ChunkedArray) -> tuple[Ids, NDArray[np.int64]]:
    """Return the query of each stretch of rows that have the same one, and where the stretches start."""
    import pyarrow as pa
    from pyarrow import compute

    parts = _parts(column)
    found = _on_cores(_stretches, parts)
    before = np.cumsum([0, *map(len, parts)])
    starts = [first + own for (_, own), first in zip(found, before, strict=False)]
    name = pa.concat_arrays([_bytes(values) for values, _ in found] or [pa.nulls(0, pa.large_binary())])
    first = np.concatenate([*starts, before[-1:]]).astype(np.int64)
    new = np.ones(len(first), bool)
    if len(name) > 1:
        new[1:-1] = numpy_of_bits(compute.not_equal(name[1:], name[:-1]))
    return ids_of(name.filter(arrow_of_bits(new[:-1]))), first[new]


def _stretches(values: pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    import pyarrow as pa
    from pyarrow import compute

    category = pa.types.is_dictionary(values.type)
    plain = values.indices if category else values
    encoded = compute.run_end_encode(
        _bytes(plain) if str(plain.type).endswith("_view") else plain, run_end_type=pa.int64()
    )
    names = values.dictionary.take(encoded.values) if category else encoded.values
    ends = numpy_of(encoded.run_ends, np.int64)
    return names, np.concatenate([[0], ends[:-1]])[: len(names)]


def _parts(column: pa.ChunkedArray) -> list[pa.Array]:
    return [c.slice(at, SMALLEST_PART) for c in column.chunks for at in range(0, len(c), SMALLEST_PART)]


def _on_cores(function: Callable[[pa.Array], Result], parts: list[pa.Array]) -> list[Result]:
    if sum(map(len, parts)) <= SMALLEST_PART:
        return list(map(function, parts))
    with Threads(cores()) as pool:
        return list(pool.map(function, parts))


def ids_of_column(column: pa.ChunkedArray) -> Ids:
    """The identifiers of a column; whole numbers become their decimal digits."""
    import pyarrow as pa

    if not len(column):
        return Ids.of([])
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        column = _in_decimals(column)
    if column.type not in (pa.string(), pa.binary(), pa.large_string()):
        column = column.cast(pa.large_binary())
    wide = column.type == pa.large_string()
    return ids_of_chunks(chunk.view(pa.large_binary()) if wide else chunk for chunk in column.chunks)


def _bytes(array: pa.Array) -> pa.Array:
    """The identifiers of one array, as bytes with wide offsets."""
    import pyarrow as pa

    if pa.types.is_integer(array.type):
        array = array.cast(pa.large_string())
    return array.cast(pa.large_binary())


def _in_decimals(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    written = _on_cores(lambda part: part.cast(pa.large_string()), _parts(column))
    return pa.chunked_array(written, pa.large_string())


def _numbers(column: pa.ChunkedArray, role: str, where: Where) -> NDArray[np.float64]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if role != "probability":
        _refuse_nulls(column, role, where)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string())  # and from there to the nearest double, as text is read
    try:
        numbers = _doubles(column.cast(pa.float64(), safe=False))
        bad = unfit(role, numbers)
        wrong = int(np.argmax(bad)) if bad.any() else None
    except pa.ArrowNotImplementedError:
        raise InputError(f"the {role} is of type {column.type}, expected numbers") from None
    except pa.ArrowInvalid:
        wrong = next(row for row, text in enumerate(column.to_pylist()) if not NUMBER.fullmatch(str(text)))
    if wrong is None:
        return descending(role, numbers)
    value = column[wrong].as_py()
    problem = f"the {role} is {quoted(str(value))}, expected {expected(role, value, fractions=True)}"
    raise InputError(f"{where(wrong)}: {problem}")


def _doubles(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """The numbers of a column; NaN where there is none."""
    if column.null_count:
        column = column.fill_null(np.nan)
    parts = [numpy_of(chunk, np.float64) for chunk in column.chunks]
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0), *parts])


def arrow_of_bits(values: NDArray[np.bool_]) -> pa.Array:
    import pyarrow as pa

    packed = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(packed)])


def arrow_of_ids(ids: Ids) -> pa.Array:
    """Identifiers as an array of bytes with wide offsets."""
    import pyarrow as pa

    buffers = [None, *map(pa.py_buffer, (np.ascontiguousarray(ids.offsets, np.int64), ids.data))]
    return pa.Array.from_buffers(pa.large_binary(), len(ids), buffers)


def numpy_of(array: pa.Array, kind: type[Any]) -> NDArray[Any]:
    """Return the values of an array of numbers without nulls; `kind` is their type in NumPy."""
    if not len(array):
        return np.zeros(0, kind)
    return np.frombuffer(array.buffers()[1], kind, array.offset + len(array))[array.offset :]


def numpy_of_bits(array: pa.Array) -> NDArray[np.bool_]:
    """Return the values of an array of booleans without nulls."""
    if not len(array):
        return np.zeros(0, bool)
    bits = np.frombuffer(array.buffers()[1], np.uint8)
    return np.unpackbits(bits, bitorder="little")[array.offset : array.offset + len(array)].astype(bool)


def ids_of(array: pa.Array) -> Ids:
    """An array of bytes with wide offsets as identifiers."""
    _, ends, data = array.buffers()
    if not len(array):
        return Ids.of([])
    offsets = np.frombuffer(ends, np.int64, array.offset + len(array) + 1)[array.offset :]
    return Ids(_bytes_in(data), offsets)


def ids_of_chunks(chunks: Iterable[pa.Array]) -> Ids:
    """Arrays of bytes as identifiers, one after another; copied once if there are several."""
    import pyarrow as pa

    chunks = [chunk for chunk in chunks if len(chunk)]
    if len(chunks) == 1 and chunks[0].type == pa.large_binary():
        return ids_of(chunks[0])
    offsets = np.zeros(sum(map(len, chunks)) + 1, np.int64)
    rows, parts = 0, []
    for chunk in chunks:
        kind = np.int64 if chunk.type == pa.large_binary() else np.int32
        _, buffer, data = chunk.buffers()
        ends = np.frombuffer(buffer, kind, chunk.offset + len(chunk) + 1)[chunk.offset :]
        own = _bytes_in(data)[ends[0] : ends[-1]]
        moved = int(offsets[rows]) - int(ends[0])
        np.add(ends[1:], moved, out=offsets[rows + 1 : rows + 1 + len(chunk)], dtype=np.int64)
        rows += len(chunk)
        parts.append(own)
    return Ids(np.concatenate(parts) if len(parts) > 1 else (parts or [np.zeros(0, np.uint8)])[0], offsets)


def _bytes_in(buffer: pa.Buffer | None) -> NDArray[np.uint8]:
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)
