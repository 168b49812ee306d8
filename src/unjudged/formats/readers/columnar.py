"""Parquet and Arrow files, or a folder of them, in blocks."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import InputError
from unjudged.formats.columns import NONE, Layout, columns_of, layout_of
from unjudged.formats.limits import check
from unjudged.formats.matching import grouped, match_blocks
from unjudged.formats.reader import File, Reader
from unjudged.formats.readers.arrow_columns import (
    arrow_errors,
    in_order,
    pyarrow_module,
    table_of_arrow,
)
from unjudged.formats.readers.arrow_files import Piece, files_in, open_part, read_ahead
from unjudged.formats.readers.several_runs import column_of_runs, split_frame, without_run
from unjudged.formats.scan import scanner
from unjudged.formats.streams import ARROW_FILE, ARROW_STREAM, PARQUET
from unjudged.formats.tables import Matched, Table

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 19
UNREADABLE = "cannot be read as a Parquet or Arrow file"


def read(path: Path, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """Return all rows, those of each query together."""
    pyarrow_module("a Parquet or Arrow file")
    with arrow_errors(UNREADABLE):
        rows = _Rows(path, number, given)
        return grouped(table_of_arrow(rows.whole())), layout_of(rows.columns)


def scan_run(path: Path, judged: scanner.Index, given: Mapping[str, str] = NONE) -> Matched:
    """Match a run without keeping the rest of it in memory."""
    pyarrow_module("a Parquet or Arrow file")
    with arrow_errors(UNREADABLE):
        return match_blocks(_Rows(path, "score", given).tables, judged)


def _files(path: Path) -> list[Path]:
    return files_in(path) if path.is_dir() else [path]


class _Rows:
    """The columns that matter, batch by batch, as often as needed."""

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

    def whole(self) -> dict[str, pa.ChunkedArray]:
        """All rows at once, as far as memory allows."""
        return self.by_role(_held(self.batches()), self.schema)

    def tables(self) -> Generator[Table, None, None]:
        before = 0
        with closing(self.batches()) as batches:
            for batch in batches:
                yield table_of_arrow(self.by_role([batch]), partial(in_order, before=before))
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


def _split(file: File, by_tag: bool) -> dict[str, Any] | None:
    arrow = pyarrow_module("a Parquet or Arrow file")
    path = Path(file.file)
    with arrow_errors(UNREADABLE):
        column = column_of_runs(open_part(_files(path)[0]).schema.names, file.columns, by_tag)
        if column is None:
            return None
        rows = _Rows(path, "score", without_run(file.columns), column)
        batches = _held(rows.batches())
        for batch in batches:
            batch.validate(full=True)
        table = arrow.Table.from_batches(batches, rows.schema)
    return split_frame(table, {"run": column})


READER = Reader(
    "Parquet or Arrow",
    recognises=lambda start: start.is_folder or start.data.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)),
    read=lambda file, number: read(Path(file.file), number, file.columns),
    scan=lambda file, judged: scan_run(Path(file.file), judged, file.columns),
    split=_split,
)
