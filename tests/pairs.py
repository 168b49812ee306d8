"""Tests of all pairs of a matrix of scores, with a correction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unjudged.base.segments import Floats
from unjudged.inference.corrections import find_correction
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import p_values


class Found(NamedTuple):
    """The pairs with their p values before and after correction."""

    pairs: Pairs
    p: Floats
    p_adjusted: Floats

    @property
    def significant(self) -> Any:
        """Which pairs differ at 5 %."""
        return self.p_adjusted <= 0.05


def all_pairs(
    scores: Any, test: str = "t", correction: str = "holm", baseline: int | None = None, **drawn: int
) -> Found:
    """Test all pairs of systems, or all systems against a baseline."""
    pairs, by = Pairs.of(scores, baseline), find_correction(correction)
    p = p_values(pairs, test, **drawn).p
    more = {"draws": 20_000, "seed": 0, **drawn}
    return Found(pairs, p, np.asarray(by.function(pairs, **more) if by.joint else by.function(p)))
