"""Which query each row has, and the rows of each query brought together."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.formats.matching import SMALLEST_PART, cores
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Scattered, Table
from unjudged.formats.threads import Threads

if TYPE_CHECKING:
    import pyarrow as pa


def ids_of(array: pa.Array) -> Ids:
    """An array of bytes with wide offsets as identifiers, over the same memory."""
    _, ends, data = array.buffers()
    if not len(array):
        return Ids.of([])
    offsets = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    return Ids(np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8), offsets)


def numbered(names: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """Each name once, in the order they come, and for each row the number of its name. Cores share the rows.

    Arrow hashes text without a key, so a file can be written whose queries all collide. The scanner's hash
    has a random key.
    """
    import pyarrow as pa

    parts = min(cores(), len(names) // SMALLEST_PART)
    if parts < 2:
        return _numbered_at_once(names)
    cuts = pairwise(np.linspace(0, len(names), parts + 1).astype(np.int64).tolist())
    own = [names.slice(start, stop - start) for start, stop in cuts]
    with Threads(parts) as pool:
        found = list(pool.map(scanner.number_names, map(ids_of, own)))
        distinct = [part.take(pa.array(first)) for part, (_, first) in zip(own, found, strict=True)]
        known, code = _numbered_at_once(pa.concat_arrays(distinct))
        codes = np.split(code, np.cumsum([len(part) for part in distinct])[:-1])
        moved = pool.map(np.take, codes, [number for number, _ in found])
        return known, np.concatenate(list(moved))


def _numbered_at_once(names: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    import pyarrow as pa

    number, first = scanner.number_names(ids_of(names))
    return names.take(pa.array(first)), number


def grouped(rows: Scattered) -> Table:
    """The rows of each query together, as they came; each core takes a part of the documents."""
    import pyarrow as pa

    order = stable_order(rows.number)
    buffers = [None, *map(pa.py_buffer, (rows.documents.offsets, rows.documents.data))]
    documents = pa.Array.from_buffers(pa.large_binary(), len(rows.documents), buffers)
    with Threads(cores()) as pool:
        taken = pool.map(documents.take, map(pa.array, np.array_split(order, cores())))
        documents = pa.concat_arrays(taken)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows.number))]).astype(np.int64)
    return Table(rows.queries, starts, ids_of(documents), rows.numbers[order], np.zeros(0, np.int64))


def stable_order(number: NDArray[np.integer]) -> NDArray[np.int64]:
    """The rows by their number, rows of one number as they came; numpy counts numbers of sixteen bits."""
    order = np.argsort((number & 0xFFFF).astype(np.uint16), kind="stable")
    if len(number) and number.max() > 0xFFFF:
        order = order[np.argsort((number >> 16).astype(np.uint16)[order], kind="stable")]
    return order
