"""Small tables with named columns, read whole from any source: scores by query, segments of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NAMES, listed, no_rows
from unjudged.formats.files import refuse_utf16
from unjudged.formats.inputs import FILE, FRAME, MAPPING, kind_of_source
from unjudged.formats.limits import check
from unjudged.formats.readers.arrow_columns import arrow_errors, pyarrow_module
from unjudged.formats.readers.arrow_files import files_in, open_part
from unjudged.formats.readers.columnar import BLOCK, UNREADABLE
from unjudged.formats.readers.frames import library_errors, library_of
from unjudged.formats.readers.json_dicts import BYTES_OF_JSON, without_repeats
from unjudged.formats.readers.json_lines import objects
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
from unjudged.formats.text_columns import columns_of_text, is_missing

QUERIES = (*NAMES["query"], "question", "user_input")
"""Names of columns with queries, where documents have none."""


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
        """Return the name of the column for a role: as `given`, else the first of `names` that it has.

        `Query ID` counts as `query_id`, where no column has the very name.
        """
        if role not in given:
            alike = {folded(name): name for name in [*self.columns][::-1]} | {
                name: name for name in self.columns
            }
            return next((alike[name] for name in names if name in alike), None)
        if given[role] not in self.columns:
            raise InputError(f"no column is called {given[role]!r}; there are {listed(list(self.columns))}")
        return given[role]

    def label(self, row: int, role: str, column: str) -> str:
        """Return the name in a cell, which may not be empty."""
        value = self.columns[column][row]
        if is_missing(value):
            raise self.error(row, f"the {role} is empty")
        return text_of_name(value)

    def segments(self, query: str, segment: str, left_out: Callable[[str, Any], bool]) -> dict[str, str]:
        """Return the segment of each query from two columns; `left_out` tells names that are no queries."""
        found: dict[str, str] = {}
        for row, value in enumerate(self.columns[segment]):
            name = self.label(row, "query", query)
            if left_out(name, value):
                continue
            if is_missing(value):
                raise self.error(row, f"query {name!r} has no segment, found {value!r}: give it one")
            add_segment(found, name, text_of_name(value), partial(self.error, row))
        return found


def add_segment(
    segments: dict[str, str], query: str, segment: str, error: Callable[[str], InputError] = InputError
) -> None:
    """Add the segment of a query, which may not have another."""
    if (before := segments.setdefault(query, segment)) != segment:
        raise error(f"query {query!r} is in two segments, {before} and {segment}")


def text_of_name(value: Any) -> str:
    """Return a name as a text; frames hold whole numbers as floating-point ones where one is missing."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def folded(name: str) -> str:
    """Return the name of a column in lower case, with `_` for spaces."""
    return name.strip().lower().replace(" ", "_")


def named_columns(source: Any) -> NamedColumns:
    """Return all columns of a file, a frame, or a mapping of columns to their values."""
    kind = kind_of_source(source)
    if kind == FILE:
        with name_file_in_errors(source), on_disk(source) as file:
            table = _of_file(file)
    elif kind == FRAME:
        table = _of_frame(source)
    elif kind == MAPPING:
        for name, values in source.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise InputError(f"column {str(name)!r} is {kind_of(values)}, expected a list of values")
        table = NamedColumns({str(name): list(values) for name, values in source.items()})
    else:
        raise UsageError(f"found {kind_of(source)}, expected a file, a frame or a dict with named columns")
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
    refuse_utf16(start)
    if start.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)):
        return _of_arrow([path])
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"{", b"[", b"}", b"]"):
        return _of_json(file)
    return NamedColumns(*columns_of_text(file))


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
        pandas = library_of(frame) == "pandas"
        if pandas and frame.columns.nlevels > 1:
            levels = f"the columns have {frame.columns.nlevels} levels of names"
            raise InputError(f"{levels}, expected one: join them, or turn levels into rows with `stack`")
        names = {folded(str(name)) for name in frame.columns}
        if pandas and {*QUERIES} & {folded(str(name)) for name in frame.index.names} - names:
            frame = frame.reset_index()
        known = narwhals.from_native(frame, pass_through=True)
        if isinstance(known, narwhals.LazyFrame):
            known = known.collect()
        if isinstance(known, narwhals.DataFrame):
            return NamedColumns({str(name): known[name].to_list() for name in known.columns})
        arrow = pyarrow_module("an Arrow stream")
        table = arrow.RecordBatchReader.from_stream(frame).read_all()
        return NamedColumns({name: table[name].to_pylist() for name in table.column_names})


def _of_records(records: Iterable[tuple[Any, Any]]) -> NamedColumns:
    """Return the columns of objects of JSON, which may lack some."""
    rows: list[Mapping[str, Any]] = []
    for where, record in records:
        if not isinstance(record, Mapping):
            raise InputError(f"record {where}: found {kind_of(record)}, expected an object with named fields")
        rows.append(record)
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
