"""Files as streams of bytes: plain, compressed (gzip, xz, zstd) up to a limit, standard input, and pieces."""

from __future__ import annotations

import io
import os
import stat
import sys
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import Event
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

from unjudged.base.errors import InputError, reason_of
from unjudged.base.threads import Threads
from unjudged.data.limits import check, exceeded, limit

STANDARD_INPUT = "-"
SMALLEST_PIECE = 4 << 20
LONGEST_SEARCH = 16 << 20
TAIL = 1 << 20
LARGEST = 1 << 24
BLOCK = 1 << 18
BLOCK_AHEAD = 1 << 18
BLOCKS_AHEAD = 8
MOST_LZMA_MEMORY = 1 << 30
LONGEST_HEADER = 18
"""Bytes of a frame of zstd that give the size of its content."""
PathLike = str | os.PathLike[str]
Stream = io.RawIOBase | io.BufferedIOBase


class Start(NamedTuple):
    """What a file is recognised by: its first bytes, and columns it should have."""

    file: PathLike
    data: bytes
    columns: Mapping[str, str] = MappingProxyType({})
    is_folder: bool = False


class StopReading(Exception):
    """Reader was asked to stop."""


class Piece:
    """Bytes from `start` to `end` of a stream, until `stop` is set."""

    def __init__(self, stream: Stream, start: int, end: int | None, stop: Event) -> None:
        self.stream, self.stop = stream, stop
        self.left = sys.maxsize if end is None else end - start
        if start:
            stream.seek(start)

    def readinto(self, buffer: Any) -> int:
        if self.stop.is_set():
            raise StopReading
        wanted = memoryview(buffer)[: self.left]
        got = self.stream.readinto(wanted) if wanted else 0
        self.left -= got or 0
        return got or 0


@contextmanager
def opened(
    path: PathLike, *, held: int = 0, ahead: Event | None = None, block: int = BLOCK
) -> Iterator[Stream]:
    """Yield the bytes of a file, decompressed if its first bytes say that it is compressed.

    `held` is how many bytes of memory a byte takes, for a reader that holds all of the file at once. With
    `ahead` another thread decompresses a large file, until the event is set. `block` goes to `decompressed`.
    """
    with open(path, "rb", buffering=0) as raw:
        size = os.fstat(raw.fileno()).st_size
        large = size >= SMALLEST_PIECE
        stream = decompressed(raw, held, ahead if large else None, block)
        if stream is None:
            check("MEMORY", size * held)
            yield raw
        else:
            with stream:
                yield stream


def last_bytes(stream: Stream) -> bytes:
    """Return the end of a stream that was just opened: a few megabytes, enough for its last lines."""
    if isinstance(stream, io.FileIO):
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL))
        return stream.read() or b""
    end = b""
    while block := stream.read(TAIL):
        end = end[-TAIL:] + block
    return end


@contextmanager
def on_disk(path: PathLike) -> Iterator[PathLike]:
    """A path that can be read more than once: standard input and pipes are copied to a temporary file."""
    if os.fspath(path) != STANDARD_INPUT and not _is_pipe(path):
        yield path
        return
    if os.fspath(path) == STANDARD_INPUT and sys.stdin is None:
        raise InputError("it is closed")
    from unjudged.data.writing import temporary_folder

    with ExitStack() as stack:
        where = "a temporary folder"
        try:
            copy = stack.enter_context(temporary_folder()) / "input"
            where = display_name(copy.parent.parent)
            standard = os.fspath(path) == STANDARD_INPUT
            _copy(sys.stdin.buffer if standard else stack.enter_context(open(path, "rb")), copy)
        except OSError as error:
            problem = f"cannot be copied to {where}: {reason_of(error)}"
            raise InputError(f"{problem}; TMPDIR=FOLDER names another folder") from None
        yield copy


def _is_pipe(path: PathLike) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except ValueError:  # a null character, or a character that no file name can have
        raise InputError("not a valid file name") from None


def _copy(source: Any, target: os.PathLike[str]) -> None:
    left = limit("COPIED")
    with open(target, "wb") as copy:
        while block := source.read1(TAIL):  # returns often, so that a signal is noticed
            left -= len(block)
            if left < 0:
                raise exceeded("COPIED")
            copy.write(block)


def read_whole(path: PathLike, held: int) -> bytes:
    """All bytes of a file, for a reader that needs `held` bytes of memory for each of them."""
    blocks, size = [], 0
    with opened(path) as stream:
        while block := stream.read(TAIL):
            blocks.append(block)
            size += len(block)
            check("MEMORY", size * held)
    return b"".join(blocks)


def read_small(path: PathLike, expected: str, largest: int = LARGEST) -> bytes:
    """Return the bytes of a file, decompressed and without a byte order mark.

    `expected` completes the error for a file of more than `largest` bytes.
    """
    with name_file_in_errors(path), on_disk(path) as file, opened(file) as stream:
        blocks: list[bytes] = []
        left = largest
        while block := stream.read(min(left + 1, LARGEST)):
            blocks.append(block)
            left -= len(block)
            if left < 0:
                size = f"{largest >> 20} MB" if largest < 1 << 30 else f"{largest >> 30} GB"
                raise InputError(f"larger than {size}, expected {expected}")
    return b"".join(blocks).removeprefix(BOM_UTF8)


def read_small_text(path: PathLike, expected: str, largest: int = LARGEST) -> str:
    """Return the text of a file, which must be UTF-8."""
    try:
        return read_small(path, expected, largest).decode()
    except UnicodeDecodeError:
        raise InputError(f"not UTF-8 text, expected {expected}", source=display_name(path)) from None


def pieces(path: PathLike, most: int) -> list[tuple[int, int | None]]:
    """At most `most` parts of a file, cut where the query changes; one if it is small or compressed."""
    size = os.path.getsize(path)
    parts = min(most, size // SMALLEST_PIECE)
    if parts < 2 or is_compressed(path):
        return [(0, None)]
    with open(path, "rb") as stream:
        cuts = {_next_query(stream, size * part // parts) for part in range(1, parts)}
    ends = [0, *sorted(cut for cut in cuts if cut is not None)]
    return list(zip(ends, [*ends[1:], None], strict=True))


def _next_query(stream: BinaryIO, start: int) -> int | None:
    """Return where the first query after `start` ends; None if that is too far to look.

    It is never before a byte order mark, which has a meaning only at the start of a file.
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


def without_links(path: PathLike) -> str:
    """Return the place of a file, the same for all its names; the name itself if no file can have it."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.fspath(path)


def display_name(path: PathLike) -> str:
    """What messages call a file; characters that cannot be printed are escaped."""
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return "standard input"
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


@contextmanager
def name_file_in_errors(path: PathLike) -> Iterator[None]:
    """Whatever goes wrong inside names the file: `file:line: problem`."""
    name = display_name(path)
    try:
        with name_source_in_errors(name):
            yield
    except FileNotFoundError:
        raise InputError("no such file", source=name) from None
    except Exception as error:
        if isinstance(error, EOFError) or type(error).__name__ in _DAMAGED:
            problem = f"the compressed file is damaged or cut short ({reason_of(error)})"
        elif isinstance(error, OSError):
            problem = f"cannot be read: {reason_of(error)}"
        else:
            raise
        raise InputError(problem, source=name) from None


class name_source_in_errors:  # noqa: N801 (it is used like a function)
    """An input error that names no source yet names this one. A dict that changes meanwhile is one."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        if isinstance(error, RuntimeError) and "during iteration" in str(error):  # by another thread
            raise InputError(
                "it changed while it was read, expected data that stays as it is", source=self.name
            )
        if isinstance(error, InputError) and not error.source:
            error.source = self.name


_DAMAGED = {"error", "IsalError", "LZMAError", "ZstdError", "BadGzipFile"}  # zlib.error has only that name


def is_compressed(path: str | os.PathLike[str]) -> bool:
    with open(path, "rb", buffering=0) as raw:
        return _compression(raw.read(6)) is not None


def decompressed(
    raw: io.FileIO, held: int = 0, ahead: Event | None = None, block: int = BLOCK
) -> io.BufferedReader | None:
    """Return the content of a file that was just opened; None if it is not compressed.

    `held` is how many bytes of memory each byte takes, for a reader that holds the whole content at once.
    With `ahead` another thread decompresses the next blocks meanwhile, until the event is set. `block` is how
    many bytes are decompressed at least.
    """
    magic = raw.read(6)
    raw.seek(0)
    stream: Any = None
    match _compression(magic):
        case "gzip":
            stream = _gzip(raw)
        case "xz":
            import lzma

            stream = _Members(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_LZMA_MEMORY))
        case "zstd":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd

            stream = _Members(raw, lambda: _Frame(zstd))
        case _:
            return None
    name, most = "DECOMPRESSED", limit("DECOMPRESSED")
    if held and limit("MEMORY") // held < most:
        name, most = "MEMORY", limit("MEMORY") // held
    bounded = _Bounded(stream, most, name)
    return io.BufferedReader(bounded if ahead is None else _Ahead(bounded), block)


def _compression(magic: bytes) -> str | None:
    known = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
    return next((name for start, name in known.items() if magic.startswith(start)), None)


def _gzip(raw: io.FileIO) -> Any:
    """Return the content of a gzip file, by isal if it is installed: it is three times as fast as zlib."""
    try:
        from isal import igzip
    except ImportError:
        import gzip

        return gzip.GzipFile(fileobj=raw)
    return igzip.IGzipFile(fileobj=raw)


class _Members:
    """Members of an xz or zstd file, decompressed one after another; damage in any of them is an error.

    The modules of the standard library drop what follows the first member if it is damaged.
    """

    def __init__(self, raw: io.FileIO, decompressor: Callable[[], Any]) -> None:
        self.raw, self.new, self.current = raw, decompressor, decompressor()

    def read(self, size: int) -> bytes:
        while True:
            data = b""
            if self.current.eof:
                data = self._next_member()
                if not data:
                    return b""
                self.current = self.new()
            elif self.current.needs_input:
                data = self.raw.read(BLOCK) or b""
                if not data:
                    raise EOFError("it ends before its end marker")
            if text := self.current.decompress(data, size):
                return bytes(text)

    def _next_member(self) -> bytes:
        """Start of the next member, after the padding of zeros that xz allows; empty if there is none."""
        data: bytes = self.current.unused_data
        while not (data := data.lstrip(b"\0")):
            data = self.raw.read(BLOCK) or b""
            if not data:
                return b""
        return data

    def close(self) -> None:
        """File is closed by who opened it."""


class _Frame:
    """A frame of zstd, whose content must have the size that its header gives.

    The library checks that only where it gets the whole frame at once.
    """

    def __init__(self, zstd: Any) -> None:
        self.frame, self.info_of = zstd.ZstdDecompressor(), zstd.get_frame_info
        self.start, self.size = b"", 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.frame, name)

    def decompress(self, data: bytes, most: int) -> bytes:
        text: bytes = self.frame.decompress(data, most)
        self.start, self.size = (self.start + data[:LONGEST_HEADER])[:LONGEST_HEADER], self.size + len(text)
        if self.frame.eof and self.info_of(self.start).decompressed_size not in (None, self.size):
            raise EOFError("a part has another size than its header says")
        return text


class _Bounded(io.RawIOBase):
    """A decompressed stream that is refused once it gives more bytes than allowed."""

    def __init__(self, stream: Any, most: int, name: str) -> None:
        self.stream, self.left, self.name = stream, most, name

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data: bytes = self.stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise exceeded(self.name)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self.stream.close()
        super().close()


class _Ahead(io.RawIOBase):
    """A stream that another thread reads, some blocks ahead."""

    def __init__(self, stream: _Bounded) -> None:
        self.stream, self.thread = stream, Threads(1)
        self.block, self.used = b"", 0
        self.next = deque(self.thread.submit(stream.read, BLOCK_AHEAD) for _ in range(BLOCKS_AHEAD))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.used == len(self.block):
            self.block, self.used = self.next.popleft().result(), 0
            self.next.append(self.thread.submit(self.stream.read, BLOCK_AHEAD))
        data = memoryview(self.block)[self.used : self.used + len(buffer)]
        buffer[: len(data)] = data
        self.used += len(data)
        return len(data)

    def close(self) -> None:
        self.thread.shutdown(cancel_futures=True)
        self.stream.close()
        super().close()
