"""Measured coverage of calibrated intervals, of several collections, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
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
from left_out_runs import Case, Track

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


def parts_table(by_track: ByTrack, why: str) -> str:
    """Coverage over all measures, for runs with narrow and wide bounds, and with few and many unjudged."""
    parts = {"the lower half": (0.0, 0.5), "the next 40 %": (0.5, 0.9), "the top tenth": (0.9, 1.0)}
    levels = next(iter(by_track)).levels
    rows, cells = [], []
    for track, cases in by_track.items():
        for by in ("bounds_width", "unjudged"):
            for name, (first, last) in parts.items():
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
                rows.append([*row[:3], str(len(part)), *row[3:]])
    head = ["collection", "runs by", "part", "intervals", *(f"{level:.0%}" for level in levels)]
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
