"""Intervals 'bounds' and 'calibrated': these queries, with the unjudged documents judged too.

Bounds hold for every completion of the judgments, without any probability. Calibrated intervals are as wide
as left-out groups of the pool were off.
"""

from __future__ import annotations

from unjudged.base.errors import UsageError
from unjudged.evidence.bounds.value_bounds import check_bounded
from unjudged.evidence.calibration import Calibration
from unjudged.evidence.contrast import Contrast, Ends
from unjudged.evidence.intervals.methods import NEEDS, Columns, How, interval
from unjudged.evidence.runs_alone import BOUNDING, ends_of
from unjudged.measures.kernel.estimand import ALL_JUDGED, LEAVING_OUT
from unjudged.measures.kernel.measure import mean_over_queries


@interval(
    "bounds",
    "whatever the unjudged documents turn out to be",
    needs="ends",
    judgments=ALL_JUDGED,
    takes=BOUNDING.takes,
    instead="use 'queries'",
    check=check_bounded,
    geometric=True,
    cite=("moffat2008",),
)
def bounds(contrast: Contrast, _: How, *, extra_relevant: int = 0) -> Columns:
    """Return the lowest and highest mean that any completion of the judgments gives.

    `extra_relevant` documents in neither the ranking nor the pool may be relevant too.
    """
    measure, ends, holds = contrast.measure, contrast.ends, contrast.holds
    if extra_relevant:
        if contrast.rankings is None:
            raise UsageError(f"documents outside the pool need {NEEDS['rankings']}: omit extra_relevant")
        found, holds = ends_of(measure, contrast.rankings, contrast.scores, extra_relevant)
        ends = Ends(*(mean_over_queries(end[contrast.first]) for end in found))
    assert ends is not None  # noqa: S101 (it is needed)
    low, high = (measure.mean_of(end) for end in (ends.low, ends.high))
    low, high = (low, high) if measure.sign > 0 else (-high, -low)
    return {"low": low, "high": high, "confidence": 1.0, "method": holds}


@interval(
    "calibrated",
    "these queries, a run like the pooled groups",
    needs="rankings",
    judgments=ALL_JUDGED,
    takes=LEAVING_OUT.takes,
    instead=LEAVING_OUT.instead,
    cite=("vovk2005", "lei2018"),
)
def calibrated(contrast: Contrast, how: How, *, file: str | None = None) -> Columns:
    """Return intervals that held for the share `confidence` of the left-out runs of the pool.

    The calibration is that of the collection, or in a file that `Calibration.save` wrote. If there are too
    few groups for that, they have the highest level that the groups can give, and say so.
    """
    find = contrast.calibration
    calibration = Calibration.load(file) if file is not None else None if find is None else find()
    if calibration is None or contrast.rankings is None:
        raise UsageError(f"'calibrated' intervals need {NEEDS['calibration']}")
    level, problem = calibration.level(how.confidence), calibration.too_few_groups(how.confidence)
    calibration.check(contrast.measure, level)
    means = calibration.means(contrast.measure, contrast.rankings, level)
    told, confidence = [], []
    for system in contrast.first.tolist():
        said = calibration.describe(means, system, contrast.systems[system])
        unlike = bool(means.unlike[system])
        told.append(f"{said}; {problem}" if problem and not unlike else said)
        confidence.append(1.0 if unlike else level)
    return {
        "estimate": means.value[contrast.first],
        "calibrated_low": means.low[contrast.first],
        "calibrated_high": means.high[contrast.first],
        "confidence": confidence,
        "method": told,
        "estimated_measure": contrast.measure.cut_at(calibration.depth),
    }
