"""Clusters of queries: queries of one session, or made from one document, are not independent.

Means stay means over queries; only what is said of other queries goes by cluster. Of n queries let cluster g
have the share w_g, and let S_g be the sum of its deviations from the mean. The variance of the mean is CR2's,
the sum of S_g^2 / (1 - w_g) / n^2 (Bell and McCaffrey, 2002). Its degrees of freedom are Satterthwaite's,

    1 / (sum of w_g^2 + (sum of a_g)^2 - sum of a_g^2) with a_g = w_g^2 / (1 - w_g),

as if queries were alike (Pustejovsky and Tipton, 2018). With one query per cluster they are Student's n - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Mask


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which cluster each query is in; `number` is from 0.

    >>> clusters = Clusters.of(["a", "a", "b", "c", "c", "c"])
    >>> len(clusters), round(clusters.worth, 4)
    (3, 2.6667)
    """

    number: NDArray[np.intp]

    @classmethod
    def of(cls, names: Sequence[object]) -> Clusters | None:
        """Return the clusters with these names; None if each has one query, which then is independent."""
        numbers = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return None if len(numbers) == len(names) else cls(np.array([numbers[name] for name in names]))

    def __len__(self) -> int:
        return len(self.share)

    @cached_property
    def share(self) -> Floats:
        """Share of the queries that each cluster has."""
        return np.asarray(np.bincount(self.number) / len(self.number), float)

    @cached_property
    def worth(self) -> float:
        """How many independent queries are worth as much: one more than the degrees of freedom."""
        if len(self) < 2:
            return 1.0
        over = self.share**2 / (1 - self.share)
        return float(1 + 1 / ((self.share**2).sum() + over.sum() ** 2 - (over**2).sum()))

    def sums(self, values: Floats) -> Floats:
        """Return the sum of each row over the queries of each cluster."""
        order = np.argsort(self.number, kind="stable")
        first = np.searchsorted(self.number[order], np.arange(len(self)))
        return np.asarray(np.add.reduceat(values[..., order], first, axis=-1), float)

    def variance(self, gaps: Floats) -> Floats:
        """Return the variance of the mean of each row, from its deviations from that mean."""
        if len(self) < 2:
            return np.zeros(len(gaps))
        parts = self.sums(gaps) / len(self.number)
        return np.asarray((parts**2 / (1 - self.share)).sum(axis=-1), float)

    def over(self, queries: Mask) -> Clusters | None:
        """Return the same on some of the queries."""
        return Clusters.of(self.number[queries].tolist())


def independent(queries: int, clusters: Clusters | None) -> int:
    """Return how many independent parts there are: clusters, or else queries."""
    return queries if clusters is None else len(clusters)
