"""JSON lines: one object per document, or one per query with its ranking, as tables, one block at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from unjudged.base.errors import InputError
from unjudged.formats.columns import NONE, Layout, no_rows
from unjudged.formats.grouping import grouped
from unjudged.formats.matching import match_blocks
from unjudged.formats.readers.memory.records import fields_of, table_of_records
from unjudged.formats.readers.text.delimited import lines_of
from unjudged.formats.readers.text.json_dicts import BYTES_OF_JSON, without_repeats
from unjudged.formats.scan import scanner
from unjudged.formats.streams import PathLike
from unjudged.formats.tables import Matched, Table

BLOCK = 1 << 14


def read(file: PathLike, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    """All rows, those of each query together."""
    layout, blocks = _read(file, number, given, held=BYTES_OF_JSON)
    return grouped(Table.joined(list(blocks))), layout


def scan_run(file: PathLike, judged: scanner.Index, given: Mapping[str, str] = NONE) -> Matched:
    """Match a run without keeping the rest of it in memory."""
    return match_blocks(lambda: _read(file, "score", given)[1], judged)


def objects(file: PathLike, held: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the value on each line, with what errors call the line."""
    for number, line in enumerate(lines_of(file, held), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line, object_pairs_hook=without_repeats)
            except (ValueError, RecursionError) as error:
                problem = f"cannot be read as JSON: {error}, expected one object per line"
                raise InputError(problem, line=number) from None
            except InputError as error:
                raise InputError(error.problem, line=number) from None


def _read(
    file: PathLike, number: str, given: Mapping[str, str], held: int = 0
) -> tuple[Layout, Iterator[Table]]:
    records = objects(file, held)
    first = next(records, None)
    if first is None:
        raise no_rows()
    if not isinstance(first[1], Mapping):
        raise InputError("expected one JSON object per line", line=1)
    fields = fields_of(first[1], number, given)
    every = chain([first], records)
    blocks = iter(lambda: list(islice(every, BLOCK)), [])
    return fields.layout, (table_of_records(block, fields) for block in blocks)
