"""The measured coverage as tables in Markdown, written between the markers of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from pathlib import Path

import numpy as np
from gate_trials import ALPHA, SEGMENT_TRIALS, TRIALS, GateTrials, SegmentTrials
from left_out_runs import Case
from query_samples import Sampled
from sample_tests import EXCHANGED, ONE, SHIFTED, SIMULATED, Rejected
from worlds import LEVEL, REPETITIONS, Simulated

from unjudged.base.wording import counted
from unjudged.formats.writing import write_whole

MOST_LISTED, OWN = 20, "this package"
LEAST, MOST = 0.93, 0.97
BIASES = {SHIFTED: "bias of a difference", ONE: "of one run"}
SEGMENTS_WHY = (
    "Few queries say little of their spread, and differences are skewed: a small p between very unequal or "
    "very small segments, and an interval of five queries, deserve doubt."
)


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


@dataclass(frozen=True)
class Cell:
    """A measured coverage: where it is in its table, the level, and of how many intervals it is a share."""

    name: str
    coverage: float
    level: float
    count: int

    @property
    def short(self) -> bool:
        """Whether it is below its level by more than two standard errors of independent intervals."""
        return self.coverage < self.level - 2 * sqrt(self.level * (1 - self.level) / self.count)


def shortfalls(cells: Iterable[Cell], why: str) -> str:
    """A sentence about the cells that are below their level by more than two standard errors."""
    every = [cell for cell in cells if cell.count]
    short = [f"{cell.name} {share(cell.coverage)} at {cell.level:.0%}" for cell in every if cell.short]
    if not short:
        return f"\n\nNone of the {len(every)} levels is missed by more than two standard errors."
    listed = "; ".join(short) if len(short) <= MOST_LISTED else f"{short[0]} to {short[-1]}"
    verb = "is" if len(short) == 1 else "are"
    missed = f"{len(short)} of {len(every)} levels {verb} missed by more than two standard errors"
    return f"\n\n{missed}: {listed}. {why}"


def tests_table(found: Sequence[Rejected], sizes: Sequence[int], drawn: Sequence[str]) -> str:
    """Share of true hypotheses that tests on estimates rejected, by design, measure and setting."""
    cells = {(one.design, one.measure, one.setting, one.queries): one for one in found}
    settings = [setting for setting in drawn if any(one.setting == setting for one in found)]
    biased = [setting for setting in settings if setting in BIASES]
    head = ["design", "measure", *(f"{setting}, {size}" for setting in settings for size in sizes)]
    head += [BIASES[setting] for setting in biased]
    rows = []
    for design, measure in dict.fromkeys((one.design, one.measure) for one in found):
        own = [cells[design, measure, setting, size] for setting in settings for size in sizes]
        bias = [cells[design, measure, setting, sizes[0]].bias for setting in biased]
        rows.append([design, measure, *(share(one.share) for one in own), *(f"{b:.4f}" for b in bias)])
    null = [cells[key].share for key in cells if key[2] in (SIMULATED, EXCHANGED)]
    ends = f"{share(min(null))} to {share(max(null))}"
    said = f"\n\nWhere there is no difference, the {len(null)} shares are {ends}."
    return markdown(head, rows, labels=2) + said


def worlds_table(found: Sequence[Simulated], sizes: Sequence[int], measures: Sequence[str], why: str) -> str:
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
    cells = [
        Cell(
            f"{one.world} {one.method} {measure}, {counted(one.queries, 'query')},", held, LEVEL, REPETITIONS
        )
        for one in found
        if one.holds
        for measure, held in zip(measures, one.coverage, strict=True)
    ]
    said = f"\n\nEach cell: {', '.join(measures)}. Where the assumptions hold:"
    return markdown(head, rows, labels=4) + said + "\n" + shortfalls(cells, why).lstrip()


def samples_table(found: Sequence[Sampled], sizes: Sequence[int], count: int, why: str) -> str:
    """Coverage and width of each method per collection, measure and number of queries."""
    head = ["collection", "measure", "interval", *(f"{size} queries" for size in sizes)]
    rows = []
    for key in dict.fromkeys((one.collection, one.measure, one.method) for one in found):
        cells = {one.queries: one for one in found if (one.collection, one.measure, one.method) == key}
        rows.append([*key, *(f"{share(cells[n].coverage)} ({cells[n].width:.3f})" for n in sizes)])
    measured = [
        Cell(f"{one.collection} {one.measure}, {one.queries} queries,", one.coverage, 0.95, count)
        for one in found
        if one.method.startswith(OWN)
    ]
    return markdown(head, rows, labels=3) + shortfalls(measured, why).replace("levels", f"levels of {OWN}", 1)


def chosen(
    cases: Iterable[Case], measure: str, setting: str, level: float, *, unlike: bool = False
) -> list[Case]:
    key = measure, setting, level, unlike
    return [c for c in cases if (c.measure, c.setting, c.level, c.unlike) == key]


def measures_of(cases: Iterable[Case]) -> list[str]:
    return list(dict.fromkeys(case.measure for case in cases))


def cell(name: str, cases: Sequence[Case], level: float) -> Cell:
    return Cell(name, coverage(cases) if cases else 1.0, level, len(cases))


def coverage(cases: Sequence[Case]) -> float:
    return float(np.mean([case.covered for case in cases]))


def mean_width(cases: Sequence[Case]) -> float:
    return float(np.mean([case.high - case.low for case in cases])) if cases else nan


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
    wrong = {
        f"{one.source}, {one.queries} queries, {what},": error
        for one in trials
        for what, error in (
            ("boundary: passed", one.passed_at_boundary),
            ("boundary: failed", one.failed_at_boundary),
            ("no difference: failed", one.alarms),
        )
    }
    cells = [Cell(name, 1 - error, 1 - ALPHA, TRIALS) for name, error in wrong.items()]
    said = f"\n\nThe largest of the {len(cells)} shares of wrong answers is {share(max(wrong.values()))}."
    return (
        markdown(head, rows) + said + shortfalls(cells, "Levels are 1 minus the share.").replace("\n\n", " ")
    )


def segments_table(trials: Sequence[SegmentTrials], held: Mapping[tuple[str, int], float]) -> str:
    """How often segments with one mean were not said to differ, and how often the interval of one held."""
    sources = list(dict.fromkeys(one.source for one in trials))
    kinds = ("one pair", "another pair per segment")
    found = {
        (one.sizes, one.source, kind): 1 - wrong
        for one in trials
        for kind, wrong in zip(kinds, (one.same_pair, one.other_pairs), strict=True)
    }
    columns = [(source, kind) for source in sources for kind in kinds]
    rows = [
        [", ".join(map(str, sizes)), *(share(found[sizes, *column]) for column in columns)]
        for sizes in dict.fromkeys(one.sizes for one in trials)
    ]
    cells = [
        Cell(f"{source}, {kind}, {', '.join(map(str, sizes))} queries,", value, 1 - ALPHA, SEGMENT_TRIALS)
        for (sizes, source, kind), value in found.items()
    ]
    inside = sum(LEAST <= one.coverage <= MOST for one in cells)
    said = f"\n\n{inside} of {len(cells)} shares are between {share(LEAST)} and {share(MOST)}."
    for source in sources:
        own = [f"{share(value)} with {size}" for (of, size), value in held.items() if of == source]
        said += f" The 95 % interval of one segment's difference, {source}, held in {', '.join(own)} queries."
    cells += [
        Cell(f"{source}, interval of one segment, {size} queries,", value, 1 - ALPHA, TRIALS)
        for (source, size), value in held.items()
    ]
    head = ["queries per segment", *(f"{source}: {kind}" for source, kind in columns)]
    return markdown(head, rows) + said + shortfalls(cells, SEGMENTS_WHY)
