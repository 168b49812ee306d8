"""The rows of each query brought together: which query each row has, and in which order rows go."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.formats.matching import cores
from unjudged.formats.tables import Ids
from unjudged.formats.threads import Threads

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


def numbered(names: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """Each name once, in the order they come, and for each row the number of its name."""
    import pyarrow as pa

    ids = ids_of(names)
    longest = int(np.diff(ids.offsets).max(initial=0))
    if len(names) > FEW and longest <= LONGEST_HASHED:
        encoded = pa.array(_keyed(ids, longest).view(np.int64)).dictionary_encode()
        number: NDArray[np.int32] = encoded.indices.to_numpy()
        distinct = names.take(pa.array(_first_rows(number, len(encoded.dictionary))))
        if longest < 8 or names.equals(distinct.take(encoded.indices)):
            return distinct, number
    seen: dict[bytes, int] = {}
    number = np.fromiter((seen.setdefault(name, len(seen)) for name in ids.tolist()), np.int32, len(ids))
    return names.take(pa.array(_first_rows(number, len(seen)))), number


def _keyed(ids: Ids, longest: int) -> NDArray[np.uint64]:
    """A number for each name, from its bytes; names below eight bytes never share one.

    Each core takes a part.
    """
    data = np.concatenate([ids.data, np.zeros(longest + 8, np.uint8)])
    words = np.ndarray(len(data) - 7, np.uint64, data, strides=(1,))
    cuts = np.linspace(0, len(ids), cores() + 1).astype(np.int64).tolist()
    with Threads(cores()) as pool:
        spans = [ids.offsets[first : last + 1] for first, last in pairwise(cuts)]
        return np.concatenate(list(pool.map(lambda span: _numbers(words, span, longest), spans)))


def _numbers(words: NDArray[np.uint64], ends: NDArray[np.int64], longest: int) -> NDArray[np.uint64]:
    """The same for the names between these offsets; word i is the eight bytes from byte i on."""
    starts, lengths = ends[:-1], np.diff(ends)
    number: NDArray[np.uint64] = words[starts]
    number &= _FIRST_BYTES[np.minimum(lengths, 8)]
    number ^= lengths.astype(np.uint64) << np.uint64(56)
    number *= _KEYS[0]
    for place in range(8, longest, 8):
        number ^= number >> np.uint64(29)
        number ^= words[starts + place] & _FIRST_BYTES[np.clip(lengths - place, 0, 8)]
        number *= _KEYS[place // 8]
    return number


def _first_rows(number: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """The first row of each number: assigned last, from the end."""
    rows = np.empty(count, np.int64)
    rows[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    return rows


def stable_order(number: NDArray[np.integer]) -> NDArray[np.int64]:
    """The rows by their number, rows of one number as they came; numpy counts numbers of sixteen bits."""
    order = np.argsort((number & 0xFFFF).astype(np.uint16), kind="stable")
    if len(number) and number.max() > 0xFFFF:
        order = order[np.argsort((number >> 16).astype(np.uint16)[order], kind="stable")]
    return order
