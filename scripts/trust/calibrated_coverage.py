"""Coverage of calibrated intervals: every group left out of a pool from which the others calibrate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from held import Held
from left_out_runs import Case, Pooled, Track, cases, of_runs

from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.questions.calibrating import calibrated


def left_out_group(track: Track, group: int, names: Sequence[str]) -> list[Case]:
    """Intervals for the runs of one group, calibrated on the others as if it had not taken part."""
    pooled, measures = Pooled.read(track), parse_measures(names)
    rest, own, runs = pooled.without([group])
    learnt = calibrated(rest.rankings, rest.group, measures, depth=track.depth)
    truths = [pooled.means(measure)[runs] for measure in measures]
    return cases(own, truths, measures, "runs", track.levels, calibration=learnt)


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
    return cases(of_runs(own, new), truths, measures, setting, [track.unlike_level], calibration=learnt)


ByTrack = Mapping[Track, Sequence[Case]]
PARTS = {"the lower half": (0.0, 0.5), "the next 40 %": (0.5, 0.9), "the top tenth": (0.9, 1.0)}


def by_measure(by_track: ByTrack, settings: Sequence[str]) -> Iterable[Held]:
    """Yield the coverage of each measure by each setting, at the levels that its cases have."""
    for track, found in by_track.items():
        for level in dict.fromkeys(case.level for case in found):
            for measure in dict.fromkeys(case.measure for case in found):
                for setting in settings:
                    key = measure, setting, level
                    own = [c for c in found if (c.measure, c.setting, c.level) == key]
                    if own:
                        yield _held(track.name, setting, measure, own)


def by_part(by_track: ByTrack) -> Iterable[Held]:
    """Yield the coverage over all measures for runs with narrow and wide bounds, few and many unjudged."""
    for track, found in by_track.items():
        for by, named in (("bounds_width", "width of the bounds"), ("unjudged", "unjudged share")):
            for (name, ends), level in product(PARTS.items(), track.levels):
                own = [c for c in found if (c.setting, c.level, c.unlike) == ("runs", level, False)]
                yield _held(track.name, f"{name} by {named}", "all", _part(own, by, *ends))


def _part(found: Sequence[Case], by: str, first: float, last: float) -> list[Case]:
    part: list[Case] = []
    for measure in dict.fromkeys(case.measure for case in found):
        own = sorted((case for case in found if case.measure == measure), key=lambda case: getattr(case, by))
        part += own[round(first * len(own)) : round(last * len(own))]
    return part


def _held(collection: str, setting: str, measure: str, found: Sequence[Case]) -> Held:
    given = [case for case in found if not case.unlike]
    covered, width = np.nan, np.nan
    if given:
        covered = float(np.mean([case.covered for case in given]))
        width = float(np.mean([case.high - case.low for case in given]))
    refused = 1 - len(given) / len(found)
    return Held(collection, setting, measure, found[0].level, covered, len(given), width, refused)
