"""CSV and TSV with a header, such as BEIR's qrels, as tables, one block at a time."""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.formats.columns import (
    LONGEST_LINE,
    NONE,
    Layout,
    columns_of,
    descending,
    endless_line,
    expected,
    is_header,
    layout_of,
    unfit,
)
from unjudged.formats.limits import BYTES_OF_TEXT
from unjudged.formats.matching import grouped
from unjudged.formats.reader import File, Start, reader_in_blocks
from unjudged.formats.readers.several_runs import OneRun, by_name, column_of_runs, without_run
from unjudged.formats.streams import PathLike, opened
from unjudged.formats.tables import Ids, Table

BLOCK = 1 << 16
CHARACTERS = 1 << 16
"""How much of a file is split into lines at a time."""
DELIMITERS = "\t,;"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
Lines = list[tuple[int, list[str]]]


def delimiter_of(first_line: str, given: Mapping[str, str] = NONE) -> str | None:
    """What separates the names of a header; None if the line is not a header."""
    for delimiter in DELIMITERS:
        if is_header(fields_in([first_line], delimiter), given):
            return delimiter
    return None


def _read(file: File, number: str, held: int) -> tuple[Layout, Iterator[Table]]:
    """The columns, and the rows in blocks."""
    header, blocks = header_and_blocks(file.file, file.columns, held)
    columns = columns_of(header, number, file.columns)
    places = {role: header.index(name) for role, name in columns.items()}
    return layout_of(columns), (table_of_lines(block, places, len(header)) for block in blocks)


def header_and_blocks(
    file: PathLike, given: Mapping[str, str], held: int = BYTES_OF_TEXT
) -> tuple[list[str], Iterator[Lines]]:
    """The names of the columns, and the rows in blocks."""
    blocks = _blocks(file, held, given)
    ((_, header),) = next(blocks)
    return header, blocks


def _blocks(file: PathLike, held: int, given: Mapping[str, str]) -> Iterator[Lines]:
    """The header on its own, then blocks of rows, each with its line."""
    import csv

    lines = lines_of(file, held)
    first = next(lines, "")
    delimiter = delimiter_of(first, given) or ","
    yield [(1, fields_in([first], delimiter))]
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        while block := [(reader.line_num + 1, row) for row in islice(reader, BLOCK)]:
            yield [(line, row) for line, row in block if row]
    except csv.Error as error:
        problem = f"{error}, expected fields as in the header"
        raise InputError(problem, line=reader.line_num + 1) from None


def lines_of(file: PathLike, held: int) -> Iterator[str]:
    """The lines of a file, none of them endless; `held` is as for `opened`."""
    with opened(file, held=held) as stream:
        buffered = cast("Any", io.BufferedReader(stream) if isinstance(stream, io.RawIOBase) else stream)
        with io.TextIOWrapper(buffered, "utf-8-sig", "surrogateescape", newline="") as text:
            number, last = 0, ""
            while piece := text.read(CHARACTERS):
                *lines, last = io.StringIO(last + piece, newline="")  # the last one may go on
                if max(map(len, [*lines, last])) > LONGEST_LINE:
                    lines = [*takewhile(lambda line: len(line) <= LONGEST_LINE, lines)]
                    yield from lines
                    raise endless_line(number + len(lines) + 1)
                number += len(lines)
                yield from lines
            if last:
                yield last


def fields_in(lines: Sequence[str], delimiter: str) -> list[str]:
    """Return the fields of the first line; none if it is no line of CSV."""
    import csv

    try:
        return next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error:
        return []


def table_of_lines(block: Lines, places: Mapping[str, int], width: int) -> Table:
    for line, row in block:
        if len(row) != width:
            raise InputError(f"expected {width} fields, as in the header, found {len(row)}", line=line)
    column = {role: [row[place] for _, row in block] for role, place in places.items()}
    lines = np.array([line for line, _ in block], np.int64)
    for role in ("query", "document"):
        if "" in column[role]:
            raise InputError(f"the {role} is empty", line=int(lines[column[role].index("")]))
    queries = column.pop("query")
    starts = [i for i, query in enumerate(queries) if i == 0 or query != queries[i - 1]]
    documents = Ids.of(column.pop("document"))
    numbers = np.stack([_numbers(role, texts, lines) for role, texts in column.items()], axis=1)
    groups = np.array([*starts, len(block)], np.int64)
    return Table(Ids.of(queries[i] for i in starts), groups, documents, numbers, lines)


def _numbers(role: str, texts: list[str], lines: NDArray[np.int64]) -> NDArray[np.float64]:
    number = _NUMBER.fullmatch
    numbers = np.array([float(text) if number(text) else np.nan for text in texts], np.float64)
    bad = unfit(role, numbers)
    if role == "probability":  # may be unknown
        bad |= np.isnan(numbers) & ~np.isin(texts, ("", "NA"))
    if bad.any():
        wrong = int(np.argmax(bad))
        allowed = expected(role, float(numbers[wrong]), fractions=True)
        problem = f"the {role} is {quoted(texts[wrong])}, expected {allowed}"
        raise InputError(problem, line=int(lines[wrong]))
    return descending(role, numbers)


def _recognises(start: Start) -> bool:
    first, *_ = start.data.removeprefix(BOM_UTF8).split(b"\n", 1)
    if not set(first) & set(DELIMITERS.encode()):
        return False
    return delimiter_of(first.decode("utf-8", "surrogateescape"), start.columns) is not None


def _split(file: File, by_tag: bool) -> dict[str, Any] | None:
    given = without_run(file.columns)
    header, blocks = header_and_blocks(file.file, given)
    column = column_of_runs(header, file.columns, by_tag)
    if column is None:
        return None
    places = {role: header.index(name) for role, name in columns_of(header, "score", given).items()}
    own = header.index(column)
    tables: dict[str, list[Table]] = {}
    for block in blocks:
        by_run: dict[str, Lines] = {}
        for line, row in block:
            by_run.setdefault(row[own] if own < len(row) else "", []).append((line, row))
        for run, rows in by_run.items():
            tables.setdefault(run, []).append(table_of_lines(rows, places, len(header)))
    return by_name((run, OneRun(grouped(Table.joined(parts)))) for run, parts in tables.items())


READER = reader_in_blocks("text with a header", _recognises, _read, _split, BYTES_OF_TEXT)
