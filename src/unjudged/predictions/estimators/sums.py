"""Measures that are sums over the retrieved documents: weight of the rank x gain of the grade."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Weight
from unjudged.predictions.estimators.population import PredictedPopulation
from unjudged.predictions.predictions import GRADES, Predictions
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
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

    def gains_where(self, known: Mask, grade: NDArray[Any]) -> Floats:
        """Return the gain of each grade that is known, 0 for the others."""
        gain = np.zeros(len(known))
        gain[known] = self.gains(grade[known])
        return gain

    @property
    def rel(self) -> int:
        """Lowest relevant grade."""
        return int(self.measure.given.get("rel", 1))


def as_they_are(predictions: PredictedPopulation, chosen: Sum) -> Floats:
    """Return the predictions of the only judge as gains; several have no weights without calibration."""
    if len(predictions.judges) > 1:
        raise UsageError("the judges are weighted by calibration: calibrate them, or give one alone")
    return as_gains(predictions.judges.all[0], predictions.values[0], chosen)


def as_gains(predictions: Predictions, value: Floats, chosen: Sum) -> Floats:
    """Return predictions as gains without calibration; 0 where there is none."""
    if predictions.kind == GRADES:
        return chosen.gains_where(~np.isnan(value), value)
    if not predictions.are_probabilities:
        problem = "scores without calibration must be probabilities, numbers from 0 to 1"
        raise UsageError(f"{predictions.name}: {problem}: calibrate them")
    if not np.array_equal(chosen.gains([0, chosen.rel]), [0.0, 1.0]):
        raise UsageError(f"{chosen.measure}: probabilities of relevance are not graded gains: calibrate them")
    return np.where(np.isnan(value), 0.0, value)
