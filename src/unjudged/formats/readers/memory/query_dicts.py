"""Dicts of lists, sets or search hits, and dicts with numbers as ids, as `{query: {document: number}}`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NAMES, named, seen_twice
from unjudged.formats.scan.plain.dicts import items_of

LISTS = (list, tuple, AbstractSet, np.ndarray)
"""What may stand for the documents of a query."""

RELEVANT = 1


def is_by_query(data: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds the documents of queries, not runs by their names."""
    first = _unwrapped(_first(data))
    if isinstance(first, Mapping):
        inner = _unwrapped(_first(first, next(iter(first.values()), None)))
        return is_response(first) or not isinstance(inner, (Mapping, *LISTS))
    return isinstance(first, LISTS) and not _holds_rows(first)


def holds_lists(data: Mapping[Any, Any]) -> bool:
    """Whether every query has a list or a search response, or this is a search response itself."""
    own = is_response(data) or "responses" in data
    return own or (bool(data) and all(isinstance(held, list) or is_response(held) for held in data.values()))


def by_query(data: Mapping[Any, Any], number: str) -> Mapping[Any, Any]:
    """Return the mapping itself if the readers take it, else a new one that they take.

    A list holds documents, best first, or in judgments the relevant ones, as a set does. It may also hold
    (document, number) pairs, or objects with fields for both, such as Elasticsearch's hits.
    """
    if starts_plainly(data):
        return data
    if is_response(data) or "responses" in data:
        problem = "a search response does not name its query"
        raise InputError(f"{problem}: give {{query: response}}, such as dict(zip(queries, responses))")
    if _is_plain(data):
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


def is_response(data: Any) -> bool:
    """Whether this is what Elasticsearch or OpenSearch answers a search with."""
    hits = data.get("hits") if type(data) is dict else None
    return isinstance(hits, Mapping) and isinstance(hits.get("hits"), list)


def ranked(query: Any, items: Iterable[Any], number: str) -> dict[Any, Any]:
    """Documents of a list, each with its number: its own, its place from the top, or 1 in judgments."""
    held = list(items)
    if held and all(isinstance(item, Mapping) for item in held):
        pairs = _hits(query, held, number)
    elif held and all(isinstance(item, tuple | list) and len(item) == 2 for item in held):
        pairs = [(identifier(document), value) for document, value in held]
    else:
        pairs = _by_place(list(map(identifier, held)), number)
    for document, _ in pairs:
        if not isinstance(document, str | bytes):
            problem = f"document {quoted(str(document))} is {type(document).__name__}, expected str"
            raise InputError(f"query {quoted(str(query))}: {problem}")
    return _once_each(query, pairs)


def _documents(query: Any, held: Any, number: str) -> Any:
    held = _unwrapped(held)
    if isinstance(held, Mapping):
        if is_response(held):
            return ranked(query, held["hits"]["hits"], number)
        if "error" in held and "status" in held:
            problem = f"query {quoted(str(query))}: the search failed with status"
            raise InputError(f"{problem} {quoted(str(held['status']))}, expected hits")
        return _once_each(query, [(identifier(document), value) for document, value in items_of(held)])
    if isinstance(held, AbstractSet) and number == "score":
        problem = f"query {quoted(str(query))} holds {kind_of(held)}, which has no order"
        raise InputError(f"{problem}: expected a list of documents, best first")
    if isinstance(held, LISTS):
        return ranked(query, held, number)
    return held  # the reader says what is wrong with it


def _unwrapped(held: Any) -> Any:
    """Body of a response that elasticsearch-py wraps, or an array as a list; anything else as it is."""
    if isinstance(held, np.ndarray):
        return held.tolist()  # a number, if it has no dimension
    body = getattr(held, "body", None)
    return body if isinstance(body, Mapping) and hasattr(held, "meta") else held


def _hits(query: Any, hits: list[Mapping[Any, Any]], number: str) -> list[tuple[Any, Any]]:
    """Objects by their numbers, or by their places if none has a number, as where a field sorted the hits."""
    fields = [field for field in hits[0] if isinstance(field, str)]
    document, value = named("document", fields), named(number, fields)
    for place, hit in enumerate(hits, 1):
        if document not in hit:
            problem = f"query {quoted(str(query))}: hit {place} has no {document or 'document'}"
            raise InputError(f"{problem}, expected a field such as {', '.join(NAMES['document'][:3])}, _id")
    values = [None if value is None else hit.get(value) for hit in hits]
    documents = [identifier(hit[document]) for hit in hits]
    if all(value is None for value in values):
        return _by_place(documents, number)
    return list(zip(documents, values, strict=True))


def _by_place(documents: list[Any], number: str) -> list[tuple[Any, Any]]:
    """Return the relevant documents of judgments, or those of a ranking, best first."""
    return [(name, RELEVANT if number == "grade" else -place) for place, name in enumerate(documents, 1)]


def _once_each(query: Any, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    documents = dict(pairs)
    if len(documents) < len(pairs):
        (repeated, _), *_ = Counter(document for document, _ in pairs).most_common(1)
        raise seen_twice(_bytes(query), _bytes(repeated))
    return documents


def _bytes(name: Any) -> bytes:
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "backslashreplace")


def starts_plainly(data: Mapping[Any, Any]) -> bool:
    """Whether the first document of the first query is a string with a number, as in most dicts."""
    if type(data) is not dict:
        return False
    try:
        query, inner = next(iter(data.items()), (None, None))
        if type(query) is not str or type(inner) is not dict or "hits" in inner:
            return False
        document, number = next(iter(inner.items()), (None, None))
    except RuntimeError:  # another thread changed it, so the readers have to copy it first
        return False
    return type(document) is str and type(number) in (int, float)


def _is_plain(data: Mapping[Any, Any]) -> bool:
    """Whether the readers take a mapping as it is; its first entries tell."""
    inner = _first(data)
    if inner is None:
        return not any(isinstance(value, LISTS) for value in list(data.values()))
    if not isinstance(inner, Mapping) or is_response(inner):
        return not isinstance(_unwrapped(inner), (Mapping, *LISTS))
    names = next(iter(data), None), next(iter(inner), None)
    return not any(isinstance(name, Integral) for name in names)


def _first(data: Mapping[Any, Any], otherwise: Any = None) -> Any:
    """Return the first value that is not empty; `otherwise` if there is none."""
    values = list(data.values()) if isinstance(data, dict) else data.values()  # another thread may change it
    return next((value for value in values if not _is_empty(value)), otherwise)


def _is_empty(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size == 0
    return isinstance(value, (Mapping, *LISTS)) and len(value) == 0


def _holds_rows(items: Any) -> bool:
    """Whether a list holds (query, document, number) rows, or objects with a field for the query."""
    first = next(iter(items), None)
    if isinstance(first, Mapping):
        return named("query", [field for field in first if isinstance(field, str)]) is not None
    return isinstance(first, tuple | list) and len(first) > 2
