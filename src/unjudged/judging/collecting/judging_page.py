"""The page on which people judge documents: one file that needs no network.

Text from files cannot become markup or code: it is data, which scripts of the page show.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from importlib.resources import files
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.formats.tables import encode
from unjudged.judging.collecting.grade_scale import Scale, scale_of
from unjudged.judging.collecting.handing_out import check_names
from unjudged.judging.collecting.harmless_html import harmless
from unjudged.judging.collecting.images import Image
from unjudged.judging.collecting.texts import Topic

SCRIPTS = ("store.js", "answers.js", "text.js", "transfer.js", "page.js")
START = """"use strict";
const at = (id) => document.getElementById(id);
const data = JSON.parse(at("data").textContent);
const items = data.items;
const place = new Map(items.map(([query, name], i) => [`${data.queries[query]} ${data.documents[name]}`, i]));
"""
CHUNK = 1 << 20
"""Texts are parsed about a megabyte at a time, when one of them is shown."""
ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""In JSON these stand inside strings only; escaped, no text can end the element that holds the data."""


def judging_page(
    task: Sequence[tuple[str, str]],
    texts: Mapping[str, str],
    topics: Mapping[str, Topic] | None = None,
    *,
    grades: Sequence[int] | Scale = (0, 1),
    name: str = "task",
    marks: Sequence[str] = (),
    guidelines: str = "",
    images: Mapping[str, Sequence[Image]] | None = None,
    html: bool = False,
    times: bool = False,
) -> str:
    """Return a page to judge these (query, document) pairs.

    `marks` are comments that its export begins with. With `html` the harmless part of each text's markup is
    shown, without it the text as it is. With `times` the export has the seconds per document. Names that the
    export cannot hold are refused.
    """
    scale = dict(grades) if isinstance(grades, Mapping) else scale_of(grades)
    if not task:
        raise InputError("no document is left to judge")
    check_names(task)
    for name_of in {name for pair in task for name in pair}:
        if not name_of.isprintable() or any(0xD800 <= ord(c) <= 0xDFFF for c in name_of):
            raise InputError(f"{quoted(name_of)} is not UTF-8 text, so a browser cannot export it unchanged")
    queries = {query: n for n, query in enumerate(dict.fromkeys(query for query, _ in task))}
    documents = {document: n for n, document in enumerate(dict.fromkeys(document for _, document in task))}
    chunks = list(_chunks(documents, texts, images or {}, html))
    data = {
        "task": name,
        "file": f"{name}-judged.qrels",
        "checksum": blake2b(encode("".join(f"{q} {d}\n" for q, d in task)), digest_size=12).hexdigest(),
        "grades": list(scale),
        "labels": {str(grade): meaning._asdict() for grade, meaning in scale.items()},
        "marks": list(marks),
        "guidelines": guidelines,
        "times": times,
        "topics": {q: topic._asdict() for q, topic in (topics or {}).items() if q in queries},
        "queries": list(queries),
        "documents": list(documents),
        "items": [(queries[q], documents[d]) for q, d in task],
        "chunks": [first for first, _ in chunks],
    }
    style, script = _part("page.css"), f"{{\n{START}{''.join(map(_part, SCRIPTS))}}}\n"
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    parts = {
        "policy": f"{policy}; base-uri 'none'; form-action 'none'",
        "style": style,
        "data": island(data),
        "script": script,
        "texts": "\n".join(
            f'<script type="application/json" id="texts-{n}">{text}</script>'
            for n, (_, text) in enumerate(chunks)
        ),
    }
    pieces = _part("page.html").split("@")  # odd pieces are the names of parts
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def _chunks(
    documents: Iterable[str], texts: Mapping[str, str], images: Mapping[str, Sequence[Image]], html: bool
) -> Iterator[tuple[int, str]]:
    """Yield the contents of documents as JSON, each chunk with the place of its first document."""
    first, size, held = 0, 0, list[str]()
    for place, document in enumerate(documents):
        text = texts.get(document)
        content: dict[str, Any] = {"parts": harmless(text)} if html and text else {"text": text}
        if images.get(document):
            content["images"] = [image._asdict() for image in images[document]]
        held.append(island(content))
        size += len(held[-1])
        if size >= CHUNK:
            yield first, f"[{','.join(held)}]"
            first, size, held = place + 1, 0, []
    if held:
        yield first, f"[{','.join(held)}]"


def island(data: Any) -> str:
    """Return JSON that can stand inside a script element."""
    return json.dumps(data, ensure_ascii=True).translate(ESCAPED)


def _part(name: str) -> str:
    return files("unjudged.judging.collecting").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
