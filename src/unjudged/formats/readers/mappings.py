"""Data in memory as tables: dicts of dicts, of lists and of sets, and iterables of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.columns import descending, expected, seen_twice, unfit
from unjudged.formats.matching import grouped
from unjudged.formats.scan import scanner
from unjudged.formats.scan.plain.dicts import items_of
from unjudged.formats.tables import Ids, Table, encode

Rows = Iterable[tuple[Any, ...]]
LISTS = (list, tuple, AbstractSet, np.ndarray)
"""What may stand for the documents of a query."""

RELEVANT = 1


def is_by_query(data: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds the documents of queries, not runs by their names."""
    first = _as_list(_first(data))
    if isinstance(first, Mapping):
        inner = _as_list(_first(first, next(iter(first.values()), None)))
        return not isinstance(inner, (Mapping, *LISTS))
    return isinstance(first, LISTS) and not _holds_rows(first)


def by_query(data: Mapping[Any, Any], number: str) -> Mapping[Any, Any]:
    """Return the mapping itself if `table_of_mapping` takes it, else a new one that it takes.

    A list holds documents, best first, or in judgments the relevant ones, as a set does. It may also hold
    (document, number) pairs.
    """
    if starts_plainly(data) or _is_plain(data):
        return data
    converted: dict[Any, Any] = {}
    for query, held in items_of(data):
        name = identifier(query)
        if name in converted:
            raise InputError(f"query {quoted(str(name))} appears twice, expected each query once")
        converted[name] = _documents(name, held, number)
    return converted


def identifier(name: Any) -> Any:
    """A whole number as its decimal digits, anything else as it is."""
    return name if isinstance(name, str | bool) or not isinstance(name, Integral) else str(int(name))


def starts_plainly(data: Mapping[Any, Any]) -> bool:
    """Whether the first document of the first query is a string with a number, as in most dicts."""
    if type(data) is not dict:
        return False
    try:
        query, inner = next(iter(data.items()), (None, None))
        if type(query) is not str or type(inner) is not dict:
            return False
        document, number = next(iter(inner.items()), (None, None))
    except RuntimeError:  # another thread changed it, so it has to be copied first
        return False
    return type(document) is str and type(number) in (int, float)


def _is_plain(data: Mapping[Any, Any]) -> bool:
    """Whether `table_of_mapping` takes a mapping as it is; its first entries tell."""
    inner = _first(data)
    if inner is None:
        return not any(isinstance(value, LISTS) for value in list(data.values()))
    if not isinstance(inner, Mapping):
        return not isinstance(_as_list(inner), LISTS)
    names = next(iter(data), None), next(iter(inner), None)
    return not any(isinstance(name, Integral) for name in names)


def _first(data: Mapping[Any, Any], otherwise: Any = None) -> Any:
    """Return the first value that is not empty; `otherwise` if there is none."""
    values = list(data.values()) if isinstance(data, dict) else data.values()  # another thread may change it
    return next((value for value in values if not _is_empty(value)), otherwise)


def _as_list(held: Any) -> Any:
    """Return an array as a list, or as a number if it has no dimension; anything else as it is."""
    return held.tolist() if isinstance(held, np.ndarray) else held


def _is_empty(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size == 0
    return isinstance(value, (Mapping, *LISTS)) and len(value) == 0


def _holds_rows(items: Any) -> bool:
    """Whether a list holds (query, document, number) rows."""
    first = next(iter(items), None)
    return isinstance(first, tuple | list) and len(first) > 2


def _documents(query: Any, held: Any, number: str) -> Any:
    held = _as_list(held)
    if isinstance(held, Mapping):
        return _once_each(query, [(identifier(document), value) for document, value in items_of(held)])
    if isinstance(held, AbstractSet) and number == "score":
        problem = f"query {quoted(str(query))} holds {kind_of(held)}, which has no order"
        raise InputError(f"{problem}: expected a list of documents, best first")
    if isinstance(held, LISTS):
        return _ranked(query, list(held), number)
    return held  # `table_of_mapping` says what is wrong with it


def _ranked(query: Any, held: list[Any], number: str) -> dict[Any, Any]:
    """Documents of a list, each with its number: its own, its place from the top, or 1 in judgments."""
    if held and all(isinstance(item, tuple | list) and len(item) == 2 for item in held):
        pairs = [(identifier(document), value) for document, value in held]
    else:
        grade = RELEVANT if number == "grade" else None
        pairs = [(identifier(document), grade or -place) for place, document in enumerate(held, 1)]
    for document, _ in pairs:
        if not isinstance(document, str | bytes):
            problem = f"document {quoted(str(document))} is {type(document).__name__}, expected str"
            raise InputError(f"query {quoted(str(query))}: {problem}")
    return _once_each(query, pairs)


def _once_each(query: Any, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    documents = dict(pairs)
    if len(documents) < len(pairs):
        (repeated, _), *_ = Counter(document for document, _ in pairs).most_common(1)
        raise seen_twice(_bytes(query), _bytes(repeated))
    return documents


def _bytes(name: Any) -> bytes:
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "backslashreplace")


def table_of_mapping(data: Mapping[str, Any], number: str) -> Table:
    """`{query: {document: number}}`."""
    plain = table_of_plain_dicts(data, number)
    if plain is not None:
        return plain
    names, inners = _entries(data)
    documents: list[Any] = []
    values: list[Any] = []
    ends = [0]
    for query, inner in zip(names, inners, strict=True):
        if type(inner) is dict:
            held = inner.copy()  # another thread may change the dict itself
            documents += held
            values += held.values()
        elif isinstance(inner, Mapping):
            own, own_values = _entries(inner)
            documents += own
            values += own_values
        else:
            what = f"query {quoted(str(query))} holds {kind_of(inner)}"
            raise InputError(f"{what}, expected a mapping of documents to a {number} each")
        ends.append(len(documents))
    starts = np.array(ends, np.int64)
    numbers = _numbers(values, number, lambda row: (_query_at(names, starts, row), documents[row]))
    ids = ids_of_texts(names, "query"), starts, ids_of_texts(documents, "document")
    table = Table(*ids, numbers[:, None], np.zeros(0, np.int64))
    return grouped(table)  # different strings may stand for the same bytes


def table_of_plain_dicts(data: Mapping[str, Any], number: str) -> Table | None:
    """Return the same for dicts, strings and numbers that need no conversion; None for any others."""
    plain = scanner.table_of_dicts(data)
    fits = plain is not None and (plain.extent is not None or not unfit(number, plain.numbers).any())
    return plain if fits else None


def _entries(data: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
    """Return the keys and the values of a mapping."""
    held = data.copy() if type(data) is dict else data
    keys, values = list(iter(held)), list(iter(held.values()))  # `list(held)` would trust a wrong length
    if not len(keys) == len(values) == len(held):
        raise InputError("a dict changed while it was read, or its length is wrong")
    return keys, values


def table_of_rows(data: Rows, names: tuple[str, ...]) -> Table:
    """Rows of a query, a document and the numbers of these names."""
    rows = _cut(list(data), ("query", "document", *names))
    queries, documents, *values = ([row[i] for row in rows] for i in range(2 + len(names)))
    _refuse_other_types(queries, "query")
    new = [i for i in range(len(rows)) if i == 0 or queries[i] != queries[i - 1]]
    numbers = [
        _numbers(column, name, lambda row: (queries[row], documents[row]))
        for column, name in zip(values, names, strict=True)
    ]
    table = Table(
        ids_of_texts([queries[i] for i in new], "query"),
        np.array([*new, len(rows)], np.int64),
        ids_of_texts(documents, "document"),
        np.stack(numbers, axis=1),
        np.zeros(0, np.int64),
    )
    return grouped(table)


def _cut(rows: list[Any], fields: tuple[str, ...]) -> list[Any]:
    """Return the rows with as many fields as are needed."""
    if not set(map(type, rows)) <= {tuple, list}:
        for i, row in enumerate(rows):
            if isinstance(row, str | bytes | Mapping | AbstractSet) or not hasattr(row, "__iter__"):
                what = f"row {i} (from 0) is {kind_of(row)}"
                raise InputError(f"{what}, expected ({', '.join(fields)})")
            rows[i] = tuple(row)
    if any(len(row) < len(fields) for row in rows):
        short = next(i for i, row in enumerate(rows) if len(row) < len(fields))
        what = f"row {short} (from 0) has {len(rows[short])} fields"
        raise InputError(f"{what}, expected ({', '.join(fields)})")
    return rows


def _refuse_other_types(texts: list[Any], what: str) -> None:
    if not set(map(type, texts)) <= {str, bytes}:
        wrong = [text for text in texts if not isinstance(text, str | bytes)]
        if wrong:
            problem = f"{what} {quoted(str(wrong[0]))} is {type(wrong[0]).__name__}, expected str"
            raise InputError(problem)


def ids_of_texts(texts: list[Any], what: str) -> Ids:
    """Return identifiers; `what` they are is for errors."""
    try:
        return Ids.of(texts)
    except (TypeError, AttributeError):
        _refuse_other_types(texts, what)
        raise
    except UnicodeEncodeError:
        wrong = next(text for text in texts if not _is_utf8(text))
        raise InputError(f"{what} {quoted(wrong)} cannot be written as UTF-8") from None


def _is_utf8(text: str | bytes) -> bool:
    try:
        encode(text if isinstance(text, str) else "")
    except UnicodeEncodeError:
        return False
    return True


def _numbers(values: list[Any], number: str, name_of: Any) -> NDArray[np.float64]:
    try:
        numbers = np.array(values, np.float64)
        bad = unfit(number, numbers) if numbers.ndim == 1 else np.array(list(map(_is_no_number, values)))
        wrong = int(np.argmax(bad)) if bad.any() else None
    except (TypeError, ValueError, OverflowError):
        wrong = next((i for i, value in enumerate(values) if _is_no_number(value)), 0)
    if wrong is None:
        return descending(number, numbers)
    query, document = name_of(wrong)
    what = f"the {number} of document {quoted(str(document))} of query {quoted(str(query))}"
    allowed = expected(number, values[wrong], fractions=True)
    raise InputError(f"{what} is {quoted(_shown(values[wrong]))}, expected {allowed}")


def _is_no_number(value: Any) -> bool:
    try:
        number = np.float64(value)
    except (TypeError, ValueError, OverflowError):
        return True
    return np.ndim(number) > 0 or not np.isfinite(number)


def _shown(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # a whole number of thousands of digits
        return f"a number of {value.bit_length()} bits"


def _query_at(queries: list[str], starts: NDArray[np.int64], row: int) -> str:
    return queries[int(np.searchsorted(starts, row, "right")) - 1]
