"""Data that is in memory already, as tables: dicts of dicts and iterables of tuples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import InputError, quoted
from unjudged.formats.roles import expected, unfit
from unjudged.formats.tables import Ids, Table

Nested = Mapping[str, Mapping[str, float]]
Rows = Iterable[tuple[Any, ...]]


def table_of(data: Nested | Rows, number: str) -> Table:
    """`{query: {document: number}}` or (query, document, number) tuples, each query's rows together."""
    if isinstance(data, Mapping):
        return _of_mapping(data, number)
    return table_of_rows(data, (number,))


def _of_mapping(data: Mapping[str, Any], number: str) -> Table:
    for query, inner in data.items():
        if not isinstance(inner, Mapping):
            what = f"query {quoted(str(query))} holds a {type(inner).__name__}"
            raise InputError(f"{what}, expected a mapping of documents to a {number} each")
    sizes = list(map(len, data.values()))
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    names = list(chain.from_iterable(data.values()))
    values = list(chain.from_iterable(inner.values() for inner in data.values()))
    queries, documents = _ids(list(data), "query"), _ids(names, "document")
    numbers = _numbers(values, number, lambda row: (_query_at(list(data), starts, row), names[row]))
    return Table(queries, starts, documents, numbers[:, None], np.zeros(0, np.int64))


def table_of_rows(data: Rows, names: tuple[str, ...]) -> Table:
    """Rows of a query, a document and the numbers of these names."""
    width = 2 + len(names)
    rows = [row[:width] for row in data]
    if any(len(row) < width for row in rows):
        fields = ", ".join(["query", "document", *names])
        raise InputError(f"a row has too few fields, expected ({fields})")
    queries, documents, *values = ([row[i] for row in rows] for i in range(width))
    new = [i for i in range(len(rows)) if i == 0 or queries[i] != queries[i - 1]]
    numbers = [
        _numbers(column, name, lambda row: (queries[row], documents[row]))
        for column, name in zip(values, names, strict=True)
    ]
    table = Table(
        _ids([queries[i] for i in new], "query"),
        np.array([*new, len(rows)], np.int64),
        _ids(documents, "document"),
        np.stack(numbers, axis=1),
        np.zeros(0, np.int64),
    )
    return table.grouped()


def _ids(texts: list[Any], what: str) -> Ids:
    try:
        return Ids.of(texts)
    except (TypeError, AttributeError):
        wrong = next(text for text in texts if not isinstance(text, str | bytes))
        problem = f"{what} {quoted(str(wrong))} is {type(wrong).__name__}, expected str"
        raise InputError(problem) from None
    except UnicodeEncodeError as error:
        raise InputError(f"{what} {quoted(error.object)} is no text that UTF-8 can hold") from None


def _numbers(values: list[Any], number: str, name_of: Any) -> NDArray[np.float64]:
    try:
        numbers = np.array(values, np.float64)
        bad = unfit(number, numbers)
        wrong = int(np.argmax(bad)) if bad.any() else None
    except (TypeError, ValueError, OverflowError):
        wrong = next(i for i, value in enumerate(values) if not _is_number(value))
    if wrong is None:
        return numbers
    query, document = name_of(wrong)
    what = f"the {number} of document {quoted(str(document))} of query {quoted(str(query))}"
    raise InputError(f"{what} is {quoted(str(values[wrong]))}, expected {expected(number)}")


def _is_number(value: Any) -> bool:
    try:
        return bool(np.isfinite(np.float64(value)))
    except (TypeError, ValueError, OverflowError):
        return False


def _query_at(queries: list[str], starts: NDArray[np.int64], row: int) -> str:
    return queries[int(np.searchsorted(starts, row, "right")) - 1]
