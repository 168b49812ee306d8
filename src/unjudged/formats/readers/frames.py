"""Frames as tables: pandas, Polars, PyArrow, DuckDB, and what else narwhals or Arrow's C stream reaches."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from unjudged.errors import InputError, UsageError
from unjudged.formats.readers.memory import table_of_rows
from unjudged.formats.roles import Layout
from unjudged.formats.tables import Table

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    class ArrowStream(Protocol):
        """Whatever hands its rows over as a stream of Arrow's."""

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
    """The library that a frame is of; of a narwhals frame, the one below it."""
    library = type(source).__module__.partition(".")[0]
    return library_of(source.to_native()) if library == "narwhals" else library


def table_of_frame(frame: Any, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """The rows of a frame, each query's together; `number` is "score" or "grade"."""
    import narwhals

    from unjudged.formats.headers import columns_of, layout_of
    from unjudged.formats.readers.arrow import table_of_arrow

    frame = narwhals.to_native(frame, pass_through=True)
    if library_of(frame) == "pyspark":
        raise UsageError("a Spark frame stays on the cluster: unjudged.engines.spark.evaluate takes it")
    if library_of(frame) == "duckdb":
        columns = columns_of(frame.columns, number, given)
        quoted = ('"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns.values()))
        return _of_stream(frame.project(", ".join(quoted)), number, columns)
    try:
        known = narwhals.from_native(frame, pass_through=True)
        if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
            return _of_stream(frame, number, given)
        columns = columns_of(known.collect_schema().names(), number, given)
    except narwhals.exceptions.DuplicateError as error:
        raise InputError(f"two columns of the frame have one name: {error}") from None
    chosen = known.select(*(narwhals.col(name) for name in columns.values()))
    eager = chosen.collect() if isinstance(chosen, narwhals.LazyFrame) else chosen
    if find_spec("pyarrow") is None:
        return _of_lists(eager, columns), layout_of(columns)
    import pyarrow

    try:
        table = eager.to_arrow()
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
        raise InputError(f"a column of the frame mixes types, expected one: {error}") from None
    return table_of_arrow({role: table[name] for role, name in columns.items()}), layout_of(columns)


def _of_stream(stream: Any, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """A reader of record batches, or any other stream of Arrow's."""
    from unjudged.formats.headers import columns_of, layout_of
    from unjudged.formats.readers.arrow import pyarrow_module, table_of_arrow

    arrow = pyarrow_module("a stream of Arrow's")
    try:
        reader = arrow.RecordBatchReader.from_stream(stream)
    except (TypeError, arrow.ArrowInvalid):
        problem = f"a {type(stream).__name__} holds no columns, expected a frame or a stream of Arrow's"
        raise UsageError(problem) from None
    columns = columns_of(reader.schema.names, number, given)
    table = reader.read_all()
    return table_of_arrow({role: table[name] for role, name in columns.items()}), layout_of(columns)


def _of_lists(frame: Any, columns: Mapping[str, str]) -> Table:
    """Where pyarrow is not installed: value by value."""
    queries, documents, *numbers = (frame[name].to_list() for name in columns.values())
    return table_of_rows(
        zip(_written(queries), _written(documents), *numbers, strict=True), tuple(columns)[2:]
    )


def _written(names: list[Any]) -> list[Any]:
    """Whole numbers in decimals, the others as they are."""
    return [str(name) if isinstance(name, int) and not isinstance(name, bool) else name for name in names]
