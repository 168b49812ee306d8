"""Files as streams of bytes: plain, compressed, standard input, and pieces of them."""

from __future__ import annotations

import io
import os
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO

from unjudged.errors import InputError, LineError

STANDARD_INPUT = "-"
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"  # how such files start
SMALLEST_PIECE = 4 << 20
LONGEST_SEARCH = 16 << 20
TAIL = 1 << 20
PathLike = str | os.PathLike[str]
Stream = io.RawIOBase | io.BufferedIOBase


class StopReading(Exception):
    """The reader was told to stop."""


class Piece:
    """The bytes from `start` to `stop` of a stream, until told to stop."""

    def __init__(self, stream: Stream, start: int, stop: int | None, told_to_stop: Event) -> None:
        self.stream, self.told_to_stop = stream, told_to_stop
        self.left = sys.maxsize if stop is None else stop - start
        if start:
            stream.seek(start)

    def readinto(self, buffer: Any) -> int:
        if self.told_to_stop.is_set():
            raise StopReading
        wanted = memoryview(buffer)[: self.left]
        got = self.stream.readinto(wanted) if wanted else 0
        self.left -= got or 0
        return got or 0


@contextmanager
def opened(path: PathLike) -> Iterator[Stream]:
    """The file's bytes, decompressed if its first bytes say that it is compressed."""
    with open(path, "rb", buffering=0) as raw:
        with _decompressed(raw, raw.read(6)) as stream:
            yield stream


def last_bytes(stream: Stream) -> bytes:
    """The end of a stream that was just opened: a few megabytes, enough for its last lines."""
    if isinstance(stream, io.FileIO):
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL))
        return stream.read() or b""
    end = b""
    while block := stream.read(TAIL):
        end = end[-TAIL:] + block
    return end


def is_compressed(path: PathLike) -> bool:
    with open(path, "rb", buffering=0) as raw:
        return _compression(raw.read(6)) is not None


def _compression(magic: bytes) -> str | None:
    known = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
    return next((name for start, name in known.items() if magic.startswith(start)), None)


def _decompressed(raw: io.FileIO, magic: bytes) -> Stream:
    raw.seek(0)
    match _compression(magic):
        case "gzip":
            import gzip

            return gzip.GzipFile(fileobj=raw)
        case "xz":
            import lzma

            return lzma.LZMAFile(raw)
        case "zstd":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd

            return zstd.ZstdFile(raw)
    return raw


@contextmanager
def on_disk(path: PathLike) -> Iterator[PathLike]:
    """A path that can be read more than once: standard input and pipes go to a temporary file."""
    if os.fspath(path) != STANDARD_INPUT and not stat.S_ISFIFO(os.stat(path).st_mode):
        yield path
        return
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="unjudged-") as folder:
        copy = Path(folder) / "input"
        with copy.open("wb") as target:
            if os.fspath(path) == STANDARD_INPUT:
                shutil.copyfileobj(sys.stdin.buffer, target, 1 << 20)
            else:
                with open(path, "rb") as pipe:
                    shutil.copyfileobj(pipe, target, 1 << 20)
        yield copy


def pieces(path: PathLike, most: int) -> list[tuple[int, int | None]]:
    """At most so many parts of a file, cut where the query changes; one if it is small or compressed."""
    size = os.path.getsize(path)
    parts = min(most, size // SMALLEST_PIECE)
    if parts < 2 or is_compressed(path):
        return [(0, None)]
    with open(path, "rb") as stream:
        cuts = {_next_query(stream, size * part // parts) for part in range(1, parts)}
    ends = [0, *sorted(cut for cut in cuts if cut is not None)]
    return list(zip(ends, [*ends[1:], None], strict=True))


def _next_query(stream: BinaryIO, start: int) -> int | None:
    """Where the first query after `start` ends; None if that is too far to look.

    Never at a byte order mark, which counts only at the start of a file.
    """
    stream.seek(start)
    stream.readline(LONGEST_SEARCH)
    query = None
    while (at := stream.tell()) < start + LONGEST_SEARCH:
        line = stream.readline(LONGEST_SEARCH)
        if not line:
            return None
        fields = line.split(None, 1)
        if not fields or fields[0].startswith(b"#"):
            continue
        if query is not None and fields[0] != query and not line.startswith(BOM_UTF8):
            return at
        query = fields[0]
    return None


def display_name(path: PathLike) -> str:
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


@contextmanager
def errors_named(path: PathLike, lines_before: int = 0) -> Iterator[None]:
    """Whatever goes wrong inside is said of the file: `file:line: what, expected what`."""
    name = display_name(path)
    try:
        yield
    except LineError as error:
        raise InputError(f"{name}:{lines_before + error.line}: {error.problem}") from None
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    except Exception as error:
        if isinstance(error, EOFError) or type(error).__name__ in _DAMAGED:
            raise InputError(f"{name}: the compressed file is damaged or cut short ({error})") from None
        raise


_DAMAGED = {"error", "LZMAError", "ZstdError", "BadGzipFile"}  # zlib.error bears only that name
