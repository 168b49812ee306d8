"""Tables of scores by query that any tool made, as the values of `Scores`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import nan
from typing import Any, Literal

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import kind_of
from unjudged.evaluation.collection import file_name
from unjudged.evaluation.score_cells import (
    MOST,
    UNNAMED,
    Cell,
    Cells,
    Missing,
    TableOfScores,
    is_score,
    names_measure,
    said,
)
from unjudged.formats.columns import NAMES, listed
from unjudged.formats.files import columns_of_file
from unjudged.formats.inputs import FILE, FRAME, MAPPING, kind_of_source, name_in_errors
from unjudged.formats.named_columns import NESTED, NamedColumns, is_missing, is_number, named_columns
from unjudged.formats.readers.memory.query_dicts import identifier
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import Measure

Wide = Literal["systems", "measures"]
ALL = "all"
"""The query of rows that are means, in the output of trec_eval, ir_measures and this package."""
ROLES: Mapping[str, tuple[str, ...]] = {
    "query": NAMES["query"],
    "system": (*NAMES["run"], "model", "name"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "repeat": ("repeat", "seed"),
}
"""Names of columns by role; the first that a table has counts."""
ENDS = ("low", "high")
"""Columns with the lowest and highest value that any completion of the judgments gives, as Spark has them."""
ROUNDING = 1e-9
NOT_NUMBERS = ("runid", "relstring")
"""Lines of trec_eval whose values are texts."""


def table_of_scores(
    source: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    missing: Missing = "error",
    range: tuple[float, float] | None = None,
    by: str | None = None,
) -> TableOfScores:
    """Read one source, several, or a mapping of names to them; each may hold several systems.

    `by` is the column that has the segment of each query.
    """
    if missing not in ("error", "zero", "drop"):
        raise UsageError(f"missing is {missing!r}, expected error, zero or drop")
    if wide not in (None, "systems", "measures"):
        raise UsageError(f"wide is {wide!r}, expected systems or measures")
    asked = None if measures is None else _names_asked(measures)
    sources = _sources(source)
    cells = Cells()
    for name, one in sources:
        given = {**columns_of_file(one), **(columns or {})}
        given = {("system" if role == "run" else role): column for role, column in given.items()}
        if unknown := given.keys() - ROLES.keys():
            raise UsageError(f"unknown column {unknown.pop()!r}, expected one of {', '.join(ROLES)}")
        with name_in_errors(one, name):
            meant = "measures" if wide is None and len(sources) > 1 else wide
            _Reading(cells, name, given, meant, by).add(one)
    return cells.table(asked, missing, range)


def _sources(source: Any) -> list[tuple[str, Any]]:
    """Return each source with the name of its system, if only one is in it."""
    kind = kind_of_source(source)
    if kind == MAPPING and source and all(kind_of_source(one) in (FILE, FRAME) for one in source.values()):
        return [(str(name), one) for name, one in source.items()]
    several = isinstance(source, list | tuple) and bool(source)
    if several and all(kind_of_source(one) in (FILE, FRAME) for one in source):
        return [(file_name(one) or f"run {k}", one) for k, one in enumerate(source, 1)]
    return [(file_name(source) or "run 1", source)]


def _names_asked(measures: MeasureLike | Iterable[MeasureLike]) -> list[str]:
    names = [measures] if isinstance(measures, str | Measure) else list(measures)
    return list(map(str, names))


@dataclass(eq=False)
class _Reading:
    """Adds the rows of one source to the cells."""

    cells: Cells
    name: str
    given: Mapping[str, str]
    wide: Wide | None
    by: str | None = None

    def add(self, source: Any) -> None:
        if kind_of_source(source) == MAPPING and not _has_columns(source):
            self._add_nested(source)
            return
        table = named_columns(source)
        if NESTED in table.columns and len(table.columns) == 1:
            self._add_nested(table.columns[NESTED][0])
        elif table.headless:
            self._add_printed(table)
        else:
            self._add_columns(table)

    def _add_nested(self, data: Any) -> None:
        """Add `{query: {measure: value}}`, as pytrec_eval has it, `{system: {query: value}}`, or all."""
        problem = "expected {system: {query: value}}, {query: {measure: value}} or both, one in the other"
        for outer, inside in data.items():
            if not isinstance(inside, Mapping) or not inside:
                raise InputError(problem)
            deep = isinstance(next(iter(inside.values())), Mapping)
            by_measure = self.wide == "measures"
            by_measure |= self.wide is None and all(map(names_measure, islice(inside, 5)))
            for inner, value in inside.items():
                if isinstance(value, Mapping) != deep:
                    raise InputError(f"{quoted(_text(inner))} has {kind_of(value)}; {problem}")
                for key, number in value.items() if deep else [(None, value)]:
                    if deep:
                        cell = _text(outer), _text(inner), _text(key)
                    elif by_measure:
                        cell = self.name, _text(outer), _text(inner)
                    else:
                        cell = _text(outer), _text(inner), ""
                    if not is_score(number):
                        raise InputError(f"the value of {said(cell)} is {quoted(str(number))}; {problem}")
                    if not self.cells.add(cell, None, nan if is_missing(number) else float(number)):
                        raise InputError(f"{said(cell)} has a second value, expected one")

    def _add_printed(self, table: NamedColumns) -> None:
        """Add lines of `trec_eval -q` (measure, query, value) or ir_measures (query, measure, value)."""
        first, second, third = table.columns.values()
        named = [sum(map(names_measure, sorted(set(names))[:50])) for names in (first, second)]
        turned = named[1] > named[0]
        system = next((value for name, value in zip(first, third, strict=True) if name == "runid"), self.name)
        for row, (a, b, value) in enumerate(zip(first, second, third, strict=True)):
            measure, query = (b, a) if turned else (a, b)
            if query != ALL and not measure.startswith(NOT_NUMBERS):
                self._add_cell(table, row, (system, query, measure), None, value)

    def _add_columns(self, table: NamedColumns) -> None:
        column = {role: table.column(role, self.given, names) for role, names in ROLES.items()}
        if column["query"] is None:
            remedy = f"expected {', '.join(NAMES['query'])}, or query= with the column's name"
            raise InputError(f"no column for the query among {listed(list(table.columns))}; {remedy}")
        queries = [_label(table, row, "query", v) for row, v in enumerate(table.columns[column["query"]])]
        known = {role: column[role] for role in ("system", "measure", "repeat")}
        if self.by is not None:
            self._add_segments(table, queries, self.by)
        taken = {self.by, *(name for role, name in column.items() if role != "value")}
        names = [name for name in table.columns if name not in taken and _is_numeric(table.columns[name])]
        if not names:
            raise InputError(f"no column of numbers among {listed(list(table.columns))}")
        if column["value"] == UNNAMED and "value" not in self.given and column["measure"] is None:
            column["value"] = UNNAMED if len(names) == 1 else None  # else one of several measures
        if column["value"] is not None:
            names = [column["value"]]
        are_measures = self._are_measures(names, known, long=column["value"] is not None)
        bounded = column["value"] is not None and table.columns.keys() >= {*ENDS}
        for row, query in enumerate(queries):
            if query == ALL:
                continue
            own = {
                role: None if name is None else _label(table, row, role, table.columns[name][row])
                for role, name in known.items()
            }
            for name in names:
                system = own["system"] or (self.name if are_measures or column["value"] else name)
                measure = own["measure"] or (name if are_measures and not column["value"] else "")
                cell = system, query, measure
                self._add_cell(table, row, cell, own["repeat"], table.columns[name][row])
                if bounded:
                    self._add_ends(table, row, cell, own["repeat"], table.columns[name][row])

    def _add_segments(self, table: NamedColumns, queries: Sequence[str], by: str) -> None:
        name = table.column("segment", {"segment": by}, ())
        for row, (query, value) in enumerate(zip(queries, table.columns[name or by], strict=True)):
            if query == ALL:
                continue
            segment = _label(table, row, "segment", value)
            if self.cells.segments.setdefault(query, segment) != segment:
                other = self.cells.segments[query]
                raise table.error(row, f"query {query!r} is in two segments, {other!r} and {segment!r}")

    def _are_measures(self, names: Sequence[str], known: Mapping[str, Any], *, long: bool) -> bool:
        """Whether columns of numbers are measures of one system, not systems."""
        if long or known["system"] is not None or known["measure"] is not None:
            return known["system"] is not None
        if self.wide is not None:
            return self.wide == "measures"
        return len(names) == 1 or all(map(names_measure, names))

    def _add_cell(self, table: NamedColumns, row: int, cell: Cell, repeat: str | None, value: Any) -> None:
        if not is_score(value):
            problem = f"the value of {said(cell)} is {quoted(str(value))}"
            raise table.error(row, f"{problem}, expected a finite number of at most {MOST:g}")
        if not self.cells.add(cell, repeat, nan if is_missing(value) else float(value)):
            again = f"repeat {repeat} of {said(cell)}" if repeat is not None else said(cell)
            remedy = "expected one value" if repeat else "expected one; a column `repeat` tells repeats apart"
            raise table.error(row, f"{again} has a second value, {remedy}")

    def _add_ends(self, table: NamedColumns, row: int, cell: Cell, repeat: str | None, value: Any) -> None:
        """Add the lowest and highest value with every document judged, unless they are empty."""
        low, high = (table.columns[end][row] for end in ENDS)
        if any(map(is_missing, (low, value, high))):
            return
        if not (is_score(low) and is_score(high) and is_between(float(value), float(low), float(high))):
            found = f"{quoted(str(low))} and {quoted(str(high))}"
            problem = f"low and high of {said(cell)} are {found}, and its value is {quoted(str(value))}"
            raise table.error(row, f"{problem}: expected bounds of the value; rename columns that are not")
        self.cells.ends[cell, repeat] = float(low), float(high)


def is_between(value: float, low: float, high: float) -> bool:
    slack = ROUNDING * max(1.0, abs(low), abs(high))
    return low - slack <= value <= high + slack


def array_of_scores(
    values: Any,
    runs: Sequence[str] | None,
    queries: Sequence[str] | None,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    **options: Any,
) -> TableOfScores:
    """Take an array (runs, queries) or (runs, queries, measures) with the names of its axes."""
    array = np.asarray(values, float)
    array = array[:, :, None] if array.ndim == 2 else array
    if array.ndim != 3 or not array.size:
        raise UsageError(f"the array has the shape {np.shape(values)}, expected (runs, queries[, measures])")
    names = None if measures is None else _names_asked(measures)
    unnamed = UNNAMED if array.shape[2] == 1 else f"{UNNAMED} {{}}"
    axes = []
    for size, what, given, default in (
        (array.shape[0], "runs", runs, "run {}"),
        (array.shape[1], "queries", queries, "q{}"),
        (array.shape[2], "measures", names, unnamed),
    ):
        own = [default.format(k + 1) for k in range(size)] if given is None else list(map(str, given))
        if len(own) != size or len(set(own)) < size:
            raise UsageError(f"{what} has {len(set(own))} different names, expected {size}")
        axes.append(own)
    cells = Cells()
    for (run, query, name), value in zip(product(*axes), array.ravel().tolist(), strict=True):
        if not is_score(value):
            problem = f"the value of {said((run, query, name))} is {value}"
            raise UsageError(f"{problem}, expected a finite number of at most {MOST:g}")
        cells.add((run, query, name), None, value)
    return cells.table(None, options.get("missing", "error"), options.get("range"))


def _has_columns(source: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds columns with their values, not dicts."""
    return not any(isinstance(values, Mapping) for values in source.values())


def _is_numeric(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers: more than half of what is not missing."""
    present = [value for value in values if not is_missing(value)]
    return 2 * sum(map(is_number, present)) > len(present)


def _label(table: NamedColumns, row: int, role: str, value: Any) -> str:
    if is_missing(value) and value != "None":
        raise table.error(row, f"the {role} is empty")
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # whole numbers that a frame holds as floating-point ones
    name = identifier(value)
    return name if isinstance(name, str) else str(name)
