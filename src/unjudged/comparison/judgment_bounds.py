"""Differences of two systems that unjudged documents leave open, for every pair at once.

An unjudged document that both systems retrieve is one document, so it counts once. Of a geometric mean the
differences are of mean logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unjudged.base.segments import numbered
from unjudged.comparison.reversal.reversal_prevalence import Reversals, reversals
from unjudged.comparison.reversal.reversals import reversible
from unjudged.comparison.testing.pairs import ROUNDING, Pairs
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import ALL_JUDGED, Use, permitted
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty.bounding.bounds import bounds, check_bounded
from unjudged.uncertainty.bounding.filled import anonymous
from unjudged.uncertainty.shared import SharedRankings
from unjudged.uncertainty.unjudged_sums import is_sum

RUNS_AT_ONCE = 16
OF_OTHERS = "unknown (bounds of a table do not know what other systems found; give runs and judgments)"
BOUNDING = Use("bounds of a difference", judgments=ALL_JUDGED, check=check_bounded, geometric=True)


@dataclass(frozen=True, eq=False)
class JudgmentBounds:
    """Bounds of each pair's difference over every completion, and what is known about its sign.

    `exact` says whether completions reach the bounds. A `settled` pair keeps its sign in every completion, an
    `equal` one is equal in every completion, and a `reversible` one has a completion that reverses the sign
    or, where bounds are exact, makes the difference 0; any other pair is unresolved. `reversal` is about the
    pairs that are not settled: what share of relevant documents would reverse them. `run_low` and `run_high`
    are the bounds of each system's mean. A measure without bounds has NaN for all ends, no pair of any kind,
    and `missing` says why.
    """

    low: Floats
    high: Floats
    exact: bool
    settled: Mask
    equal: Mask
    reversible: Mask
    reversal: Reversals
    run_low: Floats
    run_high: Floats
    missing: str = ""
    by_query: tuple[Floats, Floats] | None = None
    """Of a table with bounds: the lowest and highest value of each system on each query."""


def judgment_bounds(shared: SharedRankings, measure: Measure, pairs: Pairs) -> JudgmentBounds:
    """Exact for sums over relevant documents (RBP, P); enclosed for others, with a search for reversals."""
    refusal = permitted(measure, shared.original, BOUNDING)
    if isinstance(refusal, Refusal):
        return no_bounds(pairs, refusal.reason.partition(";")[0])
    run_low, run_high = _run_bounds(shared, measure)
    exact = is_sum(measure)
    low, high = _of_sums(shared, measure, pairs) if exact else _enclosed(shared, pairs, run_low, run_high)
    settled, equal = decided(low, high)
    open_to_judging = ~(settled | equal)
    reversal = reversals(shared, measure, pairs, open_to_judging)
    turned = open_to_judging
    if not exact:
        turned = reversal.surely | reversible(shared, measure, pairs, open_to_judging & ~reversal.surely)
    means = mean_over_queries(pairs.scores)
    run_low = measure.mean_of(np.minimum(run_low, means))
    run_high = measure.mean_of(np.maximum(run_high, means))
    return JudgmentBounds(low, high, exact, settled, equal, turned, reversal, run_low, run_high)


def bounds_of_table(measure: Measure, low: Floats, high: Floats, pairs: Pairs) -> JudgmentBounds:
    """Bounds from the lowest and highest values of each system alone.

    Documents that two systems share count for each of them, so these are wider than from runs and judgments,
    and what reverses an order is not known. Relevant documents of one system lower AP, recall and nDCG of the
    other, which bounds of each alone do not know: such measures have none here.
    """
    if not measure.traits.pointwise:
        return no_bounds(pairs, OF_OTHERS)
    by_query = measure.averaged(low), measure.averaged(high)
    run_low, run_high = (mean_over_queries(ends) for ends in by_query)
    least = np.minimum(run_low[pairs.first] - run_high[pairs.second], pairs.difference)
    most = np.maximum(run_high[pairs.first] - run_low[pairs.second], pairs.difference)
    settled, equal = decided(least, most)
    none = np.zeros(len(pairs), bool)
    of_runs = measure.mean_of(run_low), measure.mean_of(run_high)
    unsought = Reversals.unsought(len(pairs))
    return JudgmentBounds(least, most, False, settled, equal, none, unsought, *of_runs, by_query=by_query)


def no_bounds(pairs: Pairs, missing: str) -> JudgmentBounds:
    """Return bounds of which nothing is known."""
    blank, none = np.full(len(pairs), np.nan), np.zeros(len(pairs), bool)
    of_runs = np.full(len(pairs.scores), np.nan)
    unsought = Reversals.unsought(len(pairs))
    return JudgmentBounds(blank, blank, False, none, none, none, unsought, of_runs, of_runs, missing)


def is_bounded(measure: Measure, shared: SharedRankings) -> bool:
    """Whether differences by the measure have bounds."""
    return not isinstance(permitted(measure, shared.original, BOUNDING), Refusal)


def difference_bounds(shared: SharedRankings, measure: Measure, pairs: Pairs) -> tuple[Floats, Floats]:
    """Only the ends of the bounds: exact for sums over relevant documents, enclosed for others."""
    measure.check_completable()
    if is_sum(measure):
        return _of_sums(shared, measure, pairs)
    return _enclosed(shared, pairs, *_run_bounds(shared, measure))


def _run_bounds(shared: SharedRankings, measure: Measure) -> tuple[Floats, Floats]:
    """Return the bounds of each run's mean, or mean logarithm."""
    low, high = (mean_over_queries(measure.averaged(end)) for end in ranking_bounds(shared, measure))
    return low, high


def decided(low: Floats, high: Floats) -> tuple[Mask, Mask]:
    """Return the pairs that keep their sign, and those that are equal, between these ends."""
    settled = (low > ROUNDING) | (high < -ROUNDING)
    return settled, (np.abs(low) <= ROUNDING) & (np.abs(high) <= ROUNDING)


def _enclosed(
    shared: SharedRankings, pairs: Pairs, run_low: Floats, run_high: Floats
) -> tuple[Floats, Floats]:
    """One system at its lowest against the other at its highest; 0 where they rank the same documents."""
    ranking, difference = _same_rankings(shared), pairs.difference
    different = ranking[pairs.first] != ranking[pairs.second]
    low = (run_low[pairs.first] - run_high[pairs.second]) * different
    high = (run_high[pairs.first] - run_low[pairs.second]) * different
    return np.minimum(low, difference), np.maximum(high, difference)


def _of_sums(shared: SharedRankings, measure: Measure, pairs: Pairs) -> tuple[Floats, Floats]:
    """Return the exact bounds: a document moves the difference by w_a - w_b, the difference of its weights.

    The sum of max(w_a - w_b, 0) is the sum of w_a minus the sum of min(w_a, w_b).
    """
    weights = shared.unknown_weights(measure)
    total, common = weights.total(), weights.shared()
    both = common[pairs.first, pairs.second]
    return (
        pairs.difference - np.maximum(total[pairs.second] - both, 0.0),
        pairs.difference + np.maximum(total[pairs.first] - both, 0.0),
    )


def ranking_bounds(shared: SharedRankings, measure: Measure) -> tuple[Floats, Floats]:
    """Runs x queries: the bounds of each ranking's value; documents after its end do not count."""
    if is_sum(measure):
        unknown = shared.rankings.where(shared.rankings.labels < 0)
        low = measure.compute(shared.rankings)
        high = low + unknown.total(measure.weights(unknown.rank))
    else:
        low, high = map(np.concatenate, zip(*_bounds_in_batches(shared, measure), strict=True))
    return shared.per_run(low), shared.per_run(high)


def _bounds_in_batches(shared: SharedRankings, measure: Measure) -> Iterator[tuple[Floats, Floats]]:
    """Yield the bounds of some runs after another, whose arrays are faster to work on than those of all."""
    judged, more, queries = _judged_only(shared), shared.unretrieved_unknown(), len(shared.judgments.queries)
    for first in range(0, len(shared.runs), RUNS_AT_ONCE):
        last = min(first + RUNS_AT_ONCE, len(shared.runs))
        own = more[first * queries : last * queries]
        found = bounds(measure, judged.runs(first, last), extra_relevant=own, after_end=False)
        yield found.low, found.high


def _same_rankings(shared: SharedRankings) -> Integers:
    """A number for each run; runs that rank the same documents in the same order have the same one."""
    found: dict[tuple[bytes, bytes], int] = {}
    runs = (shared.rankings.run(run) for run in range(len(shared.runs)))
    return np.array([found.setdefault((r.row.tobytes(), r.retrieved.tobytes()), len(found)) for r in runs])


def _judged_only(shared: SharedRankings) -> JudgedRankings:
    """Return the rankings over the judged documents alone; the others are gaps between their ranks."""
    pool = shared.judgments
    judged = np.flatnonzero(pool.grade >= 0)
    row = numbered(judged, len(pool.grade))
    kept = anonymous(np.searchsorted(judged, pool.offsets), pool.grade[judged])
    return shared.rankings.moved(kept, row)
