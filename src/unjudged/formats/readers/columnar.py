"""Parquet and Arrow files, or a folder of them, in blocks; ordered by DuckDB where queries are apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unjudged.errors import InputError, UsageError
from unjudged.formats.headers import columns_of, layout_of
from unjudged.formats.matching import cores, match, match_blocks
from unjudged.formats.readers.arrow import Where, in_order, pyarrow_module, table_of_arrow
from unjudged.formats.roles import NONE, Layout
from unjudged.formats.scan import scanner
from unjudged.formats.streams import ARROW_FILE, ARROW_STREAM, PARQUET
from unjudged.formats.tables import Matched, Table

if TYPE_CHECKING:
    import pyarrow as pa

Piece = Callable[[], "Iterable[pa.RecordBatch]"]
"""What gives the batches of a part of a file; a large part lazily."""

SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc")
BLOCK = 1 << 19
LARGEST_PIECE = 1 << 21
MOST_IN_MEMORY = 1 << 23
SORTING_MEMORY = "1GB"


def read(path: Path, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """All rows, each query's together."""
    with _arrow_errors():
        rows = _Rows(path, number, given)
        return table_of_arrow(rows.by_role(rows.batches(), rows.schema)), layout_of(rows.columns)


def scan_run(path: Path, judged: scanner.Index) -> Matched:
    """What a run holds of the judged documents, without keeping the rest of it in memory."""
    with _arrow_errors():
        rows = _Rows(path, "score", NONE)
        matched = match_blocks(rows.tables(), judged)
        if matched is None and rows.count() <= MOST_IN_MEMORY:
            return match(table_of_arrow(rows.by_role(rows.batches(), rows.schema)), judged)
        return matched or _scan_ordered(rows, judged)


class _Rows:
    """The columns that matter, batch by batch, as often as asked."""

    def __init__(self, path: Path, number: str, given: Mapping[str, str]) -> None:
        arrow = pyarrow_module("a Parquet or Arrow file")
        self.files = _parts(path) if path.is_dir() else [path]
        schema = _open(self.files[0]).schema
        self.columns = columns_of(schema.names, number, given)
        fields = [schema.field(name) for name in dict.fromkeys(self.columns.values())]
        self.schema = arrow.schema([arrow.field(field.name, _plain(field.type)) for field in fields])

    def batches(self) -> Iterator[pa.RecordBatch]:
        for batch in _ahead(self._pieces()):
            for start in range(0, len(batch), BLOCK):
                yield batch.slice(start, BLOCK).cast(self.schema)

    def _pieces(self) -> Iterator[Piece]:
        for file in self.files:
            part = _open(file)
            lacking = next((name for name in self.schema.names if name not in part.schema.names), None)
            if lacking is not None:
                raise InputError(f"{file.name} has no column {lacking!r}, which {self.files[0].name} has")
            yield from part.pieces(self.schema.names)

    def count(self) -> int:
        return sum(_open(file).size() for file in self.files)

    def tables(self) -> Iterator[Table]:
        before = 0
        for batch in self.batches():
            where = _counted_from(before)
            yield table_of_arrow(self.by_role([batch]), where, together=False)
            before += len(batch)

    def by_role(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema | None = None
    ) -> dict[str, pa.ChunkedArray]:
        import pyarrow

        table = pyarrow.Table.from_batches(batches, schema)
        return {role: table[name] for role, name in self.columns.items()}


class _Part(NamedTuple):
    """A file: its schema, its pieces once they are told which columns to read, and how many rows it has."""

    schema: pa.Schema
    pieces: Callable[[list[str]], Iterator[Piece]]
    size: Callable[[], int]


def _open(file: Path) -> _Part:
    import pyarrow

    with file.open("rb") as stream:
        start = stream.read(len(ARROW_FILE))
    if start.startswith(PARQUET):
        return _open_parquet(file)
    mapped = pyarrow.memory_map(str(file))
    if start.startswith(ARROW_STREAM):
        stream = pyarrow.ipc.open_stream(mapped)
        batches, schema = iter(stream), stream.schema
    else:
        reader = pyarrow.ipc.open_file(mapped)
        batches, schema = map(reader.get_batch, range(reader.num_record_batches)), reader.schema

    def pieces(names: list[str]) -> Iterator[Piece]:
        yield lambda: (batch.select(names) for batch in batches)

    return _Part(schema, pieces, lambda: sum(map(len, batches)))


def _open_parquet(file: Path) -> _Part:
    from pyarrow.parquet import ParquetFile

    whole = ParquetFile(file)

    def read(group: int, names: list[str]) -> Iterator[pa.RecordBatch]:
        own = ParquetFile(file, metadata=whole.metadata, buffer_size=1 << 20, pre_buffer=False)
        yield from own.iter_batches(BLOCK, row_groups=[group], columns=names, use_threads=False)

    def pieces(names: list[str]) -> Iterator[Piece]:
        for group in range(whole.num_row_groups):
            small = whole.metadata.row_group(group).num_rows <= LARGEST_PIECE
            yield partial(list, read(group, names)) if small else partial(read, group, names)

    return _Part(whole.schema_arrow, pieces, lambda: whole.metadata.num_rows)


def _ahead(pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
    """The batches of all pieces in their order, while other cores decode the next pieces."""
    waiting: deque[Future[Iterable[pa.RecordBatch]]] = deque()
    pool = ThreadPoolExecutor(cores())
    try:
        for piece in pieces:
            waiting.append(pool.submit(piece))
            if len(waiting) > cores():
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _parts(folder: Path) -> list[Path]:
    """The files of a folder that hold rows, as a cluster writes them."""
    found = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and not p.name.startswith(("_", ".")))
    if not found:
        raise InputError(f"a directory without a file that ends in {', '.join(SUFFIXES)}, expected one")
    return found


def _plain(kind: pa.DataType) -> pa.DataType:
    """Parts of a folder may number their categories differently, so a category counts as what it names."""
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _counted_from(before: int) -> Where:
    return lambda row: in_order(before + row)


def _scan_ordered(rows: _Rows, judged: scanner.Index) -> Matched:
    """The same from rows that DuckDB has brought into the order of their queries, on disk where it must."""
    import tempfile

    import pyarrow

    with tempfile.TemporaryDirectory(prefix="unjudged-") as folder, _connection(folder) as connection:
        source = pyarrow.RecordBatchReader.from_batches(rows.schema, rows.batches())
        query = rows.columns["query"].replace('"', '""')
        connection.register("source", source)
        ordered = connection.sql(f'SELECT * FROM source ORDER BY "{query}"')  # noqa: S608
        read = getattr(ordered, "to_arrow_reader", None) or ordered.fetch_record_batch  # before DuckDB 1.5
        batches = read(BLOCK)
        tables = (table_of_arrow(rows.by_role([batch]), _anywhere, together=False) for batch in batches)
        matched = match_blocks(tables, judged)
    if matched is None:
        raise InputError("its queries did not come in order from DuckDB, expected each once")
    return matched


def _connection(folder: str) -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        problem = f"the rows of a query are apart, and there are more than {MOST_IN_MEMORY:,}"
        raise UsageError(f"{problem}: to order them needs duckdb: pip install duckdb") from None
    connection = duckdb.connect(config={"memory_limit": SORTING_MEMORY, "temp_directory": folder})
    connection.execute("SET preserve_insertion_order = false")
    return connection


def _anywhere(_: int) -> str:
    return "one of its rows"


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """What Arrow says of a file that it cannot read is an error of the input."""
    arrow = pyarrow_module("a Parquet or Arrow file")
    try:
        yield
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError) as error:
        raise InputError(f"cannot be read as a Parquet or Arrow file: {str(error).splitlines()[0]}") from None
