"""Frames as tables: pandas, Polars, PyArrow, DuckDB, and what else narwhals or an Arrow stream reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from unjudged.base.errors import InputError, UnjudgedError, UsageError, reason_of
from unjudged.base.wording import kind_of
from unjudged.data.arrow_columns import pyarrow_module, validate
from unjudged.data.columns import NONE, QUERIES, first_of
from unjudged.data.limits import check
from unjudged.data.tabular import Block, Tabular

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
BLOCK = 1 << 17
"""Rows of a block: what is converted fits a cache until it is matched."""


def is_frame(source: Any) -> bool:
    return hasattr(source, "__arrow_c_stream__") or library_of(source) in LIBRARIES


def library_of(source: Any) -> str:
    """The library of a frame; for a narwhals frame, the library below it."""
    library = type(source).__module__.partition(".")[0]
    if library == "narwhals" and hasattr(source, "to_native"):
        return library_of(source.to_native())
    return library


def runs_in_frame(frame: Any) -> dict[str, Any] | None:
    """Return the runs of a frame by the names in a column; None if no column names them."""
    import narwhals

    frame = narwhals.to_native(frame, pass_through=True)
    if library_of(frame) == "pyspark":  # it stays on its cluster
        return None
    with library_errors():
        known = narwhals.from_native(frame, pass_through=True)
    if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):  # it may be read only once
        return None
    return open_frame(frame).runs(NONE)


def open_frame(frame: Any) -> Tabular:
    """Return the columns of a frame."""
    names, select = _columns(frame)

    @cache  # a stream is read only once
    def columns(*chosen: str) -> Block:
        with library_errors():
            held = Block(select(chosen))
        check("ROWS", len(held))
        for column in held.columns.values():
            if hasattr(column, "num_chunks"):
                validate(column)
        return held

    def blocks(chosen: Sequence[str]) -> list[Callable[[], Block]]:
        held = columns(*chosen)
        return [partial(held.rows, start, start + BLOCK) for start in range(0, len(held), BLOCK)]

    return Tabular(names, blocks)


def _columns(frame: Any) -> tuple[list[str], Callable[[Sequence[str]], Mapping[str, Any]]]:
    """Return the names of columns, and what returns some of them, in Arrow or as Python's values."""
    import narwhals

    frame = narwhals.to_native(frame, pass_through=True)
    if library_of(frame) == "pyspark":
        raise UsageError("a Spark frame stays on the cluster: use unjudged.engines.spark.evaluate")
    with library_errors():
        if library_of(frame) == "duckdb":

            def project(names: Sequence[str]) -> Mapping[str, Any]:
                quoted = ('"' + name.replace('"', '""') + '"' for name in names)
                return _of_arrow(_reader(frame.project(", ".join(quoted))).read_all(), names)

            return frame.columns, project
        if library_of(frame) == "pandas" and hasattr(frame, "columns"):
            frame = _of_one_level(frame)
        known = narwhals.from_native(frame, pass_through=True)
        if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
            reader = _reader(frame)
            return reader.schema.names, lambda names: _of_arrow(reader.read_all(), names)
        names = known.collect_schema().names()

        def select(chosen: Sequence[str]) -> Mapping[str, Any]:
            some = known.select(*map(narwhals.col, chosen))
            rows = some.collect() if isinstance(some, narwhals.LazyFrame) else some
            if find_spec("pyarrow") is None:
                return {name: rows[name].to_list() for name in chosen}
            if known.implementation.is_pandas():
                return {name: _of_pandas(frame[name]) for name in chosen}
            return _of_arrow(rows.to_arrow(), chosen)

        return names, select


def _of_one_level(frame: Any) -> Any:
    """Return a frame of pandas with an index of queries as a column, and texts for the names of columns."""
    if getattr(frame.columns, "nlevels", 1) > 1:
        levels = f"the columns have {frame.columns.nlevels} levels of names"
        raise InputError(f"{levels}, expected one: join them, or turn levels into rows with `stack`")
    if first_of(QUERIES, filter(None, frame.index.names)) not in (None, *frame.columns):
        frame = frame.reset_index()
    return frame.rename(columns=str) if any(type(name) is not str for name in frame.columns) else frame


def _of_arrow(rows: Any, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: rows[name] for name in names}


def _of_pandas(column: Any) -> Any:
    """Return a column in Arrow, but Python's objects as they are.

    Arrow infers one type for all objects. It crashes on some mixtures of NumPy's scalars, and it cuts off the
    fractions of others. The scanner is faster with strings.
    """
    import pandas
    import pyarrow

    objects = column.cat.categories if isinstance(column.dtype, pandas.CategoricalDtype) else column
    if objects.dtype == object:
        return column.astype(object).to_numpy()
    frame = pandas.DataFrame({"column": column}, copy=False)
    return pyarrow.Table.from_pandas(frame, preserve_index=False)["column"]


@contextmanager
def library_errors() -> Iterator[None]:
    """Turn errors of a library that cannot hand over a frame into errors of the input."""
    try:
        yield
    except (UnjudgedError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"the frame cannot be read: {reason_of(error)}") from error


def _reader(stream: Any) -> Any:
    """A reader of record batches, or any other Arrow stream, as the former."""
    arrow = pyarrow_module("an Arrow stream")
    try:
        own = isinstance(stream, arrow.RecordBatchReader)  # whose buffers know their sizes, for validation
        return stream if own else arrow.RecordBatchReader.from_stream(stream)
    except (TypeError, arrow.ArrowInvalid):
        problem = f"{kind_of(stream)} has no columns, expected a frame or an Arrow stream"
        raise UsageError(problem) from None
