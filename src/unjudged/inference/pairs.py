"""Which systems are compared: pairs of rows of the matrix of per-query values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.measures.kernel.averages import ROUNDING, mean_over_queries
from unjudged.rankings.judged import Floats, Mask

Ints = NDArray[np.intp]

CELLS = 1 << 21
"""How many numbers a block of differences or of resampled means may hold, so that memory stays bounded."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pair k is system `first[k]` minus `second[k]`; `scores[i, j]` is what system i scores on query j.

    The system with the higher scores is better, or with `lower` that with the lower ones.

    >>> pairs = Pairs.of([[0.1, 0.5, 0.9], [0.2, 0.5, 0.6], [0.3, 0.3, 0.3]])
    >>> [(int(a), int(b)) for a, b in zip(pairs.first, pairs.second)]
    [(0, 1), (0, 2), (1, 2)]
    >>> pairs.difference.round(4).tolist()
    [0.0667, 0.2, 0.1333]
    """

    scores: Floats
    first: Ints
    second: Ints
    lower: bool = False

    @classmethod
    def of(cls, scores: Any, baseline: int | None = None, *, lower: bool = False) -> Pairs:
        """All pairs of systems, or every other system minus the baseline."""
        values = np.asarray(scores, float)
        if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 1:
            raise UsageError(
                f"scores have the shape {values.shape}, expected (systems, queries) with at least two systems"
            )
        if not np.isfinite(values).all():
            system, query = np.argwhere(~np.isfinite(values))[0]
            value = values[system, query]
            raise UsageError(f"the score of system {system} on query {query} is {value}, expected a number")
        systems = len(values)
        if baseline is None:
            return cls(values, *np.triu_indices(systems, 1), lower)
        if not 0 <= baseline < systems:
            raise UsageError(f"baseline is system {baseline}, expected one of 0 to {systems - 1}")
        others = np.delete(np.arange(systems), baseline)
        return cls(values, others, np.full(systems - 1, baseline), lower)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def queries(self) -> int:
        return int(self.scores.shape[1])

    @cached_property
    def tolerance(self) -> float:
        """Differences up to this size are rounding errors."""
        return ROUNDING * float(np.abs(self.scores).max())

    @property
    def sign(self) -> int:
        """The product with a difference is above 0 where the first system is better."""
        return -1 if self.lower else 1

    @cached_property
    def difference(self) -> Floats:
        """Mean difference of each pair; 0 where it is a rounding error."""
        found = self.over_blocks(lambda differences: mean_over_queries(differences, exact=False))
        return np.where(np.abs(found) <= self.tolerance, 0.0, found)

    @cached_property
    def deviation(self) -> Floats:
        """Standard deviation of each pair's differences over queries; 0 where it is a rounding error."""
        if self.queries == 1:
            return np.zeros(len(self))
        found = self.over_blocks(lambda differences: differences.std(axis=1, ddof=1))
        return np.where(found <= self.tolerance, 0.0, found)

    @cached_property
    def identical(self) -> Any:
        """Pairs of systems that score the same on every query."""
        return self.over_blocks(lambda differences: np.abs(differences).max(axis=1)) <= self.tolerance

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the differences, a block of pairs at a time."""
        size = max(1, CELLS // self.queries)
        for start in range(0, len(self), size):
            chosen = slice(start, min(start + size, len(self)))
            yield chosen, self.scores[self.first[chosen]] - self.scores[self.second[chosen]]

    def over_blocks(self, function: Any) -> Floats:
        """One number per pair, from a function of a block of differences."""
        return np.concatenate([function(differences) for _, differences in self.blocks()])

    def ahead(self, chosen: Mask, difference: Floats | None = None) -> Mask:
        """Systems x systems: whether the first is ahead of the second, in the chosen pairs."""
        gap = self.sign * (self.difference if difference is None else difference)
        found = np.zeros((len(self.scores), len(self.scores)), bool)
        up, down = chosen & (gap > 0), chosen & (gap < 0)
        found[self.first[up], self.second[up]] = True
        found[self.second[down], self.first[down]] = True
        return found


def rank_intervals(better: Mask) -> list[tuple[int, int]]:
    """Return from 1 + the number of systems that are better, to all systems but those that are worse.

    `better[i, j]` is whether system i is better than j.
    """
    up, down = better.sum(axis=0).tolist(), better.sum(axis=1).tolist()
    return [(1 + above, len(better) - below) for above, below in zip(up, down, strict=True)]


def place_of_baseline(baseline: str | None, runs: Sequence[str]) -> int | None:
    """Return the place of the baseline among at least two runs."""
    if len(runs) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    if baseline is not None and baseline not in runs:
        raise UsageError(f"the baseline {baseline!r} is not among the runs: {shortlist(runs)}")
    return None if baseline is None else list(runs).index(baseline)
