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
    Cell,
    Cells,
    is_score,
    names_measure,
    not_a_score,
    said,
)
from unjudged.evaluation.score_columns import ScoreColumns, Wide, are_names_of_measures
from unjudged.formats.inputs import MAPPING, kind_of_source
from unjudged.formats.named_columns import NESTED, NamedColumns, named_columns, text_of_name
from unjudged.formats.text_columns import has_no_value, is_missing

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
                raise InputError(f"{quoted(text_of_name(outer))} has {kind_of(inside)}; {problem}")
        deep = isinstance(next(iter(next(iter(data.values())).values())), Mapping)
        roles = ("system", "query", "measure") if deep else self._roles(data)
        for outer, inside in data.items():
            for inner, value in inside.items():
                if isinstance(value, Mapping) != deep:
                    raise InputError(f"{quoted(text_of_name(inner))} has {kind_of(value)}; {problem}")
                for key, number in value.items() if deep else [("", value)]:
                    own = dict(zip(roles, map(text_of_name, (outer, inner, key)), strict=False))
                    cell = own.get("system", self.name), own["query"], own.get("measure", "")
                    if cell[1] != ALL:
                        self._add_cell(InputError, cell, None, number)

    def _roles(self, data: Mapping[Any, Mapping[Any, Any]]) -> tuple[str, str]:
        """Return what the outer and the inner names of a dict of dicts are."""
        outer = list(map(text_of_name, data))
        names = dict.fromkeys(name for inside in data.values() for name in inside)
        inner = list(map(text_of_name, islice(names, LOOKED_AT)))
        if self.wide == "measures":
            turned = any(map(names_measure, outer)) and not any(map(names_measure, inner))
            return ("measure", "query") if turned else ("query", "measure")
        if self.wide is None and are_names_of_measures(inner, "inner names"):
            return "query", "measure"
        if self.wide is None and are_names_of_measures(outer[:LOOKED_AT], "outer names"):
            return "measure", "query"
        if self.wide is None and self.asked is None:
            self.cells.notes.append(
                f"Outer names are taken for systems: {shortlist(outer)}; --wide measures takes them for "
                "queries, and the inner names for measures (in Python wide=)."
            )
        return "system", "query"

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
        of_query = own.role["query"] or ""
        if self.by is not None:
            segment = table.column("segment", {"segment": self.by}, ()) or ""
            self.cells.segments = table.segments(of_query, segment, _is_no_query)
        long = own.role["value"] is not None
        bounded = long and table.columns.keys() >= {*ENDS}
        known = {role: name for role in ("system", "measure", "repeat") if (name := own.role[role])}
        for row in range(len(table)):
            query = table.label(row, "query", of_query)
            if query == ALL:
                continue
            label = {role: table.label(row, role, name) for role, name in known.items()}
            for name in own.values:
                system = label.get("system") or (self.name if own.are_measures or long else name)
                measure = label.get("measure") or (name if own.are_measures and not long else "")
                cell, repeat, value = (system, query, measure), label.get("repeat"), table.columns[name][row]
                self._add_cell(partial(table.error, row), cell, repeat, value, "" if long else name)
                if bounded:
                    self._add_ends(table, row, cell, repeat, value)

    def _add_cell(self, error: Problem, cell: Cell, repeat: str | None, value: Any, column: str = "") -> None:
        if not is_score(value):
            raise error(f"{not_a_score(cell, value)}{_remedy(value, column)}")
        if not self.cells.add(cell, repeat, nan if has_no_value(value) else float(value)):
            remedy = "expected one value" if repeat else "expected one; a column `repeat` tells repeats apart"
            raise error(f"{said(cell, repeat)} has a second value, {remedy}")

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


def _is_no_query(name: str, segment: Any) -> bool:
    """Whether a row is of means, which need no segment."""
    return name == ALL or (name.lower() in MEANS and is_missing(segment))


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
