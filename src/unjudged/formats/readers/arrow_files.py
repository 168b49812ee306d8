"""Parquet and Arrow files as pieces that can be read one by one, the next ones ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unjudged.base.errors import InputError
from unjudged.base.threads import Threads, cores
from unjudged.formats.streams import ARROW_FILE, ARROW_STREAM, PARQUET

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pyarrow as pa

Piece = Callable[[], "Iterable[pa.RecordBatch]"]
"""Gives the batches of a part of a file, lazily if the part is large."""

SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc")
LARGEST_PIECE = 1 << 21
END_OF_STREAM = ARROW_STREAM + bytes(4)


class Part(NamedTuple):
    """A file: its schema, its pieces (for some columns and rows per block), and its number of rows."""

    schema: pa.Schema
    pieces: Callable[[list[str], int], Iterator[Piece]]
    size: Callable[[], int]


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

    def batches(names: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        with pyarrow.OSFile(str(file)) as source:
            own = reader(source)
            every = own if is_stream else map(own.get_batch, range(own.num_record_batches))
            yield from every if names is None else (batch.select(names) for batch in every)
            if is_stream:
                _check_end(source)

    def pieces(names: list[str], _: int) -> Iterator[Piece]:
        yield partial(batches, names)

    is_stream = start.startswith(ARROW_STREAM)
    with pyarrow.OSFile(str(file)) as source:
        schema = reader(source).schema
    return Part(schema, pieces, lambda: sum(map(len, batches())))


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

    return Part(whole.schema_arrow, pieces, lambda: whole.metadata.num_rows)


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
