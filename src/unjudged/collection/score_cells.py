"""Scores by system, query, measure and repeat, and the complete array that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, Literal

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import counted, shortlist
from unjudged.data.tabular import add_label
from unjudged.data.values import has_no_value, is_number
from unjudged.measures.kernel.names import is_measure, parse_measures
from unjudged.measures.kernel.registry import Measure, reported_measure
from unjudged.rankings.judged import Floats
from unjudged.results.escapes import shortened

Missing = Literal["error", "zero", "drop"]
UNKNOWN_RANGE = (-inf, inf)
UNNAMED = "score"
MOST = 1e100
"""Largest size of a value, so that sums of squares are finite."""
AS_ZERO = "Missing values count as 0."
Cell = tuple[str, str, str]
"""System, query and measure."""
Repeats = dict[str, dict[str | None, None]]
"""Names of the repeats of each system, in order; None alone where nothing was repeated."""


@dataclass(frozen=True, eq=False)
class TableOfScores:
    """What a table has of `Scores`."""

    values: Floats
    runs: Sequence[str]
    queries: Sequence[str]
    measures: Sequence[Measure]
    notes: Sequence[str]
    within: Floats | None = None
    segments: Mapping[str, str] | None = None
    ends: tuple[Floats, Floats] | None = None
    others: Sequence[str] = ()
    """Measures of the table that were not asked for."""


@dataclass(eq=False)
class Cells:
    """Values by system, query and measure, and by repeat, in the order in which they came."""

    values: dict[Cell, dict[str | None, float]] = field(default_factory=dict)
    segments: dict[str, str] = field(default_factory=dict)
    ends: dict[tuple[Cell, str | None], tuple[float, float]] = field(default_factory=dict)
    """Lowest and highest value with every document judged, where a table has them."""
    notes: list[str] = field(default_factory=list)
    """What a reader must know of how the table was read."""
    others: list[str] = field(default_factory=list)
    """Measures that are not asked for and were not read."""

    def add(self, cell: Cell, repeat: str | None, value: float) -> bool:
        """Add a value; False if the cell has one."""
        own = self.values.setdefault(cell, {})
        if repeat in own:
            return False
        own[repeat] = value
        return True

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(run for run, _, _ in self.values))

    def rename(self, old: str, new: str) -> None:
        """Give a system another name."""
        self.values = {(new if run == old else run, q, m): own for (run, q, m), own in self.values.items()}
        self.ends = {((new if c[0] == old else c[0], *c[1:]), r): own for (c, r), own in self.ends.items()}

    def join(self, other: Cells) -> None:
        """Add the cells of another source."""
        for cell, own in other.values.items():
            for repeat, value in own.items():
                if not self.add(cell, repeat, value):
                    raise InputError(f"{said(cell, repeat)} has a second value, expected one in all tables")
        for query, segment in other.segments.items():
            add_label(self.segments, query, segment)
        self.ends |= other.ends
        self.notes += other.notes
        self.others += other.others

    def table(
        self, asked: Sequence[str] | None, missing: Missing, limits: tuple[float, float] | None
    ) -> TableOfScores:
        if missing not in ("error", "zero", "drop"):
            raise UsageError(f"missing is {missing!r}, expected error, zero or drop")
        raw = self._chosen(asked)
        values = {cell: own for cell, own in self.values.items() if cell[2] in raw}
        repeats: Repeats = {}
        for (run, _, _), own in values.items():
            repeats.setdefault(run, {}).update(dict.fromkeys(own))
        kept, gaps = _complete(values, list(raw), repeats, missing)
        runs, notes = list(repeats), [*dict.fromkeys(self.notes), *gaps]
        if without := [run for run in self.systems if run not in repeats]:
            notes.append(f"Systems without these measures are left out: {shortlist(without)}.")
        most = max(map(len, repeats.values()))
        table = np.empty((len(runs), len(kept), len(raw)))
        within = np.full((len(runs), len(raw)), nan)
        for i, run in enumerate(runs):
            names = list(repeats[run])
            each = np.array(
                [[[values.get((run, q, m), {}).get(r, nan) for r in names] for m in raw] for q in kept]
            )
            each = np.where(np.isnan(each), 0.0, each)
            table[i] = each[:, :, 0] if len(names) == 1 else each.mean(axis=2)
            if len(names) > 1:
                within[i] = each.mean(axis=0).std(axis=1, ddof=1)
        measures = [self._measure(name, table[:, :, k], limits, notes) for k, name in enumerate(raw.values())]
        if most > 1:
            notes += _repeat_notes(runs, measures, repeats, within)
        if len(set(map(str, measures))) < len(measures):
            raise InputError(f"two of the measures are the same: {', '.join(raw)}; choose one with -m")
        spread = within if most > 1 else None
        ends = self._ends(runs, kept, list(raw), repeats) if self.ends else None
        others = [*self.others, *dict.fromkeys(cell[2] for cell in self.values if cell[2] not in raw)]
        return TableOfScores(table, runs, kept, measures, notes, spread, self.segments or None, ends, others)

    def _ends(
        self, runs: Sequence[str], queries: Sequence[str], measures: Sequence[str], repeats: Repeats
    ) -> tuple[Floats, Floats]:
        """Return the lowest and the highest values, means over repeats; NaN where one is missing."""

        def mean(cell: Cell) -> Floats:
            found = [self.ends.get((cell, repeat), (nan, nan)) for repeat in repeats[cell[0]]]
            return np.asarray(np.mean(found, axis=0), float)

        each = np.array([[[mean((run, q, m)) for m in measures] for q in queries] for run in runs])
        return each[..., 0], each[..., 1]

    def _chosen(self, asked: Sequence[str] | None) -> dict[str, str]:
        """Return the measures that are asked for: the name in the table, and the name to show."""
        if not self.values:
            raise InputError("no values of queries, expected at least one; trec_eval prints them with -q")
        names = dict.fromkeys(cell[2] for cell in self.values)
        if "" in names:
            if len(names) > 1:
                raise InputError("some values have no measure, and others have: expected one way")
            if asked is not None and len(asked) > 1:
                raise UsageError(f"the table does not name its measure, and {len(asked)} were asked for")
            return {"": asked[0] if asked else UNNAMED}
        if asked is None:
            return {name: name for name in names}
        chosen: dict[str, str] = {}
        for part in parts_of(asked, list(names)):
            same = [name for name in names if name == part] or [n for n in names if same_measure(n, part)]
            if not same:
                raise UsageError(f"the table has no measure {part!r}; it has {shortlist(list(names))}")
            chosen[same[0]] = same[0]
        return chosen

    def _measure(
        self, name: str, values: Floats, limits: tuple[float, float] | None, notes: list[str]
    ) -> Measure:
        low, high = float(values.min()), float(values.max())
        known = parse_measures(name)[0] if names_measure(name) else None
        if known is not None and known.range[0] <= low and high <= known.range[1]:
            return known
        if limits is not None:
            if not limits[0] <= low <= high <= limits[1]:
                wrong = low if low < limits[0] else high
                raise InputError(f"{name} has the value {wrong:g}, which is outside the range {limits}")
            return reported_measure(name, (float(limits[0]), float(limits[1])))
        if known is not None:
            between = "{:g} to {:g}".format(*known.range)
            notes.append(f"{name}: values from {low:g} to {high:g} are not those of {known} ({between}).")
        return reported_measure(name, UNKNOWN_RANGE)


def _complete(
    values: Mapping[Cell, Mapping[str | None, float]],
    measures: Sequence[str],
    repeats: Repeats,
    missing: Missing,
) -> tuple[list[str], list[str]]:
    """Return the queries to keep, and what a reader must know about missing values."""
    queries = list(dict.fromkeys(query for _, query, _ in values))
    absent: list[tuple[Cell, str | None]] = []
    for run in repeats:
        for measure in measures:
            lacked = [
                ((run, query, measure), repeat)
                for query in queries
                for repeat in repeats[run]
                if np.isnan(values.get((run, query, measure), {}).get(repeat, nan))
            ]
            if len(lacked) == len(queries) * len(repeats[run]):
                of = f" of {shortened(measure)}" if measure else ""
                raise InputError(f"system {quoted(run)} has no value{of}: choose other measures with -m")
            absent += lacked
    if not absent:
        return queries, []
    some = "; ".join(said(*each) for each in absent[:3])
    more = f" and {len(absent) - 3:,} more" if len(absent) > 3 else ""
    lacking = f"{counted(len(absent), 'value')} {'is' if len(absent) == 1 else 'are'} missing: {some}{more}"
    if missing == "error":
        raise InputError(
            f"{lacking}; --set scores.missing=zero counts it as 0, drop omits the query (in Python missing=)"
        )
    if missing == "zero":
        return queries, [f"{lacking}. {AS_ZERO}"]
    gone = dict.fromkeys(cell[1] for cell, _ in absent)
    kept = [query for query in queries if query not in gone]
    if not kept:
        raise InputError(f"{lacking}; no query has every value")
    names = shortlist(list(gone))
    return kept, [f"{lacking}. {counted(len(gone), 'query')} left out for all systems: {names}."]


def _repeat_notes(
    runs: Sequence[str], measures: Sequence[Measure], repeats: Repeats, within: Floats
) -> list[str]:
    """Say how much the mean of each system varies over its repeats."""
    lines = []
    for k, measure in enumerate(measures):
        each = [
            f"{run} {within[i, k]:.4f} ({len(repeats[run])} repeats)"
            for i, run in enumerate(runs)
            if len(repeats[run]) > 1
        ]
        lines.append(f"{measure}: standard deviation of the mean over repeats: {shortlist(each)}.")
    return [*lines, "Values are means over repeats; tests and intervals are over queries."]


def is_score(value: Any) -> bool:
    """Whether this is missing, or a number that can be a score."""
    return has_no_value(value) or (is_number(value) and abs(float(value)) <= MOST)


def not_a_score(cell: Cell, value: Any) -> str:
    """Say of a value that it cannot be a score."""
    return f"the value of {said(cell)} is {quoted(str(value))}, expected a finite number of at most {MOST:g}"


def parts_of(asked: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the measures that are asked for one by one, from lists with commas too."""
    several = ([wanted] if wanted in names or "(" in wanted else wanted.split(",") for wanted in asked)
    return [part for parts in several for part in parts]


def names_measure(name: Any) -> bool:
    return isinstance(name, str) and is_measure(name) and len(parse_measures(name)) == 1


def same_measure(name: str, wanted: str) -> bool:
    if name == wanted:
        return True
    return names_measure(name) and names_measure(wanted) and parse_measures(name) == parse_measures(wanted)


def said(cell: Cell, repeat: str | None = None) -> str:
    run, query, measure = cell
    more = [shortened(measure)] if measure else []
    more += [f"repeat {shortened(repeat)}"] if repeat is not None else []
    return f"system {quoted(run)} on query {quoted(query)}" + (f" ({', '.join(more)})" if more else "")
