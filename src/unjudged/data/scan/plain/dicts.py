"""Dicts and columns of Python strings, in plain Python: matched, made from rows, or made identifiers."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.data.scan.checks import changed_while_read, checked_starts, checked_table
from unjudged.data.scan.plain.matcher import in_rank_order, ranks_of_score, ties_of, to_single
from unjudged.data.tables import Ids, Matched, Table, decode, encode


class WrongType(InputError, TypeError):
    """A value of a type that cannot be used."""


def match_mapping(
    run: Mapping[str, Mapping[str, Any]],
    queries: Mapping[str, int],
    documents: Sequence[str | None],
    starts: NDArray[np.int64],
    single: bool,
) -> Matched:
    """Judged documents of each ranking of `run`, `{query: {document: score}}`, whose query is judged.

    `queries` numbers the judged queries; query q has the rows `starts[q]` to `starts[q + 1]` of `documents`.
    `single` rounds scores to single precision.
    """
    rows = checked_starts(starts, len(starts) - 1, len(documents)).tolist()
    if rows[0] != 0 or rows[-1] != len(documents):
        raise changed_while_read("the judged documents")
    query, retrieved, ends, rank, row = [], [], [0], [], []
    ties: list[tuple[int, int]] = []
    for name, ranking in run.items():
        if name not in queries:
            continue
        q = queries[name]
        if not 0 <= q < len(rows) - 1:
            raise changed_while_read("the judged documents")
        scores = scores_by_document(name, ranking)
        keys = [to_single(score) if single else score for score in scores.values()]
        names = list(scores)
        order = in_rank_order(keys, list(map(encode, names)))
        places = {names[i]: place for place, i in enumerate(order, 1)}
        tied = ranks_of_score([keys[i] for i in order])
        query.append(q)
        retrieved.append(len(places))
        judged = enumerate(documents[rows[q] : rows[q + 1]], rows[q])
        for place, i in sorted((places[document], i) for i, document in judged if document in places):
            rank.append(place)
            row.append(i)
            ties.append(tied[place - 1])
        ends.append(len(row))
    return Matched(
        query=np.array(query, np.int32),
        retrieved=np.array(retrieved, np.int32),
        ends=np.array(ends, np.int64),
        rank=np.array(rank, np.int32),
        row=np.array(row, np.int32),
        ties=ties_of(ties),
    )


def match_dicts(*_: Any) -> Matched | None:
    """Return the same for every ranking, judged or not, of plain dicts with finite scores.

    None for any others, if they are empty, and if they have more than `most` entries, the last argument.
    Only compiled code is faster than making a table of them first.
    """
    return None


def environment_variable(name: str) -> str:
    """Return its value, "" if it is not set. `os.environ` takes longer than to read a few documents."""
    return os.environ.get(name, "")


def table_of_dicts(_: Any) -> Table | None:
    """`{query: {document: number}}` as a table, if all dicts, names and numbers are plain; else None.

    Only compiled code is faster than reading the dicts in the general way.
    """
    return None


def nested_rows(table: Table, whole: bool) -> dict[str, dict[str, Any]]:
    """Return the first numbers of a table as `{query: {document: number}}`.

    If a document is repeated, its last number counts.
    """
    columns = checked_table(table)
    documents, numbers = list(table.documents), columns.numbers[:, 0].tolist()
    numbers, ends = list(map(int, numbers)) if whole else numbers, columns.starts.tolist()
    return {
        query: dict(zip(documents[start:stop], numbers[start:stop], strict=True))
        for query, start, stop in zip(table.queries, ends, ends[1:], strict=False)
    }


def scores_by_document(query: Any, ranking: Any) -> dict[str, float]:
    """A copy of a ranking with plain strings and plain numbers, none of them NaN."""
    if not isinstance(ranking, Mapping):
        what = f"query {quoted(str(query))} holds {kind_of(ranking)}"
        raise WrongType(f"{what}, expected a dict of documents and their scores")
    scores: dict[str, float] = {}
    for document, score in items_of(ranking):
        where = f"query {quoted(str(query))}, document {quoted(str(document))}"
        if not isinstance(document, str):
            raise WrongType(f"{where} is {kind_of(document)}, expected a string")
        name = _name(document, where)
        if name in scores:
            raise InputError(f"{where} appears twice, expected each document once per query")
        scores[name] = _number(score, where)
    return scores


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


def _name(document: str, where: str) -> str:
    """Return the plain string that stands for the same bytes."""
    try:
        return decode(encode(document))
    except UnicodeEncodeError:
        raise InputError(f"{where} has a lone surrogate, expected text that UTF-8 can encode") from None


def _number(score: Any, where: str) -> float:
    if score is None or isinstance(score, str | bytes):
        shown = score if isinstance(score, bytes) else str(score)
        raise WrongType(f"{where}: the score is {quoted(shown)}, expected a number")
    try:
        value = _float(score)
    except OverflowError:
        raise InputError(f"{where}: the score is too large, expected a number of double precision") from None
    except (TypeError, ValueError):
        raise WrongType(f"{where}: the score is {kind_of(score)}, expected a number") from None
    if math.isnan(value):
        raise InputError(f"{where}: the score is nan, expected a number")
    return value


def _float(score: Any) -> float:
    """As the compiled twin reads it: subclasses of float and int have no say in their value."""
    if isinstance(score, float):
        return float.__float__(score)
    return int.__float__(score) if isinstance(score, int) else float(score)


def ids_of_strings(column: Any) -> Ids | None:
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    objects = np.asarray(column, object).tolist()
    if not set(map(type, objects)) <= {str}:
        return None
    try:
        return Ids.of([text.encode() for text in objects])
    except UnicodeEncodeError:
        return None


def stretches_of_strings(column: Any) -> NDArray[np.int64] | None:
    """Return the rows of a column whose string is not that of the row before, and then the number of rows.

    None if the objects of the column are not all strings that have UTF-8.
    """
    if ids_of_strings(column) is None:
        return None
    names = np.asarray(column, object).tolist()
    starts = [row for row in range(len(names)) if row == 0 or names[row] != names[row - 1]]
    return np.array([*starts, len(names)], np.int64)
