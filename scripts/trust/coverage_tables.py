"""The measured coverage as tables in Markdown, written between the markers of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from gate_trials import GateTrials, SegmentTrials
from left_out_runs import Case
from query_samples import Sampled
from sample_tests import EXCHANGED, ONE, SHIFTED, SIMULATED, Rejected
from worlds import Simulated

from unjudged.formats.writing import write_whole


def replace_table(page: Path, name: str, text: str) -> None:
    """Replace what is between `<!-- coverage: name -->` and `<!-- end -->`."""
    begin, end = f"<!-- coverage: {name} -->\n", "<!-- end -->"
    before, found, rest = page.read_text().partition(begin)
    if not found or end not in rest:
        raise SystemExit(f"{page}: has no lines {begin.strip()} and {end}")
    write_whole(page, before + begin + text + "\n" + rest[rest.index(end) :])


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], labels: int = 1) -> str:
    rule = ["---"] * labels + ["---:"] * (len(head) - labels)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *rows])


def share(value: float) -> str:
    """`.953`."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1.00"


def calibrated_table(cases: Sequence[Case], level: float) -> str:
    """Coverage, widths and bias per measure, for scores per run and per group."""
    head = [
        "measure",
        "intervals",
        "coverage",
        "width",
        "width / bounds",
        "bias of the value",
        "per group: coverage",
        "width",
    ]
    rows = []
    for measure in dict.fromkeys(case.measure for case in cases):
        runs, groups = (chosen(cases, measure, unit, level) for unit in ("runs", "groups"))
        width, bounds = mean_width(runs), np.mean([case.bounds_width for case in runs])
        bias = np.mean([case.value - case.truth for case in runs])
        rows.append(
            [
                measure,
                str(len(runs)),
                share(coverage(runs)),
                f"{width:.4f}",
                share(float(width / bounds)),
                f"{bias:+.4f}",
                share(coverage(groups)),
                f"{mean_width(groups):.4f}",
            ]
        )
    return markdown(head, rows)


def tests_table(found: Sequence[Rejected], sizes: Sequence[int]) -> str:
    """Share of true hypotheses that tests on estimates from samples rejected, by design and measure."""
    cells = {(one.design, one.measure, one.setting, one.queries): one for one in found}
    settings = (SIMULATED, EXCHANGED, SHIFTED, ONE)
    head = ["design", "measure", *(f"{setting}, {size}" for setting in settings for size in sizes)]
    head += ["bias of a difference", "of one run"]
    rows = []
    for design, measure in dict.fromkeys((one.design, one.measure) for one in found):
        own = [cells[design, measure, setting, size] for setting in settings for size in sizes]
        bias = [cells[design, measure, setting, sizes[0]].bias for setting in (SHIFTED, ONE)]
        rows.append([design, measure, *(share(one.share) for one in own), *(f"{b:.4f}" for b in bias)])
    return markdown(head, rows, labels=2)


def levels_table(cases: Sequence[Case], settings: Sequence[str], levels: Sequence[float]) -> str:
    """Coverage and mean width at several levels."""
    head = ["measure", *(f"{setting}, {level:.0%}" for setting in settings for level in levels)]
    rows = []
    for measure in dict.fromkeys(case.measure for case in cases):
        cells = [chosen(cases, measure, setting, level) for setting in settings for level in levels]
        rows.append([measure, *(f"{share(coverage(cell))} ({mean_width(cell):.4f})" for cell in cells)])
    return markdown(head, rows)


def widths_table(cases: Sequence[Case], setting: str, levels: Sequence[float]) -> str:
    """Coverage over all measures, for runs with narrow and with wide bounds of their measure."""
    parts = {"the narrower half": (0.0, 0.5), "the next 40 %": (0.5, 0.9), "the widest tenth": (0.9, 1.0)}
    rows = []
    for name, (first, last) in parts.items():
        cells = []
        for level in levels:
            part: list[Case] = []
            for measure in dict.fromkeys(case.measure for case in cases):
                own = sorted(chosen(cases, measure, setting, level), key=lambda case: case.bounds_width)
                part += own[round(first * len(own)) : round(last * len(own))]
            cells.append((len(part), coverage(part)))
        rows.append([name, str(cells[0][0]), *(share(held) for _, held in cells)])
    return markdown(["bounds", "intervals", *(f"{level:.0%}" for level in levels)], rows)


def settings_table(cases: Sequence[Case], settings: Sequence[str], level: float) -> str:
    """Coverage per measure and setting at one level."""
    rows = [
        [measure, *(share(coverage(chosen(cases, measure, setting, level))) for setting in settings)]
        for measure in dict.fromkeys(case.measure for case in cases)
    ]
    return markdown(["measure", *settings], rows)


def worlds_table(found: Sequence[Simulated], sizes: Sequence[int], measures: Sequence[str]) -> str:
    """Coverage per world and method; the measures side by side."""
    head = ["world", "interval", "prevalence", "assumptions", *(f"{size} queries" for size in sizes)]
    rows = []
    keys = dict.fromkeys((one.world, one.method, one.prevalence, one.holds) for one in found)
    for world, method, prevalence, holds in keys:
        by_size = {
            one.queries: " ".join(map(share, one.coverage))
            for one in found
            if (one.world, one.method, one.prevalence) == (world, method, prevalence)
        }
        named = {"": "-", "true": "the true one"}.get(prevalence, f"estimated ({prevalence})")
        kept = "hold" if holds else "fail"
        rows.append([world, method, named, kept, *(by_size[size] for size in sizes)])
    return f"{markdown(head, rows, labels=4)}\n\nEach cell: {', '.join(measures)}."


def samples_table(found: Sequence[Sampled], sizes: Sequence[int]) -> str:
    """Coverage and width of each method per measure and number of queries."""
    head = ["measure", "interval", *(f"{size} queries" for size in sizes)]
    rows = []
    for measure, method in dict.fromkeys((one.measure, one.method) for one in found):
        cells = {one.queries: one for one in found if (one.measure, one.method) == (measure, method)}
        rows.append([measure, method, *(f"{share(cells[n].coverage)} ({cells[n].width:.3f})" for n in sizes)])
    return markdown(head, rows, labels=2)


def chosen(cases: Iterable[Case], measure: str, setting: str, level: float) -> list[Case]:
    return [c for c in cases if (c.measure, c.setting, c.level) == (measure, setting, level)]


def coverage(cases: Sequence[Case]) -> float:
    return float(np.mean([case.covered for case in cases]))


def mean_width(cases: Sequence[Case]) -> float:
    return float(np.mean([case.high - case.low for case in cases]))


def gate_table(trials: Sequence[GateTrials], margins: Sequence[float]) -> str:
    """Wrong answers of the gate by source and number of queries, and how often it passes what is no worse."""
    head = ["scores", "queries", "boundary: passed", "boundary: failed", "no difference: failed"]
    head += [f"passed, margin {margin:g}" for margin in margins]
    rows = [
        [
            trial.source,
            str(trial.queries),
            *map(share, (trial.passed_at_boundary, trial.failed_at_boundary, trial.alarms)),
            *map(share, trial.passes),
        ]
        for trial in trials
    ]
    return markdown(head, rows)


def segments_table(trials: Sequence[SegmentTrials], held: Mapping[int, float]) -> str:
    """How often segments with one mean were said to differ, and how often the interval of one held."""
    head = ["queries per segment", "one pair: not said to differ", "another pair per segment"]
    rows = [[", ".join(map(str, t.sizes)), share(1 - t.same_pair), share(1 - t.other_pairs)] for t in trials]
    each = ", ".join(f"{share(value)} with {size}" for size, value in held.items())
    return markdown(head, rows) + f"\n\nThe 95 % interval of one segment's difference held in {each} queries."
