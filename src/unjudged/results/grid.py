"""Tables of results: columns, rows of raw values, and notes, which show themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import isnan
from typing import Any, Literal, NamedTuple, Self

from unjudged.base.choices import place_of
from unjudged.base.wording import counted

Cell = str | int | float | None
Kind = Literal["label", "number", "integer", "p value", "text"]
DECIMALS = 4
WIDTH = 80
ROWS = 60
"""Longer tables are cut where an object shows itself; written to a file they are whole."""


def blank(value: Cell) -> Cell:
    """Return the value, None if it is not a number: an empty cell."""
    return None if isinstance(value, float) and isnan(value) else value


class Marked(float):
    """A number with marks that stand above its end."""

    marks = ""

    def __new__(cls, value: float, marks: str) -> Self:
        made = super().__new__(cls, value)
        made.marks = marks
        return made


class Column(NamedTuple):
    """How the values of a column are shown.

    A `label` names the row and is repeated where a wide table is folded. A `number` is shown with
    `decimals` and an `integer` as 1,590. A `p value` is a number that is never shown as 0, because no test
    proves that: it is less than the smallest that the decimals can show. All of these are aligned to the
    right. Long `text` is wrapped. A wide table is not folded before a column that stands `beside` another.
    """

    name: str
    kind: Kind = "number"
    decimals: int = DECIMALS
    beside: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the column has numbers, which are aligned on the right."""
        return self.kind in ("number", "integer", "p value")

    def text(self, value: Cell) -> str:
        """Return the value as people read it; text in a column of numbers is shown as it is."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isnan(value):
            return "nan"
        text = f"{value:z,.0f}" if self.kind == "integer" else f"{value:z.{self.decimals}f}"
        smallest = f"{10**-self.decimals:.{self.decimals}f}"
        return f"<{smallest}" if self.kind == "p value" and float(text) == 0 else text


@dataclass(repr=False)
class Grid:
    """A table for people and for programs; in a terminal and in a notebook it shows its first rows.

    `rows` hold raw values; rounding is left to the columns. `stressed` are the (row, column) places of
    cells to show in bold. `notes` are sentences that a reader of the table must know. `said` is the answer in
    sentences, which comes first where the table does not stand alone in a terminal.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    notes: Sequence[str] = ()
    stressed: frozenset[tuple[int, int]] = frozenset()
    said: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """How the rows were made, which only a saved result has."""

    def head(self, rows: int) -> Self:
        """Return the first rows, and a note that says how many were left out."""
        left_out = len(self.rows) - rows
        if left_out <= 0:
            return self
        return replace(self, rows=self.rows[:rows], notes=[f"{counted(left_out, 'more row')}.", *self.notes])

    def named(self, names: Mapping[str, str]) -> Self:
        """Return the table with other names of systems."""
        known = {cell for row in self.rows for cell in row if isinstance(cell, str)}
        for name in names:
            place_of("system", name, sorted(known))
        rows = [[names.get(c, c) if isinstance(c, str) else c for c in row] for row in self.rows]
        return replace(self, rows=rows)

    def as_columns(self) -> dict[str, list[Cell]]:
        """Return the values of each column by its name."""
        return {column.name: [row[k] for row in self.rows] for k, column in enumerate(self.columns)}

    def __str__(self) -> str:
        return str(_renderers().table(self.head(ROWS), width=WIDTH, rule=False)).rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(_renderers().as_html(self.head(ROWS)))


def _renderers() -> Any:
    """Return the module that writes tables, which needs this one."""
    return import_module("unjudged.results.rendering")


def grid_of(fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> Grid:
    """A grid in long form, with the kind of each column taken from its values.

    >>> grid_of(["run", "value"], [("a", 0.5)]).columns[0].kind
    'label'
    """
    listed = list(rows)
    columns = []
    for name, values in zip(fields, zip(*listed, strict=True) if listed else [()] * len(fields), strict=True):
        types = set(map(type, values))
        columns.append(Column(name, "label" if str in types else "integer" if types == {int} else "number"))
    return Grid(columns, listed)
