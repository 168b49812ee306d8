"""Prevalence at which the sign of a difference flips: a statement of sensitivity, not a probability."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unjudged.measures.kernel.registry import Measure
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.shared import SharedRankings, two_of
from unjudged.uncertainty.unjudged_sums import is_sum

STEPS = 6
DRAWS = 40
TRIED = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def prevalence_at_flip(
    shared: SharedRankings, measure: Measure, a: int, b: int, difference: float
) -> float | None:
    """Return the lowest prevalence that gives the expected difference of systems a and b the other sign.

    Every unjudged document has the same prevalence. None if no prevalence flips the sign, or if the systems
    are equal now. For sums over relevant documents the expected difference is a straight line. For other
    measures it is the mean of random completions at the prevalences of TRIED; the first that flips the sign
    is then narrowed down by halving.
    """
    if difference == 0:
        return None
    if is_sum(measure):
        total = shared.unknown_weights(measure).total()
        slope = float(total[a] - total[b])
        flip = -difference / slope if slope * difference < 0 else np.inf
        return flip if flip <= 1 else None
    completions = two_of(shared, a, b).completions(0.0, rel=int(measure.given.get("rel", 1)))
    low = 0.0
    for high in TRIED:
        if expected_difference(completions, measure, high) * difference <= 0:
            break
        low = high
    else:
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        if expected_difference(completions, measure, middle) * difference > 0:
            low = middle
        else:
            high = middle
    return high


def expected_difference(completions: Completions, measure: Measure, prevalence: float) -> float:
    """Return the mean difference of two runs over random completions with this prevalence."""
    given = replace(completions.prevalence, probability=np.array([prevalence]))
    draws = DRAWS if prevalence < 1 else 1
    (values,) = replace(completions, prevalence=given).values([measure], draws)
    first, second = values.reshape(draws, 2, -1).mean(axis=(0, 2))
    return float(first - second)
