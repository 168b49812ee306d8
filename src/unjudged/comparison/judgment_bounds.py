"""What the unjudged documents leave open of the difference of two systems, for every pair at once.

An unjudged document that both systems retrieve is one document, so it counts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from unjudged.comparison.pairs import Pairs
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
from unjudged.uncertainty.bounds import bounds
from unjudged.uncertainty.filled import anonymous
from unjudged.uncertainty.park import is_sum
from unjudged.uncertainty.shared import SharedRankings

ROUNDING = 1e-12
SEARCH_DEPTHS = (10, inf, 30, 3, 100, 1)


@dataclass(frozen=True, eq=False)
class JudgmentBounds:
    """The bounds of each pair's difference over every completion, and what is known about its sign.

    `exact` says whether completions reach the bounds. `settled` pairs keep their sign in every completion, `equal` ones
    are equal in every completion, `reversible` ones have a completion that reverses it; pairs that are neither are unresolved. `run_low` and
    `run_high` are the bounds of each system's mean.
    """

    low: Floats
    high: Floats
    exact: bool
    settled: Mask
    equal: Mask
    reversible: Mask
    run_low: Floats
    run_high: Floats


def judgment_bounds(shared: SharedRankings, measure: Measure, pairs: Pairs) -> JudgmentBounds:
    """Exact for sums over relevant documents (RBP, P); enclosed for other measures, with a search for reversals."""
    measure.check_completable()
    difference = pairs.difference
    run_low, run_high = _run_bounds(shared, measure, pairs)
    if is_sum(measure):
        low, high = _of_sums(shared, measure, pairs)
    else:  # one system at its lowest against the other at its highest
        low = run_low[pairs.first] - run_high[pairs.second]
        high = run_high[pairs.first] - run_low[pairs.second]
    low, high = np.minimum(low, difference), np.maximum(high, difference)
    settled = (low > ROUNDING) | (high < -ROUNDING)
    equal = (np.abs(low) <= ROUNDING) & (np.abs(high) <= ROUNDING)
    exact = is_sum(measure)
    open_ = ~(settled | equal)
    reversible = open_ if exact else _reversible(shared, measure, pairs, open_)
    return JudgmentBounds(low, high, exact, settled, equal, reversible, run_low, run_high)


def _of_sums(shared: SharedRankings, measure: Measure, pairs: Pairs) -> tuple[Floats, Floats]:
    """A document moves the difference by the difference of its weights: at most one of them, or neither.

    The sum of max(w_a - w_b, 0) is the sum of w_a minus the sum of min(w_a, w_b).
    """
    weights = shared.unknown_weights(measure)
    total, common = weights.total(), weights.shared()
    both = common[pairs.first, pairs.second]
    return (
        pairs.difference - np.maximum(total[pairs.second] - both, 0.0),
        pairs.difference + np.maximum(total[pairs.first] - both, 0.0),
    )


def _run_bounds(shared: SharedRankings, measure: Measure, pairs: Pairs) -> tuple[Floats, Floats]:
    """The bounds of each system's mean; documents after the end of a ranking do not count."""
    if is_sum(measure):
        means = measure.over_queries(pairs.scores)
        return means, means + shared.unknown_weights(measure).total()
    found = bounds(measure, _judged_only(shared), more=shared.unretrieved_unknown(), after_end=False)
    low, high = (measure.over_queries(shared.per_run(end)) for end in (found.low, found.high))
    return low, high


def _judged_only(shared: SharedRankings) -> JudgedRankings:
    """The rankings over the judged documents alone; the others are gaps between their ranks."""
    pool = shared.judgments
    judged = np.flatnonzero(pool.grade >= 0)
    row = np.full(len(pool.grade), -1)
    row[judged] = np.arange(len(judged))
    return shared.rankings.moved(anonymous(np.searchsorted(judged, pool.offsets), pool.grade[judged]), row)


def _reversible(shared: SharedRankings, measure: Measure, pairs: Pairs, wanted: Mask) -> Mask:
    """Pairs for which a completion was found in which the system behind is ahead.

    The unjudged documents of a system that is behind, down to some depth, turn out relevant; each query takes the
    depth that suits the system best, since completions of different queries are independent.
    """
    behind = np.where(pairs.difference > 0, pairs.second, pairs.first)
    ahead = np.where(pairs.difference > 0, pairs.first, pairs.second)
    gap = pairs.scores[behind] - pairs.scores[ahead]
    found = np.zeros(len(pairs), bool)
    completions = shared.completions(0.0, rel=int(measure.given.get("rel", 1)))
    place = np.full(len(shared.judgments.grade), -1)
    place[completions.row] = np.arange(len(completions.row))
    for depth in SEARCH_DEPTHS:
        for system in np.unique(behind[wanted & ~found]).tolist():
            own = shared.rankings.run(system)
            chosen = place[own.row[(own.labels < 0) & (own.rank <= depth)]]
            (values,) = shared.per_run(completions.chosen_values(measure, [chosen]))
            mine = np.flatnonzero(wanted & ~found & (behind == system))
            gap[mine] = np.maximum(gap[mine], values[system] - values[ahead[mine]])
            found[mine] = measure.over_queries(gap[mine]) > ROUNDING
    return found
