"""Small tables, held whole with Python's values, from any source: scores by query, segments, groups."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import FORMULA, counted, kind_of
from unjudged.data.columns import no_rows
from unjudged.data.frames import collected, is_arrow, open_arrow, open_frame
from unjudged.data.limits import check
from unjudged.data.sources import FILE, FRAME, MAPPING, kind_of_source, start_of
from unjudged.data.streams import PathLike, name_file_in_errors, on_disk, read_whole
from unjudged.data.tables import NO_LINES
from unjudged.data.tabular import Block, Tabular
from unjudged.data.text_tables import (
    BYTES_OF_JSON,
    header_of,
    is_json,
    lines_of,
    records_in,
    without_repeats,
)

BYTES_OF_A_ROW = 180
"""Memory of a row of text besides its fields: a list of them, the number of its line, places in columns."""
NESTED = "nested"
"""The only column of a JSON file that has no columns: `{query: {measure: value}}`."""


class Headless(NamedTuple):
    """The columns of a file without a header, and how its first line differs from one."""

    columns: Sequence[str]
    are_data: Callable[[Sequence[str]], bool]


def read_small_table(source: Any, headless: Headless) -> Block:
    """Return all columns of a file, a frame, or a mapping of columns to their values.

    `headless` says what a file of text is that has no header.
    """
    kind = kind_of_source(source)
    if kind == FILE:
        with name_file_in_errors(source), on_disk(source) as file:
            table = _of_file(file, headless)
    elif kind == FRAME:
        table = _held(open_frame(collected(source)))
    elif kind == MAPPING:
        for name, values in source.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise InputError(f"column {str(name)!r} is {kind_of(values)}, expected a list of values")
        table = Block({str(name): list(values) for name, values in source.items()})
    else:
        raise UsageError(f"found {kind_of(source)}, expected a file, a frame or a dict with named columns")
    lengths = {len(values) for values in table.columns.values()}
    if len(lengths) > 1:
        raise InputError("the columns have different lengths")
    if not lengths or not lengths.pop():
        raise no_rows()
    check("ROWS", len(table))
    return table


def _of_file(file: PathLike, headless: Headless) -> Block:
    start = start_of(file)
    if is_arrow(start):
        return _held(open_arrow(file))
    return _of_json(file) if is_json(start.data) else _of_text(file, headless)


def _held(source: Tabular) -> Block:
    """Return all rows, as far as memory allows."""
    columns: dict[str, list[Any]] = {name: [] for name in source.columns}
    taken = 0
    for make in source.blocks([*columns]):
        for name, values in make().values().items():
            columns[name].extend(values)
            taken += sum(map(sys.getsizeof, values))
        check("MEMORY", taken)
    return Block(columns)


def _of_text(file: PathLike, headless: Headless) -> Block:
    """Read CSV or TSV, or lines of words; comments may stand before the header, or among lines of words."""
    numbered = ((number, line) for number, line in enumerate(lines_of(file), 1) if line.strip())
    lines: Iterator[tuple[int, str]] = filter(_is_no_comment, numbered)
    start, first = next(lines, (0, ""))
    if not start:
        raise InputError("the file is empty")
    header, delimiter = header_of(first.rstrip("\r\n"))
    if delimiter and not header:
        raise InputError(f"the first line is {quoted(first)}, expected names of columns", line=start)
    names: Sequence[str] = [name.strip() for name in header] or first.split()
    if headless.are_data([name for name in names if name]):
        return _of_lines(chain([(start, first)], lines), headless.columns, delimiter)
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two columns have the name {quoted(twice)}, expected one", line=start)
    return _of_lines(numbered if delimiter else lines, names, delimiter)


def _of_lines(lines: Iterable[tuple[int, str]], names: Sequence[str], delimiter: str) -> Block:
    """Return the fields of numbered lines, as far as memory allows."""
    import csv

    at, taken = 1, 0

    def texts() -> Iterator[str]:
        nonlocal at
        for number, line in lines:
            at = number
            yield line

    words = (line.split(None, len(names) - 1) for line in texts())
    found, numbers = [], []
    try:
        for fields in csv.reader(texts(), delimiter=delimiter, strict=True) if delimiter else words:
            if len(fields) != len(names):
                problem = f"{quoted((delimiter or ' ').join(fields))} has {counted(len(fields), 'field')}"
                raise InputError(f"{problem}, expected {len(names)}: {', '.join(names)}", line=at)
            found.append([text_of_field(field) for field in fields])
            numbers.append(at)
            taken += BYTES_OF_A_ROW + sum(map(sys.getsizeof, fields))
            check("MEMORY", taken)
    except csv.Error as error:
        raise InputError(f"{error}, expected fields as in the header", line=at) from None
    columns = zip(*found, strict=True) if found else [()] * len(names)
    return Block(dict(zip(names, columns, strict=True)), np.array(numbers, np.int64))


def text_of_field(field: str) -> str:
    """Return a field without white space, and without the quote before what would be a formula."""
    text = field.strip()
    return text[1:] if text[:1] == "'" and text.lstrip("'").startswith(tuple(FORMULA)) else text


def _is_no_comment(numbered: tuple[int, str]) -> bool:
    return not numbered[1].startswith("#")


def _of_json(file: PathLike) -> Block:
    """Read JSON lines, a list of objects, one object, or the rows that `--format json` has."""
    import json

    try:
        data = json.loads(read_whole(file, BYTES_OF_JSON), object_pairs_hook=without_repeats)
    except (ValueError, RecursionError):
        lines, data = zip(*records_in(enumerate(lines_of(file), 1)), strict=True)
        return _of_records(data, np.array(lines, np.int64))
    if isinstance(data, Mapping) and isinstance(data.get("rows"), list):
        data = data["rows"]
    if isinstance(data, list):
        return _of_records(data)
    nested = not data or any(isinstance(value, Mapping) for value in data.values())
    return Block({NESTED: [data]}) if nested else _of_records([data])


def _of_records(records: Sequence[Any], lines: NDArray[np.int64] = NO_LINES) -> Block:
    """Return the columns of objects of JSON, which may lack some."""
    for where, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(f"record {where}: found {kind_of(record)}, expected an object with named fields")
    every = dict.fromkeys(name for record in records for name in record)
    return Block({str(name): [row.get(name) for row in records] for name in every}, lines)
