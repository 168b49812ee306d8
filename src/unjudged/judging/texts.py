"""Texts of documents and topics from JSONL, TSV, TREC's SGML or ir_datasets."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from unjudged.base.errors import InputError, quoted
from unjudged.formats.columns import LONGEST_LINE
from unjudged.formats.dicts import DATASET, dataset_rows
from unjudged.formats.streams import name_file_in_errors, on_disk, opened

LONGEST_RECORD = 1 << 25

NAMES = ("docno", "doc_id", "_id", "id", "docid", "query_id", "qid", "number", "num")
TITLES = ("title", "query")
BODIES = ("text", "body", "contents", "content", "abstract", "description", "desc")
NARRATIVES = ("narrative", "narr")

_TAG = re.compile(r"<[^<>]{0,200}>")
_ENDLESS = re.compile(r"&#[0-9]{20,};?")  # Python converts no number of thousands of digits
_PARTS = {"title": "title", "desc": "description", "narr": "narrative"}
Record = tuple[str, dict[str, Any]]
"""The name of a document or a topic, and its fields."""


class Topic(NamedTuple):
    """A query in words."""

    title: str
    description: str = ""
    narrative: str = ""


def read_texts(file: str | os.PathLike[str], wanted: Collection[str]) -> dict[str, str]:
    """Return the texts of the wanted documents, title first, from a file or a dataset (`irds:<id>`)."""
    found: dict[str, str] = {}
    source = os.fspath(file)
    read = (
        _dataset_documents(source, wanted) if source.startswith(DATASET) else records(source, "doc", "docno")
    )
    for name, record in read:
        if name in wanted and name not in found:
            parts = _first(record, TITLES), _first(record, BODIES)
            found[name] = "\n\n".join(part for part in parts if part)
    return found


def read_topics(file: str | os.PathLike[str]) -> dict[str, Topic]:
    """Every topic of a file or dataset: title, description and narrative where there are."""
    found = {}
    source = os.fspath(file)
    read = _dataset_topics(source) if source.startswith(DATASET) else records(source, "top", "num")
    for name, record in read:
        title, body = _first(record, TITLES), _first(record, BODIES)
        found[name] = Topic(title or body, body if title else "", _first(record, NARRATIVES))
    return found


def _dataset_documents(source: str, wanted: Collection[str]) -> Iterator[Record]:
    """Yield the wanted documents from the store of a dataset, which ir_datasets builds if needed.

    A document that is stored in another form than title and text gives its plain text.
    """
    names = sorted(wanted)
    for document in dataset_rows(source, "documents", "docs", lambda d: d.docs_store().get_many_iter(names)):
        fields = {name: value for name, value in document._asdict().items() if isinstance(value, str)}
        plain = "text" in fields or not hasattr(document, "default_text")
        yield document.doc_id, fields if plain else {"text": document.default_text()}


def _dataset_topics(source: str) -> Iterator[Record]:
    for query in dataset_rows(source, "queries", "queries", lambda dataset: dataset.queries_iter()):
        yield query.query_id, query._asdict()


def records(source: str, element: str, name: str) -> Iterator[Record]:
    """Yield the documents or topics of a file; in SGML they are elements whose `name` is inside."""
    kind = None
    block: list[str] = []
    size = number = 0
    for number, line in _lines(source):
        if kind is None and line.strip():
            start = line.lstrip()[:1]
            kind = "json" if start == "{" else "sgml" if start == "<" else "tsv"
        if kind == "json" and line.strip():
            yield _json(line, source, number)
        elif kind == "tsv" and line.strip():
            yield _tsv(line, source, number)
        elif kind == "sgml":
            block.append(line)
            size += len(line)
            if size > LONGEST_RECORD:
                raise InputError(f"no </{element}> for {LONGEST_RECORD >> 20} MB", source=source, line=number)
            if f"</{element}>" in line.lower():
                yield _sgml("".join(block), name, source, number)
                block, size = [], 0
    if re.search(rf"<{element}[\s>]", "".join(block), re.IGNORECASE):
        raise InputError(f"the last <{element}> does not end: is the file cut?", source=source, line=number)


def _lines(source: str) -> Iterator[tuple[int, str]]:
    rest, number = b"", 0
    with name_file_in_errors(source), on_disk(source) as file, opened(file) as stream:
        while piece := stream.read(LONGEST_LINE):
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > LONGEST_RECORD:
                problem = f"longer than {LONGEST_RECORD >> 20} MB, expected one document per line"
                raise InputError(problem, line=number + len(lines) + 1)
            for line in lines:
                number += 1
                yield number, line.decode("utf-8", "replace") + "\n"
    if rest:
        yield number + 1, rest.decode("utf-8", "replace")


def _json(line: str, source: str, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        problem = f"{quoted(line)} is not JSON, expected one object per line"
        raise InputError(problem, source=source, line=number) from None
    name = _first(record, NAMES) if isinstance(record, dict) else ""
    if not name:
        problem = f"no name among the keys, expected one of {', '.join(NAMES)}"
        raise InputError(problem, source=source, line=number)
    return name, record


def _tsv(line: str, source: str, number: int) -> Record:
    fields = line.rstrip("\r\n").split("\t")
    if len(fields) < 2:
        problem = f"{quoted(line)}: expected a name and a text, separated by a tab"
        raise InputError(problem, source=source, line=number)
    title = fields[1] if len(fields) > 2 else ""
    return fields[0], {"title": title, "text": fields[-1] if len(fields) < 4 else "\t".join(fields[2:])}


def _sgml(block: str, name: str, source: str, number: int) -> Record:
    found = re.search(rf"<{name}>\s*(?:Number:\s*)?([^\s<]+)", block, re.IGNORECASE)
    if not found:
        raise InputError(f"no <{name}> in the element that ends here", source=source, line=number)
    if name == "docno":
        body = block[: found.start()] + block[found.end() :]
        return found[1], {"text": html.unescape(_ENDLESS.sub("\ufffd", _TAG.sub(" ", body))).strip()}
    parts = {}
    for tag, role in _PARTS.items():
        part = re.search(rf"<{tag}>([^<]*)", block, re.IGNORECASE)
        label = rf"^\s*(?:Topic|{role}):"
        parts[role] = re.sub(label, "", part[1], flags=re.IGNORECASE).strip() if part else ""
    return found[1], parts


def _first(record: dict[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of these fields that has something, as text."""
    return next((str(record[name]).strip() for name in names if record.get(name) not in (None, "")), "")
