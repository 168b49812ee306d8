"""Objects with fields, such as lines of JSON, as tables: one per document, or one per query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NONE, Layout, columns_of, is_header, layout_of, named
from unjudged.formats.readers.memory.mappings import table_of_rows
from unjudged.formats.readers.memory.query_dicts import identifier, ranked
from unjudged.formats.tables import Table

RANKINGS = ("documents", "doc_ids", "docids", "document_ids", "docnos", "pids", "ranking", "results", "hits")
"""Fields that hold the documents of a query, best first."""

SCORES = ("scores", "score")


class Fields(NamedTuple):
    """Which field holds what: a column for each role, or the query, its documents and maybe their scores."""

    columns: Mapping[str, str]
    number: str
    ranking: str = ""
    scores: str = ""

    @property
    def layout(self) -> Layout:
        return layout_of({"query": "", "document": "", self.number: ""} if self.ranking else self.columns)


def is_record(item: Any, given: Mapping[str, str] = NONE) -> bool:
    """Whether this is an object with a field for the query, and one for a document or a ranking."""
    if not isinstance(item, Mapping):
        return False
    names = _names(item)
    query = given.get("query") or named("query", names)
    has_documents = is_header(names, given) or any(name in item for name in RANKINGS)
    return query in item and has_documents and not isinstance(item[query], Mapping | list | tuple)


def fields_of(record: Mapping[Any, Any], number: str, given: Mapping[str, str]) -> Fields:
    """Return the fields of records that are like the first one."""
    names = _names(record)
    document = given.get("document") or next((name for name in RANKINGS if name in names), None)
    document = document or named("document", names)
    if document is None or not isinstance(record.get(document), list | tuple):
        return Fields(columns_of(names, number, given), number)
    query = given.get("query") or named("query", names)
    if query not in names:
        raise InputError(f"no field for the query, expected one beside {quoted(document)}")
    scores = given.get(number) or next((name for name in SCORES if name in names), "")
    return Fields({"query": query}, number, document, scores)


def table_of_records(records: Iterable[tuple[str, Any]], fields: Fields) -> Table:
    """Records, each with what errors call its place, as a table with the rows of each query together."""
    rows: list[tuple[Any, ...]] = []
    for where, record in records:
        if not isinstance(record, Mapping):
            raise InputError(f"{where}: holds {kind_of(record)}, expected an object with fields")
        rows += _ranking(where, record, fields) if fields.ranking else [_row(where, record, fields.columns)]
    return table_of_rows(rows, tuple(fields.layout.columns)[2:])


def _row(where: str, record: Mapping[Any, Any], columns: Mapping[str, str]) -> tuple[Any, ...]:
    for name in columns.values():
        if name not in record:
            raise InputError(f"{where}: no field {quoted(name)}, which the first object has")
    query, document, *numbers = (record[name] for name in columns.values())
    return (_name(where, "query", query), _name(where, "document", document), *numbers)


def _ranking(where: str, record: Mapping[Any, Any], fields: Fields) -> list[tuple[Any, ...]]:
    query, documents = record.get(fields.columns["query"]), record.get(fields.ranking)
    name = _name(where, "query", query)
    if not isinstance(documents, list | tuple):
        problem = f"{where}: {quoted(fields.ranking)} holds {kind_of(documents)}"
        raise InputError(f"{problem}, expected a list of documents")
    held: Sequence[Any] = documents
    if fields.scores:
        scores = record.get(fields.scores)
        if not isinstance(scores, list | tuple) or len(scores) != len(documents):
            raise InputError(f"{where}: expected as many {fields.scores} as documents")
        held = list(zip(documents, scores, strict=True))
    found = ranked(name, held, fields.number)
    return [(name, _name(where, "document", document), number) for document, number in found.items()]


def _name(where: str, role: str, value: Any) -> Any:
    name = identifier(value)
    if not isinstance(name, str | bytes):
        problem = f"{where}: the {role} is {kind_of(value)}"
        raise InputError(f"{problem}, expected text or a whole number")
    return name


def _names(record: Mapping[Any, Any]) -> list[str]:
    return [name for name in record if isinstance(name, str)]
