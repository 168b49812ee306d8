"""Tables of scores by query that any tool made, as the complete arrays of `Scores`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import kind_of, shortlist
from unjudged.collection.score_arrays import (
    MOST,
    UNNAMED,
    Cell,
    Cube,
    Missing,
    Wide,
    names_of_measures,
    not_a_score,
)
from unjudged.data.columns import NAMES, QUERIES, folded, listed
from unjudged.data.limits import check
from unjudged.data.sources import (
    FILE,
    FRAME,
    MAPPING,
    columns_of_file,
    kind_of_source,
    name_in_errors,
    read_small_table,
)
from unjudged.data.tabular import TabularBlock, add_label
from unjudged.data.text_tables import NESTED, Headless
from unjudged.data.values import has_no_value, is_number, text_of_name
from unjudged.measures.kernel.names import MeasureLike, names_measure, parse_measures
from unjudged.rankings.runs import by_own_names

WIDE = "--set scores.wide=measures or systems (in Python wide=)"
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
"""Names that are looked at to tell queries, systems and measures apart."""
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
    asked, sources = names_of_measures(measures), _sources(source)
    rows = ScoreRows(asked, by)
    for name, one in sources:
        given = {**columns_of_file(one), **(columns or {})}
        given = {("system" if role == "run" else role): column for role, column in given.items()}
        if unknown := given.keys() - ROLES.keys():
            raise UsageError(f"unknown column {unknown.pop()!r}, expected one of {', '.join(ROLES)}")
        with name_in_errors(one, name):
            rows.add(name, one, given, "measures" if wide is None and len(sources) > 1 else wide)
    every = dict.fromkeys(cell.measure for cell in rows.values)
    chosen = _chosen(every, asked)
    cube = Cube.of({cell: value for cell, value in rows.values.items() if cell.measure in chosen}, chosen)
    runs, kept = dict.fromkeys(cell.system for cell in rows.values), {system for system, _ in cube.rows}
    if without := [run for run in runs if run not in kept]:
        rows.notes.append(f"Systems without these measures are left out: {shortlist(without)}.")
    made = cube.complete(list(chosen.values()), missing, range, list(dict.fromkeys(rows.notes)))
    others = [*rows.others, *(name for name in every if name not in chosen)]
    return {**made, "segments": rows.segments or None}, others


def _sources(source: Any) -> list[tuple[str, Any]]:
    """Return each source with the name of its system, if only one is in it."""
    kind = kind_of_source(source)
    if kind == MAPPING and source and all(kind_of_source(one) in (FILE, FRAME) for one in source.values()):
        return [(str(name), one) for name, one in source.items()]
    several = isinstance(source, list | tuple) and bool(source)
    several = several and all(kind_of_source(one) in (FILE, FRAME) for one in source)
    return list(by_own_names([(None, one) for one in (source if several else [source])]).items())


@dataclass(eq=False)
class ScoreRows:
    """Values of all sources in the order in which they came, with what a reader must know of them."""

    asked: Sequence[str] | None
    by: str | None
    values: dict[Cell, tuple[float, float, float]] = field(default_factory=dict)
    """Each value, and the lowest and highest with every document judged, NaN where a table lacks them."""
    segments: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Measures that are not asked for and were not read."""

    def add(self, name: str, source: Any, given: Mapping[str, str], wide: Wide | None) -> None:
        """Add all values of a source; `name` is its system, if it names none, `given` are columns by role."""
        table = self._read(source, wide)
        role = {of: table.column(of, given, names) for of, names in ROLES.items()}
        if role["query"] is None:
            raise _without_query(table)
        if self.by is not None:
            segment = table.column("segment", {"segment": self.by}, ()) or ""
            of, by = ("query", role["query"]), ("segment", segment)
            for one, label in table.labels(of, by, lambda one, _: one.lower() in MEANS).items():
                add_label(self.segments, one, label)
        columns, what = self._columns(table, role, wide, named="value" in given)
        check("MEMORY", BYTES_OF_A_CELL * len(table) * len(columns))
        bounded = not what and table.columns.keys() >= {*ENDS}
        named = {of: column for of, column in role.items() if column and of not in ("query", "value", what)}
        for row in range(len(table)):
            query = table.label(row, "query", role["query"])
            if query.lower() in MEANS:
                if query != "all":
                    said = f"The row {quoted(query)} is taken for means or sums of the others and left out."
                    self.notes.append(said)
                continue
            labels = {of: table.label(row, of, column) for of, column in named.items()}
            ends = [table.columns[end][row] for end in ENDS] if bounded else ()
            for column in columns:
                own = {what: column} if what else {}
                cell = Cell(**{"system": name, "query": query, **own, **labels})
                if cell in self.values:
                    problem = f"{cell} has a second value, expected one; a column `repeat` numbers repeats"
                    raise table.error(row, problem)
                self.values[cell] = _value(table, row, cell, column, ends)

    def _read(self, source: Any, wide: Wide | None) -> TabularBlock:
        """Return a source as a table of named columns."""
        if kind_of_source(source) == MAPPING and any(isinstance(own, Mapping) for own in source.values()):
            return self._of_nested(source, wide)
        table = read_small_table(source, PRINTED)
        if [*table.columns] == [NESTED]:
            return self._of_nested(table.columns[NESTED][0], wide)
        return _of_printed(table) if (*table.columns,) == PRINTED.columns else table

    def _of_nested(self, data: Any, wide: Wide | None) -> TabularBlock:
        """Return dicts in a dict as a long table: values by system and query, as ranx or as pytrec_eval."""
        if not data:
            raise InputError(f"an empty dict; {EXPECTED}")
        for outer, own in data.items():
            if not isinstance(own, Mapping) or not own:
                raise InputError(f"{quoted(text_of_name(outer))} has {kind_of(own)}; {EXPECTED}")
        first = next(iter(data.values()))
        deep = isinstance(next(iter(first.values())), Mapping)
        roles = ["system", "query", "measure"]
        if not deep and wide != "systems" and any(map(names_measure, data)):
            roles = ["measure", "query"]
        elif not deep and (wide == "measures" or (wide is None and any(map(names_measure, first)))):
            roles = ["query", "measure"]
        elif not deep and wide is None and self.asked is None:
            other = "--set scores.wide=measures takes them for queries, and the inner names for measures"
            names = shortlist(list(map(text_of_name, data)))
            self.notes.append(f"Outer names are taken for systems: {names}; {other} (in Python wide=).")
        rows: list[tuple[Any, ...]] = []
        for outer, own in data.items():
            for inner, value in own.items():
                if isinstance(value, Mapping) != deep:
                    raise InputError(f"{quoted(text_of_name(inner))} has {kind_of(value)}; {EXPECTED}")
                rows += [(outer, inner, *one) for one in (value.items() if deep else [(value,)])]
        return TabularBlock(dict(zip([*roles[: 2 + deep], "value"], zip(*rows, strict=True), strict=True)))

    def _columns(
        self, table: TabularBlock, role: dict[str, str | None], wide: Wide | None, *, named: bool
    ) -> tuple[Sequence[str], str]:
        """Return the columns with values, and which role their names have; none if it is one of values."""
        taken = {self.by, *(name for of, name in role.items() if of != "value")}
        every = [name for name in table.columns if name not in taken and not NO_NAME.fullmatch(name)]
        values = [name for name in every if not _is_text(name, table.columns[name])]
        if not values:
            raise InputError(f"no column of numbers among {listed(list(table.columns))}")
        one_axis = role["system"] or role["measure"]
        value = role["value"]
        lone = value is not None and folded(value) == UNNAMED and not named
        if value is not None and not (lone and role["measure"] is None and len(values) > 1):
            return [value], ""
        if len(values) < len(every) and not one_axis:
            texts = shortlist([name for name in every if name not in values])
            self.notes.append(f"Columns without numbers are ignored: {texts}.")
        found = _as_named(self.asked or (), values).values()
        if role["measure"] is None and wide != "systems" and found and None not in found:
            self.others += [name for name in values if name not in found]
            return [name for name in values if name in found], "measure"
        if one_axis:
            return values, "measure" if role["system"] else "system"
        if wide is not None or len(values) == 1:
            return values, "system" if wide == "systems" else "measure"
        are_measures = _are_measures(values)
        if not are_measures and self.asked is None:
            other = "--set scores.wide=measures takes them for measures (in Python wide=)"
            self.notes.append(f"Columns are taken for systems: {shortlist(values)}; {other}.")
        return values, "measure" if are_measures else "system"


def _of_printed(table: TabularBlock) -> TabularBlock:
    """Return lines of `trec_eval -q` or ir_measures by name, without those whose values are texts."""
    first, second, third = table.columns.values()
    named = [sum(map(names_measure, sorted(set(names))[:LOOKED_AT])) for names in (first, second)]
    measures, queries = (second, first) if named[1] > named[0] else (first, second)
    rows = [row for row, name in enumerate(measures) if name not in NOT_NUMBERS]
    columns = zip(PRINTED.columns, (measures, queries, third), strict=True)
    lines = table.lines[rows] if len(table.lines) else table.lines
    return TabularBlock({name: [column[row] for row in rows] for name, column in columns}, lines)


def _value(
    table: TabularBlock, row: int, cell: Cell, column: str, ends: Sequence[Any]
) -> tuple[float, float, float]:
    """Return a value with its ends, NaN where there are none."""
    value = table.columns[column][row]
    if not _is_score(value):
        wide = column if column in (cell.system, cell.measure) else ""
        raise table.error(row, f"{not_a_score(cell, value)}{_remedy(str(value).strip(), wide)}")
    number = nan if has_no_value(value) else float(value)
    if not ends or any(map(has_no_value, (value, *ends))):
        return number, nan, nan
    slack = ROUNDING * max(1.0, *(abs(float(end)) for end in ends if _is_score(end)))
    if not (all(map(_is_score, ends)) and float(ends[0]) - slack <= number <= float(ends[1]) + slack):
        found = f"{quoted(str(ends[0]))} and {quoted(str(ends[1]))}"
        problem = f"low and high of {cell} are {found}, and its value is {quoted(str(value))}"
        raise table.error(row, f"{problem}: expected bounds of the value; rename columns that are not")
    return number, float(ends[0]), float(ends[1])


def _is_score(value: Any) -> bool:
    """Whether this is missing, or a number that can be a score."""
    return has_no_value(value) or (is_number(value) and abs(float(value)) <= MOST)


def _remedy(text: str, column: str) -> str:
    """Return what to do about a text in place of a score in a table."""
    if text.endswith("%"):
        return ": write it without the percent sign"
    if "," in text:
        return ": write a decimal point, not a comma"
    about = f"; if column {quoted(column)} has texts, remove it, or name the measures with -m"
    return about if column and text.lstrip("+-").lower() not in ("inf", "infinity") else ""


def _without_query(table: TabularBlock) -> InputError:
    """Return the error of a table without a column for the query."""
    remedy = f"expected {', '.join(QUERIES)}, or its name, as in --set scores.columns.query=NAME"
    if any(map(NO_NAME.fullmatch, table.columns)):
        remedy = "one column has no name: if it has the queries, call it query"
    return InputError(f"no column for the query among {listed(list(table.columns))}; {remedy}")


def _is_text(name: str, values: Sequence[Any]) -> bool:
    """Whether no cell is a number and the name is not a measure."""
    present = (value for value in values if not has_no_value(value))
    return not (names_measure(name) or any(is_number(v) or SPELT.fullmatch(str(v).strip()) for v in present))


def _are_measures(names: Sequence[str]) -> bool:
    """Return whether all columns are measures, not none of them; an error if only some are."""
    known = [name for name in names if names_measure(name)]
    if known and len(known) < len(names):
        other = next(name for name in names if name not in known)
        are = "is known as a measure" if len(known) == 1 else "are known as measures"
        raise UsageError(
            f"of the columns, {shortlist(known, 3)} {are}, {other} is not; say what they are: {WIDE}"
        )
    return bool(known)


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
    found = _as_named(asked, every)
    for part, name in found.items():
        if name is None:
            raise UsageError(f"the table has no measure {part!r}; it has {shortlist(every)}")
    return {name: name for name in found.values() if name is not None}


def _as_named(asked: Sequence[str], names: Sequence[str]) -> dict[str, str | None]:
    """Return the names that the measures asked for have here, None for one that is unknown.

    A list with commas asks for several.
    """
    several = ([wanted] if wanted in names or "(" in wanted else wanted.split(",") for wanted in asked)
    parts = [part for parts in several for part in parts]
    return {part: next((name for name in names if _is_same(name, part)), None) for part in parts}


def _is_same(name: str, wanted: str) -> bool:
    """Whether two names are of one measure."""
    if name == wanted:
        return True
    return names_measure(name) and names_measure(wanted) and parse_measures(name) == parse_measures(wanted)
