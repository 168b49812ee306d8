"""Tied documents: those that have the score of another document of their ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import numbered

Int32 = NDArray[np.int32]
Places = NDArray[np.intp]


class Ties(NamedTuple):
    """The tied documents of a list: their places in it, and the first and last ranks that have their score.

    Few documents of most runs are tied, so the others are not recorded.
    """

    place: Places
    first: Int32
    last: Int32

    @classmethod
    def of(cls, first: Int32, last: Int32) -> Ties | None:
        """Find the tied documents by the first and the last rank with the score of each; None if none is."""
        place = np.flatnonzero(first < last)
        return cls(place, first[place], last[place]) if len(place) else None

    def among(self, source: Places) -> Ties | None:
        """Return the ties of the documents `source` of the list."""
        size = max(int(source.max(initial=-1)), int(self.place[-1])) + 1
        found = numbered(self.place, size)[source]
        return self._some(np.flatnonzero(found >= 0), found[found >= 0])

    def between(self, start: int, stop: int) -> Ties | None:
        """Return the ties of documents `start` to `stop` of the list, the latter not included."""
        first, last = self.place.searchsorted([start, stop])
        return self._some(self.place[first:last] - start, slice(first, last))

    def _some(self, place: Places, own: Places | slice) -> Ties | None:
        return Ties(place, self.first[own], self.last[own]) if len(place) else None


def joined_ties(ties: Sequence[Ties | None], sizes: Sequence[int]) -> Ties | None:
    """Return the ties of several lists of documents of these sizes, end to end; None if nothing is tied."""
    before = np.cumsum([0, *sizes])
    known = [(one, start) for one, start in zip(ties, before, strict=False) if one is not None]
    if not known:
        return None
    place = np.concatenate([one.place + start for one, start in known])
    return Ties(place, *(np.concatenate([one[k] for one, _ in known]) for k in (1, 2)))


def ties_among(ties: Ties | None, source: Places) -> Ties | None:
    """Return the ties of some documents of a list; None if nothing is tied."""
    return None if ties is None else ties.among(source)
