"""Mutations of bytes: blind ones, ones that know numbers and offsets, and ones that know lines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

MOST_BYTES = 1 << 18
NUMBERS = (
    *(b"0", b"-0", b"-1", b"1", b"1.", b".5", b"+.5e-3", b"1e308", b"1e309", b"1e-400", b"nan", b"-inf"),
    *(b"NA", b"0x1p3", b"1_000", b"2147483647", b"2147483648", b"-2147483648", b"4294967296", b"1e22"),
    b"1e23",
    *(b"9007199254740993", b"18446744073709551616", b"0.1", b"1e-300", b"5e-324", b"1,5", b"1" * 40),
    b"0" * 40,
)
INTEGERS = (0, 1, 2, 7, 8, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
NUMBER = re.compile(rb"[0-9]+")
Step = Callable[[random.Random, bytes], bytes]


def mutated(rng: random.Random, data: bytes, steps: Sequence[Step], tokens: Sequence[bytes] = ()) -> bytes:
    """One to eight random steps, mostly few."""
    for _ in range(1 + min(int(rng.expovariate(0.7)), 7)):
        if tokens and rng.random() < 0.2:
            at = rng.randint(0, len(data))
            data = data[:at] + rng.choice(tokens) + data[at + rng.choice((0, 0, 1, 2)) :]
        else:
            data = rng.choice(steps)(rng, data)
    return data[:MOST_BYTES]


def flip_bit(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :] if data else b"\n"


def set_byte(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + bytes([rng.choice((0, 9, 10, 13, 32, 35, 44, 127, 128, 255))]) + data[at + 1 :]


def set_integer(rng: random.Random, data: bytes) -> bytes:
    """Overwrite an aligned integer, as offsets and lengths are stored."""
    size = rng.choice((1, 2, 4, 4, 8))
    at = _at(rng, data) // size * size
    value = rng.choice((*INTEGERS, len(data), at)) * rng.choice((1, 1, -1)) + rng.choice((0, 0, 0, 1, -1))
    return data[:at] + _written(value, size) + data[at + size :]


def nudge_integer(rng: random.Random, data: bytes) -> bytes:
    """Add a little to an aligned integer."""
    size = rng.choice((1, 2, 4, 4, 8))
    at = _at(rng, data) // size * size
    value = int.from_bytes(data[at : at + size], "little") + rng.choice((-8, -4, -2, -1, 1, 2, 4, 8, 64))
    return data[:at] + _written(value, size) + data[at + size :]


def delete(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + data[at + rng.choice((1, 1, 2, 4, 8, 32, 200)) :]


def duplicate(rng: random.Random, data: bytes) -> bytes:
    at, to = _at(rng, data), _at(rng, data)
    return data[:to] + data[at : at + rng.choice((1, 4, 8, 32, 200))] + data[to:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: _at(rng, data)]


def swap(rng: random.Random, data: bytes) -> bytes:
    a, b = sorted((_at(rng, data), _at(rng, data)))
    size = min(rng.choice((1, 2, 4, 8, 64)), b - a)
    return data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]


def change_number(rng: random.Random, data: bytes) -> bytes:
    """Replace a number that is written in digits."""
    found = list(NUMBER.finditer(data[:5000]))
    if not found:
        return data
    number = rng.choice(found)
    return data[: number.start()] + rng.choice(NUMBERS) + data[number.end() :]


def change_lines(rng: random.Random, data: bytes) -> bytes:
    """Repeat, drop, move or join lines; now and then repeat one very often."""
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            lines.insert(j, lines[i])
        case 1:
            del lines[i]
        case 2:
            lines.insert(j, lines.pop(i))
        case 3:
            lines[i : i + 2] = [b" ".join(lines[i : i + 2])]
        case 4:
            rng.shuffle(lines)
        case 5 if rng.random() < 0.02:
            lines[i:i] = [lines[i]] * rng.choice((100, 5000))
        case _:
            lines[i] = lines[i].replace(b" ", rng.choice((b"\t", b"  ", b"\r", b"\v", b"", b",")), 1)
    return b"\n".join(lines)


def change_fields(rng: random.Random, data: bytes) -> bytes:
    """Copy a field of one line to another line."""
    lines = data.split(b"\n")
    i, source = rng.randrange(len(lines)), rng.choice(lines).split()
    fields = lines[i].split()
    if fields and source:
        fields[rng.randrange(len(fields))] = rng.choice(source) * rng.choice((1, 1, 1, 1, 2, 30))
        lines[i] = b" ".join(fields)
    return b"\n".join(lines)


def long_line(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return (
        data[:at] + rng.choice((b"x", b" ", b'"', b"\0")) * rng.choice((15, 16, 17, 4096, 70_000)) + data[at:]
    )


def _written(value: int, size: int) -> bytes:
    return (value % (1 << 8 * size)).to_bytes(size, "little")


def _at(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data)) if data else 0


BLIND: tuple[Step, ...] = (flip_bit, set_byte, delete, duplicate, truncate, swap)
BINARY: tuple[Step, ...] = (*BLIND, set_integer, set_integer, set_integer, nudge_integer, nudge_integer)
LINES: tuple[Step, ...] = (
    *BLIND,
    change_number,
    change_number,
    change_lines,
    change_lines,
    change_fields,
    long_line,
)
