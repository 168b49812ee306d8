"""The rows of each query brought together: which query each row has, and in which order rows go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids

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
    """Each name once, in the order they come, and for each row the number of its name.

    Arrow hashes text without a key, so a file can be written whose queries all collide. The scanner's hash
    has a random key.
    """
    import pyarrow as pa

    number, first = scanner.number_names(ids_of(names))
    return names.take(pa.array(first)), number


def stable_order(number: NDArray[np.integer]) -> NDArray[np.int64]:
    """The rows by their number, rows of one number as they came; numpy counts numbers of sixteen bits."""
    order = np.argsort((number & 0xFFFF).astype(np.uint16), kind="stable")
    if len(number) and number.max() > 0xFFFF:
        order = order[np.argsort((number >> 16).astype(np.uint16)[order], kind="stable")]
    return order
