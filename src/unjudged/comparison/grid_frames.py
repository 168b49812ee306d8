"""A grid as a frame."""

from __future__ import annotations

from typing import Any

from unjudged.errors import UsageError, missing_package
from unjudged.grids.grid import Grid
from unjudged.scores import FRAMES


def frame_of(grid: Grid, library: str) -> Any:
    """The rows as a frame of pandas, Polars, PyArrow or DuckDB."""
    if library not in FRAMES:
        problem = f"no kind of frame is called {library!r}" if library else "no frame went in"
        raise UsageError(f"{problem}: use one of {', '.join(FRAMES)}")
    columns = {column.name: [row[k] for row in grid.rows] for k, column in enumerate(grid.columns)}
    backend: Any = "pyarrow" if library == "duckdb" else library
    try:
        import narwhals

        frame = narwhals.from_dict(columns, backend=backend).to_native()
        if library != "duckdb":
            return frame
        import duckdb

        return duckdb.from_arrow(frame)
    except ModuleNotFoundError:
        raise missing_package(library, "to_frame") from None
