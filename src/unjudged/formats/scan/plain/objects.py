"""Columns of Python's strings as identifiers, in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.formats.tables import Ids


def ids_of_strings(column: Any) -> Ids | None:
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    objects = np.asarray(column, object).tolist()
    if not set(map(type, objects)) <= {str}:
        return None
    try:
        return Ids.of([text.encode() for text in objects])
    except UnicodeEncodeError:
        return None


def stretches_of_strings(column: Any) -> tuple[Ids, NDArray[np.int64]] | None:
    """Return the string of each stretch of equal ones, as identifiers, and the row where it starts.

    None if the objects of the column are not all strings that have UTF-8.
    """
    ids = ids_of_strings(column)
    if ids is None:
        return None
    names = ids.tolist()
    starts = [row for row in range(len(names)) if row == 0 or names[row] != names[row - 1]]
    return Ids.of([names[row] for row in starts]), np.array(starts, np.int64)
