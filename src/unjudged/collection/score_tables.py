"""Tables of scores by query that any tool made, as the complete arrays of `Scores`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf, nan
from typing import Any, Literal

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted, reason_of
from unjudged.base.notes import note
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.base.wording import counted, shortlist
from unjudged.collection.score_rows import (
    MOST,
    ROLES,
    UNNAMED,
    Cell,
    ScoreRows,
    Wide,
    names_measure,
    not_a_score,
    parts_of,
    same_measure,
)
from unjudged.data.limits import check
from unjudged.data.sources import FILE, FRAME, MAPPING, columns_of_file, kind_of_source, name_in_errors
from unjudged.data.tabular import add_label
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure, reported_measure
from unjudged.rankings.runs import by_own_names
from unjudged.results.escapes import shortened

Missing = Literal["range", "zero", "drop"]
"""A missing value is any in the range of its measure, or it is 0, or its query is left out."""
NOTES: dict[Missing, str] = {"range": "missing-range", "zero": "missing-zero", "drop": "missing-drop"}
REMEDY = (
    '--set "scores.range=[0, 1]" gives it, --set scores.missing=zero counts it as 0, drop omits the query '
    "(in Python range= and missing=)"
)
NAMED = 3
"""How many missing values a message names."""


def table_of_scores(
    source: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    missing: Missing = "range",
    range: tuple[float, float] | None = None,
    by: str | None = None,
) -> tuple[dict[str, Any], Sequence[str]]:
    """Return what `Scores` has of a table, and the measures of it that were not asked for.

    The source is one table, several, or a mapping of names to them; each may hold several systems. `by` is
    the column that has the segment of each query.
    """
    if wide not in (None, "systems", "measures"):
        raise UsageError(f"wide is {wide!r}, expected systems or measures")
    asked, sources = _names_of(measures), _sources(source)
    parts: list[ScoreRows] = []
    for name, one in sources:
        given = {**columns_of_file(one), **(columns or {})}
        given = {("system" if role == "run" else role): column for role, column in given.items()}
        if unknown := given.keys() - ROLES.keys():
            raise UsageError(f"unknown column {unknown.pop()!r}, expected one of {', '.join(ROLES)}")
        with name_in_errors(one, name):
            meant = "measures" if wide is None and len(sources) > 1 else wide
            parts.append(ScoreRows(name, given, asked, meant, by))
            parts[-1].add(one)
    notes = [*_called_apart(parts), *(note for part in parts for note in part.notes)]
    segments: dict[str, str] = {}
    for query, segment in chain.from_iterable(part.segments.items() for part in parts):
        add_label(segments, query, segment)
    others = [name for part in parts for name in part.others]
    every = dict.fromkeys(cell.measure for part in parts for cell in part.cells)
    chosen = _chosen(every, asked)
    cube = _in_order(sources, parts, chosen)
    runs = {system: None for part in parts for system in part.systems}
    if without := [run for run in runs if run not in cube.runs]:
        notes.append(f"Systems without these measures are left out: {shortlist(without)}.")
    made = cube.complete(list(chosen.values()), missing, range, list(dict.fromkeys(notes)))
    return {**made, "segments": segments or None}, [*others, *(name for name in every if name not in chosen)]


def _sources(source: Any) -> list[tuple[str, Any]]:
    """Return each source with the name of its system, if only one is in it."""
    kind = kind_of_source(source)
    if kind == MAPPING and source and all(kind_of_source(one) in (FILE, FRAME) for one in source.values()):
        return [(str(name), one) for name, one in source.items()]
    several = isinstance(source, list | tuple) and bool(source)
    several = several and all(kind_of_source(one) in (FILE, FRAME) for one in source)
    return list(by_own_names([(None, one) for one in (source if several else [source])]).items())


def _called_apart(parts: Sequence[ScoreRows]) -> list[str]:
    """Name systems after their sources, where several have one system of the same name; say so."""
    notes = []
    lone = [part.systems[0] if len(part.systems) == 1 else "" for part in parts]
    for name in dict.fromkeys(lone):
        own = [part for part, system in zip(parts, lone, strict=True) if name and system == name]
        cells = [cell for part in parts for cell in part.cells if cell.system == name]
        if len(own) > 1 and len(set(cells)) < len(cells):
            called = shortlist([part.name for part in own])
            note = f"{quoted(name)} is the system of several tables, so these are called {called}"
            notes.append(f"{note}; a column `repeat` numbers repeats.")
            for part in own:
                part.cells = [cell._replace(system=part.name) for cell in part.cells]
    return notes


def _in_order(
    sources: Sequence[tuple[str, Any]], parts: Sequence[ScoreRows], chosen: Mapping[str, str]
) -> Cube:
    """Return the values by the chosen measures; a cell with two values is an error."""
    place: dict[Cell, int] = {}
    values: list[tuple[float, float, float]] = []
    for (name, one), part in zip(sources, parts, strict=True):
        before = len(values)
        for cell, value, row in zip(part.cells, part.values, part.rows, strict=True):
            if place.setdefault(cell, len(values)) < len(values):
                inside = place[cell] >= before
                remedy = "expected one in all tables" if not inside else "expected one value"
                if inside and not cell.repeat:
                    remedy = "expected one; a column `repeat` numbers repeats"
                with name_in_errors(one, name):
                    raise part.table.error(row, f"{cell} has a second value, {remedy}")
            values.append(value)
    kept = [(cell, k) for cell, k in place.items() if cell.measure in chosen]
    if not kept:
        raise InputError("no values of queries, expected at least one; trec_eval prints them with -q")
    names = [list(dict.fromkeys(axis)) for axis in zip(*[cell for cell, _ in kept], strict=True)]
    names[2] = list(chosen)
    check("MEMORY", 8 * 3 * math.prod(map(len, names)))
    numbers = [{name: k for k, name in enumerate(axis)} for axis in names]
    index = np.array([[number[own] for number, own in zip(numbers, cell, strict=True)] for cell, _ in kept]).T
    columns = np.full((3, *map(len, names)), nan)
    columns[(slice(None), *index)] = np.array([values[k] for _, k in kept]).T
    has = np.zeros((len(names[0]), len(names[3])), bool)
    has[index[0], index[3]] = True
    runs, queries, of, repeats = names
    return Cube(columns, runs, queries, of, repeats, has)


@dataclass(frozen=True, eq=False)
class Cube:
    """Values, lowest and highest ones, by run, query, measure and repeat; NaN where one is missing."""

    columns: Floats
    runs: Sequence[str]
    queries: Sequence[str]
    measures: Sequence[str]
    repeats: Sequence[str | None]
    has: Mask
    """Which repeats each run has."""

    def complete(
        self,
        names: Sequence[str],
        missing: Missing,
        limits: tuple[float, float] | None,
        notes: list[str],
    ) -> dict[str, Any]:
        """Return what `Scores` has: means over repeats, measures by these names, and what to know of them."""
        if missing not in NOTES:
            raise UsageError(f"missing is {missing!r}, expected range, zero or drop")
        absent = np.isnan(self.columns[0]) & self.has[:, None, None, :]
        kept, lacking = self._kept(absent, missing)
        each, gaps = self.columns[:, :, kept], absent[:, kept]
        if missing == "zero":
            each[0][gaps] = 0
        measures = [_measure(name, each[0][:, :, k], limits, notes) for k, name in enumerate(names)]
        for k, measure in enumerate(measures if missing == "range" and lacking else ()):
            own, (low, high) = gaps[:, :, k], measure.range
            if own.any() and not np.isfinite(high - low):
                raise InputError(f"{lacking}, and the range of {measure} is unknown; {REMEDY}")
            for column, end in zip(each[:, :, :, k], (low, low, high), strict=True):
                column[own] = end
            partly = own.any(axis=2)
            each[1:, partly, k] = np.where(
                np.isnan(each[1:, partly, k]), each[0, partly, k], each[1:, partly, k]
            )
        (values, spread), *ends = map(self._over_repeats, each)
        if lacking:
            left = [self.queries[j] for j in np.setdiff1d(np.arange(len(self.queries)), kept).tolist()]
            notes.append(note(NOTES[missing], lacking=lacking, left=left))
        if len(set(map(str, measures))) < len(measures):
            raise InputError(f"two of the measures are the same: {', '.join(names)}; choose one with -m")
        several = self.has.sum(axis=1)
        for k, measure in enumerate(measures if several.max() > 1 else ()):
            of_runs = zip(self.runs, spread[:, k].tolist(), several.tolist(), strict=True)
            said = [f"{run} {own:.4f} ({n} repeats)" for run, own, n in of_runs if n > 1]
            notes.append(f"{measure}: standard deviation of the mean over repeats: {shortlist(said)}.")
        if several.max() > 1:
            notes.append("Values are means over repeats; tests and intervals are over queries.")
        return {
            "values": values,
            "runs": self.runs,
            "queries": [self.queries[k] for k in kept.tolist()],
            "measures": measures,
            "notes": notes,
            "ends": None if np.isnan(each[1:]).all() else tuple(means for means, _ in ends),
            "gaps": gaps.any(axis=3) if missing == "range" and lacking else None,
        }

    def _kept(self, absent: Mask, missing: Missing) -> tuple[Integers, str]:
        """Return the places of the queries to keep, and say which values are missing."""
        nothing = ~(~np.isnan(self.columns[0])).any(axis=(1, 3))
        for run, measure in np.argwhere(nothing)[:1].tolist():
            of = f" of {shortened(self.measures[measure])}" if self.measures[measure] else ""
            raise InputError(
                f"system {quoted(self.runs[run])} has no value{of}: choose other measures with -m"
            )
        every = np.arange(len(self.queries))
        lacked, several = np.argwhere(absent.swapaxes(1, 2)), len(self.measures) > 1
        if not len(lacked):
            return every, ""
        some = "; ".join(
            str(Cell(self.runs[i], self.queries[j], self.measures[k] if several else "", self.repeats[r]))
            for i, k, j, r in lacked[:NAMED].tolist()
        )
        more = f" and {len(lacked) - NAMED:,} more" if len(lacked) > NAMED else ""
        are = "is" if len(lacked) == 1 else "are"
        lacking = f"{counted(len(lacked), 'value')} {are} missing: {some}{more}"
        kept = np.setdiff1d(every, lacked[:, 2]) if missing == "drop" else every
        if not len(kept):
            raise InputError(f"{lacking}; no query has every value")
        return kept, lacking

    def _over_repeats(self, column: Floats) -> tuple[Floats, Floats]:
        """Return run x query x measure, the means over repeats; and the deviations of means over queries."""
        means = np.empty(column.shape[:3])
        spread = np.full((len(column), column.shape[2]), nan)
        for i, own in enumerate(self.has):
            each = np.ascontiguousarray(column[i][:, :, own])
            means[i] = each[:, :, 0] if own.sum() == 1 else each.mean(axis=2)
            if own.sum() > 1:
                spread[i] = each.mean(axis=0).std(axis=1, ddof=1)
        return means, spread


def _chosen(names: Iterable[str], asked: Sequence[str] | None) -> dict[str, str]:
    """Return the measures that are asked for: the name in the table, and the name to show."""
    every = list(names)
    if "" in every:
        if len(every) > 1:
            raise InputError("some values have no measure, and others have: expected one way")
        if asked is not None and len(asked) > 1:
            raise UsageError(f"the table does not name its measure, and {len(asked)} were asked for")
        return {"": asked[0] if asked else UNNAMED}
    if asked is None or not every:
        return {name: name for name in every}
    chosen: dict[str, str] = {}
    for part in parts_of(asked, every):
        same = [name for name in every if name == part] or [n for n in every if same_measure(n, part)]
        if not same:
            raise UsageError(f"the table has no measure {part!r}; it has {shortlist(every)}")
        chosen[same[0]] = same[0]
    return chosen


def _measure(name: str, values: Floats, limits: tuple[float, float] | None, notes: list[str]) -> Measure:
    """Return the measure of this name, or one that another tool computed, if values are not its."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
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
        notes.append(f"{name}: values from {low:g} to {high:g} cannot be of {known} ({between}).")
    return reported_measure(name, (-inf, inf))


def _names_of(measures: MeasureLike | Iterable[MeasureLike] | None) -> list[str] | None:
    if measures is None:
        return None
    return list(map(str, [measures] if isinstance(measures, str | Measure) else measures))


def is_array(source: Any) -> bool:
    """Whether this is an array, or a list of arrays or of lists of numbers."""
    depth = 0
    while isinstance(source, list | tuple) and source:
        source, depth = source[0], depth + 1
    if hasattr(source, "__array_interface__"):
        return not hasattr(source, "columns")
    return depth > 1 and isinstance(source, int | float)


def array_of_scores(
    values: Any,
    runs: Sequence[str] | None,
    queries: Sequence[str] | None,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    *,
    missing: Missing,
    limits: tuple[float, float] | None,
) -> dict[str, Any]:
    """Take an array (runs, queries) or (runs, queries, measures) with the names of its axes."""
    try:
        array = np.asarray(values, float)
    except ValueError as error:
        raise UsageError(f"no array of numbers: {reason_of(error)}") from None
    array = array[:, :, None] if array.ndim == 2 else array
    if array.ndim != 3 or not array.size:
        raise UsageError(f"the array has the shape {np.shape(values)}, expected (runs, queries[, measures])")
    unnamed = UNNAMED if array.shape[2] == 1 else f"{UNNAMED} {{}}"
    axes = []
    for size, (what, given, default) in zip(
        array.shape,
        (("runs", runs, "run {}"), ("queries", queries, "q{}"), ("measures", _names_of(measures), unnamed)),
        strict=True,
    ):
        own = [default.format(k + 1) for k in range(size)] if given is None else list(map(str, given))
        if len(own) != size or len(set(own)) < size:
            raise UsageError(f"{what} has {len(set(own))} different names, expected {size}")
        axes.append(own)
    for i, j, k in np.argwhere(~(np.isnan(array) | (np.abs(array) <= MOST)))[:1].tolist():
        raise UsageError(not_a_score(Cell(axes[0][i], axes[1][j], axes[2][k]), array[i, j, k]))
    columns = np.stack([array, np.full(array.shape, nan), np.full(array.shape, nan)])[..., None]
    one = np.ones((len(array), 1), bool)
    cube = Cube(columns, axes[0], axes[1], axes[2], [None], one)
    return cube.complete(axes[2], missing, limits, [])
