"""JSON dictionaries `{query: {document: number}}`, as BEIR and MTEB write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unjudged.errors import InputError, quoted
from unjudged.formats.readers.memory import table_of
from unjudged.formats.streams import PathLike, read_whole
from unjudged.formats.tables import Table

DESCRIPTIONS = "mteb_"
BYTES_OF_JSON = 16  # of memory that a byte of JSON takes, about, as Python's objects


def read(file: PathLike, number: str) -> Table:
    """All of a dictionary; if it is wrapped in others (MTEB: by subset and split), the innermost."""
    import json

    text = read_whole(file, BYTES_OF_JSON)
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read as JSON: {error}") from None
    return table_of(_innermost(data, number), number)


def _innermost(data: Any, number: str) -> Mapping[str, Any]:
    while isinstance(data, Mapping):
        inside = {key: value for key, value in data.items() if not key.startswith(DESCRIPTIONS)}
        wrapped = [key for key, value in inside.items() if _holds_mappings(value)]
        if not wrapped:
            return data
        if len(inside) > 1:
            parts = ", ".join(map(quoted, list(inside)[:5]))
            raise InputError(f"holds more than one dictionary of queries: {parts}; expected one")
        data = inside[wrapped[0]]
    kind = f"a {type(data).__name__}"
    raise InputError(f"holds {kind}, expected queries, each with its documents and their {number}s")


def _holds_mappings(value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(inner, Mapping) for inner in value.values())


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        from collections import Counter

        repeated, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"{quoted(repeated)} appears twice in one dictionary, expected each name once")
    return data
