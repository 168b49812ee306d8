"""Coverage of calibrated intervals: every group left out of a pool from which the others calibrate."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from left_out_runs import ROUNDING, Case, Pooled, Track, cases, of_runs

from unjudged.evaluation.collection import judged_rankings
from unjudged.evaluation.groups import calibrated
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.calibration import place_of
from unjudged.uncertainty.left_out import TOP, FirstDocuments, LeftOut, mean_bounds

RELEASE = "0.2.0"


def left_out_group(track: Track, group: int, names: Sequence[str], *, release: bool = True) -> list[Case]:
    """Intervals for the runs of one group, calibrated on the others as if it had not taken part.

    By the scores of runs and by one score of each group; by the rule of an earlier release too, unless that
    is not asked for.
    """
    pooled, measures = Pooled.read(track), parse_measures(names)
    rest, own, runs = pooled.without([group])
    learnt = calibrated(rest.rankings, rest.group, measures, depth=track.depth)
    truths = [pooled.means(measure)[runs] for measure in measures]
    made = _by_release(track, rest, own, truths, measures) if release else []
    for by in (learnt, learnt.by_groups()):
        made += cases(own, truths, measures, by.unit, track.levels, method="calibrated", calibration=by)
    return made


def _by_release(
    track: Track, rest: Pooled, own: JudgedRankings, truths: Sequence[Floats], measures: Sequence[Measure]
) -> list[Case]:
    """Intervals of 0.2.0: scores |truth - value| / sqrt(high - low) of all left-out runs.

    Runs with more unjudged documents in their first ten than any left-out run had their bounds.
    """
    left_out, queries = LeftOut.of(rest.rankings, rest.group, track.depth), rest.queries
    each = left_out.each()
    known, first = (FirstDocuments.of(rankings.cut(TOP), queries).unjudged for rankings in (each, own))
    unjudged, unlike = FirstDocuments.of(own, queries).unjudged, first > known.max() + ROUNDING
    made = []
    for measure, truth in zip(measures, truths, strict=True):
        (least, most), (low, high) = (mean_bounds(measure, rankings, queries) for rankings in (each, own))
        error = np.abs(left_out.means(measure, rest.rankings) - left_out.means(measure, each))
        is_open = most - least > ROUNDING
        score = np.sort(error[is_open] / np.sqrt((most - least)[is_open]))
        value = left_out.means(measure, own)
        for level in track.levels:
            place = place_of(len(score), level)
            for i in np.flatnonzero(high - low > ROUNDING).tolist() if place <= len(score) else ():
                reach = score[place - 1] * np.sqrt(high[i] - low[i])
                case = Case(
                    str(measure),
                    RELEASE,
                    level,
                    value=float(value[i]),
                    low=float(max(value[i] - reach, low[i])),
                    high=float(min(value[i] + reach, high[i])),
                    truth=float(truth[i]),
                    bounds_width=float(high[i] - low[i]),
                    unjudged=float(unjudged[i]),
                    unlike=bool(unlike[i]),
                )
                made.append(case)
    return made


def other_file(track: Track, other: Track, names: Sequence[str]) -> list[Case]:
    """Intervals for the left-out runs of a collection by the file of another, which the package refuses."""
    pooled, source, measures = Pooled.read(track), Pooled.read(other), parse_measures(names)
    learnt = calibrated(source.rankings, source.group, measures, depth=other.depth)
    unchecked = replace(learnt, topics="", depth=track.depth)
    made, setting = [], f"{track.name} by the file of {other.name}"
    for group in range(pooled.groups):
        _, own, runs = pooled.without([group])
        truths = [pooled.means(measure)[runs] for measure in measures]
        made += cases(own, truths, measures, setting, [0.9], method="calibrated", calibration=unchecked)
    return made


def new_kind(track: Track, names: Sequence[str]) -> list[Case]:
    """Intervals for the manual (or neural) runs, calibrated on the others.

    Either none of them took part in the pool, or one group at a time did not.
    """
    pooled, measures = Pooled.read(track), parse_measures(names)
    apart = int(pooled.group.max()) + 1
    group = np.where(pooled.unlike, apart, pooled.group)
    made = _new_kind(track, replace(pooled, group=group), apart, measures, "all of them")
    for one in np.unique(pooled.group[pooled.unlike]).tolist():
        made += _new_kind(track, pooled, one, measures, "one group")
    return made


def _new_kind(
    track: Track, pooled: Pooled, out: int, measures: Sequence[Measure], setting: str
) -> list[Case]:
    rest, own, runs = pooled.without([out])
    known = rest.chosen(~rest.unlike)
    learnt = calibrated(known.rankings, known.group, measures, depth=track.depth)
    new = np.flatnonzero(pooled.unlike[runs])
    truths = [pooled.means(measure)[runs[new]] for measure in measures]
    request = {"method": "calibrated", "calibration": learnt}
    return cases(of_runs(own, new), truths, measures, setting, [track.unlike_level], **request)


def later_runs(track: Track, names: Sequence[str]) -> list[Case]:
    """Intervals for runs made after the pool, calibrated on all pooled runs; their truth is not known."""
    pooled, measures = Pooled.read(track), parse_measures(names)
    with (track.folder / "track/runs.tsv").open() as file:
        later = [row["run"] for row in csv.DictReader(file, delimiter="\t") if row["kind"] == "later"]
    runs = {run: track.folder / f"track/runs/{run}.gz" for run in later}
    rankings = judged_rankings(Judgments.read(track.judgments), runs).cut(track.depth)
    learnt = calibrated(pooled.rankings, pooled.group, measures, depth=track.depth)
    unknown = [np.full(len(runs), np.nan)] * len(measures)
    request = {"method": "calibrated", "calibration": learnt}
    return cases(rankings, unknown, measures, "later", [track.levels[0]], **request)
