"""Frames of any library, Arrow streams, and files of Parquet and Arrow or folders of them, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from unjudged.base.errors import InputError, UnjudgedError, UsageError, reason_of
from unjudged.base.wording import kind_of
from unjudged.data.columns import NONE, QUERIES, first_of
from unjudged.data.limits import check
from unjudged.data.streams import PathLike, Start
from unjudged.data.tabular import Tabular, TabularBlock
from unjudged.data.values import arrow_errors, in_arrow, pyarrow_module, validate

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
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
ROWS_AT_ONCE = 1 << 19
UNREADABLE = "cannot be read as a Parquet or Arrow file"
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""How such files start."""

SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc")
LARGEST_PIECE = 1 << 21
"""Rows of a Parquet file that a core reads at once."""
END_OF_STREAM = ARROW_STREAM + bytes(4)


def is_frame(source: Any) -> bool:
    """Whether a source is a frame of a library that is known, or one that Arrow can take."""
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


def collected(frame: Any) -> Any:
    """Return a small frame from wherever it is: one on a cluster is fetched."""
    import narwhals

    known = narwhals.from_native(frame, pass_through=True)
    if not isinstance(known, narwhals.LazyFrame) or library_of(narwhals.to_native(known)) != "pyspark":
        return frame
    with library_errors():
        return known.collect("pyarrow").to_native()


def open_frame(frame: Any) -> Tabular:
    """Return the columns of a frame."""
    names, select = _columns(frame)

    @cache  # a stream is read only once
    def columns(*chosen: str) -> TabularBlock:
        with library_errors():
            held = TabularBlock(select(chosen))
        check("ROWS", len(held))
        for column in held.columns.values():
            if in_arrow(column):
                validate(column)
        return held

    def blocks(chosen: Sequence[str]) -> list[Callable[[], TabularBlock]]:
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
    """Return some columns of a frame that Arrow holds."""
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


class Part(NamedTuple):
    """A file: its schema, and what reads its pieces of some columns in order, with the rows of each."""

    schema: pa.Schema
    pieces: Callable[[list[str]], Iterator[tuple[int, Callable[[], pa.Table]]]]


def open_arrow(path: PathLike) -> Tabular:
    """Return the columns of a file or of all files of a folder."""
    from pathlib import Path

    arrow = pyarrow_module("a Parquet or Arrow file")
    place = Path(path)
    files = files_in(place) if place.is_dir() else [place]
    with arrow_errors(UNREADABLE):
        whole = _open_part(files[0]).schema
        every = list(whole.names)

    def block(read: Callable[[], pa.Table], schema: pa.Schema, before: int) -> TabularBlock:
        with arrow_errors(UNREADABLE):
            rows = read()
            for column in rows.columns:
                validate(column)
            columns = rows if rows.schema.equals(schema) else rows.cast(schema)
        return TabularBlock({name: columns[name] for name in schema.names}, before=before)

    def blocks(names: Sequence[str]) -> Iterator[Callable[[], TabularBlock]]:
        before = 0
        with arrow_errors(UNREADABLE):
            schema = arrow.schema([arrow.field(name, _plain(whole.field(name).type)) for name in names])
            for file in files:
                part = _open_part(file)
                missing = next((name for name in names if name not in part.schema.names), None)
                if missing is not None:
                    raise InputError(f"{file.name} has no column {missing!r}, which {files[0].name} has")
                for rows, read in part.pieces([*names]):
                    yield partial(block, read, schema, before)
                    before += rows

    return Tabular(every, blocks)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Parts of a folder may number their categories differently, so a category is read as its values."""
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _open_part(file: Path) -> Part:
    """Return what one file of a dataset holds, Parquet or Arrow."""
    with file.open("rb") as stream:
        start = stream.read(len(ARROW_FILE))
    return _open_parquet(file) if start.startswith(PARQUET) else _open_arrow(file, start)


def _open_arrow(file: Path, start: bytes) -> Part:
    """An Arrow file or stream. It is read, not mapped: a mapped file that is cut short ends the process."""
    import pyarrow

    def reader(source: Any) -> Any:
        return pyarrow.ipc.open_stream(source) if is_stream else pyarrow.ipc.open_file(source)

    def pieces(names: list[str]) -> Iterator[tuple[int, Callable[[], pa.Table]]]:
        with pyarrow.OSFile(str(file)) as source:
            own = reader(source)
            every = own if is_stream else map(own.get_batch, range(own.num_record_batches))
            for batch in every:
                yield from _cut(batch.select(names))
            if is_stream:
                _check_end(source)

    is_stream = start.startswith(ARROW_STREAM)
    with pyarrow.OSFile(str(file)) as source:
        schema = reader(source).schema
    return Part(schema, pieces)


def _cut(batch: pa.RecordBatch) -> Iterator[tuple[int, Callable[[], pa.Table]]]:
    """Yield a batch of Arrow in pieces that are read one at a time."""
    import pyarrow

    for start in range(0, len(batch), ROWS_AT_ONCE):
        rows = batch.slice(start, ROWS_AT_ONCE)
        yield len(rows), partial(pyarrow.Table.from_batches, [rows])


def _check_end(source: Any) -> None:
    """Refuse a stream without its end marker: Arrow would read one that is cut short as a shorter one."""
    end = source.tell()
    source.seek(max(0, end - len(END_OF_STREAM)))
    if source.read(len(END_OF_STREAM)) != END_OF_STREAM or source.tell() != source.size():
        raise InputError("the Arrow stream is cut short, or something follows its end")


def _open_parquet(file: Path) -> Part:
    """Return what a file of Parquet holds, by its groups of rows."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    whole = ParquetFile(file)

    def read(group: int, names: list[str]) -> Iterator[pa.RecordBatch]:
        own = ParquetFile(file, metadata=whole.metadata, buffer_size=1 << 20, pre_buffer=False)
        left = whole.metadata.row_group(group).num_rows
        for batch in own.iter_batches(ROWS_AT_ONCE, row_groups=[group], columns=names, use_threads=False):
            left -= len(batch)
            yield batch
        if left:  # Arrow may stop where the shortest column ends
            raise InputError("a column of the Parquet file has more or fewer rows than the file says")

    def load(group: int, names: list[str]) -> pa.Table:
        batches = list(read(group, names))
        return pyarrow.Table.from_batches(batches) if batches else whole.schema_arrow.empty_table()

    def pieces(names: list[str]) -> Iterator[tuple[int, Callable[[], pa.Table]]]:
        for group in range(whole.num_row_groups):
            rows = whole.metadata.row_group(group).num_rows
            if rows <= LARGEST_PIECE:
                yield rows, partial(load, group, names)
            else:
                for batch in read(group, names):
                    yield from _cut(batch)

    return Part(whole.schema_arrow, pieces)


def is_arrow(start: Start) -> bool:
    """Whether this is such a file, or a folder."""
    return start.is_folder or start.data.startswith((PARQUET, ARROW_FILE, ARROW_STREAM))


def is_part(path: Path) -> bool:
    """Whether a file in a folder holds rows, as a cluster names it."""
    return path.suffix in SUFFIXES and not path.name.startswith(("_", "."))


def files_in(folder: PathLike) -> list[Path]:
    """Return the files of a folder that hold rows, as a cluster writes them."""
    from pathlib import Path

    parts = sorted(filter(is_part, Path(folder).rglob("*")))
    if not parts:
        problem = f"a folder without files that end in {', '.join(SUFFIXES)}"
        raise InputError(
            f"{problem}; for other files in it, give their names or a pattern such as '{folder}/*'"
        )
    return parts
