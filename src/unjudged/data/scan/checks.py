"""What compiled code may rely on: tables whose offsets stay inside their data, and scores that are numbers.

Readers make such tables. This is the last line of defence, for data that changed while it was read, or that
came from elsewhere with damaged offsets. Both twins call it, once per table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError
from unjudged.data.tables import Ids, Table

MOST_ROWS = 2**31 - 1
"""Rows are numbered with 32 bits."""

Offsets = NDArray[np.int64]


class TooMuchMemory(Exception):
    """Rows take more bytes than is allowed."""


class CheckedIds(NamedTuple):
    data: NDArray[np.uint8]
    ends: Offsets


class CheckedGroups(NamedTuple):
    """Group g holds the documents `starts[g]` to `starts[g + 1]`, all of query g."""

    queries: CheckedIds
    starts: Offsets
    documents: CheckedIds


class CheckedTable(NamedTuple):
    queries: CheckedIds
    starts: Offsets
    documents: CheckedIds
    numbers: NDArray[np.float64]


def checked_table(table: Table) -> CheckedTable:
    """Return the columns of a table, with numbers for each of its documents."""
    columns = checked_columns(table)
    _check_documents(columns)
    return columns


def checked_columns(table: Table) -> CheckedTable:
    """Return the same, but what is in the rows has yet to be checked: by `check_rows`, or group by group."""
    starts = checked_starts(table.starts, table.queries.offsets.size - 1, table.documents.offsets.size - 1)
    numbers: NDArray[np.float64] = np.asarray(table.numbers, np.float64)
    if numbers.ndim != 2 or not numbers.shape[1] or len(numbers) != len(table.documents):
        raise _damaged(f"{len(table.documents)} documents have numbers of shape {numbers.shape}")
    return CheckedTable(checked_ids(table.queries), starts, _columns_of(table.documents), numbers)


def check_rows(table: CheckedTable) -> None:
    """Refuse documents outside their data, and scores, the first numbers, that are NaN."""
    _check_documents(table)
    own = table.numbers[table.starts[0] : table.starts[-1], 0]
    if len(own) and np.isnan(own.min()):
        row = int(table.starts[0]) + int(np.isnan(own).argmax())
        raise InputError(f"row {row} (from 0): the score is nan, expected a number")


def checked_groups(queries: Ids, starts: Any, documents: Ids) -> CheckedGroups:
    """Documents in one group per query. Documents outside all groups are not checked."""
    offsets = checked_starts(starts, queries.offsets.size - 1, documents.offsets.size - 1)
    groups = CheckedGroups(checked_ids(queries), offsets, _columns_of(documents))
    _check_documents(groups)
    return groups


def checked_starts(starts: Any, groups: int, rows: int) -> Offsets:
    """Offsets that cut some or all of `rows` into `groups`."""
    checked = np.ascontiguousarray(starts, np.int64)
    if rows > MOST_ROWS or groups > MOST_ROWS:
        raise too_many_rows()
    if groups < 0 or rows < 0 or checked.shape != (groups + 1,):
        raise _damaged(f"{groups} groups of {rows} rows have {checked.size} offsets")
    _check_offsets(checked, rows, "the groups")
    return checked


def checked_ids(ids: Ids | CheckedIds) -> CheckedIds:
    """Identifiers that may all be read; those that were checked before stay as they are."""
    if isinstance(ids, CheckedIds):
        return ids
    checked = _columns_of(ids)
    _check_offsets(checked.ends, checked.data.size, "identifiers")
    return checked


def _columns_of(ids: Ids) -> CheckedIds:
    return CheckedIds(np.ascontiguousarray(ids.data, np.uint8), np.ascontiguousarray(ids.offsets, np.int64))


def _check_documents(groups: CheckedGroups | CheckedTable) -> None:
    own = groups.documents.ends[groups.starts[0] : groups.starts[-1] + 1]
    _check_offsets(own, groups.documents.data.size, "identifiers")


def _check_offsets(offsets: Offsets, size: int, what: str) -> None:
    if offsets[0] < 0 or offsets[-1] > size or (offsets[1:] < offsets[:-1]).any():
        raise _damaged(f"the offsets of {what} run backwards or past the end")


def _damaged(problem: str) -> InputError:
    return InputError(f"{problem}: the data is damaged, or it changed while it was read")


def too_many_rows() -> InputError:
    return InputError(f"too many rows, expected at most {MOST_ROWS:,}")


def changed_while_read(what: str) -> InputError:
    return InputError(f"{what} changed while it was read, expected data that stays as it is")
