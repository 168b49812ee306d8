"""Frames of results, in the kind of library that went in or another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unjudged.base.errors import UsageError, missing_package

LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")


class Framed:
    """`to_frame`, and a stream of Arrow: `polars.DataFrame(result)`."""

    __slots__ = ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows in the kind of frame that went in, or another."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_frame("pyarrow").__arrow_c_stream__(requested_schema)


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
