"""Which pairs of runs the judgments settle: no completion of the unjudged documents changes their order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.comparison.judgment_bounds import decided, difference_bounds
from unjudged.comparison.testing.pairs import Pairs
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS, completions_of
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.prevalence import PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings


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
        settled, equal = decided(self.low, self.high)
        return ~(settled | equal)


def pair_bounds(shared: SharedRankings, measure: Measure) -> PairBounds:
    """The bounds of every pair's difference: exact for RBP and P, enclosed for other measures."""
    measure.check_completable()
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    return PairBounds(pairs.first, pairs.second, *difference_bounds(shared, measure, pairs))


def likely_bounds(
    shared: SharedRankings,
    measure: Measure,
    confidence: float,
    *,
    prevalence: PrevalenceLike = FROM_RUNS,
    draws: int = 200,
    seed: int = 0,
) -> PairBounds:
    """The central interval of every pair's difference over random completions: right if the prevalence is.

    Much narrower than the bounds, which allow every completion. The ends vary over so few completions, so an
    interval is at least as wide as that of a normal distribution with their mean and deviation.
    """
    from scipy.special import ndtri

    check_confidence(confidence)
    completions = completions_of(shared, prevalence, rel=int(measure.given.get("rel", 1)), seed=seed)
    (values,) = completions.values([measure], draws)
    means = shared.per_run(values).mean(axis=2)
    first, second = np.triu_indices(len(shared.runs), 1)
    outside = (1 - confidence) / 2
    difference = means[:, first] - means[:, second]
    centre, radius = difference.mean(axis=0), -ndtri(outside) * difference.std(axis=0)
    low, high = np.quantile(difference, [outside, 1 - outside], axis=0)
    return PairBounds(first, second, np.minimum(low, centre - radius), np.maximum(high, centre + radius))


def with_grades(shared: SharedRankings, grade: np.ndarray) -> SharedRankings:
    """The same runs and documents under other judgments."""
    judgments = shared.judgments.with_grades(grade.astype(np.int32))
    return replace(shared, judgments=judgments, rankings=shared.rankings.relabelled(judgments))
