"""Measures of judgments with fractional grades: whole grades stand for them, from the lowest to the highest.

A threshold becomes the first whole grade that reaches it, and gains become a table by whole grade, so every
measure keeps its one formula.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, JudgedRankings


def of_whole_grades(
    measure: Any, rankings: JudgedRankings, scale: Floats
) -> tuple[dict[str, Any], JudgedRankings]:
    """Return parameters and rankings by whole grades; grade g stands for the gain `scale[g]`."""
    whole = rankings.relabelled(replace(rankings.judgments, scale=None))
    given = dict(measure.given)
    highest = given.pop("max_grade", None)
    graded = "gains" in measure.parameters and ("rel" not in measure.parameters or highest is not None)
    refused = "gains" in given or "actual" in given or given.get("scale", "none") != "none"
    if measure.traits.ungraded:
        return dict(measure.given), whole
    if refused or not (graded or "rel" in measure.parameters):
        remedy = "round the grades, or use nDCG, whose gains they are"
        raise UsageError(f"{measure} needs whole grades, and these have fractions: {remedy}")
    if "rel" in given:
        given["rel"] = max(1, int(np.searchsorted(scale, given["rel"])))
    elif "rel" in measure.parameters and highest is None:
        example = measure(rel=float(scale[-1] / 2))
        raise UsageError(f"{measure}: with fractional grades, say which are relevant, such as {example}")
    if graded:
        exponential = given.pop("dcg", "log2") == "exp-log2"
        gains = np.exp2(scale) - 1 if exponential else scale / (highest or 1)
        given["gains"] = dict(enumerate(gains.tolist()))
    return given, whole
