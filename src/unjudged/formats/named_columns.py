"""Small tables with named columns, read whole from any source: scores by query, segments of queries."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NAMES, listed, no_rows
from unjudged.formats.inputs import FILE, FRAME, MAPPING, ROWS, kind_of_source
from unjudged.formats.limits import BYTES_OF_TEXT, check
from unjudged.formats.readers.arrow.arrow_columns import arrow_errors, pyarrow_module
from unjudged.formats.readers.arrow.arrow_files import files_in, open_part
from unjudged.formats.readers.arrow.columnar import BLOCK, UNREADABLE
from unjudged.formats.readers.arrow.frames import library_errors, library_of
from unjudged.formats.readers.text.delimited import DELIMITERS, lines_of
from unjudged.formats.readers.text.json_dicts import BYTES_OF_JSON, without_repeats
from unjudged.formats.readers.text.json_lines import objects
from unjudged.formats.streams import (
    ARROW_FILE,
    ARROW_STREAM,
    PARQUET,
    PathLike,
    name_file_in_errors,
    on_disk,
    opened,
    read_whole,
)

MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "None", "<NA>"})
"""Texts that stand for a missing value."""


@dataclass(frozen=True, eq=False)
class NamedColumns:
    """Values by column, all of one length; `lines` are the lines of a file that they stand on."""

    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] = ()
    headless: bool = False
    """Three columns without a header, as trec_eval and ir_measures print them."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def error(self, row: int, problem: str) -> InputError:
        """Return an error about one row."""
        if self.lines:
            return InputError(problem, line=self.lines[row])
        return InputError(f"row {row} (from 0): {problem}")

    def column(self, role: str, given: Mapping[str, str], names: Sequence[str]) -> str | None:
        """Return the name of the column for a role: as `given`, else the first of `names` that it has."""
        if role not in given:
            return next((name for name in names if name in self.columns), None)
        if given[role] not in self.columns:
            raise InputError(f"no column is called {given[role]!r}; there are {listed(list(self.columns))}")
        return given[role]


def named_columns(source: Any) -> NamedColumns:
    """Return all columns of a file, a frame, records, or a mapping of columns to their values."""
    kind = kind_of_source(source)
    if kind == FILE:
        with name_file_in_errors(source), on_disk(source) as file:
            table = _of_file(file)
    elif kind == FRAME:
        table = _of_frame(source)
    elif kind == MAPPING:
        table = NamedColumns({str(name): list(values) for name, values in source.items()})
    elif kind == ROWS:
        table = _of_records(enumerate(source))
    else:
        raise UsageError(f"found {kind_of(source)}, expected a file, a frame or records with named columns")
    lengths = {len(values) for values in table.columns.values()}
    if len(lengths) > 1:
        raise InputError("the columns have different lengths")
    if not lengths or not lengths.pop():
        raise no_rows()
    check("ROWS", len(table))
    return table


def _of_file(file: PathLike) -> NamedColumns:
    path = Path(file)
    if path.is_dir():
        return _of_arrow(files_in(path))
    with opened(file) as stream:
        start = stream.read(1 << 10) or b""
    if start.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)):
        return _of_arrow([path])
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"{", b"[", b"}", b"]"):
        return _of_json(file)
    return _of_text(file)


def _of_arrow(files: Sequence[Path]) -> NamedColumns:
    pyarrow_module("a Parquet or Arrow file")
    columns: dict[str, list[Any]] = {}
    with arrow_errors(UNREADABLE):
        for file in files:
            part = open_part(file)
            check("ROWS", part.size())
            names = list(part.schema.names)
            for piece in part.pieces(names, BLOCK):
                for batch in piece():
                    for name, values in zip(names, batch.columns, strict=True):
                        columns.setdefault(name, []).extend(values.to_pylist())
    return NamedColumns(columns)


def _of_frame(frame: Any) -> NamedColumns:
    import narwhals

    with library_errors():
        frame = narwhals.to_native(frame, pass_through=True)
        own_index = library_of(frame) == "pandas" and type(frame.index).__name__ != "RangeIndex"
        if own_index and not set(NAMES["query"]) & set(frame.columns):
            unnamed = frame.index.name is None and frame.index.nlevels == 1
            frame = (frame.rename_axis(NAMES["query"][-1]) if unnamed else frame).reset_index()
        known = narwhals.from_native(frame, pass_through=True)
        if isinstance(known, narwhals.LazyFrame):
            known = known.collect()
        if isinstance(known, narwhals.DataFrame):
            return NamedColumns({str(name): known[name].to_list() for name in known.columns})
        arrow = pyarrow_module("an Arrow stream")
        table = arrow.RecordBatchReader.from_stream(frame).read_all()
        return NamedColumns({name: table[name].to_pylist() for name in table.column_names})


def _of_records(records: Iterable[tuple[Any, Any]]) -> NamedColumns:
    """Return the columns of records, which may lack some: mappings, named tuples, objects with fields."""
    rows: list[Mapping[str, Any]] = []
    for where, record in records:
        names = getattr(record, "_fields", None) or getattr(record, "__dataclass_fields__", None)
        own = {name: getattr(record, name) for name in names} if names else record
        if not isinstance(own, Mapping):
            raise InputError(f"record {where}: found {kind_of(record)}, expected an object with named fields")
        rows.append(own)
    every = dict.fromkeys(name for row in rows for name in row)
    return NamedColumns({str(name): [row.get(name) for row in rows] for name in every})


def _of_json(file: PathLike) -> NamedColumns:
    """Read JSON lines, a list of objects, columns with their values, or the rows that `--format json` has."""
    import json

    try:
        data = json.loads(read_whole(file, BYTES_OF_JSON), object_pairs_hook=without_repeats)
    except (ValueError, RecursionError):
        return _of_records(objects(file, BYTES_OF_JSON))
    if isinstance(data, Mapping) and isinstance(data.get("rows"), list):
        data = data["rows"]
    if isinstance(data, list):
        return _of_records(enumerate(data))
    if isinstance(data, Mapping) and data and all(isinstance(values, list) for values in data.values()):
        return NamedColumns(data)
    if isinstance(data, Mapping) and data and not any(isinstance(v, Mapping) for v in data.values()):
        return _of_records([(1, data)])
    return NamedColumns({NESTED: [data]})


NESTED = "nested"
"""The only column of a JSON file that has no columns: `{query: {measure: value}}`."""


def _of_text(file: PathLike) -> NamedColumns:
    lines = lines_of(file, BYTES_OF_TEXT)
    first = next(lines, "").rstrip("\r\n")
    delimiter = next((mark for mark in DELIMITERS if mark in first), None)
    fields = first.split() if delimiter is None else next(csv.reader([first], delimiter=delimiter), [])
    header = [field.strip() for field in fields]
    if len(header) == 3 and is_number(header[2]):
        return _without_header(first, lines)
    if delimiter is None:
        problem = f"the first line is {first[:60]!r}, expected names of columns with tabs or commas between"
        raise InputError(f"{problem}, or the output of `trec_eval -q`", line=1)
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f"two columns have the name {twice!r}, expected one", line=1)
    rows: list[list[str]] = []
    numbers: list[int] = []
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row and len(row) != len(header):
                problem = f"expected {len(header)} fields, as in the header, found {len(row)}"
                raise InputError(problem, line=reader.line_num + 1)
            if row:
                rows.append(row)
                numbers.append(reader.line_num + 1)
    except csv.Error as error:
        raise InputError(f"{error}, expected fields as in the header", line=reader.line_num + 1) from None
    columns = {name: [row[k].strip() for row in rows] for k, name in enumerate(header)}
    return NamedColumns(columns, numbers)


def _without_header(first: str, lines: Iterable[str]) -> NamedColumns:
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, line in enumerate([first, *lines], 1):
        fields = line.split(None, 2)
        if fields and len(fields) != 3:
            raise InputError(f"expected three fields, as on the first line, found {len(fields)}", line=number)
        if fields:
            rows.append([field.strip() for field in fields])
            numbers.append(number)
    columns = {str(k): list(column) for k, column in enumerate(zip(*rows, strict=True))}
    return replace(NamedColumns(columns, numbers), headless=True)


def is_number(value: Any) -> bool:
    """Whether this is a finite number, or a text that is one."""
    if isinstance(value, str):
        value = value.strip()
        if not value or value[-1] not in "0123456789." or "_" in value:
            return False
    try:
        return abs(float(value)) < float("inf")
    except (TypeError, ValueError, OverflowError):
        return False


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: no value, not a number, or a text that says so."""
    if value is None or (isinstance(value, str) and value.strip() in MISSING):
        return True
    return isinstance(value, float) and isnan(value)
