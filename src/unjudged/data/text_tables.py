"""CSV, TSV and JSON lines, block by block, with the line of every row; JSON in one piece; names in texts.

Python's `csv` and `json` read them. pyarrow reads 7 million rows in half a second instead of seven, but its
import takes 75 ms and 36 MB, a quarter of the time of a small evaluation; it takes as much room as NumPy and
SciPy together, and most of its errors name no line.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from os import urandom
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import FORMULA, counted, kind_of
from unjudged.data.columns import LONGEST_LINE, endless_line, is_header, no_rows
from unjudged.data.streams import PathLike, Start, name_file_in_errors, on_disk, opened, read_whole
from unjudged.data.tables import NO_LINES, encode
from unjudged.data.tabular import Tabular, TabularBlock

BLOCK = 1 << 9
"""Rows at a time. Thousands would be looked through again and again by Python's garbage collector."""
CHARACTERS = 1 << 16
"""How much of a file is split into lines at a time."""
BYTES_OF_JSON = 16
"""About how many bytes of memory a byte of JSON takes as Python's objects."""
DELIMITERS = "\t,;"
NESTED = "nested"
"""The only column of a JSON file that has no columns: `{query: {measure: value}}`."""
NAME_KEYS = ("docno", "doc_id", "_id", "id", "docid", "query_id", "qid", "number", "num")
"""Keys of a JSON object that name it, the first of them before the others."""
BYTES_AT_ONCE = 1 << 22
LONGEST_RECORD = 1 << 25

_SEPARATOR = urandom(16).hex()
_BETWEEN = f',"{_SEPARATOR}",'

Lines = list[bytes]


def lines_of(file: PathLike) -> Iterator[str]:
    """The lines of a file, none of them endless."""
    with opened(file) as stream:
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


def header_of(line: str, delimiters: str = DELIMITERS) -> tuple[list[str], str]:
    """Return the fields in a line of text, and what separates them; none if nothing does."""
    delimiter = next((mark for mark in delimiters if mark in line), "")
    if not delimiter:
        return [], ""
    import csv

    try:
        return next(csv.reader([line], delimiter=delimiter), []), delimiter
    except csv.Error:
        return [], delimiter


class Headless(NamedTuple):
    """The columns of a file without a header, and how its first line differs from one."""

    columns: Sequence[str]
    are_data: Callable[[Sequence[str]], bool]


def open_text(file: PathLike, headless: Headless | None = None) -> Tabular:
    """Return the columns of CSV or TSV, or of words if nothing else separates them.

    Comments may stand before the header, and among lines of words.
    """
    numbered = enumerate(lines_of(file))
    before, first = next((one for one in numbered if one[1].strip() and one[1][0] != "#"), (-1, ""))
    if before < 0:
        raise InputError("the file is empty")
    header, delimiter = header_of(first.rstrip("\r\n"))
    if delimiter and not header:
        raise InputError(f"the first line is {quoted(first)}, expected names of columns", line=before + 1)
    names: Sequence[str] = [name.strip() for name in header] or first.split()
    begin = before + 1
    if headless is not None and headless.are_data([name for name in names if name]):
        names, begin = headless.columns, before
    elif headless is not None and (twice := next((n for n in names if names.count(n) > 1), None)):
        raise InputError(f"two columns have the name {quoted(twice)}, expected one", line=begin)
    return Tabular(names, partial(_blocks_of_text, file, names, begin, delimiter), on_cores=False)


def _blocks_of_text(
    file: PathLike, header: Sequence[str], begin: int, delimiter: str, names: Sequence[str]
) -> Iterator[Callable[[], TabularBlock]]:
    """Yield blocks of some columns of the lines from `begin` on."""
    import csv

    lines = islice(lines_of(file), begin, None)
    if delimiter:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
    else:
        words = ("" if line[0] == "#" else line.split(None, len(header) - 1) for line in lines)
        reader = csv.reader(map("\t".join, words), delimiter="\t", quoting=csv.QUOTE_NONE)
    places = {name: header.index(name) for name in names}
    try:
        while read := [(reader.line_num + begin, row) for row in islice(reader, BLOCK)]:
            if {len(row) for _, row in read} != {len(header)}:
                read = [(line, row) for line, row in read if len(row) > 1 or "".join(row).strip()]
                for line, row in read:
                    if len(row) != len(header):
                        found = f"{quoted((delimiter or ' ').join(row))} has {counted(len(row), 'field')}"
                        raise InputError(f"{found}, expected {len(header)}: {', '.join(header)}", line=line)
            if read:
                columns = [*zip(*(row for _, row in read), strict=True)]
                values = {name: columns[place] for name, place in places.items()}
                yield partial(TabularBlock, values, np.array([line for line, _ in read], np.int64))
    except csv.Error as error:
        problem = f"{error}, expected fields as in the header"
        raise InputError(problem, line=reader.line_num + begin) from None


def open_json_lines(file: PathLike) -> Tabular:
    """Return the fields of objects, one on each line; the first one names the columns."""
    first = next(records_in(enumerate(lines_of(file), 1)), None)
    if first is None:
        raise no_rows()

    def blocks(names: Sequence[str]) -> Iterator[Callable[[], TabularBlock]]:
        lines, number = lines_of(file), 1
        while block := list(islice(lines, BLOCK)):
            numbers = np.arange(number, number := number + len(block))
            if any(map(str.isspace, block)):
                numbers = numbers[[not line.isspace() for line in block]]
                block = [line for line in block if not line.isspace()]
            if block:
                found = _columns_at_once(block, names)
                if found is None:
                    records = [record for _, record in records_in(zip(numbers.tolist(), block, strict=True))]
                    found = {name: [record.get(name) for record in records] for name in names}
                yield partial(TabularBlock, found, numbers)

    return Tabular(list(first[1]), blocks, on_cores=False)


def records_in(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the object on each line that is not empty, after the number of the line."""
    import json

    for number, line in lines:
        if line.isspace():
            continue
        try:
            record = json.loads(line, object_pairs_hook=without_repeats)
        except (ValueError, RecursionError) as error:
            problem = f"cannot be read as JSON: {error}, expected one object per line"
            raise InputError(problem, line=number) from None
        except InputError as error:
            raise InputError(error.problem, line=number) from None
        if not isinstance(record, Mapping):
            raise InputError(f"holds {kind_of(record)}, expected an object with fields", line=number)
        yield number, record


def _columns_at_once(texts: list[str], wanted: Sequence[str]) -> dict[str, Sequence[Any]] | None:
    """Return the values of some fields; None if the fields of two lines differ, or something is wrong.

    Lines are parsed as one list, which takes half the time. Between two of them is a name that no file can
    know, so each must be one value. An object becomes a tuple of pairs, an array stays a list.
    """
    import json

    joined = f"[{_BETWEEN.join(texts)}]"
    try:
        values = json.loads(joined, object_pairs_hook=tuple)
        records = values[::2]
        if values[1::2] != [_SEPARATOR] * (len(texts) - 1) or set(map(type, records)) != {tuple}:
            return None
        columns = dict[str, Sequence[Any]]()
        for pairs in zip(*records, strict=True):
            names, column = zip(*pairs, strict=True)
            if len(set(names)) > 1 or names[0] in columns:
                return None
            columns[names[0]] = column
    except (ValueError, RecursionError):
        return None
    if not columns.keys() >= {*wanted}:
        return None
    inside = joined.count("{") > len(texts) and any(tuple in map(type, columns[name]) for name in wanted)
    return None if inside else columns


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; a key that is there twice is an error."""
    data = dict(pairs)
    if len(data) < len(pairs):
        from collections import Counter

        repeated, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"{quoted(repeated)} appears twice in one dictionary, expected each name once")
    return data


def read_json(file: PathLike) -> Any:
    """Return what a file of JSON holds in one piece."""
    import json

    text = read_whole(file, BYTES_OF_JSON)
    try:
        return json.loads(text, object_pairs_hook=without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read as JSON: {error}") from None


def is_delimited(start: Start) -> bool:
    """Whether the first line that is no comment has names of columns."""
    lines = start.data.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape").split("\n")
    first = next((line for line in lines if line.strip() and line[0] != "#"), "")
    return is_header(header_of(first.rstrip("\r"))[0], start.columns)


def is_json(data: bytes) -> bool:
    """Whether a file starts as JSON does."""
    text = data.removeprefix(BOM_UTF8).lstrip()
    return text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"}", b"{", b"[", b"]")


def is_json_lines(start: Start) -> bool:
    """Whether it is JSON lines: the first line is an object, and another follows or it has a document."""
    if not is_json(start.data):
        return False
    import json

    lines = filter(str.strip, lines_of(start.file))
    try:
        data, other = json.loads(next(lines)), next(lines, "")
    except (ValueError, RecursionError, InputError):
        return False
    if not isinstance(data, dict) or other.lstrip()[:1] not in ("{", ""):
        return False
    return bool(other) or is_header(list(data), start.columns)


def text_of_field(field: str) -> str:
    """Return a field without white space, and without the quote before what would be a formula."""
    text = field.strip()
    return text[1:] if text[:1] == "'" and text.lstrip("'").startswith(tuple(FORMULA)) else text


def read_objects(file: PathLike, start: Start) -> TabularBlock:
    """Return the fields of JSON lines, of a list of objects, of one, or of the rows of `--format json`."""
    if is_json_lines(start):
        lines, data = zip(*records_in(enumerate(lines_of(file), 1)), strict=True)
        return _of_records(data, np.array(lines, np.int64))
    data = read_json(file)
    if isinstance(data, Mapping) and isinstance(data.get("rows"), list):
        data = data["rows"]
    if isinstance(data, list):
        return _of_records(data)
    nested = not data or any(isinstance(value, Mapping) for value in data.values())
    return TabularBlock({NESTED: [data]}) if nested else _of_records([data])


def _of_records(records: Sequence[Any], lines: NDArray[np.int64] = NO_LINES) -> TabularBlock:
    """Return the columns of objects of JSON, which may lack some."""
    for where, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(f"record {where}: found {kind_of(record)}, expected an object with named fields")
    every = dict.fromkeys(name for record in records for name in record)
    return TabularBlock({str(name): [row.get(name) for row in records] for name in every}, lines)


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
        for number, lines in blocks_of_lines(source):
            if read is None:
                first = next((line for line in lines if line.strip()), None)
                read = None if first is None else _name_reader(first)
            yield [] if read is None else read(number, lines)


def blocks_of_lines(source: str) -> Iterator[tuple[int, Lines]]:
    """Yield the lines of a file in blocks, each after the number of its first line."""
    rest, number = b"", 1
    with on_disk(source) as file, opened(file) as stream:
        while piece := stream.read(BYTES_AT_ONCE):
            *lines, rest = (rest + (piece.removeprefix(BOM_UTF8) if number == 1 else piece)).split(b"\n")
            if len(rest) > LONGEST_RECORD:
                problem = f"longer than {LONGEST_RECORD >> 20} MB, expected one document per line"
                raise InputError(problem, line=number + len(lines))
            yield number, lines
            number += len(lines)
    yield number, [rest]


def _name_reader(first: bytes) -> Callable[[int, Lines], Lines]:
    """Return what reads the names of lines like the first one."""
    if first.lstrip()[:1] != b"{":
        return lambda _, lines: [name for line in lines if (name := line.partition(b"\t")[0].strip())]
    record = record_of(first, 1)
    key = next(name for name in NAME_KEYS if record.get(name) not in (None, ""))
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
        problem = f"no name among the keys, expected one of {', '.join(NAME_KEYS)}"
        raise InputError(problem, line=number)
    return record


def name_of(record: Mapping[str, Any]) -> str:
    """Return the name that a record has, or nothing."""
    return first_field(record, NAME_KEYS)


def first_field(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Return the first of these fields that has something, as text."""
    return next((str(record[key]).strip() for key in keys if record.get(key) not in (None, "")), "")
