"""What a source knows of systems alone, and numbers in the measure's own direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.evidence.contrast import Contrast
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.rankings.judged import Floats

Columns = dict[str, Any]


def means_of_systems(contrast: Contrast, alpha: float) -> Columns:
    """Return what a source knows of systems alone: means, and ranges or ends of estimates."""
    measure, sign = contrast.measure, contrast.measure.sign
    if contrast.surrogate is not None:
        from unjudged.evidence.estimates import powered_means

        _, (means, low, high) = powered_means(contrast, alpha)
        return {"mean": means, "query_low": low, "query_high": high, "queries": contrast.scores.shape[1]}
    means = sign * possible_means(contrast, mean_over_queries(contrast.scores))[contrast.first]
    columns: Columns = {"mean": measure.mean_of(means), "queries": contrast.scores.shape[1]}
    if contrast.ends is not None:
        low, high = in_own_direction(sign, contrast.ends.low, contrast.ends.high)
        columns["low"], columns["high"] = measure.mean_of(low), measure.mean_of(high)
    if contrast.error is not None:
        columns |= sampled_columns(contrast, columns["mean"], alpha, measure.range)
    return columns


def sampled_columns(contrast: Contrast, values: Floats, alpha: float, limits: tuple[float, float]) -> Columns:
    """Return the ends of estimates from a sample of judgments, which are not outside the limits."""
    from unjudged.evidence.estimates import ends_of_estimates

    low, high = ends_of_estimates(contrast, values, 1 - alpha, limits)
    return {"estimate_low": low, "estimate_high": high}


def possible_means(contrast: Contrast, means: Floats) -> Floats:
    """Return the nearest means of the systems that can be true; unbiased estimates may lie outside."""
    return means if contrast.possible is None else np.clip(means, *contrast.possible)


def in_own_direction(sign: int, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    return (low, high) if sign > 0 else (-high, -low)
