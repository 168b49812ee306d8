"""Data in memory as tables: dicts of dicts, of lists and of sets, rows, and datasets of ir_datasets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import isnan
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, missing_package, quoted, reason_of
from unjudged.base.wording import kind_of
from unjudged.data.columns import NONE, QRELS, Layout, columns_of, unfit
from unjudged.data.matching import Opened, grouped
from unjudged.data.scan import scanner
from unjudged.data.streams import PathLike
from unjudged.data.tables import NO_LINES, Ids, Table, decode, encode
from unjudged.data.tabular import TabularBlock
from unjudged.data.text_tables import read_json
from unjudged.data.values import ids_of_texts, names_of, numbers_of

Rows = Iterable[tuple[Any, ...]]
LISTS = (list, tuple, AbstractSet, np.ndarray)
"""What may stand for the documents of a query."""

DATASET = "irds:"
"""Begins the name of a dataset of ir_datasets, which stands for a file."""
DESCRIPTIONS = "mteb_"
RELEVANT = 1
FLOATS = frozenset({float, np.float64, np.float32})
"""Types of most scores that may be NaN."""


class WrongType(InputError, TypeError):
    """A value of a type that cannot be used."""


def is_by_query(data: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds the documents of queries, not runs by their names."""
    first = _as_list(_first(data))
    if isinstance(first, Mapping):
        inner = _as_list(_first(first, next(iter(first.values()), None)))
        return not isinstance(inner, (Mapping, *LISTS))
    return isinstance(first, LISTS) and not _holds_rows(first)


def starts_plainly(data: Mapping[Any, Any]) -> bool:
    """Whether the first document of the first query is a string with a number, as in most dicts."""
    if type(data) is not dict:
        return False
    try:
        query, inner = next(iter(data.items()), (None, None))
        if type(query) is not str or type(inner) is not dict:
            return False
        document, number = next(iter(inner.items()), (None, None))
    except RuntimeError:  # another thread changed it, so it has to be copied first
        return False
    return type(document) is str and type(number) in (int, float)


def _first(data: Mapping[Any, Any], otherwise: Any = None) -> Any:
    """Return the first value that is not empty; `otherwise` if there is none."""
    values = list(data.values()) if isinstance(data, dict) else data.values()  # another thread may change it
    return next((value for value in values if not _is_empty(value)), otherwise)


def _as_list(held: Any) -> Any:
    """Return an array as a list, or as a number if it has no dimension; anything else as it is."""
    return held.tolist() if isinstance(held, np.ndarray) else held


def _is_empty(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size == 0
    return isinstance(value, (Mapping, *LISTS)) and len(value) == 0


def _holds_rows(items: Any) -> bool:
    """Whether a list holds (query, document, number) rows."""
    first = next(iter(items), None)
    return isinstance(first, tuple | list) and len(first) > 2


def table_of_mapping(data: Mapping[Any, Any], number: str) -> Table:
    """Return the documents of each query: `{query: {document: number}}`, or lists or sets of documents.

    A list holds documents, best first, or in judgments the relevant ones, as a set does. It may also hold
    (document, number) pairs.
    """
    plain = table_of_plain_dicts(data, number)
    if plain is not None:
        return plain
    queries: list[Any] = []
    documents: list[Any] = []
    values: list[Any] = []
    ends = [0]
    for query, held in items_of(data):
        own, own_values = _documents(query, held, number)
        queries.append(query)
        documents += own
        values += own_values
        ends.append(len(documents))
    names, texts = names_of(queries, "query"), names_of(documents, "document")
    if len(set(names)) < len(names):
        ((repeated, _),) = Counter(names).most_common(1)
        raise InputError(f"query {quoted(repeated)} appears twice, expected each query once")

    def wrong(row: int, problem: str) -> InputError:
        query = names[int(np.searchsorted(ends, row, "right")) - 1]
        return InputError(f"document {quoted(texts[row])} of query {quoted(query)}: {problem}")

    numbers = numbers_of(values, number, wrong)[:, None]
    ids = ids_of_texts(names, "query"), np.array(ends, np.int64), ids_of_texts(texts, "document")
    return grouped(Table(*ids, numbers, NO_LINES))  # different texts may stand for the same bytes


def items_of(mapping: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the entries of a mapping, in a list of their own.

    The entries of a dict subclass are what it holds, not what its own methods return.
    """
    if isinstance(mapping, dict):
        return list(dict.items(mapping))
    items: list[Any] = list(
        iter(mapping.items())
    )  # a wrong length would reserve memory if it were asked for here
    if len(items) != len(mapping) or not all(isinstance(item, tuple) and len(item) == 2 for item in items):
        raise InputError(f"{kind_of(mapping)} changed while it was read, or its length is wrong")
    return items


def scores_by_document(query: Any, ranking: Any) -> dict[str, float]:
    """A copy of a ranking with plain strings and plain numbers, none of them NaN."""
    if not isinstance(ranking, Mapping):
        what = f"query {quoted(str(query))} holds {kind_of(ranking)}"
        raise WrongType(f"{what}, expected a dict of documents and their scores")
    scores: dict[str, float] = {}
    for document, score in items_of(ranking):
        name = document if type(document) is str and document.isascii() else _name(query, document)
        if name in scores:
            raise InputError(
                f"{_place(query, document)} appears twice, expected each document once per query"
            )
        number = float(score) if type(score) in FLOATS else _number(query, document, score)
        if isnan(number):
            raise InputError(f"{_place(query, document)}: the score is nan, expected a number")
        scores[name] = number
    return scores


def plain_dict(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    """A copy of a mapping that no other thread can change."""
    if type(mapping) is dict:
        return mapping.copy()
    items = items_of(mapping)
    try:
        copy = dict(items)
    except TypeError:
        raise WrongType(f"{kind_of(mapping)} has a key that cannot be hashed") from None
    if len(copy) < len(items):
        raise InputError(f"{kind_of(mapping)} has a key twice, expected each once")
    return copy


def _place(query: Any, document: Any) -> str:
    """Say where in nested dicts a value stands."""
    return f"query {quoted(str(query))}, document {quoted(str(document))}"


def _name(query: Any, document: Any) -> str:
    """Return the plain string that stands for the same bytes."""
    if not isinstance(document, str):
        raise WrongType(f"{_place(query, document)} is {kind_of(document)}, expected a string")
    try:
        return decode(encode(document))
    except UnicodeEncodeError:
        problem = "has a lone surrogate, expected text that UTF-8 can encode"
        raise InputError(f"{_place(query, document)} {problem}") from None


def _number(query: Any, document: Any, score: Any) -> float:
    """Return a number of double precision; subclasses of float and int have no say in their value."""
    try:
        if isinstance(score, float):
            return float.__float__(score)
        if isinstance(score, int):
            return int.__float__(score)
        if score is not None and not isinstance(score, str | bytes):
            return float(score)
        found = quoted(score if isinstance(score, bytes) else str(score))
    except OverflowError:
        problem = "the score is too large, expected a number of double precision"
        raise InputError(f"{_place(query, document)}: {problem}") from None
    except (TypeError, ValueError):
        found = kind_of(score)
    raise WrongType(f"{_place(query, document)}: the score is {found}, expected a number")


def table_of_rankings(scores: Mapping[str, Mapping[str, float]]) -> Table:
    """Return nested dicts of scores as a table, in single precision."""
    documents = Ids.of(document for own in scores.values() for document in own)
    with np.errstate(over="ignore"):  # too large numbers are infinite
        numbers = np.array([score for own in scores.values() for score in own.values()], np.float32)
    starts = np.cumsum([0, *map(len, scores.values())])
    return Table(Ids.of(scores), starts, documents, numbers.astype(float)[:, None], NO_LINES)


class NestedJson(Opened):
    """A file of JSON with the documents of each query, which MTEB wraps by subset and split."""

    def __init__(self, file: PathLike) -> None:
        self.file = file

    def table(self, number: str, _: Mapping[str, str] = NONE) -> tuple[Table, Layout]:
        """Return the rows of the file, query by query, and their columns."""
        data = read_json(self.file)
        while isinstance(data, Mapping):
            inside = {key: value for key, value in data.items() if not key.startswith(DESCRIPTIONS)}
            lists = bool(data) and all(isinstance(held, list) for held in data.values())
            wrapped = [] if lists else [value for value in inside.values() if _holds_queries(value)]
            if not wrapped:
                return table_of_mapping(data, number), QRELS
            if len(inside) > 1:
                parts = ", ".join(map(quoted, list(inside)[:5]))
                problem = f"holds more than one dictionary of queries: {parts}"
                raise InputError(f"{problem}; expected one: write each to a file of its own")
            data = wrapped[0]
        expected = f"queries, each with its documents and their {number}s, or JSON lines: an object per line"
        raise InputError(f"holds {kind_of(data)}, expected {expected}")


def _holds_queries(value: Any) -> bool:
    """Whether this is a dict of queries, each with a dict or a list of documents."""
    return isinstance(value, Mapping) and any(isinstance(inner, Mapping | list) for inner in value.values())


def _documents(query: Any, held: Any, number: str) -> tuple[Iterable[Any], Iterable[Any]]:
    """Return documents with a number each: their own, their place from the top, or 1 in judgments."""
    held = _as_list(held)
    if isinstance(held, dict):
        documents, values = list(dict.keys(held)), list(dict.values(held))  # a copy would ask its keys
        if len(documents) != len(values):
            raise InputError(f"query {quoted(str(query))} changed while it was read")
        return documents, values
    if isinstance(held, Mapping):
        pairs = items_of(held)
        return [document for document, _ in pairs], [value for _, value in pairs]
    what = f"query {quoted(str(query))} holds {kind_of(held)}"
    if isinstance(held, AbstractSet) and number == "score":
        raise InputError(f"{what}, which has no order: expected a list of documents, best first")
    if not isinstance(held, LISTS):
        raise InputError(f"{what}, expected a mapping of documents to a {number} each")
    items = list(held)
    if items and all(isinstance(item, tuple | list) and len(item) == 2 for item in items):
        return [document for document, _ in items], [value for _, value in items]
    places = range(-1, -len(items) - 1, -1)
    return items, [RELEVANT] * len(items) if number == "grade" else places


def table_of_plain_dicts(data: Mapping[Any, Any], number: str) -> Table | None:
    """Return the same for dicts, strings and numbers that need no conversion; None for any others."""
    plain = scanner.table_of_dicts(data)
    fits = plain is not None and (plain.extent is not None or not unfit(number, plain.numbers).any())
    return plain if fits else None


def table_of_rows(data: Rows, names: tuple[str, ...]) -> Table:
    """Return rows of a query, a document and the numbers of these names, query by query."""
    roles = ("query", "document", *names)
    rows = _cut(list(data), roles)
    columns: list[Sequence[Any]] = [[row[k] for row in rows] for k in range(len(roles))]
    return grouped(TabularBlock(dict(zip(roles, columns, strict=True))).table({role: role for role in roles}))


def _cut(rows: list[Any], fields: tuple[str, ...]) -> list[Any]:
    """Return the rows with as many fields as are needed."""
    if not set(map(type, rows)) <= {tuple, list}:
        for i, row in enumerate(rows):
            if isinstance(row, str | bytes | Mapping | AbstractSet) or not hasattr(row, "__iter__"):
                what = f"row {i} (from 0) is {kind_of(row)}"
                raise InputError(f"{what}, expected ({', '.join(fields)})")
            rows[i] = tuple(row)
    if any(len(row) < len(fields) for row in rows):
        short = next(i for i, row in enumerate(rows) if len(row) < len(fields))
        what = f"row {short} (from 0) has {len(rows[short])} fields"
        raise InputError(f"{what}, expected ({', '.join(fields)})")
    return rows


def dataset_judgments(source: str) -> tuple[Table, Layout]:
    """Return the judgments of a dataset, which ir_datasets downloads if needed."""
    named: list[dict[str, str]] = []

    def rows(dataset: Any) -> Iterable[tuple[Any, ...]]:
        named.append(columns_of(dataset.qrels_cls()._fields, "grade", NONE))
        for row in dataset.qrels_iter():
            yield tuple(getattr(row, field) for field in named[0].values())

    judged = list(dataset_rows(source, "judgments", "qrels", rows))
    return table_of_rows(judged, tuple(named[0])[2:]), Layout(tuple(named[0]))


def dataset_rows(source: str, what: str, part: str, read: Callable[[Any], Iterable[Any]]) -> Iterator[Any]:
    """Yield what `read` gives of the dataset `irds:<id>`; nothing is downloaded before it is read."""
    name = source.removeprefix(DATASET)
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise missing_package("ir-datasets", f"{DATASET}{name}") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        problem = "ir_datasets has no dataset of this name, see its catalogue"
        raise InputError(problem, source=source) from None
    if not getattr(dataset, f"has_{part}")():
        problem = f"this dataset has no {what}; choose one of its parts that has them"
        raise InputError(problem, source=source)
    try:
        yield from read(dataset)
    except (RuntimeError, OSError) as error:
        problem = f"its {what} are not on this machine and could not be downloaded"
        problem += f"; see the catalogue of ir_datasets ({reason_of(error)})"
        raise InputError(problem, source=source) from None
