"""Result objects that show themselves as a table, in a terminal and in a notebook."""

from __future__ import annotations

from unjudged.grids.grid import Grid

WIDTH = 80
ROWS = 60
"""Longer tables are cut where an object shows itself; written to a file they are whole."""


class Shown:
    """`str`, `repr` and the HTML of notebooks from one method, `grid`.

    A dataclass that inherits from it needs `@dataclass(repr=False)`, or it gets a `repr` of its own.
    """

    __slots__ = ()

    def grid(self) -> Grid:
        """The object as a table."""
        raise NotImplementedError

    def __str__(self) -> str:
        from unjudged.grids.terminal import table

        return table(self.grid().head(ROWS), width=WIDTH, rule=False).rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from unjudged.grids.rendering import as_html

        return as_html(self.grid().head(ROWS))
