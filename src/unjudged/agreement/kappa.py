"""How far two judges agree beyond chance: Cohen's kappa."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unjudged.rankings.judged import Floats


class ByChance(NamedTuple):
    """Observed agreement of two judges, and that of independent judges who use each grade as often.

    `each` has, for each document, how often the other judge uses the grades that these two gave it, summed.
    """

    observed: float
    expected: float
    each: Floats

    @property
    def kappa(self) -> float:
        if self.expected == 1:
            return float("nan")
        return (self.observed - self.expected) / (1 - self.expected)


def by_chance(first: ArrayLike, second: ArrayLike, weight: ArrayLike | None = None) -> ByChance:
    """How often two judges agree, and would by chance; a document counts as often as its weight says."""
    grades, codes = np.unique(np.concatenate([np.asarray(first), np.asarray(second)]), return_inverse=True)
    a, b = np.split(codes, 2)
    w = np.ones(len(a)) if weight is None else np.asarray(weight, float)
    w = w / w.sum()
    of_first, of_second = (np.bincount(given, w, len(grades)) for given in (a, b))
    expected = 1.0 if len(grades) == 1 else float(of_first @ of_second)
    each: Floats = np.asarray(of_second[a] + of_first[b], float)
    return ByChance(float(w @ (a == b)), expected, each)
