"""Predictions as gains, without calibration."""

from __future__ import annotations

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.predictions.estimators.population import PredictedPopulation
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.predictions import GRADES, Predictions
from unjudged.rankings.judged import Floats


def as_they_are(predictions: PredictedPopulation, chosen: Sum) -> Floats:
    """Return the predictions of the only judge as gains; several have no weights without calibration."""
    if len(predictions.judges) > 1:
        raise UsageError("the judges are weighted by calibration: calibrate them, or give one alone")
    return as_gains(predictions.judges.all[0], predictions.values[0], chosen)


def as_gains(predictions: Predictions, value: Floats, chosen: Sum) -> Floats:
    """Return predictions as gains without calibration; 0 where there is none."""
    if predictions.kind == GRADES:
        known = ~np.isnan(value)
        gain = np.zeros(len(value))
        gain[known] = chosen.gains(value[known])
        return gain
    if not predictions.are_probabilities:
        problem = "scores without calibration must be probabilities, numbers from 0 to 1"
        raise UsageError(f"{predictions.name}: {problem}: calibrate them")
    if not np.array_equal(chosen.gains([0, chosen.rel]), [0.0, 1.0]):
        raise UsageError(f"{chosen.measure}: probabilities of relevance are not graded gains: calibrate them")
    return np.where(np.isnan(value), 0.0, value)
