"""Rows of one source of scores: nested dicts, lines that trec_eval prints, named columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import nan
from typing import Any, Literal, NamedTuple

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import kind_of, shortlist
from unjudged.data.columns import NAMES, QUERIES, folded, listed
from unjudged.data.limits import check
from unjudged.data.sources import MAPPING, kind_of_source, read_small_table
from unjudged.data.tabular import Block
from unjudged.data.text_tables import NESTED, Headless
from unjudged.data.values import has_no_value, is_number, text_of_name
from unjudged.measures.kernel.names import is_measure, parse_measures
from unjudged.results.escapes import shortened

Wide = Literal["systems", "measures"]
UNNAMED = "score"
MOST = 1e100
"""Largest size of a value, so that sums of squares are finite."""
ROLES: Mapping[str, tuple[str, ...]] = {
    "query": QUERIES,
    "system": (*NAMES["run"], "runid", "model", "name"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "repeat": ("repeat", "seed"),
}
"""Names of columns by role; the first that a table has counts, in upper or lower case."""
MEANS = frozenset({"all", "amean", "mean", "average", "avg", "macro avg", "overall", "total"})
"""The queries of rows that are means or sums, in upper or lower case; trec_eval says `all`."""
PRINTED = Headless(
    ("measure", "query", "value"),
    lambda fields: len(fields) == 3 and (is_number(fields[2]) or fields[0] == "runid"),
)
"""Lines of `trec_eval -q`; ir_measures prints the query first."""
NOT_NUMBERS = ("runid", "relstring")
"""Lines of trec_eval whose values are texts."""
LOOKED_AT = 50
"""Names of a nested dict that are looked at to tell queries, systems and measures apart."""
EXPECTED = (
    "expected {system: {query: value}}, {query: {measure: value}}, {measure: {query: value}}, "
    "or {system: {query: {measure: value}}}"
)
NO_NAME = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__")
"""How CSV, pandas and Parquet call a column without a name, such as the index of a frame."""
SPELT = re.compile(r"[+-]?\d*(?:[.,]\d+)? ?%?")
"""Numbers that are spelt with a comma or a percent sign, which errors name."""
ENDS = ("low", "high")
"""Columns with the lowest and highest value that any completion of the judgments gives, as Spark has them."""
ROUNDING = 1e-9
BYTES_OF_A_CELL = 700
"""Memory that a value and its names take while a table is put in order, with the table that they are of."""


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


@dataclass(eq=False)
class ScoreRows:
    """Values of one source in the order in which they came; `name` is its system, if it names none."""

    name: str
    given: Mapping[str, str]
    """Columns by role."""
    asked: Sequence[str] | None = None
    wide: Wide | None = None
    by: str | None = None
    """The column that has the segment of each query."""
    cells: list[Cell] = field(default_factory=list)
    values: list[tuple[float, float, float]] = field(default_factory=list)
    """Each value, and the lowest and highest with every document judged, NaN where a table lacks them."""
    rows: list[int] = field(default_factory=list)
    """The row of the table that each value is in."""
    table: Block = field(default_factory=lambda: Block({}))
    segments: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What a reader must know of how the source was read."""
    others: Sequence[str] = ()
    """Measures that are not asked for and were not read."""

    def add(self, source: Any) -> None:
        """Add all values of the source."""
        if kind_of_source(source) == MAPPING and any(isinstance(v, Mapping) for v in source.values()):
            self._add_columns(self._of_nested(source))
            return
        table = read_small_table(source, PRINTED)
        if [*table.columns] == [NESTED]:
            table = self._of_nested(table.columns[NESTED][0])
        elif (*table.columns,) == PRINTED.columns:
            table = _of_printed(table)
        self._add_columns(table)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(cell.system for cell in self.cells))

    def _of_nested(self, data: Any) -> Block:
        """Return a dict of dicts as a long table."""
        if not data:
            raise InputError(f"an empty dict; {EXPECTED}")
        for outer, inside in data.items():
            if not isinstance(inside, Mapping) or not inside:
                raise InputError(f"{quoted(text_of_name(outer))} has {kind_of(inside)}; {EXPECTED}")
        deep = isinstance(next(iter(next(iter(data.values())).values())), Mapping)
        roles = ("system", "query", "measure") if deep else self._roles(data)
        rows: list[tuple[Any, ...]] = []
        for outer, inside in data.items():
            for inner, value in inside.items():
                if isinstance(value, Mapping) != deep:
                    raise InputError(f"{quoted(text_of_name(inner))} has {kind_of(value)}; {EXPECTED}")
                more = value.items() if deep else [(value,)]
                rows += [(outer, inner, *one) for one in more]
        return Block(dict(zip((*roles, "value"), zip(*rows, strict=True), strict=True)))

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
            self.notes.append(
                f"Outer names are taken for systems: {shortlist(outer)}; --set scores.wide=measures takes "
                "them for queries, and the inner names for measures (in Python wide=)."
            )
        return "system", "query"

    def _add_columns(self, table: Block) -> None:
        self.table = table
        role = {name: table.column(name, self.given, names) for name, names in ROLES.items()}
        if role["query"] is None:
            raise _without_query(table)
        columns, are_measures = self._value_columns(table, role)
        if self.by is not None:
            segment = table.column("segment", {"segment": self.by}, ()) or ""
            of, by = ("query", role["query"] or ""), ("segment", segment)
            self.segments = table.labels(of, by, lambda name, _: name.lower() in MEANS)
        check("MEMORY", BYTES_OF_A_CELL * len(table) * len(columns))
        long = role["value"] is not None
        bounded = long and table.columns.keys() >= {*ENDS}
        of_query = role["query"] or ""
        known = {name: role[name] for name in ("system", "measure", "repeat") if role[name]}
        for row in range(len(table)):
            query = table.label(row, "query", of_query)
            if self._is_mean(query):
                continue
            label = {name: table.label(row, name, column or "") for name, column in known.items()}
            ends = [table.columns[end][row] for end in ENDS] if bounded else ()
            for column in columns:
                own = {} if long else {"measure" if are_measures else "system": column}
                cell = Cell(**{"system": self.name, "query": query, **own, **label})
                self._add(table, row, cell, column, ends)

    def _is_mean(self, query: str) -> bool:
        """Whether a row has means of the others instead of a query; a note names it."""
        if query.lower() not in MEANS:
            return False
        note = f"The row {quoted(query)} is taken for means or sums of the others and left out."
        if query != "all" and note not in self.notes:
            self.notes.append(note)
        return True

    def _value_columns(self, table: Block, role: dict[str, str | None]) -> tuple[Sequence[str], bool]:
        """Return the columns with values, and whether they are measures, not systems."""
        taken = {self.by, *(name for of, name in role.items() if of != "value")}
        every = [name for name in table.columns if name not in taken]
        named = [name for name in every if not NO_NAME.fullmatch(name)]
        values = [name for name in named if not _is_text(name, table.columns[name])]
        if not values:
            raise InputError(f"no column of numbers among {listed(list(table.columns))}")
        lone = role["value"] is not None and folded(role["value"]) == UNNAMED and "value" not in self.given
        if lone and role["measure"] is None and len(values) > 1:
            role["value"] = None  # one of several measures
        if role["value"] is not None:
            return [role["value"]], False
        one_axis = role["system"] or role["measure"]
        if len(named) < len(every):
            self.notes.append("A column without a name is ignored.")
        if len(values) < len(named) and not one_axis:
            texts = shortlist([name for name in named if name not in values])
            self.notes.append(f"Columns without numbers are ignored: {texts}.")
        if role["measure"] is None and self.wide != "systems" and (chosen := asked_for(values, self.asked)):
            self.others = [name for name in values if name not in chosen]
            return chosen, True
        if one_axis:
            return values, role["system"] is not None
        if self.wide is not None or len(values) == 1:
            return values, self.wide != "systems"
        are_measures = are_names_of_measures(values, "columns")
        if not are_measures and self.asked is None:
            other = "--set scores.wide=measures takes them for measures (in Python wide=)"
            self.notes.append(f"Columns are taken for systems: {shortlist(values)}; {other}.")
        return values, are_measures

    def _add(self, table: Block, row: int, cell: Cell, column: str, ends: Sequence[Any]) -> None:
        value = table.columns[column][row]
        if not is_score(value):
            wide = column if column in (cell.system, cell.measure) else ""
            raise table.error(row, f"{not_a_score(cell, value)}{_remedy(str(value).strip(), wide)}")
        low = high = nan
        if ends and not any(map(has_no_value, (value, *ends))):
            if not (all(map(is_score, ends)) and _is_between(*map(float, (value, *ends)))):
                found = f"{quoted(str(ends[0]))} and {quoted(str(ends[1]))}"
                problem = f"low and high of {cell} are {found}, and its value is {quoted(str(value))}"
                remedy = "expected bounds of the value; rename columns that are not"
                raise table.error(row, f"{problem}: {remedy}")
            low, high = map(float, ends)
        self.cells.append(cell)
        self.values.append((nan if has_no_value(value) else float(value), low, high))
        self.rows.append(row)


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


def is_score(value: Any) -> bool:
    """Whether this is missing, or a number that can be a score."""
    return has_no_value(value) or (is_number(value) and abs(float(value)) <= MOST)


def not_a_score(cell: Cell, value: Any) -> str:
    """Say of a value that it cannot be a score."""
    return f"the value of {cell} is {quoted(str(value))}, expected a finite number of at most {MOST:g}"


def _remedy(text: str, column: str) -> str:
    """Return what to do about a text in place of a number."""
    if text.endswith("%"):
        return ": write it without the percent sign"
    if "," in text:
        return ": write a decimal point, not a comma"
    about = f"; if column {quoted(column)} has texts, remove it, or name the measures with -m"
    return about if column and text.lstrip("+-").lower() not in ("inf", "infinity") else ""


def _without_query(table: Block) -> InputError:
    remedy = f"expected {', '.join(QUERIES)}, or its name, as in --set scores.columns.query=NAME"
    if any(map(NO_NAME.fullmatch, table.columns)):
        remedy = "one column has no name: if it has the queries, call it query"
    return InputError(f"no column for the query among {listed(list(table.columns))}; {remedy}")


def _is_text(name: str, values: Sequence[Any]) -> bool:
    """Whether no cell is a number and the name is not a measure."""
    present = (value for value in values if not has_no_value(value))
    return not (names_measure(name) or any(is_number(v) or SPELT.fullmatch(str(v).strip()) for v in present))


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


def asked_for(names: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the names of all measures that are asked for; none if one of them is unknown here."""
    found = [[name for name in names if same_measure(name, one)] for one in parts_of(asked or (), names)]
    return [name for name in names if any(name in own for own in found)] if all(found) else []


def parts_of(asked: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the measures that are asked for one by one, from lists with commas too."""
    several = ([wanted] if wanted in names or "(" in wanted else wanted.split(",") for wanted in asked)
    return [part for parts in several for part in parts]


def names_measure(name: Any) -> bool:
    """Whether this is the name of one measure."""
    return isinstance(name, str) and is_measure(name) and len(parse_measures(name)) == 1


def same_measure(name: str, wanted: str) -> bool:
    """Whether two names are of the same measure."""
    if name == wanted:
        return True
    return names_measure(name) and names_measure(wanted) and parse_measures(name) == parse_measures(wanted)
