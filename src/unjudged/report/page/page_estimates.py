"""Scores and intervals that a page shows, from a comparison or of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unjudged.base.choices import IntervalName
from unjudged.comparison.comparison_result import Comparison
from unjudged.evaluation.scores import Scores
from unjudged.measures.kernel.estimand import ALL_JUDGED, Estimand
from unjudged.measures.kernel.measure import compute_all
from unjudged.measures.kernel.registry import Measure
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import NoIntervalError
from unjudged.uncertainty.shared import SharedRankings


def evaluated(shared: SharedRankings, measures: Sequence[Measure]) -> Scores:
    """Return scores of runs that were read, as `evaluate` returns them."""
    shape = len(shared.runs), len(shared.queries), len(measures)
    across = any(measure.traits.across_queries for measure in measures)
    rankings = shared.with_judged_elsewhere() if across else shared.judged_rankings
    values = compute_all(measures, rankings).reshape(shape)
    return Scores(values, shared.runs, list(shared.queries), measures, rankings)


def scores_of(comparison: Comparison) -> Scores:
    values = np.stack([result.values for result in comparison.results], axis=-1)
    measures: list[Measure] = [result.measure for result in comparison.results]
    return Scores(values, comparison.runs, comparison.queries, measures, comparison.documents.judged_rankings)


def bounds_of(comparison: Comparison) -> Sequence[Sequence[Estimate]]:
    """Return the bounds of each run's mean over the pool of all runs, as in the table of `compare`."""
    rows: list[list[Estimate]] = [[] for _ in comparison.runs]
    for result in comparison.results:
        how = "exact" if result.judging.exact else "enclosed"
        ends = zip(result.means, result.judging.run_low, result.judging.run_high, strict=True)
        for i, (mean, low, high) in enumerate(ends):
            of = Estimand(str(result.measure), judgments=ALL_JUDGED)
            known = Estimate(float(mean), float(low), float(high), 1.0, how, of)
            missing = result.judging.missing
            rows[i].append(Estimate.without_interval(float(mean), missing, of) if missing else known)
    return rows


def estimated(scores: Scores, interval: IntervalName, **given: Any) -> Sequence[Sequence[Estimate]]:
    """Return the means with an interval, or alone where no measure can have it."""
    try:
        return scores.estimate(interval, **given)
    except NoIntervalError as error:
        about = list(zip(scores.measures, scores.means.T.tolist(), strict=True))
        return [
            [Estimate.without_interval(means[i], str(error), Estimand(str(m))) for m, means in about]
            for i in range(len(scores.runs))
        ]


def calibrated_alone(estimate: Estimate) -> Estimate:
    """Return a calibrated interval, or the value of a run unlike the pooled ones: the page has its bounds."""
    if estimate.confidence < 1 or not estimate.has_interval:
        return estimate
    return Estimate.without_interval(
        estimate.value, estimate.method.replace(", so these are bounds", ""), estimate.of
    )
