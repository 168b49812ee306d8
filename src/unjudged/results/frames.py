"""Frames of results, in the kind of library that went in or another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import UsageError, missing_package

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")


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
