"""Frames as tables: pandas, Polars, PyArrow, DuckDB, and what else narwhals or an Arrow stream reaches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from unjudged.base.errors import InputError, UnjudgedError, UsageError, reason_of
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NONE, Layout, columns_of, layout_of, no_rows
from unjudged.formats.limits import check
from unjudged.formats.matching import Deferred, grouped
from unjudged.formats.readers.arrow_files import ArrowRows
from unjudged.formats.readers.deferred import PandasColumns, deferred
from unjudged.formats.readers.tabular import Block, Rows, Tabular, runs_in
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
    source = open_frame(frame)
    columns = columns_of(source.columns, number, given)
    (table,) = source.tables(columns)
    return grouped(table), layout_of(columns)


def rankings_of_frame(frame: Any) -> Table | Deferred:
    """The rows of a run, which stay as they are until they are matched."""
    names, select = _columns(frame)
    columns = columns_of(names, "score", NONE)
    with library_errors():
        rows = select([*dict.fromkeys(columns.values())])
    arrow, of_names = find_spec("pyarrow") is not None, ("query", "document")
    mixed = isinstance(rows, PandasColumns) and rows.are_mixed(
        c for role, c in columns.items() if role not in of_names
    )
    rankings: Table | Deferred
    if mixed or not arrow:
        rankings = _block(rows, columns.values()).table(columns)
    else:
        with library_errors():
            strings = getattr(rows, "strings", rows.__getitem__)  # of Python, which are not in Arrow yet
            parts = {
                role: (strings if role in of_names else rows.__getitem__)(name)
                for role, name in columns.items()
            }
        rankings = deferred(parts, lambda: _block(rows, columns.values()).table(columns))
        if isinstance(rankings, Deferred):
            return rankings
    if not len(rankings.documents):
        raise no_rows()
    check("ROWS", len(rankings.documents))
    return rankings


def runs_in_frame(frame: Any, by_tag: bool) -> dict[str, Any] | None:
    """Return the runs of a frame by the names in a column; None if no column names them."""
    import narwhals

    frame = narwhals.to_native(frame, pass_through=True)
    if library_of(frame) == "pyspark":  # it stays on its cluster
        return None
    with library_errors():
        known = narwhals.from_native(frame, pass_through=True)
    if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):  # it may be read only once
        return None
    return runs_in(open_frame(frame), NONE, by_tag)


def open_frame(frame: Any) -> Tabular:
    """Return the columns of a frame."""
    names, select = _columns(frame)

    def blocks(chosen: Sequence[str]) -> Iterator[Block]:
        with library_errors():
            rows = select(chosen)
        yield _block(rows, chosen)

    return Tabular(names, blocks)


def _block(rows: Any, names: Collection[str]) -> Block:
    """Return columns in Arrow, or value by value without pyarrow or if types are mixed."""
    with library_errors():
        if isinstance(rows, PandasColumns) and rows.are_mixed(names):
            return Rows(rows.values())
        columns = {name: rows[name] for name in names}
    if find_spec("pyarrow") is None:
        return Rows({name: column.to_list() for name, column in columns.items()})
    return ArrowRows(columns)


def _columns(frame: Any) -> tuple[list[str], Callable[[Sequence[str]], Any]]:
    """Return the names of columns, and what gives some of them: in Arrow, or by narwhals without pyarrow."""
    import narwhals

    frame = narwhals.to_native(frame, pass_through=True)
    if library_of(frame) == "pyspark":
        raise UsageError("a Spark frame stays on the cluster: use unjudged.engines.spark.evaluate")
    with library_errors():
        if library_of(frame) == "duckdb":

            def project(names: Sequence[str]) -> Any:
                quoted = ('"' + name.replace('"', '""') + '"' for name in names)
                return _reader(frame.project(", ".join(quoted))).read_all()

            return frame.columns, project
        known = narwhals.from_native(frame, pass_through=True)
        if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
            reader = _reader(frame)
            return reader.schema.names, lambda _: reader.read_all()
        names = known.collect_schema().names()
        if known.implementation.is_pandas() and find_spec("pyarrow") is not None:
            return names, partial(PandasColumns, frame)

        def select(chosen: Sequence[str]) -> Any:
            some = known.select(*map(narwhals.col, chosen))
            eager = some.collect() if isinstance(some, narwhals.LazyFrame) else some
            return eager if find_spec("pyarrow") is None else eager.to_arrow()

        return names, select


@contextmanager
def library_errors() -> Iterator[None]:
    """What a library of frames says of a frame that it cannot hand over is an error of the input."""
    try:
        yield
    except (UnjudgedError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"the frame cannot be read: {reason_of(error)}") from error


def _reader(stream: Any) -> Any:
    """A reader of record batches, or any other Arrow stream, as the former."""
    from unjudged.formats.readers.arrow_columns import pyarrow_module

    arrow = pyarrow_module("an Arrow stream")
    try:
        own = isinstance(stream, arrow.RecordBatchReader)  # whose buffers know their sizes, for validation
        return stream if own else arrow.RecordBatchReader.from_stream(stream)
    except (TypeError, arrow.ArrowInvalid):
        problem = f"{kind_of(stream)} has no columns, expected a frame or an Arrow stream"
        raise UsageError(problem) from None
