"""Parquet and Arrow files, or a folder of them, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unjudged.base.errors import InputError
from unjudged.data.arrow_columns import arrow_errors, pyarrow_module, validate
from unjudged.data.streams import PathLike, Start
from unjudged.data.tabular import Block, Tabular

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 19
UNREADABLE = "cannot be read as a Parquet or Arrow file"
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""How such files start."""

SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc")
LARGEST_PIECE = 1 << 21
"""Rows of a Parquet file that a core reads at once."""
END_OF_STREAM = ARROW_STREAM + bytes(4)


class Part(NamedTuple):
    """A file: its schema, and what reads its pieces of some columns in order, with the rows of each."""

    schema: pa.Schema
    pieces: Callable[[list[str]], Iterator[tuple[int, Callable[[], pa.Table]]]]


def open_arrow(path: PathLike) -> Tabular:
    """Return the columns of a file or of all files of a folder."""
    arrow = pyarrow_module("a Parquet or Arrow file")
    place = Path(path)
    files = files_in(place) if place.is_dir() else [place]
    with arrow_errors(UNREADABLE):
        whole = _open_part(files[0]).schema
        every = list(whole.names)

    def block(read: Callable[[], pa.Table], schema: pa.Schema, before: int) -> Block:
        with arrow_errors(UNREADABLE):
            rows = read()
            for column in rows.columns:
                validate(column)
            columns = rows if rows.schema.equals(schema) else rows.cast(schema)
        return Block({name: columns[name] for name in schema.names}, before=before)

    def blocks(names: Sequence[str]) -> Iterator[Callable[[], Block]]:
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
    import pyarrow

    for start in range(0, len(batch), BLOCK):
        rows = batch.slice(start, BLOCK)
        yield len(rows), partial(pyarrow.Table.from_batches, [rows])


def _check_end(source: Any) -> None:
    """Refuse a stream without its end marker: Arrow would read one that is cut short as a shorter one."""
    end = source.tell()
    source.seek(max(0, end - len(END_OF_STREAM)))
    if source.read(len(END_OF_STREAM)) != END_OF_STREAM or source.tell() != source.size():
        raise InputError("the Arrow stream is cut short, or something follows its end")


def _open_parquet(file: Path) -> Part:
    import pyarrow
    from pyarrow.parquet import ParquetFile

    whole = ParquetFile(file)

    def read(group: int, names: list[str]) -> Iterator[pa.RecordBatch]:
        own = ParquetFile(file, metadata=whole.metadata, buffer_size=1 << 20, pre_buffer=False)
        left = whole.metadata.row_group(group).num_rows
        for batch in own.iter_batches(BLOCK, row_groups=[group], columns=names, use_threads=False):
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


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder that hold rows, as a cluster writes them."""
    parts = sorted(filter(is_part, folder.rglob("*")))
    if not parts:
        problem = f"a folder without files that end in {', '.join(SUFFIXES)}"
        raise InputError(
            f"{problem}; for other files in it, give their names or a pattern such as '{folder}/*'"
        )
    return parts
