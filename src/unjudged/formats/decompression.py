"""Compressed files (gzip, xz, zstd) as streams of their content, up to a limit."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Any

from unjudged.formats.limits import exceeded, limit

BLOCK = 1 << 18
MOST_LZMA_MEMORY = 1 << 30


def is_compressed(path: str | os.PathLike[str]) -> bool:
    with open(path, "rb", buffering=0) as raw:
        return _compression(raw.read(6)) is not None


def decompressed(raw: io.FileIO, held: int = 0) -> io.BufferedReader | None:
    """The content of a file that was just opened; None if it is not compressed.

    `held` is how many bytes of memory each byte takes, for a reader that holds the whole content at once.
    """
    magic = raw.read(6)
    raw.seek(0)
    stream: Any = None
    match _compression(magic):
        case "gzip":
            import gzip

            stream = gzip.GzipFile(fileobj=raw)
        case "xz":
            import lzma

            stream = _Members(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_LZMA_MEMORY))
        case "zstd":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd

            stream = _Members(raw, zstd.ZstdDecompressor)
        case _:
            return None
    name, most = "DECOMPRESSED", limit("DECOMPRESSED")
    if held and limit("MEMORY") // held < most:
        name, most = "MEMORY", limit("MEMORY") // held
    return io.BufferedReader(_Bounded(stream, most, name), BLOCK)


def _compression(magic: bytes) -> str | None:
    known = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
    return next((name for start, name in known.items() if magic.startswith(start)), None)


class _Members(io.RawIOBase):
    """The members of an xz or zstd file, decompressed one after another; damage in any of them is an error.

    The modules of the standard library drop what follows the first member if it is damaged.
    """

    def __init__(self, raw: io.FileIO, decompressor: Callable[[], Any]) -> None:
        self.raw, self.new, self.current = raw, decompressor, decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while True:
            data = b""
            if self.current.eof:
                data = self._next_member()
                if not data:
                    return 0
                self.current = self.new()
            elif self.current.needs_input:
                data = self.raw.read(BLOCK) or b""
                if not data:
                    raise EOFError("it ends before its end marker")
            text = self.current.decompress(data, len(view))
            if text:
                view[: len(text)] = text
                return len(text)

    def _next_member(self) -> bytes:
        """The start of the next member, after the padding of zeros that xz allows; empty if there is none."""
        data: bytes = self.current.unused_data
        while not (data := data.lstrip(b"\0")):
            data = self.raw.read(BLOCK) or b""
            if not data:
                return b""
        return data


class _Bounded(io.RawIOBase):
    """A decompressed stream that is refused once it gives more bytes than allowed."""

    def __init__(self, stream: Any, most: int, name: str) -> None:
        self.stream, self.left, self.name = stream, most, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        got = self.stream.readinto(buffer) or 0
        self.left -= got
        if self.left < 0:
            raise exceeded(self.name)
        return got

    def close(self) -> None:
        self.stream.close()
        super().close()
