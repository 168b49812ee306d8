"""Rows in no order matched in plain Python: they are grouped, and matched as any table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unjudged.base.errors import DuplicateError
from unjudged.formats.scan.checks import check_rows, checked_columns, checked_ids
from unjudged.formats.scan.plain import Index, match_table
from unjudged.formats.tables import Matched, Scattered


def match_scattered(
    table: Scattered, index: Index, spans: Sequence[tuple[int, int]], on_cores: Any
) -> Matched:
    """The judged documents of each query of a scattered table, in the order of its queries."""
    del spans, on_cores  # one core does it all
    columns = checked_columns(table.as_one_group())
    checked_ids(table.queries)
    check_rows(columns)
    order = np.argsort(table.number, kind="stable")
    try:
        return match_table(table.grouped(), index)
    except DuplicateError as error:
        raise DuplicateError(int(order[error.first]), int(order[error.second])) from None
