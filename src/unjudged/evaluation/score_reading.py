"""Rows of one source of scores, as cells: nested dicts, lines of trec_eval, named columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import nan
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of, shortlist
from unjudged.evaluation.mean_rows import MEANS
from unjudged.evaluation.score_cells import (
    MOST,
    Cell,
    Cells,
    has_no_value,
    is_score,
    names_measure,
    said,
)
from unjudged.evaluation.score_columns import ScoreColumns, Wide, are_names_of_measures
from unjudged.formats.inputs import MAPPING, kind_of_source
from unjudged.formats.named_columns import NESTED, NamedColumns, named_columns
from unjudged.formats.readers.memory.query_dicts import identifier
from unjudged.formats.text_columns import is_missing

ALL = "all"
"""The query of rows that are means, in the output of trec_eval, ir_measures and this package."""
ENDS = ("low", "high")
"""Columns with the lowest and highest value that any completion of the judgments gives, as Spark has them."""
ROUNDING = 1e-9
NOT_NUMBERS = ("runid", "relstring")
"""Lines of trec_eval whose values are texts."""
LOOKED_AT = 50
"""Names of a nested dict that are looked at to tell queries, systems and measures apart."""
NESTED_FORMS = "{system: {query: value}}, {query: {measure: value}}, {measure: {query: value}}"
Problem = Callable[[str], InputError]


@dataclass(eq=False)
class Reading:
    """Adds the rows of one source to cells; `name` is its system, if it names none."""

    cells: Cells
    name: str
    given: Mapping[str, str]
    asked: Sequence[str] | None
    wide: Wide | None
    by: str | None = None

    def add(self, source: Any) -> None:
        if kind_of_source(source) == MAPPING and any(isinstance(v, Mapping) for v in source.values()):
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
        """Add dicts of two names, or of three: `{system: {query: {measure: value}}}`."""
        problem = f"expected {NESTED_FORMS}, or {{system: {{query: {{measure: value}}}}}}"
        for outer, inside in data.items():
            if not isinstance(inside, Mapping) or not inside:
                raise InputError(f"{quoted(_text(outer))} has {kind_of(inside)}; {problem}")
        deep = isinstance(next(iter(next(iter(data.values())).values())), Mapping)
        form = _by_three if deep else self._form(data)
        for outer, inside in data.items():
            for inner, value in inside.items():
                if isinstance(value, Mapping) != deep:
                    raise InputError(f"{quoted(_text(inner))} has {kind_of(value)}; {problem}")
                for key, number in value.items() if deep else [("", value)]:
                    cell = form(_text(outer), _text(inner), _text(key))
                    if cell[1] != ALL:
                        self._add_cell(InputError, cell, None, number)

    def _form(self, data: Mapping[Any, Mapping[Any, Any]]) -> Callable[[str, str, str], Cell]:
        """Return what makes a cell of two names: which of them is the system, the query, the measure."""
        outer = list(map(_text, data))
        inner = list(
            map(_text, islice(dict.fromkeys(n for inside in data.values() for n in inside), LOOKED_AT))
        )
        if self.wide == "systems":
            return lambda system, query, _: (system, query, "")
        if self.wide is None and are_names_of_measures(inner, "inner names"):
            return lambda query, measure, _: (self.name, query, measure)
        if self.wide is None and are_names_of_measures(outer[:LOOKED_AT], "outer names"):
            return lambda measure, query, _: (self.name, query, measure)
        if self.wide == "measures":
            if any(map(names_measure, outer)) and not any(map(names_measure, inner)):
                return lambda measure, query, _: (self.name, query, measure)
            return lambda query, measure, _: (self.name, query, measure)
        if self.asked is None:
            other = (
                "--wide measures takes them for queries, and the inner names for measures (in Python wide=)"
            )
            self.cells.notes.append(f"Outer names are taken for systems: {shortlist(outer)}; {other}.")
        return lambda system, query, _: (system, query, "")

    def _add_printed(self, table: NamedColumns) -> None:
        """Add lines of `trec_eval -q` (measure, query, value) or ir_measures (query, measure, value)."""
        first, second, third = table.columns.values()
        named = [sum(map(names_measure, sorted(set(names))[:50])) for names in (first, second)]
        turned = named[1] > named[0]
        system = next((value for name, value in zip(first, third, strict=True) if name == "runid"), self.name)
        for row, (a, b, value) in enumerate(zip(first, second, third, strict=True)):
            measure, query = (b, a) if turned else (a, b)
            if query != ALL and not measure.startswith(NOT_NUMBERS):
                self._add_cell(partial(table.error, row), (system, query, measure), None, value)

    def _add_columns(self, table: NamedColumns) -> None:
        own = ScoreColumns.of(table, self.given, self.asked, self.wide, self.by)
        self.cells.notes += own.notes
        self.cells.others += own.others
        queries = [
            _label(table, row, "query", v) for row, v in enumerate(table.columns[own.role["query"] or ""])
        ]
        if self.by is not None:
            self._add_segments(table, queries, self.by)
        long = own.role["value"] is not None
        bounded = long and table.columns.keys() >= {*ENDS}
        known = {role: own.role[role] for role in ("system", "measure", "repeat")}
        for row, query in enumerate(queries):
            if query == ALL:
                continue
            label = {
                role: None if name is None else _label(table, row, role, table.columns[name][row])
                for role, name in known.items()
            }
            for name in own.values:
                system = label["system"] or (self.name if own.are_measures or long else name)
                measure = label["measure"] or (name if own.are_measures and not long else "")
                cell, repeat, value = (system, query, measure), label["repeat"], table.columns[name][row]
                self._add_cell(partial(table.error, row), cell, repeat, value, "" if long else name)
                if bounded:
                    self._add_ends(table, row, cell, repeat, value)

    def _add_segments(self, table: NamedColumns, queries: Sequence[str], by: str) -> None:
        name = table.column("segment", {"segment": by}, ())
        for row, (query, value) in enumerate(zip(queries, table.columns[name or by], strict=True)):
            if query == ALL or (query.lower() in MEANS and is_missing(value)):
                continue
            segment = _label(table, row, "segment", value)
            if self.cells.segments.setdefault(query, segment) != segment:
                other = self.cells.segments[query]
                raise table.error(row, f"query {query!r} is in two segments, {other!r} and {segment!r}")

    def _add_cell(self, error: Problem, cell: Cell, repeat: str | None, value: Any, column: str = "") -> None:
        if not is_score(value):
            problem = f"the value of {said(cell)} is {quoted(str(value))}"
            raise error(f"{problem}, expected a finite number of at most {MOST:g}{_remedy(value, column)}")
        if not self.cells.add(cell, repeat, nan if has_no_value(value) else float(value)):
            again = f"repeat {repeat} of {said(cell)}" if repeat is not None else said(cell)
            remedy = "expected one value" if repeat else "expected one; a column `repeat` tells repeats apart"
            raise error(f"{again} has a second value, {remedy}")

    def _add_ends(self, table: NamedColumns, row: int, cell: Cell, repeat: str | None, value: Any) -> None:
        """Add the lowest and highest value with every document judged, unless they are empty."""
        low, high = (table.columns[end][row] for end in ENDS)
        if any(map(has_no_value, (low, value, high))):
            return
        if not (is_score(low) and is_score(high) and _is_between(float(value), float(low), float(high))):
            found = f"{quoted(str(low))} and {quoted(str(high))}"
            problem = f"low and high of {said(cell)} are {found}, and its value is {quoted(str(value))}"
            raise table.error(row, f"{problem}: expected bounds of the value; rename columns that are not")
        self.cells.ends[cell, repeat] = float(low), float(high)


def _by_three(system: str, query: str, measure: str) -> Cell:
    return system, query, measure


def _is_between(value: float, low: float, high: float) -> bool:
    slack = ROUNDING * max(1.0, abs(low), abs(high))
    return low - slack <= value <= high + slack


def _remedy(value: Any, column: str) -> str:
    """Return what to do about a text in place of a number."""
    text = str(value).strip()
    if text.endswith("%"):
        return ": write it without the percent sign"
    if "," in text:
        return ": write a decimal point, not a comma"
    about = f"; if column {quoted(column)} has texts, remove it, or name the measures with -m"
    return about if column and text.lstrip("+-").lower() not in ("inf", "infinity") else ""


def _label(table: NamedColumns, row: int, role: str, value: Any) -> str:
    if is_missing(value) and value != "None":
        raise table.error(row, f"the {role} is empty")
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # whole numbers that a frame holds as floating-point ones
    name = identifier(value)
    return name if isinstance(name, str) else str(name)
