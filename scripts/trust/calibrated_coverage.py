"""Coverage of calibrated intervals: every group left out of a pool from which the others calibrate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from left_out_runs import DEPTH, ROUNDING, Case, Pooled, cases, of_runs

from unjudged.evaluation.groups import calibrated
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.calibration import Calibration
from unjudged.uncertainty.left_out import mean_bounds

GROUP_PAIRS, SEED = 200, 8
DIFFERENCE_LEVELS = (0.94, 0.9, 0.8)
"""Without two groups the other 38 cannot give more."""

Scored = dict[tuple[int, int], dict[str, Floats]]
"""The scores of each pair of groups by measure."""


def left_out_group(folder: Path, group: int, names: Sequence[str], unit: str) -> list[Case]:
    """Intervals for the runs of one group, calibrated on the others as if it had not taken part."""
    pooled, measures = Pooled.read(folder), parse_measures(names)
    rest, own, runs = pooled.without([group])
    learnt = calibrated(rest.rankings, rest.group, measures, depth=DEPTH, unit=unit)
    truths = [pooled.means(measure)[runs] for measure in measures]
    return cases(own, truths, measures, unit, method="calibrated", calibration=learnt)


def automatic_to_manual(folder: Path, names: Sequence[str]) -> list[Case]:
    """Intervals for the manual runs, calibrated on automatic runs.

    Either all manual runs take no part in the pool, or one group with its manual runs at a time.
    """
    pooled, measures = Pooled.read(folder), parse_measures(names)
    apart = int(pooled.group.max()) + 1
    group = np.where(pooled.manual, apart, pooled.group)
    found = _manual(replace(pooled, group=group), apart, measures, "all manual runs")
    for one in np.unique(pooled.group[pooled.manual]).tolist():
        found += _manual(pooled, one, measures, "one group")
    return found


def _manual(pooled: Pooled, out: int, measures: Sequence[Measure], setting: str) -> list[Case]:
    rest, own, runs = pooled.without([out])
    automatic = rest.chosen(~rest.manual)
    learnt = calibrated(automatic.rankings, automatic.group, measures, depth=DEPTH)
    manual = np.flatnonzero(pooled.manual[runs])
    truths = [pooled.means(measure)[runs[manual]] for measure in measures]
    return cases(of_runs(own, manual), truths, measures, setting, method="calibrated", calibration=learnt)


def differences(folder: Path, names: Sequence[str]) -> list[Case]:
    """Intervals for differences of runs of two left-out groups.

    A random sample of pairs of groups, and a random run of each. The other groups calibrate, as if these two
    had not taken part.
    """
    pooled, measures = Pooled.read(folder), parse_measures(names)
    truths = [pooled.means(measure) for measure in measures]
    every = list(combinations(range(pooled.groups), 2))
    chosen = np.random.default_rng(SEED).permutation(len(every))[:GROUP_PAIRS]
    found = []
    for out in [every[i] for i in sorted(chosen.tolist())]:
        rest, own, runs = pooled.without(list(out))
        learnt = calibrated(rest.rankings, rest.group, measures, depth=DEPTH)
        rng = np.random.default_rng([SEED, *out])
        two_new = [tuple(int(rng.choice(np.flatnonzero(pooled.group[runs] == group))) for group in out)]
        for measure, truth in zip(measures, truths, strict=True):
            for level in DIFFERENCE_LEVELS:
                found += _differences(own, measure, learnt, truth[runs], two_new, level=level)
    return found


def _differences(
    own: JudgedRankings,
    measure: Measure,
    learnt: Calibration,
    truth: Floats,
    pairs: Sequence[tuple[int, ...]],
    *,
    level: float,
) -> list[Case]:
    """The calibrated intervals that `compare` gives for pairs of runs."""
    low, high = mean_bounds(measure, own, len(own) // len(truth))
    made = []
    for i, j in pairs:
        width = float(high[i] - low[i] + high[j] - low[j])
        if width > ROUNDING:
            value, bottom, top = learnt.difference(measure, own, i, j, level)
            made.append(
                Case(str(measure), "two new", level, value, bottom, top, float(truth[i] - truth[j]), width)
            )
    return made
