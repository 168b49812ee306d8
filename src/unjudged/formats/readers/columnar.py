"""Parquet and Arrow files, or a folder of them, in blocks; DuckDB sorts those whose queries are apart."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import InputError, missing_package
from unjudged.formats.limits import bounded, check
from unjudged.formats.matching import match, match_blocks
from unjudged.formats.readers.arrow import (
    LOOK_AHEAD,
    Where,
    arrow_errors,
    in_order,
    pyarrow_module,
    rows_of_arrow,
    table_of_arrow,
)
from unjudged.formats.readers.parts import Piece, files_in, open_part, read_ahead
from unjudged.formats.roles import NONE, Layout, columns_of, layout_of
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Matched, Scattered, Table
from unjudged.formats.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 19
MOST_IN_MEMORY = 1 << 23
SORTING_MEMORY = "1GB"
UNREADABLE = "cannot be read as a Parquet or Arrow file"


def read(path: Path, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """All rows, those of each query together."""
    pyarrow_module("a Parquet or Arrow file")
    with arrow_errors(UNREADABLE):
        rows = _Rows(path, number, given)
        return table_of_arrow(rows.whole()), layout_of(rows.columns)


def scan_run(path: Path, judged: scanner.Index, given: Mapping[str, str] = NONE) -> Matched:
    """What a run holds of the judged documents, without keeping the rest of it in memory."""
    pyarrow_module("a Parquet or Arrow file")
    with arrow_errors(UNREADABLE):
        rows = _Rows(path, "score", given)
        with closing(rows.batches()) as batches:
            first = next(batches, None)
            every = batches if first is None else chain([first], batches)
            if first is not None and rows.are_apart(first) and rows.count() <= MOST_IN_MEMORY:
                return match(rows_of_arrow(rows.by_role(_held(every), rows.schema)), judged)
            matched = match_blocks(bounded(rows.tables(every)), judged)
        if matched is None and rows.count() <= MOST_IN_MEMORY:
            return match(rows_of_arrow(rows.whole()), judged)
        return matched or _scan_ordered(rows, judged)


def names_in(path: Path) -> list[str]:
    """Return the names of the columns."""
    pyarrow_module("a Parquet or Arrow file")
    with arrow_errors(UNREADABLE):
        names: list[str] = open_part(_files(path)[0]).schema.names
        return names


def rows_with(path: Path, given: Mapping[str, str], column: str) -> pa.Table:
    """All rows of a run's columns and of one more, as far as memory allows."""
    import pyarrow

    with arrow_errors(UNREADABLE):
        rows = _Rows(path, "score", given, column)
        return pyarrow.Table.from_batches(_validated(_held(rows.batches())), rows.schema)


def _files(path: Path) -> list[Path]:
    return files_in(path) if path.is_dir() else [path]


class _Rows:
    """Columns that matter, batch by batch, as often as needed."""

    def __init__(self, path: Path, number: str, given: Mapping[str, str], *others: str) -> None:
        import pyarrow

        self.files = _files(path)
        schema = open_part(self.files[0]).schema
        self.columns = columns_of(schema.names, number, given)
        fields = [schema.field(name) for name in dict.fromkeys([*self.columns.values(), *others])]
        self.schema = pyarrow.schema([pyarrow.field(field.name, _plain(field.type)) for field in fields])

    def batches(self) -> Generator[pa.RecordBatch, None, None]:
        for batch in read_ahead(self._pieces()):
            for start in range(0, len(batch), BLOCK):
                block = batch.slice(start, BLOCK)
                if not block.schema.equals(self.schema):
                    block.validate(full=True)
                    block = block.cast(self.schema)
                yield block

    def _pieces(self) -> Iterator[Piece]:
        for file in self.files:
            part = open_part(file)
            missing = next((name for name in self.schema.names if name not in part.schema.names), None)
            if missing is not None:
                raise InputError(f"{file.name} has no column {missing!r}, which {self.files[0].name} has")
            yield from part.pieces(self.schema.names, BLOCK)

    def count(self) -> int:
        return sum(open_part(file).size() for file in self.files)

    def whole(self) -> dict[str, pa.ChunkedArray]:
        """All rows at once, as far as memory allows."""
        return self.by_role(_held(self.batches()), self.schema)

    def are_apart(self, batch: pa.RecordBatch) -> bool:
        """Whether the rows of a query are apart in the first rows already."""
        return isinstance(rows_of_arrow(self.by_role([batch.slice(0, LOOK_AHEAD)])), Scattered)

    def tables(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Table]:
        before = 0
        for batch in batches:
            where = _counted_from(before)
            yield table_of_arrow(self.by_role([batch]), where, together=False)
            before += len(batch)

    def by_role(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema | None = None
    ) -> dict[str, pa.ChunkedArray]:
        import pyarrow

        table = pyarrow.Table.from_batches(batches, schema)
        return {role: table[name] for role, name in self.columns.items()}


def _held(batches: Iterable[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """All batches, as far as memory allows."""
    held, taken = [], 0
    for batch in batches:
        taken += batch.nbytes
        check("MEMORY", taken)
        held.append(batch)
    return held


def _plain(kind: pa.DataType) -> pa.DataType:
    """Parts of a folder may number their categories differently, so a category is read as its values."""
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _counted_from(before: int) -> Where:
    return lambda row: in_order(before + row)


def _scan_ordered(rows: _Rows, judged: scanner.Index) -> Matched:
    """Return the same from rows that DuckDB has sorted by query, on disk if it must."""
    import pyarrow

    with temporary_folder() as folder, _connection(str(folder)) as connection:
        source = pyarrow.RecordBatchReader.from_batches(rows.schema, _validated(rows.batches()))
        query = rows.columns["query"].replace('"', '""')
        connection.register("source", source)
        ordered = connection.sql(f'SELECT * FROM source ORDER BY "{query}"')  # noqa: S608
        batches = _reader(ordered, BLOCK)
        tables = (table_of_arrow(rows.by_role([batch]), _anywhere, together=False) for batch in batches)
        matched = match_blocks(bounded(tables), judged)
    if matched is None:
        raise InputError("DuckDB did not return the queries in order, expected each query once")
    return matched


def _reader(relation: Any, rows: int) -> Any:
    """Return the rows of a relation in batches; the method has had three names since DuckDB 1.2."""
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")
    return next(getattr(relation, name) for name in names if hasattr(relation, name))(rows)


def _validated(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        batch.validate(full=True)
        yield batch


def _connection(folder: str) -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        problem = f"sorting more than {MOST_IN_MEMORY:,} rows, because the rows of a query are apart,"
        raise missing_package("duckdb", problem) from None
    connection = duckdb.connect(config={"memory_limit": SORTING_MEMORY, "temp_directory": folder})
    connection.execute("SET preserve_insertion_order = false")
    return connection


def _anywhere(_: int) -> str:
    return "one of its rows"
