"""Parquet and Arrow files, or a folder of them, block by block, the next ones read ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.base.threads import Threads, cores
from unjudged.formats.readers.arrow_columns import (
    arrow_errors,
    identifiers,
    ids_of_column,
    in_order,
    pyarrow_module,
    table_of_arrow,
)
from unjudged.formats.readers.tabular import Tabular, tabular_reader
from unjudged.formats.readers.values import NO_LINES
from unjudged.formats.streams import ARROW_FILE, ARROW_STREAM, PARQUET, PathLike
from unjudged.formats.tables import Ids, Table

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pyarrow as pa

BLOCK = 1 << 19
UNREADABLE = "cannot be read as a Parquet or Arrow file"
MAGIC = (PARQUET, ARROW_FILE, ARROW_STREAM)
"""How such files start."""

Piece = Callable[[], "Iterable[pa.RecordBatch]"]
"""Gives the batches of a part of a file, lazily if the part is large."""

SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc")
LARGEST_PIECE = 1 << 21
END_OF_STREAM = ARROW_STREAM + bytes(4)


class ArrowRows(NamedTuple):
    """Rows of named columns in Arrow, and how many came before."""

    columns: Any
    before: int = 0
    lines: NDArray[np.int64] = NO_LINES

    def table(self, columns: Mapping[str, str]) -> Table:
        own = {role: self.columns[name] for role, name in columns.items()}
        return table_of_arrow(own, partial(in_order, before=self.before))

    def names(self, column: str, role: str) -> Ids:
        return ids_of_column(identifiers(self.columns[column], role, partial(in_order, before=self.before)))

    def values(self, column: str) -> Sequence[Any]:
        return self.columns[column].to_pylist()  # type: ignore[no-any-return]


def open_arrow(path: PathLike) -> Tabular:
    """Return the columns of a file or of all files of a folder."""
    arrow = pyarrow_module("a Parquet or Arrow file")
    place = Path(path)
    files = files_in(place) if place.is_dir() else [place]
    with arrow_errors(UNREADABLE):
        whole = open_part(files[0]).schema
        names = list(whole.names)

    def batches(names: Sequence[str]) -> Iterator[Piece]:
        for file in files:
            part = open_part(file)
            missing = next((name for name in names if name not in part.schema.names), None)
            if missing is not None:
                raise InputError(f"{file.name} has no column {missing!r}, which {files[0].name} has")
            yield from part.pieces([*names], BLOCK)

    def blocks(names: Sequence[str]) -> Iterator[ArrowRows]:
        with arrow_errors(UNREADABLE):
            schema = arrow.schema([arrow.field(name, _plain(whole.field(name).type)) for name in names])
            before = 0
            for batch in read_ahead(batches(names)):
                for start in range(0, len(batch), BLOCK):
                    block = batch.slice(start, BLOCK)
                    if not block.schema.equals(schema):
                        block.validate(full=True)
                        block = block.cast(schema)
                    yield ArrowRows(arrow.Table.from_batches([block]), before)
                    before += len(block)

    return Tabular(names, blocks)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Parts of a folder may number their categories differently, so a category is read as its values."""
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


class Part(NamedTuple):
    """A file: its schema, and its pieces (for some columns and rows per block)."""

    schema: pa.Schema
    pieces: Callable[[list[str], int], Iterator[Piece]]


def open_part(file: Path) -> Part:
    with file.open("rb") as stream:
        start = stream.read(len(ARROW_FILE))
    if start.startswith(PARQUET):
        return _open_parquet(file)
    return _open_arrow(file, start)


def _open_arrow(file: Path, start: bytes) -> Part:
    """An Arrow file or stream. It is read, not mapped: a mapped file that is cut short ends the process."""
    import pyarrow

    def reader(source: Any) -> Any:
        return pyarrow.ipc.open_stream(source) if is_stream else pyarrow.ipc.open_file(source)

    def batches(names: list[str]) -> Iterator[pa.RecordBatch]:
        with pyarrow.OSFile(str(file)) as source:
            own = reader(source)
            every = own if is_stream else map(own.get_batch, range(own.num_record_batches))
            yield from (batch.select(names) for batch in every)
            if is_stream:
                _check_end(source)

    def pieces(names: list[str], _: int) -> Iterator[Piece]:
        yield partial(batches, names)

    is_stream = start.startswith(ARROW_STREAM)
    with pyarrow.OSFile(str(file)) as source:
        schema = reader(source).schema
    return Part(schema, pieces)


def _check_end(source: Any) -> None:
    """Refuse a stream without its end marker: Arrow would read one that is cut short as a shorter one."""
    end = source.tell()
    source.seek(max(0, end - len(END_OF_STREAM)))
    if source.read(len(END_OF_STREAM)) != END_OF_STREAM or source.tell() != source.size():
        raise InputError("the Arrow stream is cut short, or something follows its end")


def _open_parquet(file: Path) -> Part:
    from pyarrow.parquet import ParquetFile

    whole = ParquetFile(file)

    def read(group: int, names: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        own = ParquetFile(file, metadata=whole.metadata, buffer_size=1 << 20, pre_buffer=False)
        left = whole.metadata.row_group(group).num_rows
        for batch in own.iter_batches(rows, row_groups=[group], columns=names, use_threads=False):
            left -= len(batch)
            yield batch
        if left:  # Arrow may stop where the shortest column ends
            raise InputError("a column of the Parquet file has more or fewer rows than the file says")

    def pieces(names: list[str], rows: int) -> Iterator[Piece]:
        for group in range(whole.num_row_groups):
            small = whole.metadata.row_group(group).num_rows <= LARGEST_PIECE
            yield partial(list, read(group, names, rows)) if small else partial(read, group, names, rows)

    return Part(whole.schema_arrow, pieces)


def read_ahead(pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
    """Yield the batches of all pieces in order, while other cores decode the next pieces."""
    waiting: deque[Future[Iterable[pa.RecordBatch]]] = deque()
    pool = Threads(cores())
    try:
        for piece in pieces:
            waiting.append(pool.submit(piece))
            if len(waiting) > cores():
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def is_part(path: Path) -> bool:
    """Whether a file in a folder holds rows, as a cluster names it."""
    return path.suffix in SUFFIXES and not path.name.startswith(("_", "."))


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder that hold rows, as a cluster writes them."""
    parts = sorted(filter(is_part, folder.rglob("*")))
    if not parts:
        problem = f"a folder without files that end in {', '.join(SUFFIXES)}"
        raise InputError(
            f"{problem}; for other files in it, give their names or a pattern such as '{folder}/*'"
        )
    return parts


READER = tabular_reader(
    "Parquet or Arrow", lambda start: start.is_folder or start.data.startswith(MAGIC), open_arrow
)
