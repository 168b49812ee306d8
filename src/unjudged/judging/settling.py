"""Which pairs of runs the judgments settle: no completion of the unjudged documents changes their order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.errors import UsageError
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.bounding.bounds import bounds
from unjudged.uncertainty.bounding.filled import anonymous
from unjudged.uncertainty.park import is_sum
from unjudged.uncertainty.prevalence import PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class PairBounds:
    """The bounds of mean `first[k]` minus mean `second[k]`, for each pair k of runs."""

    first: Integers
    second: Integers
    low: Floats
    high: Floats

    @property
    def open(self) -> Mask:
        """The pairs whose order the unjudged documents may still decide."""
        settled = (self.low > ROUNDING) | (self.high < -ROUNDING)
        equal = (np.abs(self.low) <= ROUNDING) & (np.abs(self.high) <= ROUNDING)
        return ~(settled | equal)


def pair_bounds(shared: SharedRankings, measure: Measure) -> PairBounds:
    """The bounds of every pair's difference: exact for RBP and P, enclosed for other measures."""
    measure.check_completable()
    first, second = np.triu_indices(len(shared.runs), 1)
    if is_sum(measure):
        pool = shared.judgments
        known = shared.rankings.relabelled(pool.with_grades(np.maximum(pool.grade, 0)))
        mean = shared.per_run(measure.compute(known)).mean(axis=1)
        weights = shared.unknown_weights(measure)
        total, common = weights.total(), weights.shared()[first, second]
        difference = mean[first] - mean[second]
        low, high = difference - (total[second] - common), difference + (total[first] - common)
    else:
        lowest, highest = run_bounds(shared, measure)
        low, high = lowest[first] - highest[second], highest[first] - lowest[second]
    return PairBounds(first, second, low, high)


def likely_bounds(
    shared: SharedRankings,
    measure: Measure,
    confidence: float,
    *,
    prevalence: PrevalenceLike = "rank",
    draws: int = 200,
    seed: int = 0,
) -> PairBounds:
    """The central interval of every pair's difference over random completions: right if the prevalence is.

    Much narrower than the bounds, which allow every completion.
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence}, expected a number above 0 and below 1")
    completions = shared.completions(prevalence, rel=int(measure.given.get("rel", 1)), seed=seed)
    (values,) = completions.values([measure], draws)
    means = shared.per_run(values).mean(axis=2)
    first, second = np.triu_indices(len(shared.runs), 1)
    outside = (1 - confidence) / 2
    ends = [
        np.quantile(means[:, first] - means[:, second], share, axis=0) for share in (outside, 1 - outside)
    ]
    return PairBounds(first, second, *ends)


def run_bounds(shared: SharedRankings, measure: Measure) -> tuple[Floats, Floats]:
    """The bounds of each run's mean; documents after the end of a ranking do not count."""
    pool = shared.judgments
    judged = np.flatnonzero(pool.grade >= 0)
    row = np.full(len(pool.grade), -1)
    row[judged] = np.arange(len(judged))
    known = anonymous(np.searchsorted(judged, pool.offsets), pool.grade[judged])
    rankings = shared.rankings.moved(known, row)
    found = bounds(measure, rankings, more=shared.unretrieved_unknown(), after_end=False)
    return shared.per_run(found.low).mean(axis=1), shared.per_run(found.high).mean(axis=1)


def with_grades(shared: SharedRankings, grade: np.ndarray) -> SharedRankings:
    """The same runs and documents under other judgments."""
    judgments = shared.judgments.with_grades(grade.astype(np.int32))
    return replace(shared, judgments=judgments, rankings=shared.rankings.relabelled(judgments))
