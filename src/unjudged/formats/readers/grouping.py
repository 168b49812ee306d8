"""The rows of each query brought together: which query each row has, and in which order rows go."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.formats.tables import Ids

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 1 << 14
LONGEST_HASHED = 64

# Arrow hashes text without a key, so a file can be written whose queries all collide. Numbers made of the
# text with random keys cannot be foreseen.
_KEYS = np.frombuffer(os.urandom(8 * (LONGEST_HASHED // 8 + 1)), np.uint64) | np.uint64(1)
_FIRST_BYTES = np.array([(1 << (8 * size)) - 1 for size in range(9)], np.uint64)


def ids_of(array: pa.Array) -> Ids:
    """An array of bytes with wide offsets as identifiers, over the same memory."""
    _, ends, data = array.buffers()
    if not len(array):
        return Ids.of([])
    offsets = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    return Ids(np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8), offsets)


def numbered(names: pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Each name once, in the order they come, and for each row the number of its name."""
    import pyarrow as pa

    ids = ids_of(names)
    longest = int(np.diff(ids.offsets).max(initial=0))
    if len(names) > FEW and longest <= LONGEST_HASHED:
        number: NDArray[np.int64] = (
            pa.array(_keyed(ids, longest).view(np.int64)).dictionary_encode().indices.to_numpy()
        ).astype(np.int64)
        distinct = names.take(pa.array(_first_rows(number)))
        if longest < 8 or names.equals(distinct.take(pa.array(number))):
            return distinct, number
    seen: dict[bytes, int] = {}
    number = np.fromiter((seen.setdefault(name, len(seen)) for name in ids.tolist()), np.int64, len(ids))
    return names.take(pa.array(_first_rows(number))), number


def _keyed(ids: Ids, longest: int) -> NDArray[np.uint64]:
    """A number for each name, from its bytes; names below eight bytes never share one."""
    starts, lengths = ids.offsets[:-1], np.diff(ids.offsets)
    data = np.concatenate([ids.data, np.zeros(8, np.uint8)])
    words = np.ndarray(len(data) - 7, np.uint64, data, strides=(1,))
    number: NDArray[np.uint64] = lengths.astype(np.uint64) << np.uint64(56)
    for place in range(0, max(longest, 1), 8):
        at = np.minimum(starts + place, len(words) - 1)
        number ^= words[at] & _FIRST_BYTES[np.clip(lengths - place, 0, 8)]
        number *= _KEYS[place // 8]
        number ^= number >> np.uint64(29)
    number *= _KEYS[-1]
    return number


def _first_rows(number: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first row of each number; numbers are given in the order of their first rows."""
    highest = np.maximum.accumulate(number)
    return np.flatnonzero(np.diff(highest, prepend=-1))


def stable_order(number: NDArray[np.integer]) -> NDArray[np.int64]:
    """The rows by their number, rows of one number as they came; numpy counts numbers of sixteen bits."""
    order = np.argsort((number & 0xFFFF).astype(np.uint16), kind="stable")
    if len(number) and number.max() > 0xFFFF:
        order = order[np.argsort((number >> 16).astype(np.uint16)[order], kind="stable")]
    return order
