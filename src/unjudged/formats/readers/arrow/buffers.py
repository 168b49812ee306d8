"""Arrow arrays from NumPy's and back, over the same memory.

Arrow's own conversions import pandas wherever it is installed, which takes longer than reading most files.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unjudged.formats.tables import Ids

if TYPE_CHECKING:
    import pyarrow as pa


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
