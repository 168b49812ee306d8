"""JSON lines, one object per document, as tables, one block at a time."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from os import urandom
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.columns import Layout, columns_of, descending, is_header, layout_of, no_rows, unfit
from unjudged.formats.reader import File, Start, reader_in_blocks
from unjudged.formats.readers.delimited import lines_of
from unjudged.formats.readers.json_dicts import BYTES_OF_JSON, is_json, without_repeats
from unjudged.formats.readers.mappings import identifier, table_of_rows
from unjudged.formats.readers.several_runs import OneRun, by_name, column_of_runs, without_run
from unjudged.formats.streams import PathLike
from unjudged.formats.tables import Ids, Table

BLOCK = 1 << 9
_SEPARATOR = urandom(16).hex()
_BETWEEN = f',"{_SEPARATOR}",'


def objects(file: PathLike, held: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the value on each line, with what errors call the line."""
    return _values(enumerate(lines_of(file, held), 1))


def _values(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[str, Any]]:
    import json

    for number, line in lines:
        if line.strip():
            try:
                yield f"line {number}", json.loads(line, object_pairs_hook=without_repeats)
            except (ValueError, RecursionError) as error:
                problem = f"cannot be read as JSON: {error}, expected one object per line"
                raise InputError(problem, line=number) from None
            except InputError as error:
                raise InputError(error.problem, line=number) from None


def _read(file: File, number: str, held: int) -> tuple[Layout, Iterator[Table]]:
    """The columns, and the rows in blocks."""
    blocks = _blocks(lines_of(file.file, held))
    for block in blocks:
        if first := next(_values(enumerate(block[1], block[0])), None):
            break
    else:
        raise no_rows()
    if not isinstance(first[1], Mapping):
        raise InputError("expected one JSON object per line", line=1)
    columns = columns_of(list(first[1]), number, file.columns)
    return layout_of(columns), (_table(*block, columns) for block in chain([block], blocks))


def _blocks(lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield some lines after another, and the number of the first. Few at once stay in the cache."""
    first = 1
    while block := list(islice(lines, BLOCK)):
        yield first, block
        first += len(block)


def _table(first: int, lines: list[str], columns: Mapping[str, str]) -> Table:
    return _table_at_once(lines, columns) or _table_of(_values(enumerate(lines, first)), columns)


def _table_of(records: Iterable[tuple[str, Any]], columns: Mapping[str, str]) -> Table:
    """Objects, each with what errors call its line, as a table with the rows of each query together."""
    return table_of_rows([_row(where, record, columns) for where, record in records], tuple(columns)[2:])


def _row(where: str, record: Any, columns: Mapping[str, str]) -> tuple[Any, ...]:
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: holds {kind_of(record)}, expected an object with fields")
    for name in columns.values():
        if name not in record:
            raise InputError(f"{where}: no field {quoted(name)}, which the first object has")
    query, document, *numbers = (record[name] for name in columns.values())
    names = {"query": identifier(query), "document": identifier(document)}
    for role, name in names.items():
        if not isinstance(name, str):
            raise InputError(f"{where}: the {role} is {kind_of(name)}, expected text or a whole number")
    return (*names.values(), *numbers)


def _table_at_once(lines: list[str], columns: Mapping[str, str]) -> Table | None:
    """Return the rows of lines that all have the same fields in the same order; None if they do not.

    What is wrong with a line is for the general way to say.
    """
    texts = [line for line in lines if not line.isspace()]
    if not texts:
        return None
    try:
        found = _columns_of(texts)
        return _table_of_columns({role: found[name] for role, name in columns.items()})
    except (ValueError, KeyError, OverflowError, RecursionError):
        return None


def _columns_of(texts: list[str]) -> dict[str, tuple[Any, ...]]:
    """Return the values of each field; ValueError if the fields of two lines differ.

    Lines are parsed as one list. Between two of them is a name that no file can know, so each must be one
    value. An object becomes a tuple of pairs, an array stays a list.
    """
    import json

    values = json.loads(f"[{_BETWEEN.join(texts)}]", object_pairs_hook=tuple)
    records = values[::2]
    if values[1::2] != [_SEPARATOR] * (len(texts) - 1) or set(map(type, records)) != {tuple}:
        raise ValueError("a line is not one object")
    columns = dict[str, tuple[Any, ...]]()
    for pairs in zip(*records, strict=True):
        names, column = zip(*pairs, strict=True)
        if len(set(names)) > 1 or names[0] in columns:
            raise ValueError("fields differ, or one comes twice")
        columns[names[0]] = column
    return columns


def _table_of_columns(columns: dict[str, tuple[Any, ...]]) -> Table:
    queries, documents = _names(columns.pop("query")), _names(columns.pop("document"))
    starts = [0, *(i for i, (a, b) in enumerate(pairwise(queries), 1) if a != b)]
    return Table(
        queries=Ids.of(queries[i] for i in starts),
        starts=np.array([*starts, len(queries)], np.int64),
        documents=Ids.of(documents),
        numbers=np.stack([_numbers(role, values) for role, values in columns.items()], axis=1),
        lines=np.zeros(0, np.int64),
    )


def _names(values: tuple[Any, ...]) -> Sequence[str]:
    kinds = set(map(type, values))
    if kinds not in ({str}, {int}):
        raise ValueError("neither text nor whole numbers")
    return values if kinds == {str} else list(map(str, values))


def _numbers(role: str, values: tuple[Any, ...]) -> NDArray[np.float64]:
    if not set(map(type, values)) <= {int, float}:
        raise ValueError("no number")
    numbers = np.array(values, np.float64)
    if unfit(role, numbers).any():
        raise ValueError("a number out of range")
    return descending(role, numbers)


def _recognises(start: Start) -> bool:
    """Whether the first line is an object of its own, and another one follows or it has a document."""
    if not is_json(start):
        return False
    import json

    text = start.data.removeprefix(BOM_UTF8).lstrip() + start.rest()
    first, _, others = text.partition(b"\n")
    if others.lstrip()[:1] not in (b"{", b""):
        return False
    try:
        data = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and (bool(others.strip()) or is_header(list(data), start.columns))


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
    columns = columns_of(list(first), "score", without_run(file.columns))
    return by_name((run, OneRun(_table_of(records, columns))) for run, records in by_run.items())


READER = reader_in_blocks("JSON lines", _recognises, _read, _split, BYTES_OF_JSON)
