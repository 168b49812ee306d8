"""Prevalence: the probability that an unjudged document is relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, Integers

GivenPrevalence = float | Sequence[float]
"""A probability, or a probability per rank band 1, 2, 3-4, 5-8, ..."""


@dataclass(frozen=True, eq=False)
class Prevalence:
    """Document d is relevant with the probability of cell `cell[d]`."""

    cell: Integers
    probability: Floats
    assumption: str

    @property
    def chance(self) -> Floats:
        """Expected probability of each document."""
        chance: Floats = self.probability[self.cell]
        return chance

    def table(self, completions: int, seed: int) -> Floats:  # noqa: ARG002 (what is known does not vary)
        """Cells x completions, or cells x 1 where the probabilities are known."""
        return self.probability[:, None]

    def at(self, cell: Integers) -> Prevalence:
        """Return the same prevalence for other documents."""
        return replace(self, cell=cell)


def given_prevalence(given: GivenPrevalence, rank: Integers) -> Prevalence:
    """Return the prevalence of documents at these ranks by a number, or by a number per rank band."""
    values = np.atleast_1d(np.asarray(given, float))
    if not (values.ndim == 1 and len(values) and (values >= 0).all() and (values <= 1).all()):
        raise UsageError(f"prevalence is {given!r}: use a probability from 0 to 1, or one per rank band")
    if len(values) == 1:
        return Prevalence(np.zeros(len(rank), np.int64), values, f"given prevalence {values[0]:g}")
    shown = ", ".join(f"{value:.3g}" for value in values)
    cell = np.minimum(band_of(rank), len(values) - 1)
    return Prevalence(cell, values, f"given prevalence {shown} at ranks 1, 2, 3-4, 5-8, ...")


def band_of(rank: ArrayLike) -> Integers:
    """Return the band of each rank: 0 for rank 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ..."""
    band: Integers = np.ceil(np.log2(np.maximum(np.asarray(rank, float), 1))).astype(np.int64)
    return band
