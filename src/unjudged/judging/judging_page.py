"""The page on which people judge documents: one file that needs no network, and the texts that it shows.

Text from files cannot become markup or code: it is data, which scripts of the page show as text.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.data.nested_dicts import DATASET, dataset_rows
from unjudged.data.streams import name_file_in_errors
from unjudged.data.tables import encode
from unjudged.data.text_tables import blocks_of_lines, first_field, name_of, record_of
from unjudged.data.writing import document_id, query_id
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
    for one in {name for pair in task for name in pair}:
        if not one.isprintable() or any(0xD800 <= ord(c) <= 0xDFFF for c in one):
            raise InputError(f"{quoted(one)} is not UTF-8 text, so a browser cannot export it unchanged")
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
    policy = f"default-src 'none'; style-src {policy_hash(style)}; script-src {policy_hash(script)}"
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
    """Return a file that the judging page is made of."""
    return files("unjudged.judging").joinpath("page", name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """Return the hash by which a page's security policy allows a script or a style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


TITLES = ("title", "query")
BODIES = ("text", "body", "contents", "content", "abstract", "description", "desc")
NARRATIVES = ("narrative", "narr")

Record = tuple[str, dict[str, Any]]
"""The name of a document or a query, and its fields."""


class Text(NamedTuple):
    """A document or a query in words."""

    title: str = ""
    body: str = ""

    @property
    def whole(self) -> str:
        """Title and body."""
        return "\n\n".join(filter(None, self))


def read_documents(file: str | os.PathLike[str], wanted: Collection[str]) -> dict[str, Text]:
    """Return the wanted documents of a file or a dataset (`irds:<id>`)."""
    source = os.fspath(file)
    return _chosen(_documents(source, wanted) if source.startswith(DATASET) else records(source), wanted)


def read_queries(file: str | os.PathLike[str], wanted: Collection[str]) -> dict[str, Text]:
    """Return the wanted queries of a file or a dataset; the first paragraph stands for a missing title."""
    source = os.fspath(file)
    found = _chosen(_queries(source) if source.startswith(DATASET) else records(source), wanted)
    untitled = {name: text.body.partition("\n\n") for name, text in found.items() if not text.title}
    return found | {name: Text(first, others) for name, (first, _, others) in untitled.items()}


def _chosen(read: Iterator[Record], wanted: Collection[str]) -> dict[str, Text]:
    """Return the texts of the wanted documents or queries."""
    found: dict[str, Text] = {}
    for name, record in read:
        if name in wanted and name not in found:
            body = "\n\n".join(filter(None, (first_field(record, names) for names in (BODIES, NARRATIVES))))
            found[name] = Text(first_field(record, TITLES), body)
    return found


def _documents(source: str, wanted: Collection[str]) -> Iterator[Record]:
    """Yield the wanted documents from the store of a dataset, which ir_datasets builds if needed.

    A document that is stored in another form than title and text gives its plain text.
    """
    names = sorted(wanted)
    for document in dataset_rows(source, "documents", "docs", lambda d: d.docs_store().get_many_iter(names)):
        fields = {name: value for name, value in document._asdict().items() if isinstance(value, str)}
        plain = "text" in fields or not hasattr(document, "default_text")
        yield document.doc_id, fields if plain else {"text": document.default_text()}


def _queries(source: str) -> Iterator[Record]:
    """Yield the queries of a dataset of ir_datasets."""
    for query in dataset_rows(source, "queries", "queries", lambda dataset: dataset.queries_iter()):
        yield query.query_id, query._asdict()


def records(source: str) -> Iterator[Record]:
    """Yield the documents or queries of a file, one on each line: JSON objects, or fields between tabs."""
    of_line = None
    with name_file_in_errors(source):
        for start, lines in blocks_of_lines(source):
            for number, line in enumerate(lines, start):
                if line.strip():
                    of_line = of_line or (_json if line.lstrip()[:1] == b"{" else _tsv)
                    yield of_line(line, number)


def _json(line: bytes, number: int) -> Record:
    """Return the name and the fields of a line that is a JSON object."""
    record = record_of(line, number)
    return name_of(record), dict(record)


def _tsv(line: bytes, number: int) -> Record:
    """Return the name and the text of a line of fields between tabs."""
    text = line.decode("utf-8", "replace")
    name, *fields = text.rstrip("\r\n").split("\t")
    if not fields:
        problem = f"{quoted(text)}: expected a name and a text, separated by a tab"
        raise InputError(problem, line=number)
    title, body = ("", fields) if len(fields) == 1 else (fields[0], fields[1:])
    return name, {"title": title, "text": "\t".join(body)}
