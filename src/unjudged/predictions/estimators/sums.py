"""Measures that are sums over the retrieved documents: weight of the rank x gain of the grade."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Weight
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments


def _discount(rank: Floats, cutoff: float = inf, **_: Any) -> Floats:
    return (rank <= cutoff) / np.log2(rank + 1.0)


WEIGHTS: dict[str, Weight] = {"DCG": _discount}
"""Sums whose weights are not among their traits."""


@dataclass(frozen=True)
class Sum:
    """Measure of the form: sum over ranks k of weight(k) x gain(grade at k).

    >>> dcg = Sum.of("DCG@10")
    >>> dcg.weights([1, 3, 11]), dcg.gains([0, 2])
    (array([1. , 0.5, 0. ]), array([0., 2.]))
    """

    measure: Measure

    @classmethod
    def of(cls, measure: MeasureLike) -> Sum:
        """Return the sum of a measure; raise UsageError for one of another form."""
        chosen = parse_measure(measure)
        chosen.check_complete()
        chosen.check_completable()
        if chosen.traits.weight is None and chosen.name not in WEIGHTS:
            known = [name for name, m in MEASURES.items() if m.traits.weight or name in WEIGHTS]
            reason = (
                "it is not a sum over documents: what one document adds depends on how the others are judged"
            )
            if chosen.traits.diluted:
                reason = (
                    "it divides by a number of relevant documents, or a best gain, that a sample cannot give"
                )
            raise UsageError(
                f"{chosen} cannot be estimated by document: {reason}. Estimate it by query instead, "
                f"choose one of {', '.join(known)}, or leave the predictions out (AP and nDCG with "
                "--interval sampling)"
            )
        return cls(chosen)

    def weights(self, rank: ArrayLike) -> Floats:
        """Return what a document of gain 1 adds at each of these ranks."""
        if self.measure.traits.weight is not None:
            return self.measure.weights(rank)
        return WEIGHTS[self.measure.name](np.asarray(rank, float), **self.measure.own)

    def gains(self, grade: ArrayLike) -> Floats:
        """Return the gain of each grade: what a document at rank 1 scores, divided by the weight there."""
        grades, place = np.unique(np.asarray(grade, np.int32), return_inverse=True)
        judgments = Judgments.of({str(g): {"d": g} for g in grades.tolist()})
        first = np.ones(len(grades), np.int32)
        one_each = np.arange(len(grades) + 1)
        rankings = JudgedRankings(
            judgments, first, one_each[:-1].astype(np.int32), one_each, first, one_each[:-1].astype(np.int32)
        )
        gain: Floats = (self.measure.compute(rankings) / self.weights(1.0))[place]
        return gain

    @property
    def rel(self) -> int:
        """Lowest relevant grade."""
        return int(self.measure.given.get("rel", 1))
