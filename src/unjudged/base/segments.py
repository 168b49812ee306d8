"""Segments: many short arrays end to end in one long one, described by how many elements each has.

>>> counts = np.array([2, 0, 3])
>>> ends(counts), owners(counts), places(counts)
(array([0, 2, 2, 5]), array([0, 0, 2, 2, 2]), array([1, 2, 1, 2, 3]))
>>> ranges(np.array([10, 20, 30]), counts)
array([10, 11, 30, 31, 32])
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
BLOCK = 1 << 15
"""Number of elements that stay in the cache from one step of `running` to the next."""

Number = TypeVar("Number", NDArray[np.int64], NDArray[np.int32])


def ends(counts: NDArray[np.integer | np.bool_]) -> Integers:
    """Return 0, then where each segment ends: segment s holds elements `ends[s]` to `ends[s + 1]`."""
    return _running(counts, np.zeros(len(counts) + 1, np.int64))


def count_before(mask: Mask) -> NDArray[np.int32]:
    """Return how many elements are True before each place, and in all."""
    return _running(mask, np.zeros(len(mask) + 1, np.int32))


def _running(counts: NDArray[Any], ends: Number) -> Number:
    """Write running sums of counts behind a first 0."""
    counts.cumsum(out=ends[1:])
    return ends


def owners(counts: NDArray[np.integer]) -> Integers:
    """Return the segment of each element."""
    return np.arange(len(counts)).repeat(counts)


def owners_by_ends(ends: Integers) -> Integers:
    """Return the segment of each element, given where segments start and end, as `ends` has it."""
    if len(ends) == 2:  # short rankings are evaluated one by one, and each step counts
        return np.zeros(int(ends[1] - ends[0]), np.int64)
    return owners(ends[1:] - ends[:-1])


def places_by_ends(ends: Integers, owner: Integers) -> Integers:
    """Return the place of each element in its segment, from 1, given what `owners_by_ends` returned."""
    place = np.arange(1, len(owner) + 1)
    return place if len(ends) == 2 else place - ends.take(owner)


def places(counts: NDArray[np.integer]) -> Integers:
    """Return the place of each element in its segment, from 1."""
    before = ends(counts)
    return np.arange(1, before[-1] + 1) - before[:-1].repeat(counts)


def ranges(starts: NDArray[np.integer], counts: NDArray[np.integer]) -> Integers:
    """Return `starts[s]`, `starts[s] + 1`, ... for the elements of each segment s."""
    before = ends(counts)
    elements: Integers = (starts - before[:-1]).repeat(counts) + np.arange(before[-1])
    return elements


def numbered(chosen: Integers, size: int) -> Integers:
    """Return the place of each of `size` things among the chosen ones, -1 for the others.

    >>> numbered(np.array([3, 1]), 4)
    array([-1,  1, -1,  0])
    """
    place = np.full(size, -1)
    place[chosen] = np.arange(len(chosen))
    return place


def distinct(values: ArrayLike) -> NDArray[Any]:
    """Return the different values in order; `np.unique` would import masked arrays, a tenth of a command.

    >>> distinct([3, 1, 3])
    array([1, 3])
    """
    ordered = np.sort(values, axis=None)
    found: NDArray[Any] = ordered[np.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]])]
    return found


def stable_order(codes: NDArray[np.integer]) -> Integers:
    """Return the order that sorts whole numbers from 0 up, equal ones as they come.

    NumPy counts numbers of sixteen bits instead of comparing them, so larger ones are sorted in steps.

    >>> stable_order(np.array([2, 0, 2, 1])).tolist()
    [1, 3, 0, 2]
    """
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    for shift in range(16, int(codes.max(initial=0)).bit_length(), 16):
        order = order[np.argsort(((codes >> shift) & 0xFFFF).astype(np.uint16)[order], kind="stable")]
    return order


def sums(values: ArrayLike, group: NDArray[np.integer], groups: int) -> Floats:
    """Return the sum of each group's values, added one after another in their order."""
    added: Any = np.bincount(group, values, groups)
    totals: Floats = added
    return totals


def running(values: Floats, ends: Integers, place: Integers, combine: np.ufunc) -> Floats:
    """Return for each element `combine` over the values of its segment up to it; `place` counts them from 1.

    It works by doubling steps. The order of the operations depends only on an element's place, so a segment
    gets the same bits beside any other segments.

    >>> running(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 4]), np.array([1, 1, 2, 3]), np.add)
    array([1., 2., 5., 9.])
    """
    result = np.array(values, float)
    starts = ends[ends.searchsorted(np.arange(0, len(result), BLOCK))].tolist()
    for start, stop in pairwise([*starts, len(result)]):
        own, at = result[start:stop], place[start:stop]
        step, longest = 1, int(at.max(initial=0))
        while step < longest:
            combine(own[step:], own[:-step], out=own[step:], where=at[step:] > step)
            step *= 2
    return result
