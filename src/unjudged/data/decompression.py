"""Compressed files (gzip, xz, zstd) as streams of their content, up to a limit."""

from __future__ import annotations

import io
import os
import sys
from collections import deque
from collections.abc import Callable
from threading import Event
from typing import Any

from unjudged.base.threads import Threads
from unjudged.data.limits import exceeded, limit

BLOCK = 1 << 18
BLOCK_AHEAD = 1 << 18
BLOCKS_AHEAD = 8
MOST_LZMA_MEMORY = 1 << 30
LONGEST_HEADER = 18
"""Bytes of a frame of zstd that give the size of its content."""


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
