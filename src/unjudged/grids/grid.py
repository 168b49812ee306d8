"""Tables of results that show themselves in a terminal and in a notebook, and frames of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import UsageError, missing_package
from unjudged.grids import escapes
from unjudged.grids.content import DECIMALS, Cell, Column, Content, blank

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

__all__ = [
    "DECIMALS",
    "Cell",
    "Column",
    "Framed",
    "Grid",
    "Shown",
    "blank",
    "frame_of",
    "grid_of",
    "in_paragraphs",
]

WIDTH = 80
ROWS = 60
"""Longer tables are cut where an object shows itself; written to a file they are whole."""
LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")


class Grid(Content):
    """A table of results; in a terminal and in a notebook it shows its first rows."""

    def __str__(self) -> str:
        from unjudged.grids.rendering import table

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


class Framed:
    """Names for `to_frame`, one per library, and a stream of Arrow: `polars.DataFrame(result)`."""

    __slots__ = ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows in the kind of frame that went in, or another."""
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame."""
        frame: pandas.DataFrame = self.to_frame("pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars frame."""
        frame: polars.DataFrame = self.to_frame("polars")
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """Return an Arrow table."""
        table: pyarrow.Table = self.to_frame("pyarrow")
        return table

    def to_duckdb(self) -> duckdb.DuckDBPyRelation:
        """Return a DuckDB relation."""
        relation: duckdb.DuckDBPyRelation = self.to_frame("duckdb")
        return relation

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def frame_of(columns: Mapping[str, Sequence[Any]], library: str) -> Any:
    """Make a frame of these columns; `library` is one of LIBRARIES, or "" where no frame went in."""
    if library not in LIBRARIES:
        problem = f"no kind of frame {library!r}" if library else "no frame went in, so say which kind"
        raise UsageError(f"{problem}: use {', '.join(LIBRARIES)}")
    try:
        if library == "duckdb":
            import duckdb

            return duckdb.from_arrow(frame_of(columns, "pyarrow"))
        import narwhals

        lists = {name: list(values) for name, values in columns.items()}
        return narwhals.from_dict(lists, backend=library).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError:
        raise missing_package(library, "this kind of frame") from None
