"""A gate for releases: is the new system worse than the old one by more than a margin?

The new system passes if its mean difference is above minus the margin at level alpha for other queries, also
when the unjudged documents that favour the old system are relevant as often as those that were judged. It
fails if the difference is below minus the margin, also when those that favour the new one are. The worst case
takes the ends of the bounds instead, and `as judged` leaves unjudged documents out of account. Where
documents were drawn, the interval that a comparison shows of the estimate must be on the same side of the
margin too: it holds for as many looks as were taken.

Its level is for one look. The sequential test may be asked again whenever the two systems met more queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import ceil, log
from typing import Literal

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters, Contrast, independent
from unjudged.evidence.mean_intervals import limits_of_mean, shape_of
from unjudged.inference.corrections import holm
from unjudged.inference.pair_rows import rows_of
from unjudged.inference.pair_tests import Settings, decide, run_tests
from unjudged.inference.power import queries_needed
from unjudged.inference.significance import (
    LOOKS_FROM,
    careful,
    level_of_one_look,
    over_time,
    sequential,
    share_alike,
)
from unjudged.inference.system_rows import parts_of
from unjudged.measures.kernel.measure import ROUNDING
from unjudged.results.fields import Row

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
SEEN, WORST, AS_JUDGED, UNKNOWN, MISSING = "seen", "worst", "as-judged", "unknown", "missing"
JudgingName = Literal["seen", "worst", "as-judged"]
POWER = 0.8
"""Probability with which the number of queries that is asked for would tell."""


def gate_checks(
    contrasts: Sequence[tuple[Contrast, float, str]], judging: JudgingName, settings: Settings
) -> list[Row]:
    """Return a row per contrast of new minus old, with one pair each, with its margin and segment.

    Failing is corrected by Holm's method over all of them; each must pass at level alpha. The test of the
    settings is Student's, with Hall's, or the sequential one.
    """
    checks = [_tested(*one, judging, settings) for one in contrasts]
    tested = np.array([parts_of(check) > 1 for check in checks])
    corrected = np.full(len(checks), np.nan)
    corrected[tested] = holm.function(np.array([check["p_worse"] for check in checks])[tested])
    return [_decided(check, float(p), settings.alpha) for check, p in zip(checks, corrected, strict=True)]


def extremes(contrast: Contrast, judging: JudgingName) -> tuple[Floats, Floats, str]:
    """Return new minus old on each query at its worst and at its best, and what these are."""
    values = contrast.values
    if judging == AS_JUDGED:
        return values, values, AS_JUDGED
    if not contrast.known.any():
        return values, values, UNKNOWN
    missing = contrast.gaps and contrast.tips is not None
    if contrast.ends_by_query is not None and not missing and (judging == WORST or contrast.tips is None):
        low, high = contrast.ends_by_query
        return np.minimum(low, values), np.maximum(high, values), WORST
    assert contrast.tips is not None  # noqa: S101
    down, up = (contrast.tips(*two) for two in permutations((contrast.first, contrast.second)))
    if missing:
        return down.at_worst(), -up.at_worst(), MISSING
    worst, best = down.at(down.seen), -up.at(up.seen)
    return _lower(worst, values), -_lower(-best, -values), SEEN


def _lower(expected: Floats, values: Floats) -> Floats:
    """Return the expected values, or the values as judged where their mean is lower."""
    return np.where((expected.mean(axis=1) <= values.mean(axis=1))[:, None], expected, values)


def _tested(contrast: Contrast, margin: float, segment: str, judging: JudgingName, settings: Settings) -> Row:
    """Return the row that a comparison of the two has, with the one-sided tests at the margin."""
    measure, gain, again = contrast.measure, contrast.values, settings.test is sequential
    clusters = contrast.clusters
    reach, queries = measure.reach, gain.shape[1]
    level = level_of_one_look(2 * settings.alpha) / 2 if again else settings.alpha
    (columns,) = decide([run_tests(contrast, settings)], settings)
    (row,) = rows_of(contrast, columns, segment=segment)
    worst, best, known = extremes(contrast, judging)
    same = bool(np.abs(np.stack([worst, best])).max() <= ROUNDING)
    if contrast.surrogate is None:
        above = float(careful(worst, margin, reach, clusters).above[0])
        below = float(careful(best, margin, reach, clusters).below[0])
        low = float(limits_of_mean(worst, level, (-reach, reach), clusters)[0][0])
        high = float(limits_of_mean(best, level, (-reach, reach), clusters)[1][0])
    else:
        from unjudged.evidence.powered import powered_means

        (powered,), _ = powered_means(contrast, level)
        above, below = powered.sides(margin)
        low, high = powered.interval(1 - 2 * level)
    if contrast.error is not None and judging != AS_JUDGED:
        drawn_low, drawn_high = row["estimate_low"], row["estimate_high"]
        above, below = (above if drawn_low > -margin else 1.0), (below if drawn_high < -margin else 1.0)
        low, high = min(low, drawn_low), max(high, drawn_high)
    if again:
        above, below = _at_every_look(above, queries), _at_every_look(below, queries)
        low, high = (low, high) if queries >= LOOKS_FROM else (-reach, reach)
    low, high = (np.nan, np.nan) if same else (low, high) if measure.sign > 0 else (-high, -low)
    told = min(float(side[0]) for side in careful(gain, margin, reach, clusters)) <= level
    open_to = "judging" if known in (SEEN, WORST, MISSING) and told else "queries"
    end = next((e for e, side in ((worst, 1), (best, -1)) if side * (e.mean() + margin) > 0), None)
    needed = _needed(gain if end is None else end, margin, level, reach, clusters)
    if end is None and open_to == "queries":  # neither side could be shown while so much is unjudged
        open_to = "both"
    return row | {
        "margin": margin,
        "judging": known,
        "limit_low": low,
        "limit_high": high,
        "p_not_worse": 0.0 if same else above,
        "p_worse": 1.0 if same else below,
        "identical": same,
        "constant": float(shape_of(gain, clusters).deviation[0]) == 0,
        "open_to": open_to,
        "queries_needed": max(needed, LOOKS_FROM) if again and needed is not None else needed,
    }


def _at_every_look(p: float, queries: int) -> float:
    """Return the one-sided p value of the sequential test, given the one of a single look."""
    return max(p, float(over_time(np.array([min(2 * p, 1.0)]), queries)[0]) / 2)


def _decided(check: Row, p_worse: float, alpha: float) -> Row:
    """Return the check with its outcome, and what an undecided one is open to."""
    outcome = FAIL if p_worse <= alpha else PASS if check["p_not_worse"] <= alpha else UNDECIDED
    decided = check | {"p_worse_adjusted": p_worse, "outcome": outcome}
    if outcome != UNDECIDED:
        return decided | {"open_to": None, "queries_needed": None}
    return decided | {"open_to": "correction"} if check["p_worse"] <= alpha else decided


def _needed(gain: Floats, margin: float, alpha: float, reach: float, clusters: Clusters | None) -> int | None:
    """Return how many queries like these would tell, if the gain stays as it is; None if none would.

    One query does not show how far others differ. More queries come in more clusters of the same sizes.
    """
    values, parts = gain[0], independent(gain.shape[1], clusters)
    if parts == 1:
        return None
    (deviation,), n = shape_of(gain, clusters).deviation.tolist(), shape_of(gain, clusters).n
    if deviation == 0:
        share = min(float(share_alike(s * values[:1], s * margin, reach)[0]) for s in (1, -1))
        if share >= 1:
            return None
        return ceil((log(alpha) / log(share) if share > 0 else 1) * len(values) / parts)
    apart = abs(float(values.mean()) + margin)
    if apart == 0 or 2 * alpha >= POWER:
        return None
    try:
        return ceil(queries_needed(deviation, apart, power=POWER, alpha=2 * alpha) * len(values) / n)
    except UsageError:  # more than can be counted
        return None
