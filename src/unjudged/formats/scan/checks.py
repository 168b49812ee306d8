"""What compiled code may rely on: tables whose offsets stay inside their data, and scores that are numbers.

Readers make such tables. This is the last line of defence, for data that changed while it was read, or that
came from elsewhere with damaged offsets. Both twins call it, once per table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import InputError
from unjudged.formats.tables import Ids, Table

MOST_ROWS = 2**31 - 1
"""Rows are numbered with 32 bits."""

Offsets = NDArray[np.int64]


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
    """The columns of a table, with numbers for each of its documents."""
    groups = checked_groups(table.queries, table.starts, table.documents)
    numbers: NDArray[np.float64] = np.asarray(table.numbers, np.float64)
    if numbers.ndim != 2 or not numbers.shape[1] or len(numbers) != len(table.documents):
        raise _damaged(f"{len(table.documents)} documents have numbers of shape {numbers.shape}")
    return CheckedTable(*groups, numbers)


def checked_groups(queries: Ids, starts: Any, documents: Ids) -> CheckedGroups:
    """Documents in one group per query. Documents outside all groups are not checked."""
    offsets = checked_starts(starts, queries.offsets.size - 1, documents.offsets.size - 1)
    own = slice(int(offsets[0]), int(offsets[-1]) + 1)
    return CheckedGroups(_checked_ids(queries, slice(None)), offsets, _checked_ids(documents, own))


def checked_scores(table: CheckedTable) -> NDArray[np.float64]:
    """The first number of each row, none of them NaN in a row of a group."""
    scores = np.ascontiguousarray(table.numbers[:, 0])
    own = scores[table.starts[0] : table.starts[-1]]
    if len(own) and np.isnan(own.min()):
        row = int(table.starts[0]) + int(np.isnan(own).argmax())
        raise InputError(f"row {row} (from 0): the score is nan, expected a number")
    return scores


def checked_starts(starts: Any, groups: int, rows: int) -> Offsets:
    """Offsets that cut some or all of `rows` into `groups`."""
    checked = np.ascontiguousarray(starts, np.int64)
    if rows > MOST_ROWS or groups > MOST_ROWS:
        raise too_many_rows()
    if groups < 0 or rows < 0 or checked.shape != (groups + 1,):
        raise _damaged(f"{groups} groups of {rows} rows have {checked.size} offsets")
    _check_offsets(checked, rows, "the groups")
    return checked


def _checked_ids(ids: Ids, own: slice) -> CheckedIds:
    data, ends = np.ascontiguousarray(ids.data, np.uint8), np.ascontiguousarray(ids.offsets, np.int64)
    _check_offsets(ends[own], data.size, "identifiers")
    return CheckedIds(data, ends)


def _check_offsets(offsets: Offsets, size: int, what: str) -> None:
    if offsets[0] < 0 or offsets[-1] > size or (offsets[1:] < offsets[:-1]).any():
        raise _damaged(f"the offsets of {what} run backwards or past the end")


def _damaged(problem: str) -> InputError:
    return InputError(f"{problem}: the data is damaged, or it changed while it was read")


def too_many_rows() -> InputError:
    return InputError(f"too many rows, expected at most {MOST_ROWS:,}")


def changed_while_read(what: str) -> InputError:
    return InputError(f"{what} changed while it was read, expected data that stays as it is")
