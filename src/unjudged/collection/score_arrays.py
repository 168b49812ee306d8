"""Arrays of scores with the names of their axes: what is missing in them, and means over repeats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, Literal, NamedTuple

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted, reason_of
from unjudged.base.notes import note
from unjudged.base.segments import Floats, Integers, Ints, Mask
from unjudged.base.wording import counted, shortened
from unjudged.data.limits import check
from unjudged.measures.kernel.names import MeasureLike, names_measure, parse_measures
from unjudged.measures.kernel.registry import Measure, reported_measure

Wide = Literal["systems", "measures"]
Missing = Literal["range", "zero", "drop"]
"""A missing value is any in the range of its measure, or it is 0, or its query is left out."""
MISSING: dict[Missing, str] = {"range": "missing-range", "zero": "missing-zero", "drop": "missing-drop"}
REMEDY = (
    '--set "scores.range=[0, 1]" gives it, --set scores.missing=zero counts it as 0, drop omits the query '
    "(in Python range= and missing=)"
)
NAMED = 3
"""How many missing values a message names."""
MOST = 1e100
"""Largest size of a value, so that sums of squares are finite."""
UNNAMED = "score"
"""The measure of values of which no name is known."""


class Cell(NamedTuple):
    """System, query, measure and repeat of a value."""

    system: str
    query: str
    measure: str = ""
    repeat: str | None = None

    def __str__(self) -> str:
        more = [shortened(self.measure)] if self.measure else []
        more += [f"repeat {shortened(self.repeat)}"] if self.repeat is not None else []
        within = f" ({', '.join(more)})" if more else ""
        return f"system {quoted(self.system)} on query {quoted(self.query)}{within}"


@dataclass(frozen=True, eq=False)
class Cube:
    """Values, lowest and highest ones, by row, query and measure; NaN where one is missing.

    A row is a system, or one of its repeats.
    """

    columns: Floats
    rows: Sequence[tuple[str, str | None]]
    queries: Sequence[str]
    measures: Sequence[str]

    @classmethod
    def of(cls, values: Mapping[Cell, tuple[float, float, float]], measures: Iterable[str]) -> Cube:
        """Return the values of cells by these measures."""
        if not values:
            raise InputError("no values of queries, expected at least one; trec_eval prints them with -q")
        names: list[list[Any]] = [
            list(dict.fromkeys((cell.system, cell.repeat) for cell in values)),
            list(dict.fromkeys(cell.query for cell in values)),
            list(measures),
        ]
        check("MEMORY", 8 * 3 * math.prod(map(len, names)))
        rows, queries, of = ({name: k for k, name in enumerate(axis)} for axis in names)
        index = [(rows[c.system, c.repeat], queries[c.query], of[c.measure]) for c in values]
        columns = np.full((3, *map(len, names)), nan)
        columns[(slice(None), *np.array(index).T)] = np.array(list(values.values())).T
        return cls(columns, *names)

    def complete(
        self,
        names: Sequence[str],
        missing: Missing,
        limits: tuple[float, float] | None,
        notes: list[str],
    ) -> dict[str, Any]:
        """Return what `Scores` has: means over repeats, measures by these names, and what to know of them."""
        if missing not in MISSING:
            raise UsageError(f"missing is {missing!r}, expected range, zero or drop")
        systems = [system for system, _ in self.rows]
        repeats = {run: np.array([k for k, own in enumerate(systems) if own == run]) for run in systems}
        absent = np.isnan(self.columns[0])
        kept, lacking = self._kept(absent, repeats, missing)
        each, gaps = self.columns[:, :, kept], absent[:, kept]
        if missing == "zero":
            each[0][gaps] = 0
        measures = [_measure(name, each[0][:, :, k], limits, notes) for k, name in enumerate(names)]
        ranged = missing == "range" and bool(lacking)
        for k, measure in enumerate(measures if ranged else ()):
            own, (low, high) = gaps[:, :, k], measure.range
            if own.any() and not np.isfinite(high - low):
                raise InputError(f"{lacking}, and the range of {measure} is unknown; {REMEDY}")
            for column, end in zip(each[:, :, :, k], (low, low, high), strict=True):
                column[own] = end
        of_runs = np.stack([gaps[own].any(axis=0) for own in repeats.values()])
        for own, partly in zip(repeats.values(), of_runs if ranged else (), strict=ranged):
            known = np.where(np.isnan(each[1:, own]), each[0, own], each[1:, own])
            each[1:, own] = np.where(partly, known, each[1:, own])  # other repeats of such a value
        if lacking:
            left = [self.queries[j] for j in np.setdiff1d(np.arange(len(self.queries)), kept).tolist()]
            notes.append(note(MISSING[missing], lacking=lacking, left=left))
        if len(set(map(str, measures))) < len(measures):
            raise InputError(f"two of the measures are the same: {', '.join(names)}; choose one with -m")
        if len(repeats) < len(systems):
            notes.append("Values are means over repeats; tests and intervals are over queries.")
        values, *ends = (np.stack([column[own].mean(axis=0) for own in repeats.values()]) for column in each)
        return {
            "values": values,
            "runs": list(repeats),
            "queries": [self.queries[k] for k in kept.tolist()],
            "measures": measures,
            "notes": notes,
            "ends": None if np.isnan(each[1:]).all() else tuple(ends),
            "gaps": of_runs if ranged else None,
        }

    def _kept(self, absent: Mask, repeats: Mapping[str, Ints], missing: Missing) -> tuple[Integers, str]:
        """Return the places of the queries to keep, and say which values are missing."""
        for run, own in repeats.items():
            for measure in np.flatnonzero(absent[own].all(axis=(0, 1)))[:1].tolist():
                of = f" of {shortened(self.measures[measure])}" if self.measures[measure] else ""
                raise InputError(f"system {quoted(run)} has no value{of}: choose other measures with -m")
        every = np.arange(len(self.queries))
        lacked, several = np.argwhere(absent.swapaxes(1, 2)), len(self.measures) > 1
        if not len(lacked):
            return every, ""
        first = [(*self.rows[i], self.queries[j], self.measures[k]) for i, k, j in lacked[:NAMED].tolist()]
        cells = [Cell(run, query, name if several else "", repeat) for run, repeat, query, name in first]
        more = f" and {len(lacked) - NAMED:,} more" if len(lacked) > NAMED else ""
        are = "is" if len(lacked) == 1 else "are"
        lacking = f"{counted(len(lacked), 'value')} {are} missing: {'; '.join(map(str, cells))}{more}"
        kept = np.setdiff1d(every, lacked[:, 2]) if missing == "drop" else every
        if not len(kept):
            raise InputError(f"{lacking}; no query has every value")
        return kept, lacking


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


def names_of_measures(measures: MeasureLike | Iterable[MeasureLike] | None) -> list[str] | None:
    """Return the names of one measure or several, None if none is given."""
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
    given = (("runs", runs, "run {}"), ("queries", queries, "q{}"))
    axes = []
    for size, (what, names, usual) in zip(
        array.shape, (*given, ("measures", names_of_measures(measures), unnamed)), strict=True
    ):
        own = [usual.format(k + 1) for k in range(size)] if names is None else list(map(str, names))
        if len(own) != size or len(set(own)) < size:
            raise UsageError(f"{what} has {len(set(own))} different names, expected {size}")
        axes.append(own)
    for i, j, k in np.argwhere(~(np.isnan(array) | (np.abs(array) <= MOST)))[:1].tolist():
        raise UsageError(not_a_score(Cell(axes[0][i], axes[1][j], axes[2][k]), array[i, j, k]))
    columns = np.stack([array, np.full(array.shape, nan), np.full(array.shape, nan)])
    cube = Cube(columns, [(run, None) for run in axes[0]], axes[1], axes[2])
    return cube.complete(axes[2], missing, limits, [])


def not_a_score(cell: Cell, value: Any) -> str:
    """Say of a value that it cannot be a score."""
    return f"the value of {cell} is {quoted(str(value))}, expected a finite number of at most {MOST:g}"
