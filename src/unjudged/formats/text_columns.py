"""Columns of small text files with any names, read whole; and which cells are numbers or missing."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import dropwhile
from math import isnan
from typing import Any

from unjudged.base.errors import InputError
from unjudged.formats.limits import BYTES_OF_TEXT
from unjudged.formats.readers.delimited import DELIMITERS, fields_in, lines_of
from unjudged.formats.streams import PathLike

MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "<NA>"})
"""Texts that stand for a missing name or value."""
NO_VALUE = frozenset({"-", "--", "na", "n/a", "#n/a", "nan", "null", "none"})
"""Further texts for a missing number, in upper or lower case; a system or query may have such a name."""
TextColumns = tuple[dict[str, list[str]], list[int], bool]
"""Columns, lines of the file that their values stand on, and whether there is no header."""


def columns_of_text(file: PathLike) -> TextColumns:
    """Read CSV, TSV or what is separated by semicolons, with a header, or the output of `trec_eval -q`."""
    numbered = dropwhile(lambda line: not line[1].strip(), enumerate(lines_of(file, BYTES_OF_TEXT), 1))
    start, first = next(numbered, (0, ""))
    if not start:
        raise InputError("the file is empty")
    lines, first = (line for _, line in numbered), first.rstrip("\r\n")
    delimiter = next((mark for mark in DELIMITERS if mark in first), None)
    fields = first.split() if delimiter is None else fields_in([first], delimiter)
    header = [field.strip() for field in fields]
    if len(header) == 3 and (is_number(header[2]) or header[0] == "runid"):
        return _without_header(first, lines, start)
    if problem := _problem_of(first, header, delimiter):
        raise InputError(problem, line=start)
    rows: list[list[str]] = []
    numbers: list[int] = []
    reader = csv.reader(lines, delimiter=delimiter or ",", strict=True)
    try:
        for row in reader:
            if row and len(row) != len(header):
                problem = f"expected {len(header)} fields, as in the header, found {len(row)}"
                raise InputError(problem, line=reader.line_num + start)
            if row:
                rows.append(row)
                numbers.append(reader.line_num + start)
    except csv.Error as error:
        raise InputError(f"{error}, expected fields as in the header", line=reader.line_num + start) from None
    columns = {name: [row[k].strip() for row in rows] for k, name in enumerate(header)}
    if delimiter == ";":
        columns = {name: _with_points(column) for name, column in columns.items()}
    return columns, numbers, False


def _problem_of(first: str, header: list[str], delimiter: str | None) -> str:
    """Return why a first line is no header; nothing if it is one."""
    line, words = f"the first line is {first[:60]!r}", first.split()
    if len(words) == 6 and is_number(words[4]):
        return f"{line}: is it a run? Leave out --scores"
    if len(words) == 4 and is_number(words[3]):
        return f"{line}: is it a file of judgments? Leave out --scores"
    if delimiter is None or not header:
        expected = "names of columns with tabs or commas between, or the output of `trec_eval -q`"
        return f"{line}, expected {expected}"
    twice = [name for name in header if header.count(name) > 1]
    return f"two columns have the name {twice[0]!r}, expected one" if twice else ""


def _with_points(column: list[str]) -> list[str]:
    """Return a column with decimal commas, as spreadsheets write beside semicolons, with points."""
    whole = [re.fullmatch(r"[+-]?(\d+|\d*,\d+)", text) for text in column if not has_no_value(text)]
    return [text.replace(",", ".") for text in column] if all(whole) else column


def _without_header(first: str, lines: Iterable[str], start: int) -> TextColumns:
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, line in enumerate([first, *lines], start):
        fields = line.split(None, 2)
        if fields and len(fields) != 3:
            raise InputError(f"expected three fields, as on the first line, found {len(fields)}", line=number)
        if fields:
            rows.append([field.strip() for field in fields])
            numbers.append(number)
    columns = {str(k): list(column) for k, column in enumerate(zip(*rows, strict=True))}
    return columns, numbers, True


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
