"""Pairs of systems, as a page holds them."""

from __future__ import annotations

import numpy as np

from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.reversals import prevalence_at_flip
from unjudged.comparison.verdicts import VERDICTS, conclusion
from unjudged.rankings.judged import Floats
from unjudged.report.page.packed import Packed
from unjudged.uncertainty.unjudged_sums import is_sum

MOST_WORK = 150_000
"""With more pairs x documents, the prevalence at the flip is given only where it has a closed form."""

NO_FLIP, NOT_SOUGHT = -1.0, -2.0


def add_pairs(packed: Packed, comparison: Comparison) -> None:
    """Add every pair by every measure; names end with the place of the measure."""
    pairs = comparison.results[0].tests.pairs
    packed.add("first", pairs.first, "u2")
    packed.add("second", pairs.second, "u2")
    for k, result in enumerate(comparison.results):
        tests, judging = result.tests, result.judging
        packed.add(f"difference{k}", result.tests.pairs.difference, "f8")
        packed.add(f"p{k}", tests.p, "f8")
        packed.add(f"p_adjusted{k}", tests.p_adjusted, "f8")
        packed.add(f"pair_low{k}", judging.low, "f8")
        packed.add(f"pair_high{k}", judging.high, "f8")
        _, low, high = tests.difference
        packed.add(f"query_half{k}", (high - low) / 2, "f8")
        packed.add(f"verdict{k}", [VERDICTS.index(verdict) for verdict in result.verdicts], "u1")
        packed.add(f"flip{k}", _flips(comparison, result), "f8")
        if comparison.calibration is not None:
            packed.add(f"calibrated_pairs{k}", _calibrated(comparison, result), "f8")
        packed.add(f"wins{k}", tests.outcomes.wins, "u2")
        packed.add(f"losses{k}", tests.outcomes.losses, "u2")
        packed.add(f"rank_intervals{k}", result.rank_intervals(), "u2")
        packed.add(f"tier{k}", result.tiers(), "u2")


def _flips(comparison: Comparison, result: MeasureComparison) -> Floats:
    """Return the prevalence at which each pair flips; -1 where none does, -2 where it was not sought."""
    pairs, difference = result.tests.pairs, result.tests.pairs.difference
    if is_sum(result.measure):
        total = comparison.shared.unknown_weights(result.measure).total()
        slope = total[pairs.first] - total[pairs.second]
        turns = slope * difference < 0
        flip = np.divide(-difference, slope, out=np.full(len(pairs), np.inf), where=turns)
        return np.where(flip <= 1, flip, NO_FLIP)
    if len(pairs) * len(comparison.shared.rankings.row) > MOST_WORK:
        return np.full(len(pairs), NOT_SOUGHT)
    flips = [
        prevalence_at_flip(comparison.shared, result.measure, int(a), int(b), float(d))
        for a, b, d in zip(pairs.first, pairs.second, difference, strict=True)
    ]
    return np.array([NO_FLIP if flip is None else flip for flip in flips])


def _calibrated(comparison: Comparison, result: MeasureComparison) -> list[list[float]]:
    """Return the ends of each pair's calibrated interval; not a number if the measure has none."""
    intervals = [pair.calibrated for pair in comparison.pairs_of([result], flip=False)]
    return [[np.nan, np.nan] if e is None else [e.low, e.high] for e in intervals]


def conclusions() -> dict[str, list[str]]:
    """Return by verdict the sentence for a pair, `{ahead}` and `{other}`, and that for equal systems."""
    return {
        verdict: [
            f"Verdict: {verdict}. {conclusion(verdict, '{ahead}', '{other}', equal=equal)}"
            for equal in (False, True)
        ]
        for verdict in VERDICTS
    }
