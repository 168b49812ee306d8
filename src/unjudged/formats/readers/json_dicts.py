"""JSON in one piece: `{query: {document: number}}`, as BEIR and MTEB write it, or `{query: [document]}`."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.columns import QRELS, Layout
from unjudged.formats.reader import Reader, Start
from unjudged.formats.readers.mappings import table_of_mapping
from unjudged.formats.streams import PathLike, read_whole
from unjudged.formats.tables import Table

DESCRIPTIONS = "mteb_"
BYTES_OF_JSON = 16  # of memory that a byte of JSON takes, about, as Python's objects


def read(file: PathLike, number: str) -> tuple[Table, Layout]:
    """All of a dictionary; if it is wrapped in others (MTEB: by subset and split), the innermost."""
    import json

    text = read_whole(file, BYTES_OF_JSON)
    try:
        data = json.loads(text, object_pairs_hook=without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read as JSON: {error}") from None
    return table_of_mapping(_innermost(data, number), number), QRELS


def _innermost(data: Any, number: str) -> Mapping[str, Any]:
    while isinstance(data, Mapping):
        if data and all(isinstance(held, list) for held in data.values()):
            return data
        inside = {key: value for key, value in data.items() if not key.startswith(DESCRIPTIONS)}
        wrapped = [key for key, value in inside.items() if _holds_queries(value)]
        if not wrapped:
            return data
        if len(inside) > 1:
            parts = ", ".join(map(quoted, list(inside)[:5]))
            problem = f"holds more than one dictionary of queries: {parts}"
            raise InputError(f"{problem}; expected one: write each to a file of its own")
        data = inside[wrapped[0]]
    expected = f"queries, each with its documents and their {number}s, or JSON lines: an object per line"
    raise InputError(f"holds {kind_of(data)}, expected {expected}")


def _holds_queries(value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(inner, Mapping | list) for inner in value.values())


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        from collections import Counter

        repeated, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"{quoted(repeated)} appears twice in one dictionary, expected each name once")
    return data


def is_json(start: Start) -> bool:
    """Whether a file starts as JSON does."""
    text = start.data.removeprefix(BOM_UTF8).lstrip()
    return text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"}", b"{", b"[", b"]")


READER = Reader("JSON", is_json, read=lambda file, number: read(file.file, number), has_names=False)
