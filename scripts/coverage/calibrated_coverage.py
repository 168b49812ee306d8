"""Coverage of calibrated intervals: every group left out of a pool from which the others calibrate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from left_out_runs import DEPTH, LEVELS, ROUNDING, Case, Pooled, cases, of_runs

from unjudged.comparison.judgment_bounds import judgment_bounds
from unjudged.comparison.pairs import Pairs
from unjudged.measures.names import parse_measures
from unjudged.measures.registry import Measure
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.calibration import Calibration, calibrated, mean_bounds
from unjudged.uncertainty.left_out import LeftOut
from unjudged.uncertainty.shared import SharedRankings

GROUP_PAIRS, SEED = 60, 8

Scored = dict[tuple[int, int], dict[str, Floats]]
"""The scores of each pair of groups by measure."""


def left_out_group(folder: Path, group: int, names: Sequence[str], unit: str) -> list[Case]:
    """Intervals for the runs of one group, calibrated on the others as if it had not taken part."""
    pooled, measures = Pooled.read(folder), parse_measures(names)
    rest, own, runs = pooled.without([group])
    learnt = calibrated(rest.rankings, rest.group, measures, depth=DEPTH, unit=unit, differences=False)
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
    learnt = calibrated(automatic.rankings, automatic.group, measures, depth=DEPTH, differences=False)
    manual = np.flatnonzero(pooled.manual[runs])
    truths = [pooled.means(measure)[runs[manual]] for measure in measures]
    return cases(of_runs(own, manual), truths, measures, setting, method="calibrated", calibration=learnt)


def scores_of_pairs(folder: Path, names: Sequence[str]) -> Scored:
    """The scores of differences between runs of two groups left out together, for every pair of groups."""
    pooled, measures = Pooled.read(folder), parse_measures(names)
    left_out = LeftOut(pooled.rankings, pooled.group)
    truths = [pooled.means(measure) for measure in measures]
    found: Scored = {}
    for runs, rankings in left_out.pairs(pooled.groups**2):
        group = pooled.group[runs]
        one, other = np.nonzero(group[:, None] < group[None, :])
        scores = {}
        for measure, truth in zip(measures, truths, strict=True):
            low, high = mean_bounds(measure, rankings, pooled.queries)
            error = truth[runs] - left_out.means(measure, rankings)
            width = (high - low)[one] + (high - low)[other]
            kept = width > ROUNDING
            scores[str(measure)] = np.abs(error[one] - error[other])[kept] / np.sqrt(width[kept])
        found[int(group.min()), int(group.max())] = scores
    return found


def differences(folder: Path, names: Sequence[str]) -> list[Case]:
    """Intervals for differences of runs of two left-out groups, and of such a run and a pooled one.

    A random sample of pairs of groups; the pairs that share no group with one calibrate it.
    """
    pooled, measures = Pooled.read(folder), parse_measures(names)
    truths = [pooled.means(measure) for measure in measures]
    every = scores_of_pairs(folder, names)
    chosen = np.random.default_rng(SEED).permutation(len(every))[:GROUP_PAIRS]
    found = []
    for out in [list(every)[i] for i in sorted(chosen.tolist())]:
        learnt = _calibration(pooled, every, out, names)
        runs = np.flatnonzero(np.isin(pooled.group, out)).tolist()
        old = np.random.default_rng([SEED, *out]).permutation(np.flatnonzero(~np.isin(pooled.group, out)))
        two_new = [(a, b) for a, b in combinations(runs, 2) if pooled.group[a] != pooled.group[b]]
        new_and_pooled = list(zip(runs, old.tolist(), strict=False))
        for setting, pairs in (("two new", two_new), ("new and pooled", new_and_pooled)):
            for a, b in pairs:
                shared = _shared(pooled, out, (a, b))
                for measure, truth in zip(measures, truths, strict=True):
                    found += _differences(shared, measure, learnt, setting, float(truth[a] - truth[b]))
    return found


def _calibration(pooled: Pooled, every: Scored, out: tuple[int, int], names: Sequence[str]) -> Calibration:
    """What the pairs that share no group with a pair teach."""
    others = [scores for pair, scores in every.items() if not set(pair) & set(out)]
    measures = [str(measure) for measure in parse_measures(names)]
    learnt = {name: tuple(np.concatenate([scores[name] for scores in others]).tolist()) for name in measures}
    groups, runs = pooled.groups - 2, len(pooled.group)
    return Calibration(groups, runs, pooled.queries, DEPTH, "runs", (), (), {}, learnt)


def _shared(pooled: Pooled, out: tuple[int, int], runs: tuple[int, int]) -> SharedRankings:
    """Two runs over a pool in which the documents that only the left-out groups brought are unjudged."""
    hidden = pooled.only_by(out)
    own = of_runs(pooled.rankings, runs)
    kept = ~hidden
    kept[own.row] = True
    judgments = chosen_rows(own.judgments.with_grades(np.where(hidden, -1, own.judgments.grade)), kept)
    moved = own.moved(judgments, np.where(kept, np.cumsum(kept) - 1, -1))
    names = [str(run) for run in runs]
    documents = np.arange(len(judgments.grade))
    return SharedRankings(judgments, moved, names, judgments.queries, judgments.documents, documents)


def _differences(
    shared: SharedRankings, measure: Measure, learnt: Calibration, setting: str, truth: float
) -> list[Case]:
    """The intervals that `compare` gives for the two runs."""
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    found = judgment_bounds(shared, measure, pairs)
    value, low, high = (float(part[0]) for part in (pairs.difference, found.low, found.high))
    if high - low <= ROUNDING:
        return []
    made = []
    for level in LEVELS:
        reach = learnt.radius(measure, level, difference=True) * float(np.sqrt(high - low))
        ends = max(value - reach, low), min(value + reach, high)
        made.append(Case(str(measure), setting, level, value, *ends, truth, high - low))
    return made
