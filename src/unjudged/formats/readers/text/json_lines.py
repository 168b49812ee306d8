"""JSON lines: one object per document, or one per query with its ranking, as tables, one block at a time."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.formats.columns import NONE, Layout, no_rows
from unjudged.formats.grouping import grouped
from unjudged.formats.matching import match_blocks
from unjudged.formats.reader import File, Reader, Start
from unjudged.formats.readers.memory.query_dicts import identifier
from unjudged.formats.readers.memory.records import fields_of, table_of_records
from unjudged.formats.readers.several_runs import OneRun, by_name, column_of_runs, without_run
from unjudged.formats.readers.text.delimited import lines_of
from unjudged.formats.readers.text.json_dicts import BYTES_OF_JSON, is_json, without_repeats
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
    """The value on each line, with what errors call the line."""
    import json

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


def _recognises(start: Start) -> bool:
    """Whether the first line is an object of its own and another one follows."""
    if not is_json(start):
        return False
    import json

    text = start.data.removeprefix(BOM_UTF8).lstrip() + start.rest()
    first, _, others = text.partition(b"\n")
    if others.lstrip()[:1] != b"{":
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _split(file: File, by_tag: bool) -> dict[str, Any] | None:
    first = next(objects(file.file))[1]
    column = column_of_runs(list(first), file.columns, by_tag) if isinstance(first, dict) else None
    if column is None:
        return None
    by_run: dict[str, list[tuple[str, Any]]] = {}
    for where, record in objects(file.file, BYTES_OF_JSON):
        if not isinstance(record, dict) or not isinstance(identifier(record.get(column)), str):
            raise InputError(f"{where}: {quoted(column)} names no run, expected text")
        by_run.setdefault(identifier(record[column]), []).append((where, record))
    fields = fields_of(first, "score", without_run(file.columns))
    return by_name((run, OneRun(table_of_records(records, fields))) for run, records in by_run.items())


READER = Reader(
    "JSON lines",
    _recognises,
    read=lambda file, number: read(file.file, number, file.columns),
    scan=lambda file, judged: scan_run(file.file, judged, file.columns),
    split=_split,
)
