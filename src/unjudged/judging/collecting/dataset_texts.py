"""Texts of documents and topics from ir_datasets: `irds:<id>` instead of a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from unjudged.base.errors import InputError, reason_of
from unjudged.formats.files import DATASET
from unjudged.formats.readers.memory.datasets import load_dataset

Record = tuple[str, dict[str, Any]]
"""The name of a document or a topic, and its fields."""


def is_dataset(source: str) -> bool:
    return source.startswith(DATASET)


def dataset_documents(source: str, wanted: Collection[str]) -> Iterator[Record]:
    """Return the wanted documents from the store of a dataset, which ir_datasets builds if needed."""

    def documents(dataset: Any) -> Iterable[Any]:
        found: Iterable[Any] = dataset.docs_store().get_many_iter(sorted(wanted))
        return found

    for document in _rows(source, "documents", "docs", documents):
        yield document.doc_id, _document(document)


def dataset_topics(source: str) -> Iterator[Record]:
    """Every query of a dataset, with the fields that it has."""
    for query in _rows(source, "queries", "queries", lambda dataset: dataset.queries_iter()):
        yield query.query_id, query._asdict()


def _document(document: Any) -> dict[str, Any]:
    """Title and text as in the fields; a document that is stored in another form gives its plain text."""
    fields = {name: value for name, value in document._asdict().items() if isinstance(value, str)}
    if "text" in fields or not hasattr(document, "default_text"):
        return fields
    return {"text": document.default_text()}


def _rows(source: str, what: str, part: str, read: Callable[[Any], Iterable[Any]]) -> Iterator[Any]:
    try:
        dataset = load_dataset(source.removeprefix(DATASET))
    except InputError as error:
        raise InputError(str(error), source=source) from None
    if not getattr(dataset, f"has_{part}")():
        raise InputError(f"this dataset has no {what}; choose one that has them", source=source)
    try:
        yield from read(dataset)
    except (RuntimeError, OSError) as error:
        problem = f"its {what} are not on this machine and could not be downloaded ({reason_of(error)})"
        raise InputError(problem, source=source) from None
