"""Compressed files: of several members, cut, damaged, with something after the end, and bombs."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from fuzz.doors import file_outcomes
from fuzz.kinds import Kind, delimited, json_text, text
from fuzz.mutation import BINARY, mutated
from fuzz.oracle import Difference, Outcome, same

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "xz": lambda data: lzma.compress(data, preset=0),  # the others take much memory
    "zstd": lambda data: zstd.compress(data, 1),
}
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MOST = 1 << 18


def contents(data: bytes) -> tuple[bytes, bool]:
    """What a compressed file holds, all of its members, and whether every byte of it is sound."""
    whole = bytearray()
    name = next((name for magic, name in MAGIC.items() if data.startswith(magic)), None)
    if name is None:
        return data, True
    if name == "gzip":
        stream = gzip.GzipFile(fileobj=io.BytesIO(data))
        try:
            while block := stream.read1():
                whole += block
        except (EOFError, OSError, zlib.error):
            return bytes(whole), False
        return bytes(whole), True
    while data:
        member: Any = lzma.LZMADecompressor(lzma.FORMAT_XZ) if name == "xz" else zstd.ZstdDecompressor()
        try:
            whole += member.decompress(data)
        except (EOFError, lzma.LZMAError, zstd.ZstdError):
            return bytes(whole), False
        if not member.eof:
            return bytes(whole), False
        data = member.unused_data.lstrip(b"\0")
    return bytes(whole), True


def check(data: bytes) -> Iterator[Outcome]:
    """A sound file gives what its contents give; a damaged one is refused."""
    whole, sound = contents(data)
    found = list(file_outcomes(data, messages=False, size=len(whole)))
    if not sound and any(kind == "result" for kind, _ in found):
        raise Difference("a damaged compressed file was accepted")
    if sound and len(whole) <= MOST and not whole.startswith(tuple(MAGIC)):
        for compressed, plain in zip(
            found, file_outcomes(whole, messages=False, size=len(whole)), strict=True
        ):
            same("the contents as a plain file", plain, compressed, messages=False)
    yield from found


def seeds() -> list[bytes]:
    plain = [*text.SEEDS, delimited.SEEDS[0], json_text.SEEDS[0]]
    one = [compress(data) for compress in COMPRESS.values() for data in plain]
    two = [compress(data[:40]) + compress(data[40:]) for compress in COMPRESS.values() for data in plain[:3]]
    return [*one, *two, COMPRESS["xz"](plain[0]) + bytes(8), COMPRESS["gzip"](plain[0]) + bytes(5)]


def mutate(rng: random.Random, data: bytes) -> bytes:
    if rng.random() < 0.5:
        return mutated(rng, data, BINARY)
    whole = contents(data)[0]
    if len(whole) > MOST:
        return mutated(rng, rng.choice(seeds()), BINARY)
    if rng.random() < 0.7:
        whole = text.mutate(rng, whole)
    compress = rng.choice(list(COMPRESS.values()))
    cut = rng.randint(0, len(whole))
    members = [compress(whole[:cut]), compress(whole[cut:])] if rng.random() < 0.5 else [compress(whole)]
    if rng.random() < 0.3:
        members[-1] = mutated(rng, members[-1], BINARY)
    if rng.random() < 0.1:
        members.append(rng.choice((b"\0", b"\0" * 4, b"x", b"garbage after the end", compress(b""), data)))
    if rng.random() < 0.003:
        members.append(compress(rng.choice((b" ", b"\n", b"[", b"1 Q0 a 1 1 t\n")) * (1 << 21)))
    return b"".join(members)


KINDS = {"compressed": Kind(seeds, mutate, check)}
