"""Tables of results that show themselves, in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from unjudged.grids import escapes
from unjudged.grids.content import DECIMALS, Cell, Column, Content, blank

__all__ = ["DECIMALS", "Cell", "Column", "Grid", "Shown", "blank", "grid_of", "in_paragraphs"]

WIDTH = 80
ROWS = 60
"""Longer tables are cut where an object shows itself; written to a file they are whole."""


class Grid(Content):
    """A table of results; in a terminal and in a notebook it shows its first rows."""

    def __str__(self) -> str:
        from unjudged.grids.terminal import table

        return table(self.head(ROWS), width=WIDTH, rule=False).rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from unjudged.grids.rendering import as_html

        return as_html(self.head(ROWS))


def grid_of(fields: Sequence[str], rows: Iterable[Sequence[Any]], notes: Sequence[str] = ()) -> Grid:
    """A grid in long form, with the kind of each column taken from its values.

    >>> grid_of(["run", "value"], [("a", 0.5)]).columns[0].kind
    'label'
    """
    listed = list(rows)
    columns = []
    for name, values in zip(fields, zip(*listed, strict=True) if listed else [()] * len(fields), strict=True):
        types = set(map(type, values))
        columns.append(Column(name, "label" if str in types else "integer" if types == {int} else "number"))
    return Grid(columns, listed, notes=notes)


def in_paragraphs(text: str) -> str:
    """Turn lines of text into HTML, for results that speak in sentences."""
    return "".join(f"<p>{escapes.html(line)}</p>\n" for line in text.split("\n") if line)


class Shown:
    """`str`, `repr` and the HTML of notebooks from one method, `grid`.

    A dataclass that inherits from it needs `@dataclass(repr=False)`, or it gets a `repr` of its own.
    """

    __slots__ = ()

    def grid(self) -> Grid:
        """Return the object as a table."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.grid())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()
