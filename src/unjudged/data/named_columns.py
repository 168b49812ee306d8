"""Small tables with named columns, held whole, from any source: scores by query, segments, groups."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, dropwhile, islice
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import counted, kind_of
from unjudged.data.arrow_files import MAGIC, open_arrow
from unjudged.data.columns import NAMES, first_of, folded, given_column, no_rows
from unjudged.data.frames import library_errors, library_of, open_frame
from unjudged.data.limits import check
from unjudged.data.sources import FILE, FRAME, MAPPING, kind_of_source, refuse_utf16
from unjudged.data.streams import PathLike, name_file_in_errors, on_disk, opened, read_whole
from unjudged.data.tabular import Block, Tabular
from unjudged.data.text_tables import (
    BLOCK,
    BYTES_OF_JSON,
    header_of,
    is_json,
    lines_of,
    open_delimited,
    records_in,
    without_repeats,
)

QUERIES = (*NAMES["query"], "question", "user_input")
"""Names of columns with queries, where documents have none."""
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "<NA>"})
"""Texts that stand for a missing name or value."""
NO_VALUE = frozenset({"-", "--", "na", "n/a", "#n/a", "nan", "null", "none"})
"""Further texts for a missing number, in upper or lower case; a system or query may have such a name."""
NESTED = "nested"
"""The only column of a JSON file that has no columns: `{query: {measure: value}}`."""


class Headless(NamedTuple):
    """The columns of a file without a header, and what tells its first line from one."""

    columns: Sequence[str]
    are_data: Callable[[Sequence[str]], bool]


@dataclass(frozen=True, eq=False)
class NamedColumns:
    """Values by column, all of one length; `lines` are the lines of a file that they stand on."""

    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def error(self, row: int, problem: str) -> InputError:
        """Return an error about one row."""
        if self.lines:
            return InputError(problem, line=self.lines[row])
        return InputError(f"row {row} (from 0): {problem}")

    def column(self, role: str, given: Mapping[str, str], names: Sequence[str]) -> str | None:
        """Return the name of the column for a role: as `given`, else the first of `names` that it has."""
        return given_column(given[role], [*self.columns]) if role in given else first_of(names, self.columns)

    def label(self, row: int, role: str, column: str) -> str:
        """Return the name in a cell, which may not be empty."""
        value = self.columns[column][row]
        if is_missing(value):
            raise self.error(row, f"the {role} is empty")
        return text_of_name(value)

    def labels(
        self,
        of: tuple[str, str],
        by: tuple[str, str],
        left_out: Callable[[str, Any], bool] | None = None,
    ) -> dict[str, str]:
        """Return the label of each name, each a role and its column; `left_out` tells names that are none."""
        (role, column), (kind, own) = of, by
        found: dict[str, str] = {}
        for row, value in enumerate(self.columns[own]):
            name = self.label(row, role, column)
            if left_out is not None and left_out(name, value):
                continue
            if is_missing(value):
                raise self.error(row, f"{role} {name!r} has no {kind}, found {value!r}: give it one")
            add_label(found, name, text_of_name(value), of=role, kind=kind, error=partial(self.error, row))
        return found


def add_label(
    labels: dict[str, str],
    name: str,
    label: str,
    *,
    of: str = "query",
    kind: str = "segment",
    error: Callable[[str], InputError] = InputError,
) -> None:
    """Add the label of a name, which may not have another."""
    if (before := labels.setdefault(name, label)) != label:
        raise error(f"{of} {name!r} is in two {kind}s, {before} and {label}")


def text_of_name(value: Any) -> str:
    """Return a name as a text; frames hold whole numbers as floating-point ones where one is missing."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


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
    """Whether a cell is empty: no value, not a number, or what says so as a text, such as pandas' NA."""
    if isinstance(value, float):
        return isnan(value)
    return value is None or str(value).strip() in MISSING


def has_no_value(value: Any) -> bool:
    """Whether a cell of numbers has none."""
    return is_missing(value) or (isinstance(value, str) and value.strip().lower() in NO_VALUE)


def named_columns(source: Any, headless: Headless) -> NamedColumns:
    """Return all columns of a file, a frame, or a mapping of columns to their values.

    `headless` says what a file of text is that has no header.
    """
    kind = kind_of_source(source)
    if kind == FILE:
        with name_file_in_errors(source), on_disk(source) as file:
            table = _of_file(file, headless)
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


def _of_file(file: PathLike, headless: Headless) -> NamedColumns:
    if os.path.isdir(file):
        return _held(open_arrow(file))
    with opened(file) as stream:
        start = stream.read(1 << 10) or b""
    refuse_utf16(start)
    if start.startswith(MAGIC):
        return _held(open_arrow(file))
    return _of_json(file) if is_json(start) else _of_text(file, headless)


def _held(source: Tabular) -> NamedColumns:
    """Return all rows, as far as memory allows."""
    columns: dict[str, list[Any]] = {name: [] for name in source.columns}
    lines: list[int] = []
    taken = 0
    for make in source.blocks([*columns]):
        block = make()
        for name, column in columns.items():
            values = block.values(name)
            column.extend(values)
            taken += sum(map(sys.getsizeof, values))
        lines += block.lines.tolist()
        check("MEMORY", taken)
    return NamedColumns(columns, lines)


def _of_text(file: PathLike, headless: Headless) -> NamedColumns:
    """Read CSV or TSV with a header, or lines without one, after blank lines and comments."""
    numbered = enumerate(lines_of(file), 1)
    start, first = next(dropwhile(lambda line: _is_blank(line[1]), numbered), (0, ""))
    if not start:
        raise InputError("the file is empty")
    header, delimiter = header_of(first.rstrip("\r\n"))
    if delimiter and not header:
        raise InputError(f"the first line is {quoted(first)}, expected names of columns", line=start)
    header = [name.strip() for name in header] or first.split()
    if headless.are_data([name for name in header if name]):
        return _held(_open_lines(chain([(start, first)], numbered), headless.columns, delimiter))
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise InputError(f"two columns have the name {quoted(twice)}, expected one", line=start)
    if not delimiter:
        return _held(_open_lines(numbered, header, ""))
    table = _held(open_delimited(file, start - 1))
    stripped = {name.strip(): [cell.strip() for cell in cells] for name, cells in table.columns.items()}
    if delimiter == ";":
        stripped = {name: _with_points(column) for name, column in stripped.items()}
    return NamedColumns(stripped, table.lines)


def _is_blank(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _with_points(column: list[str]) -> list[str]:
    """Return a column with decimal commas, as spreadsheets write beside semicolons, with points."""
    whole = [re.fullmatch(r"[+-]?(\d+|\d*,\d+)", text) for text in column if not has_no_value(text)]
    return [text.replace(",", ".") for text in column] if all(whole) else column


def _open_lines(numbered: Iterator[tuple[int, str]], names: Sequence[str], delimiter: str) -> Tabular:
    """Return lines of some fields, with commas or semicolons between, or spaces and tabs."""

    def fields_of(number: int, line: str) -> list[str]:
        words = line.split(None, len(names) - 1)
        if delimiter in (",", ";"):
            words = header_of(line.rstrip("\r\n"), delimiter)[0] or [line]
        fields = [*filter(None, map(str.strip, words))]
        if len(fields) != len(words) or len(fields) != len(names):
            problem = f"{quoted(line.rstrip())} has {counted(len(words), 'field')}"
            raise InputError(f"{problem}, expected {len(names)}: {', '.join(names)}", line=number)
        return fields

    def blocks(_: Sequence[str]) -> Iterator[Callable[[], Block]]:
        lines = ((number, line) for number, line in numbered if not _is_blank(line))
        while some := list(islice(lines, BLOCK)):
            columns = zip(*[fields_of(*line) for line in some], strict=True)
            numbers = np.array([number for number, _ in some], np.int64)
            yield partial(Block, dict(zip(names, columns, strict=True)), numbers)

    return Tabular(names, blocks)


def _of_frame(frame: Any) -> NamedColumns:
    import narwhals

    with library_errors():
        frame = narwhals.to_native(frame, pass_through=True)
        pandas = library_of(frame) == "pandas"
        if pandas and frame.columns.nlevels > 1:
            levels = f"the columns have {frame.columns.nlevels} levels of names"
            raise InputError(f"{levels}, expected one: join them, or turn levels into rows with `stack`")
        names = {folded(str(name)) for name in frame.columns} if pandas else set()
        if pandas and {*QUERIES} & {folded(str(name)) for name in frame.index.names} - names:
            frame = frame.reset_index()
        known = narwhals.from_native(frame, pass_through=True)
        if isinstance(known, narwhals.LazyFrame):
            known = known.collect()
        if isinstance(known, narwhals.DataFrame):
            return NamedColumns({str(name): known[name].to_list() for name in known.columns})
        return _held(open_frame(frame))


def _of_json(file: PathLike) -> NamedColumns:
    """Read JSON lines, a list of objects, one object, or the rows that `--format json` has."""
    import json

    try:
        data = json.loads(read_whole(file, BYTES_OF_JSON), object_pairs_hook=without_repeats)
    except (ValueError, RecursionError):
        lines, data = zip(*records_in(enumerate(lines_of(file), 1)), strict=True)
        return _of_records(data, lines)
    if isinstance(data, Mapping) and isinstance(data.get("rows"), list):
        data = data["rows"]
    if isinstance(data, list):
        return _of_records(data)
    nested = not data or any(isinstance(value, Mapping) for value in data.values())
    return NamedColumns({NESTED: [data]}) if nested else _of_records([data])


def _of_records(records: Sequence[Any], lines: Sequence[int] = ()) -> NamedColumns:
    """Return the columns of objects of JSON, which may lack some."""
    for where, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(f"record {where}: found {kind_of(record)}, expected an object with named fields")
    every = dict.fromkeys(name for record in records for name in record)
    return NamedColumns({str(name): [row.get(name) for row in records] for name in every}, lines)
