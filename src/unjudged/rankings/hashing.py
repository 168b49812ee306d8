"""Numbers that look random and depend only on names and seeds, so no draw depends on its surroundings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import places
from unjudged.data.tables import Ids

Numbers = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(x: Numbers) -> Numbers:
    """Finaliser of SplitMix64: every bit of the result depends on every bit of x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def salt(*seed: int | str) -> np.uint64:
    """Return one number for a seed of several parts."""
    from hashlib import blake2b  # an evaluation needs none, and it loads OpenSSL

    digest = blake2b(" ".join(map(str, seed)).encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def uniforms(
    identity: Numbers, seed: np.uint64, counter: int | NDArray[np.integer] = 0
) -> NDArray[np.float64]:
    """Return numbers in (0, 1], one per identity and counter, independent of one another."""
    steps = np.asarray(counter, np.uint64) * _GOLDEN
    return unit(mixed(mixed(identity ^ seed) + steps)) + 2.0**-53


def unit(number: Numbers) -> NDArray[np.float64]:
    """Turn numbers of 64 bits into numbers from 0 to below 1, with 53 bits."""
    shares: NDArray[np.float64] = (number >> np.uint64(11)).astype(float) * 2.0**-53
    return shares


def fingerprint(numbers: Numbers) -> str:
    """Return sixteen hexadecimal digits that depend on all numbers, not on their order."""
    return f"{int(mixed(numbers).sum(dtype=np.uint64)):016x}"


def hashes(names: Ids, key: np.uint64) -> Numbers:
    """A number per name: the sum of its bytes times random numbers, one per position (multilinear hashing).

    Two different names have the same number with a probability of at most 2^-56 over the choice of the key.
    """
    lengths = np.diff(names.offsets)
    data = names.data[names.offsets[0] : names.offsets[-1]]
    start = names.offsets[:-1] - names.offsets[0]
    place = places(lengths) - 1
    longest = int(lengths.max(initial=0))
    factors = mixed(key + np.arange(1, longest + 1, dtype=np.uint64) * _GOLDEN) | np.uint64(1)
    sums = np.zeros(len(lengths), np.uint64)
    filled = lengths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(data * factors[place], start[filled])
    return mixed(sums + lengths.astype(np.uint64) * _GOLDEN)
