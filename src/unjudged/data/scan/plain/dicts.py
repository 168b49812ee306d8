"""Dicts and columns of Python strings, in plain Python: made from rows, or made identifiers."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.data.scan.checks import checked_table
from unjudged.data.tables import Ids, Matched, Table


def match_dicts(*_: Any) -> Matched | None:
    """Return the judged documents of each ranking in plain dicts, None for any others.

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
