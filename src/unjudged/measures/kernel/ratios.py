"""Quotients that are 0 where there is nothing to divide by."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.rankings.judged import Floats


def ratio(numerator: Any, denominator: Any) -> Floats:
    """The quotient, 0 where there is nothing to divide by."""
    denominator = np.asarray(denominator)
    if np.count_nonzero(denominator) == denominator.size:
        whole: Floats = np.true_divide(numerator, denominator)
        return whole
    found = np.zeros(np.broadcast(numerator, denominator).shape)
    quotient: Floats = np.divide(numerator, denominator, out=found, where=np.not_equal(denominator, 0))
    return quotient
