"""Rows of one source of scores, as cells: nested dicts, lines of trec_eval, named columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import nan
from typing import Any, Literal

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import kind_of, shortlist
from unjudged.collection.score_cells import (
    UNNAMED,
    Cell,
    Cells,
    is_score,
    names_measure,
    not_a_score,
    parts_of,
    said,
    same_measure,
)
from unjudged.data.columns import NAMES, QUERIES, folded, listed
from unjudged.data.small_tables import NESTED, Headless, read_small_table
from unjudged.data.sources import MAPPING, kind_of_source
from unjudged.data.tabular import Block
from unjudged.data.values import has_no_value, is_number, text_of_name

MEANS = frozenset({"all", "amean", "mean", "average", "avg", "macro avg", "overall", "total"})
"""The queries of rows that are means or sums, in upper or lower case; trec_eval says `all`."""
PRINTED = Headless(
    ("measure", "query", "value"),
    lambda fields: len(fields) == 3 and (is_number(fields[2]) or fields[0] == "runid"),
)
"""Lines of `trec_eval -q`; ir_measures prints the query first."""
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
        table = read_small_table(source, PRINTED)
        if [*table.columns] == [NESTED]:
            self._add_nested(table.columns[NESTED][0])
        else:
            self._add_columns(_of_printed(table) if (*table.columns,) == PRINTED.columns else table)

    def _add_nested(self, data: Any) -> None:
        """Add dicts of two names, or of three: `{system: {query: {measure: value}}}`."""
        problem = f"expected {NESTED_FORMS}, or {{system: {{query: {{measure: value}}}}}}"
        if not data:
            raise InputError(f"an empty dict; {problem}")
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
                    if not self._is_mean(cell[1]):
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
                f"Outer names are taken for systems: {shortlist(outer)}; --set scores.wide=measures takes "
                "them for queries, and the inner names for measures (in Python wide=)."
            )
        return "system", "query"

    def _add_columns(self, table: Block) -> None:
        own = ScoreColumns.of(table, self.given, self.asked, self.wide, self.by)
        self.cells.notes += own.notes
        self.cells.others += own.others
        of_query = own.role["query"] or ""
        if self.by is not None:
            segment = table.column("segment", {"segment": self.by}, ()) or ""
            of, by = ("query", of_query), ("segment", segment)
            self.cells.segments = table.labels(of, by, lambda name, _: name.lower() in MEANS)
        long = own.role["value"] is not None
        bounded = long and table.columns.keys() >= {*ENDS}
        known = {role: name for role in ("system", "measure", "repeat") if (name := own.role[role])}
        for row in range(len(table)):
            query = table.label(row, "query", of_query)
            if self._is_mean(query):
                continue
            label = {role: table.label(row, role, name) for role, name in known.items()}
            for name in own.values:
                system = label.get("system") or (self.name if own.are_measures or long else name)
                measure = label.get("measure") or (name if own.are_measures and not long else "")
                cell, repeat, value = (system, query, measure), label.get("repeat"), table.columns[name][row]
                self._add_cell(partial(table.error, row), cell, repeat, value, "" if long else name)
                if bounded:
                    self._add_ends(table, row, cell, repeat, value)

    def _is_mean(self, query: str) -> bool:
        """Whether a row is no query but means of the others, which a note names."""
        if query.lower() not in MEANS:
            return False
        note = f"The row {quoted(query)} is taken for means or sums of the others and left out."
        if query != "all" and note not in self.cells.notes:
            self.cells.notes.append(note)
        return True

    def _add_cell(self, error: Problem, cell: Cell, repeat: str | None, value: Any, column: str = "") -> None:
        if not is_score(value):
            raise error(f"{not_a_score(cell, value)}{_remedy(value, column)}")
        if not self.cells.add(cell, repeat, nan if has_no_value(value) else float(value)):
            remedy = "expected one value" if repeat else "expected one; a column `repeat` tells repeats apart"
            raise error(f"{said(cell, repeat)} has a second value, {remedy}")

    def _add_ends(self, table: Block, row: int, cell: Cell, repeat: str | None, value: Any) -> None:
        """Add the lowest and highest value with every document judged, unless they are empty."""
        low, high = (table.columns[end][row] for end in ENDS)
        if any(map(has_no_value, (low, value, high))):
            return
        if not (is_score(low) and is_score(high) and _is_between(float(value), float(low), float(high))):
            found = f"{quoted(str(low))} and {quoted(str(high))}"
            problem = f"low and high of {said(cell)} are {found}, and its value is {quoted(str(value))}"
            raise table.error(row, f"{problem}: expected bounds of the value; rename columns that are not")
        self.cells.ends[cell, repeat] = float(low), float(high)


def _of_printed(table: Block) -> Block:
    """Return lines of `trec_eval -q` or ir_measures by name, without those whose values are texts."""
    first, second, third = table.columns.values()
    named = [sum(map(names_measure, sorted(set(names))[:LOOKED_AT])) for names in (first, second)]
    measures, queries = (second, first) if named[1] > named[0] else (first, second)
    rows = [row for row, name in enumerate(measures) if name not in NOT_NUMBERS]
    columns = zip(PRINTED.columns, (measures, queries, third), strict=True)
    lines = table.lines[rows] if len(table.lines) else table.lines
    return Block({name: [column[row] for row in rows] for name, column in columns}, lines)


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


Wide = Literal["systems", "measures"]
ROLES: Mapping[str, tuple[str, ...]] = {
    "query": QUERIES,
    "system": (*NAMES["run"], "runid", "model", "name"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "repeat": ("repeat", "seed"),
}
"""Names of columns by role; the first that a table has counts, in upper or lower case."""
NO_NAME = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__")
"""How CSV, pandas and Parquet call a column without a name, such as the index of a frame."""

SPELT = re.compile(r"[+-]?\d*(?:[.,]\d+)? ?%?")
"""Numbers that are spelt with a comma or a percent sign, which errors name."""


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """Columns of a table: those with a role, those with values, and whether these are measures."""

    role: Mapping[str, str | None]
    values: Sequence[str]
    are_measures: bool
    notes: Sequence[str]
    others: Sequence[str] = ()
    """Measures that are not asked for."""

    @classmethod
    def of(
        cls,
        table: Block,
        given: Mapping[str, str],
        asked: Sequence[str] | None,
        wide: Wide | None,
        by: str | None,
    ) -> ScoreColumns:
        role = {name: table.column(name, given, names) for name, names in ROLES.items()}
        if role["query"] is None:
            raise _without_query(table)
        taken = {by, *(name for of, name in role.items() if of != "value")}
        others = [name for name in table.columns if name not in taken]
        unnamed = [name for name in others if NO_NAME.fullmatch(name)]
        found = [name for name in others if name not in unnamed]
        texts = [name for name in found if _is_text(name, table.columns[name])]
        values = [name for name in found if name not in texts]
        if not values:
            raise InputError(f"no column of numbers among {listed(list(table.columns))}")
        lone = role["value"] is not None and folded(role["value"]) == UNNAMED and "value" not in given
        if lone and role["measure"] is None and len(values) > 1:
            role["value"] = None  # one of several measures
        if role["value"] is not None:
            return cls(role, [role["value"]], role["system"] is not None, [])
        notes = ["A column without a name is ignored."] if unnamed else []
        named = role["system"] or role["measure"]
        if not named and texts:
            notes.append(f"Columns without numbers are ignored: {shortlist(texts)}.")
        if role["measure"] is None and wide != "systems" and (chosen := _asked_for(values, asked)):
            return cls(role, chosen, True, notes, [name for name in values if name not in chosen])
        if named:
            return cls(role, values, role["system"] is not None, notes)
        if len(values) == 1 and wide is None:
            return cls(role, values, True, notes)
        are_measures = wide == "measures" or (wide is None and are_names_of_measures(values, "columns"))
        if wide is None and not are_measures and asked is None:
            other = "--set scores.wide=measures takes them for measures (in Python wide=)"
            notes.append(f"Columns are taken for systems: {shortlist(values)}; {other}.")
        return cls(role, values, are_measures, notes)


def _without_query(table: Block) -> InputError:
    remedy = f"expected {', '.join(QUERIES)}, or its name, as in --set scores.columns.query=NAME"
    if any(map(NO_NAME.fullmatch, table.columns)):
        remedy = "one column has no name: if it has the queries, call it query"
    return InputError(f"no column for the query among {listed(list(table.columns))}; {remedy}")


def are_names_of_measures(names: Iterable[str], what: str) -> bool:
    """Return whether all names are measures, not none of them; an error if only some are."""
    each = list(dict.fromkeys(names))
    known = [name for name in each if names_measure(name)]
    if known and len(known) < len(each):
        other = next(name for name in each if name not in known)
        problem = f"of the {what}, {shortlist(known, 3)} {'is' if len(known) == 1 else 'are'} known as"
        kind = "a measure" if len(known) == 1 else "measures"
        remedy = "say what they are: --set scores.wide=measures or systems (in Python wide=)"
        raise UsageError(f"{problem} {kind}, {other} is not; {remedy}")
    return bool(known)


def _asked_for(names: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the names of all measures that are asked for; none if one of them is no name here."""
    wanted = parts_of(asked or (), names)
    found = [[name for name in names if same_measure(name, one)] for one in wanted]
    return [name for name in names if any(name in own for own in found)] if all(found) else []


def _is_text(name: str, values: Sequence[Any]) -> bool:
    """Whether no cell is a number and the name is no measure."""
    present = (value for value in values if not has_no_value(value))
    return not (names_measure(name) or any(is_number(v) or SPELT.fullmatch(str(v).strip()) for v in present))
