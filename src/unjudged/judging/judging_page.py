"""The page on which people judge documents: one file that needs no network.

Text from files cannot become markup or code: it is data, which scripts of the page show as text.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import blake2b, sha256
from importlib.resources import files
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.data.tables import encode
from unjudged.data.writing import document_id, query_id
from unjudged.judging.texts import Text
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import A_POOL, Origin

ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""In JSON these stand inside strings only; escaped, no text can end the element that holds the data."""
LABELS = {0: "not relevant", 1: "relevant", 2: "highly relevant", 3: "perfectly relevant"}
SCRIPTS = ("store.js", "page.js")
HIGHEST = 9
"""Grades are typed as one key."""


def to_judge_in(judgments: Judgments) -> list[tuple[str, str]]:
    """Return the (query, document) pairs that wait for a grade; of a sample those that were drawn."""
    waiting = judgments.waiting if judgments.drawn is None else judgments.waiting & judgments.drawn
    return judgments.pooled.names(np.flatnonzero(waiting))


def judging_page(
    task: Sequence[tuple[str, str]],
    documents: Mapping[str, Text],
    queries: Mapping[str, Text] | None = None,
    *,
    grades: Sequence[int] = (0, 1),
    name: str = "task",
    origin: Origin = A_POOL,
) -> str:
    """Return a page to judge these (query, document) pairs.

    Its export says how the documents were chosen. Names that the export cannot hold are refused.
    """
    chosen = sorted(set(grades))
    if len(chosen) < 2 or chosen[0] < 0 or chosen[-1] > HIGHEST:
        raise UsageError(f"grades are {chosen}, expected two or more whole numbers from 0 to {HIGHEST}")
    if not task:
        raise InputError("no document is left to judge")
    for query, document in task:
        query_id(query)
        document_id(document)
    for name_of in {name for pair in task for name in pair}:
        if not name_of.isprintable() or any(0xD800 <= ord(c) <= 0xDFFF for c in name_of):
            raise InputError(f"{quoted(name_of)} is not UTF-8 text, so a browser cannot export it unchanged")
    place = {query: n for n, query in enumerate(dict.fromkeys(query for query, _ in task))}
    row = {document: n for n, document in enumerate(dict.fromkeys(document for _, document in task))}
    in_words = queries or {}
    data = {
        "task": name,
        "file": f"{name}-judged.qrels",
        "checksum": blake2b(encode("".join(f"{q} {d}\n" for q, d in task)), digest_size=12).hexdigest(),
        "grades": chosen,
        "labels": LABELS,
        "marks": [] if origin.sampled else [f"# {origin.mark(judged=False)}"],
        "queries": [[query, *in_words.get(query, Text())] for query in place],
        "documents": list(row),
        "items": [(place[q], row[d]) for q, d in task],
        "texts": [documents[document].whole if document in documents else None for document in row],
    }
    style, script = _part("page.css"), f'{{\n"use strict";\n{"".join(map(_part, SCRIPTS))}}}\n'
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    parts = {
        "policy": f"{policy}; base-uri 'none'; form-action 'none'",
        "style": style,
        "data": _island(data),
        "script": script,
    }
    pieces = _part("page.html").split("@")  # odd pieces are the names of parts
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def _island(data: Any) -> str:
    """Return JSON that can stand inside a script element."""
    return json.dumps(data, ensure_ascii=True).translate(ESCAPED)


def _part(name: str) -> str:
    return files("unjudged.judging").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
