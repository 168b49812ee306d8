"""Measured coverage of calibrated intervals, of several collections, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from calibrated_coverage import RELEASE
from coverage_tables import (
    cell,
    chosen,
    coverage,
    markdown,
    mean_width,
    measures_of,
    share,
    shortfalls,
)
from left_out_runs import ROUNDING, Case, Track

ByTrack = Mapping[Track, Sequence[Case]]


def calibrated_table(by_track: ByTrack, why: str) -> str:
    """Coverage, widths and bias per measure at the highest level, for scores per run and per group."""
    names = (
        "collection, measure, level, intervals, unlike, coverage, width, width / bounds, bias of the value"
    )
    head = [*names.split(", "), "per group: coverage", "width"]
    rows, cells = [], []
    for track, cases in by_track.items():
        level = track.levels[0]
        for measure in measures_of(cases):
            runs, groups = (chosen(cases, measure, unit, level) for unit in ("runs", "groups"))
            unlike = len(chosen(cases, measure, "runs", level, unlike=True))
            width, bounds = mean_width(runs), np.mean([case.bounds_width for case in runs])
            bias = np.mean([case.value - case.truth for case in runs])
            cells += [cell(f"{track.name} {measure}", own, level) for own in (runs, groups)]
            counts = f"{level:.0%}", str(len(runs)), str(unlike)
            widths = f"{width:.4f}", share(float(width / bounds)), f"{bias:+.4f}"
            by_group = (share(coverage(groups)), f"{mean_width(groups):.4f}") if groups else ("-", "-")
            rows.append([track.name, measure, *counts, share(coverage(runs)), *widths, *by_group])
    return markdown(head, rows, labels=2) + shortfalls(cells, why)


def levels_table(by_track: ByTrack, columns: Sequence[tuple[str, float]], why: str) -> str:
    """Coverage and mean width of settings at several levels, where the groups can give them."""
    head = ["collection", "measure", *(f"{setting}, {level:.0%}" for setting, level in columns)]
    rows, cells = [], []
    for track, cases in by_track.items():
        for measure in measures_of(cases):
            row = [track.name, measure]
            for setting, level in columns:
                own = chosen(cases, measure, setting, level)
                cells.append(cell(f"{track.name} {measure} ({setting})", own, level))
                row.append(f"{share(coverage(own))} ({mean_width(own):.4f})" if own else "-")
            rows.append(row)
    return markdown(head, rows, labels=2) + shortfalls(cells, why)


PARTS = {"the lower half": (0.0, 0.5), "the next 40 %": (0.5, 0.9), "the top tenth": (0.9, 1.0)}


def widths_table(by_track: ByTrack) -> str:
    """Mean and median widths as multiples of 0.2.0's, over the runs to which both give an interval."""
    levels = next(iter(by_track)).levels
    rows = []
    for track, cases in by_track.items():
        both = {level: _both(cases, level) for level in levels}
        parts = {"all": (0.0, 1.0), **{f"{name} by unjudged share": ends for name, ends in PARTS.items()}}
        sets = {name: {level: _part(both[level], *ends) for level in levels} for name, ends in parts.items()}
        for measure in measures_of(cases):
            sets[measure] = {level: both[level].get(measure, []) for level in levels}
        for name, own in sets.items():
            count = max(map(len, own.values()))
            rows.append([track.name, name, str(count), *(_times(own[level]) for level in levels)])
    return markdown(
        ["collection", "runs", "intervals", *(f"{level:.0%}" for level in levels)], rows, labels=2
    )


Both = tuple[Case, Case]


def _both(cases: Sequence[Case], level: float) -> dict[str, list[Both]]:
    """By measure, the intervals of the same runs now and in 0.2.0; not where one of them is bounds."""
    found: dict[str, list[Both]] = {}
    for measure in measures_of(cases):
        now, then = (
            [case for case in cases if (case.measure, case.setting, case.level) == (measure, setting, level)]
            for setting in ("runs", RELEASE)
        )
        pairs = list(zip(now, then, strict=True))
        found[measure] = [(a, b) for a, b in pairs if not a.unlike and not b.unlike]
    return found


def _part(both: Mapping[str, list[Both]], first: float, last: float) -> list[Both]:
    """Those of all measures whose run is in this part by its unjudged share."""
    part: list[Both] = []
    for pairs in both.values():
        own = sorted(pairs, key=lambda pair: pair[0].unjudged)
        part += own[round(first * len(own)) : round(last * len(own))]
    return part


def _times(pairs: Sequence[Both]) -> str:
    """Mean and median width now over those of 0.2.0, and the mean widths themselves."""
    if not pairs:
        return "-"
    now, then = (np.array([pair[k].high - pair[k].low for pair in pairs]) for k in (0, 1))
    medians = f"{np.median(now) / np.median(then):.2f}" if np.median(then) > 0 else "-"
    return f"{now.mean() / then.mean():.2f}, {medians} ({now.mean():.4f} / {then.mean():.4f})"


def parts_table(by_track: ByTrack, why: str) -> str:
    """Coverage over all measures, for runs with narrow and wide bounds, and with few and many unjudged."""
    levels = next(iter(by_track)).levels
    rows, cells = [], []
    for track, cases in by_track.items():
        for by in ("bounds_width", "unjudged"):
            for name, (first, last) in PARTS.items():
                row = [track.name, {"bounds_width": "width of the bounds"}.get(by, "unjudged share"), name]
                for level in levels:
                    part: list[Case] = []
                    for measure in measures_of(cases):
                        own = sorted(
                            chosen(cases, measure, "runs", level), key=lambda case: getattr(case, by)
                        )
                        part += own[round(first * len(own)) : round(last * len(own))]
                    cells.append(cell(f"{track.name}, {name} by {row[1]},", part, level))
                    row.append(share(coverage(part)) if part else "-")
                exact = float(np.mean([abs(case.value - case.truth) <= ROUNDING for case in part]))
                rows.append([*row[:3], str(len(part)), *row[3:], share(exact)])
    head = [
        "collection",
        "runs by",
        "part",
        "intervals",
        *(f"{level:.0%}" for level in levels),
        "value = truth",
    ]
    return markdown(head, rows, labels=3) + shortfalls(cells, why)


def kinds_table(by_track: ByTrack, why: str) -> str:
    """How many runs of a new kind get an interval, and how many of these hold."""
    head = ["collection", "measure", "level"]
    head += [f"{setting}: runs, with interval, held" for setting in ("one group", "all of them")]
    rows, cells = [], []
    for track, cases in by_track.items():
        level = track.unlike_level
        for measure in measures_of(cases):
            row = [f"{track.name}, {track.unlike} runs", measure, f"{level:.0%}"]
            for setting in ("one group", "all of them"):
                own = chosen(cases, measure, setting, level)
                cells.append(cell(f"{track.name} {measure} ({setting})", own, level))
                every = len(own) + len(chosen(cases, measure, setting, level, unlike=True))
                row.append(f"{every}, {len(own)}, {sum(case.covered for case in own)}")
            rows.append(row)
    return markdown(head, rows, labels=2) + shortfalls(cells, why)


def later_table(track: Track, cases: Sequence[Case]) -> str:
    """How many later runs get an interval, and how wide these are; the truth is not known."""
    level, rows = track.levels[0], []
    for measure in measures_of(cases):
        own, unlike = (chosen(cases, measure, "later", level, unlike=kind) for kind in (False, True))
        widths = [f"{mean_width(part):.4f}" for part in (own, unlike)]
        rows.append([measure, str(len(own)), widths[0], str(len(unlike)), widths[1]])
    head = ["measure", "with interval", "width", "unlike: bounds", "width"]
    return markdown(head, rows)


def other_table(cases: Sequence[Case], level: float, why: str) -> str:
    """How many runs get an interval by the file of another collection, how many hold, and the mean width."""
    settings, rows, cells = list(dict.fromkeys(case.setting for case in cases)), [], []
    for measure in measures_of(cases):
        row = [measure]
        for setting in settings:
            own = chosen(cases, measure, setting, level)
            every = len(own) + len(chosen(cases, measure, setting, level, unlike=True))
            cells.append(cell(f"{measure} ({setting})", own, level))
            width = f" ({mean_width(own):.4f})" if own else ""
            row.append(f"{every}, {len(own)}, {sum(case.covered for case in own)}{width}")
        rows.append(row)
    head = ["measure", *(f"{setting}: runs, with interval, held (width)" for setting in settings)]
    return markdown(head, rows) + shortfalls(cells, why)
