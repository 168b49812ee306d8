"""Estimates of a contrast and their ends: from drawn documents, and with predictions of further queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Contrast
from unjudged.measures.kernel.measure import mean_over_queries, without_rounding

if TYPE_CHECKING:
    from unjudged.evidence.intervals.powered import Powered


def ends_of_estimates(
    contrast: Contrast, values: Floats, confidence: float, limits: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return the ends of estimates from a sample, inside the limits and what is known to be possible."""
    ends: Any = limits if contrast.ends is None else contrast.ends
    if contrast.possible is not None and not contrast.paired:
        ends = [end[contrast.first] for end in contrast.possible]
    least, most = ends
    slack = np.zeros((len(contrast), 2)) if contrast.slack is None else contrast.slack
    assert contrast.reach is not None  # noqa: S101 (estimates have one)
    down, up = contrast.reach(confidence)
    error, middle = np.asarray(contrast.error), np.clip(values, least, most)
    low = np.maximum(middle - down * error + slack[:, 0], least)
    return low, np.minimum(middle + up * error + slack[:, 1], most)


def possible_means(contrast: Contrast) -> Floats:
    """Return the nearest means of the systems that can be true; unbiased estimates may lie outside."""
    means = mean_over_queries(contrast.scores)
    return means if contrast.possible is None else np.clip(means, *contrast.possible)


def powered_means(contrast: Contrast, alpha: float) -> tuple[list[Powered], tuple[Floats, Floats, Floats]]:
    """Return the means of people's scores with predicted ones; and these and their ends as shown."""
    from unjudged.evidence.intervals.powered import prediction_powered
    from unjudged.evidence.intervals.quantiles import t_quantile

    values, sign = contrast.values, contrast.measure.sign
    predicted, further = contrast.surrogate or (values, values)
    powered = [prediction_powered(*one) for one in zip(values, predicted, further, strict=True)]
    means = without_rounding(np.array([one.value for one in powered]), contrast.scores)
    powered = [replace(one, value=mean) for one, mean in zip(powered, means.tolist(), strict=True)]
    means = sign * means + 0.0
    half = np.array([t_quantile(1 - alpha, one.queries - 2) * one.error for one in powered])
    return powered, (means, means - half, means + half)
