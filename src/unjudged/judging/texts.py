"""Documents and queries in words, from JSONL, TSV or ir_datasets."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from unjudged.base.errors import InputError, quoted
from unjudged.data.nested_dicts import DATASET, dataset_rows
from unjudged.data.streams import name_file_in_errors
from unjudged.data.text_tables import blocks_of_lines, first_of, name_of, record_of

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
    found: dict[str, Text] = {}
    for name, record in read:
        if name in wanted and name not in found:
            body = "\n\n".join(filter(None, (first_of(record, names) for names in (BODIES, NARRATIVES))))
            found[name] = Text(first_of(record, TITLES), body)
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
    record = record_of(line, number)
    return name_of(record), dict(record)


def _tsv(line: bytes, number: int) -> Record:
    text = line.decode("utf-8", "replace")
    name, *fields = text.rstrip("\r\n").split("\t")
    if not fields:
        problem = f"{quoted(text)}: expected a name and a text, separated by a tab"
        raise InputError(problem, line=number)
    title, body = ("", fields) if len(fields) == 1 else (fields[0], fields[1:])
    return name, {"title": title, "text": "\t".join(body)}
