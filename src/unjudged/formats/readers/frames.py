"""Frames as tables: pandas, Polars, PyArrow, DuckDB, and what else narwhals or an Arrow stream reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from unjudged.base.errors import InputError, UnjudgedError, UsageError, reason_of
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NONE, Layout, columns_of, layout_of, no_rows
from unjudged.formats.limits import check
from unjudged.formats.matching import Deferred, grouped
from unjudged.formats.readers.mappings import identifier, table_of_rows
from unjudged.formats.tables import Table

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    class ArrowStream(Protocol):
        """Anything that offers its rows as an Arrow stream."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

    Frame = IntoFrame | ArrowStream
else:
    Frame = Any

LIBRARIES = frozenset(
    {"cudf", "daft", "dask", "duckdb", "ibis", "modin", "narwhals", "pandas", "polars", "pyarrow", "pyspark"}
)


def is_frame(source: Any) -> bool:
    return hasattr(source, "__arrow_c_stream__") or library_of(source) in LIBRARIES


def library_of(source: Any) -> str:
    """The library of a frame; for a narwhals frame, the library below it."""
    library = type(source).__module__.partition(".")[0]
    if library == "narwhals" and hasattr(source, "to_native"):
        return library_of(source.to_native())
    return library


def table_of_frame(frame: Any, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """The rows of a frame, those of each query together; `number` is "score" or "grade"."""
    columns, rows = _chosen(frame, number, given)
    if find_spec("pyarrow") is None:
        return _of_lists(rows, columns), layout_of(columns)
    from unjudged.formats.readers.arrow_columns import table_of_arrow

    return grouped(table_of_arrow(_by_role(rows, columns))), layout_of(columns)


def rankings_of_frame(frame: Any) -> Table | Deferred:
    """The rows of a run, which stay as they are until they are matched."""
    columns, rows = _chosen(frame, "score", NONE)
    rankings: Table | Deferred
    if find_spec("pyarrow") is None:
        rankings = _of_lists(rows, columns)
    else:
        from unjudged.formats.readers.arrow_columns import table_of_arrow
        from unjudged.formats.readers.deferred import deferred

        with library_errors():
            strings = getattr(rows, "strings", rows.__getitem__)  # of Python, which are not in Arrow yet
            names = ("query", "document")
            parts = {
                role: (strings if role in names else rows.__getitem__)(name) for role, name in columns.items()
            }
        rankings = deferred(parts, lambda: table_of_arrow(_by_role(rows, columns)))
        if isinstance(rankings, Deferred):
            return rankings
    if not len(rankings.documents):
        raise no_rows()
    check("ROWS", len(rankings.documents))
    return rankings


def _by_role(rows: Any, columns: Mapping[str, str]) -> dict[str, Any]:
    """The column of each role in Arrow."""
    with library_errors():
        return {role: rows[name] for role, name in columns.items()}


def _chosen(frame: Any, number: str, given: Mapping[str, str]) -> tuple[dict[str, str], Any]:
    """The column of each role; and these columns, which are in Arrow if pyarrow is installed."""
    import narwhals

    frame = narwhals.to_native(frame, pass_through=True)
    if library_of(frame) == "pyspark":
        raise UsageError("a Spark frame stays on the cluster: use unjudged.engines.spark.evaluate")
    with library_errors():
        if library_of(frame) == "duckdb":
            columns = columns_of(frame.columns, number, given)
            quoted = ('"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns.values()))
            return _of_stream(frame.project(", ".join(quoted)), number, columns)
        known = narwhals.from_native(frame, pass_through=True)
        if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
            return _of_stream(frame, number, given)
        columns = columns_of(known.collect_schema().names(), number, given)
        names = list(dict.fromkeys(columns.values()))
        if known.implementation.is_pandas() and find_spec("pyarrow") is not None:
            from unjudged.formats.readers.deferred import PandasColumns

            return columns, PandasColumns(frame, names)
        chosen = known.select(*map(narwhals.col, names))
        eager = chosen.collect() if isinstance(chosen, narwhals.LazyFrame) else chosen
        return columns, eager if find_spec("pyarrow") is None else eager.to_arrow()


@contextmanager
def library_errors() -> Iterator[None]:
    """What a library of frames says of a frame that it cannot hand over is an error of the input."""
    try:
        yield
    except (UnjudgedError, MemoryError):
        raise
    except Exception as error:
        problem = _PROBLEMS.get(type(error).__name__, "the frame cannot be read")
        raise InputError(f"{problem}: {reason_of(error)}") from error


_PROBLEMS = {
    "DuplicateError": "two columns of the frame have the same name",
    "ArrowTypeError": "a column of the frame mixes types, expected one",
    "ArrowInvalid": "a column of the frame mixes types, expected one",
}


def _of_stream(stream: Any, number: str, given: Mapping[str, str]) -> tuple[dict[str, str], Any]:
    """A reader of record batches, or any other Arrow stream."""
    from unjudged.formats.readers.arrow_columns import pyarrow_module

    arrow = pyarrow_module("an Arrow stream")
    try:
        own = isinstance(stream, arrow.RecordBatchReader)  # whose buffers know their sizes, for validation
        reader = stream if own else arrow.RecordBatchReader.from_stream(stream)
    except (TypeError, arrow.ArrowInvalid):
        problem = f"{kind_of(stream)} has no columns, expected a frame or an Arrow stream"
        raise UsageError(problem) from None
    return columns_of(reader.schema.names, number, given), reader.read_all()


def _of_lists(frame: Any, columns: Mapping[str, str]) -> Table:
    """Value by value, if pyarrow is not installed."""
    queries, documents, *numbers = (frame[name].to_list() for name in columns.values())
    names = map(identifier, queries), map(identifier, documents)
    return table_of_rows(zip(*names, *numbers, strict=True), tuple(columns)[2:])
