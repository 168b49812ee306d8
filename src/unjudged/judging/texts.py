"""Documents and queries in words, from JSONL, TSV or ir_datasets."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from unjudged.base.errors import InputError, quoted
from unjudged.data.columns import LONGEST_LINE
from unjudged.data.nested_dicts import DATASET, dataset_rows
from unjudged.data.streams import name_file_in_errors, on_disk, opened

LONGEST_RECORD = 1 << 25

NAMES = ("docno", "doc_id", "_id", "id", "docid", "query_id", "qid", "number", "num")
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
    """Return the wanted queries of a file or a dataset; one without a title has its words as the title."""
    source = os.fspath(file)
    found = _chosen(_queries(source) if source.startswith(DATASET) else records(source), wanted)
    return {name: text if text.title else Text(text.body) for name, text in found.items()}


def _chosen(read: Iterator[Record], wanted: Collection[str]) -> dict[str, Text]:
    found: dict[str, Text] = {}
    for name, record in read:
        if name in wanted and name not in found:
            body = "\n\n".join(filter(None, (_first(record, names) for names in (BODIES, NARRATIVES))))
            found[name] = Text(_first(record, TITLES), body)
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
        for number, line in _lines(source):
            if line.strip():
                of_line = of_line or (_json if line.lstrip()[0] == "{" else _tsv)
                yield of_line(line, number)


def _lines(source: str) -> Iterator[tuple[int, str]]:
    rest, number = b"", 0
    with on_disk(source) as file, opened(file) as stream:
        while piece := stream.read(LONGEST_LINE):
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > LONGEST_RECORD:
                problem = f"longer than {LONGEST_RECORD >> 20} MB, expected one document per line"
                raise InputError(problem, line=number + len(lines) + 1)
            for line in lines:
                number += 1
                yield number, line.decode("utf-8", "replace")
    yield number + 1, rest.decode("utf-8", "replace")


def _json(line: str, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{quoted(line)} is not JSON, expected one object per line", line=number) from None
    name = _first(record, NAMES) if isinstance(record, dict) else ""
    if not name:
        problem = f"no name among the keys, expected one of {', '.join(NAMES)}"
        raise InputError(problem, line=number)
    return name, record


def _tsv(line: str, number: int) -> Record:
    name, *fields = line.rstrip("\r\n").split("\t")
    if not fields:
        problem = f"{quoted(line)}: expected a name and a text, separated by a tab"
        raise InputError(problem, line=number)
    title, body = ("", fields) if len(fields) == 1 else (fields[0], fields[1:])
    return name, {"title": title, "text": "\t".join(body)}


def _first(record: dict[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of these fields that has something, as text."""
    return next((str(record[name]).strip() for name in names if record.get(name) not in (None, "")), "")
