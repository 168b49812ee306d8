"""Result objects that show themselves as a table, in a terminal and in a notebook."""

from __future__ import annotations

from unjudged.grids import escapes
from unjudged.grids.grid import Grid


def in_paragraphs(text: str) -> str:
    """Lines of text as HTML, for results that speak in sentences."""
    return "".join(f"<p>{escapes.html(line)}</p>\n" for line in text.split("\n") if line)


class Shown:
    """`str`, `repr` and the HTML of notebooks from one method, `grid`.

    A dataclass that inherits from it needs `@dataclass(repr=False)`, or it gets a `repr` of its own.
    """

    __slots__ = ()

    def grid(self) -> Grid:
        """The object as a table."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.grid())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()
