"""The prevalence at which the sign of a difference flips: a statement of sensitivity, not a probability."""

from __future__ import annotations

import numpy as np

from unjudged.measures.registry import Measure
from unjudged.uncertainty.park import is_sum
from unjudged.uncertainty.shared import SharedRankings

STEPS = 7
DRAWS = 40


def prevalence_at_flip(
    shared: SharedRankings, measure: Measure, a: int, b: int, difference: float
) -> float | None:
    """The lowest prevalence from which on the expected difference of systems a and b has the other sign.

    Every unjudged document has the same prevalence. None if no prevalence up to 1 flips it, or if the systems
    are equal now. A closed form for sums over relevant documents, a search over shared completions for others.
    """
    if difference == 0:
        return None
    if is_sum(measure):
        total = shared.unknown_weights(measure).total()
        slope = float(total[a] - total[b])
        flip = -difference / slope if slope * difference < 0 else np.inf
        return flip if flip <= 1 else None
    low, high = 0.0, 1.0
    if _expected(shared, measure, a, b, high) * difference > 0:
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _expected(shared, measure, a, b, middle) * difference > 0:
            low = middle
        else:
            high = middle
    return high


def _expected(shared: SharedRankings, measure: Measure, a: int, b: int, prevalence: float) -> float:
    completions = shared.completions(prevalence, rel=int(measure.given.get("rel", 1)))
    draws = DRAWS if prevalence < 1 else 1
    (values,) = completions.values([measure], draws)
    per_run = shared.per_run(values.mean(axis=0))
    return float(per_run[a].mean() - per_run[b].mean())
