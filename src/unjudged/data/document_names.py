"""Which documents or queries a file of texts has: names are looked up in it, and never held."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.data.streams import name_file_in_errors, on_disk, opened
from unjudged.data.tables import encode

NAMES = ("docno", "doc_id", "_id", "id", "docid", "query_id", "qid", "number", "num")
"""Keys of a JSON object that name it, the first of them before the others."""
BLOCK = 1 << 22
LONGEST_RECORD = 1 << 25

Lines = list[bytes]


def known_names(source: Any, wanted: set[bytes]) -> set[bytes]:
    """Return the wanted names that a file has, or names in memory; a file is read until all are found.

    Lines are JSON objects, or begin with a name and a tab, or are names.

    >>> sorted(known_names(["d1", "d2"], {b"d2", b"d3"}))
    [b'd2']
    """
    if not isinstance(source, str):
        return wanted & set(map(encode, source))
    found: set[bytes] = set()
    for names in names_in(source):
        found |= wanted.intersection(names)
        if len(found) == len(wanted):
            break
    return found


def names_in(source: str) -> Iterator[Lines]:
    """Yield the names of a file, block by block."""
    read: Callable[[int, Lines], Lines] | None = None
    with name_file_in_errors(source):
        for number, lines in blocks(source):
            if read is None:
                first = next((line for line in lines if line.strip()), None)
                read = None if first is None else _reader(first)
            yield [] if read is None else read(number, lines)


def blocks(source: str) -> Iterator[tuple[int, Lines]]:
    """Yield the lines of a file in blocks, each after the number of its first line."""
    rest, number = b"", 1
    with on_disk(source) as file, opened(file) as stream:
        while piece := stream.read(BLOCK):
            *lines, rest = (rest + (piece.removeprefix(BOM_UTF8) if number == 1 else piece)).split(b"\n")
            if len(rest) > LONGEST_RECORD:
                problem = f"longer than {LONGEST_RECORD >> 20} MB, expected one document per line"
                raise InputError(problem, line=number + len(lines))
            yield number, lines
            number += len(lines)
    yield number, [rest]


def _reader(first: bytes) -> Callable[[int, Lines], Lines]:
    """Return what reads the names of lines like the first one."""
    if first.lstrip()[:1] != b"{":
        return lambda _, lines: [name for line in lines if (name := line.partition(b"\t")[0].strip())]
    record = record_of(first, 1)
    key = next(name for name in NAMES if record.get(name) not in (None, ""))
    plain = re.compile(rb'\s*\{\s*"' + key.encode() + rb'"\s*:\s*"([^"\\\s]+)"').match

    def names(number: int, lines: Lines) -> Lines:
        return [
            match[1] if (match := plain(line)) else encode(name_of(record_of(line, at)))
            for at, line in enumerate(lines, number)
            if line.strip()
        ]

    return names


def record_of(line: bytes, number: int) -> Mapping[str, Any]:
    """Return the JSON object in a line."""
    import json  # only where a line needs it: it is slow to load

    text = line.decode("utf-8", "replace")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{quoted(text)} is not JSON, expected one object per line", line=number) from None
    if not isinstance(record, dict) or not name_of(record):
        problem = f"no name among the keys, expected one of {', '.join(NAMES)}"
        raise InputError(problem, line=number)
    return record


def name_of(record: Mapping[str, Any]) -> str:
    """Return the name that a record has, or nothing."""
    return first_of(record, NAMES)


def first_of(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Return the first of these fields that has something, as text."""
    return next((str(record[key]).strip() for key in keys if record.get(key) not in (None, "")), "")
